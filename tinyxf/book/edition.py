"""One build of the book: a catalog and its pages, from placeholders to finished HTML.

After expansion, before the scripts.  Pure of files and engines: pages come as text, a converter (MkDocs, or
Python-Markdown alone) turns them into HTML in between.

    marked(uri)          the page with a token in place of each placeholder, for the converter
    content(uri, html)   the converted page with its numbers and formulas, tables still stubs that a search index reads
    finish(uri, html)    the finished page with its tables and figures
"""

from __future__ import annotations

import functools
import html
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tinyxf.book.expand import Expanded, Placed, expand, write
from tinyxf.book.figures import FIGURES, figure_context, figure_words
from tinyxf.book.fill import TOKEN, Filling, fill_page, fill_plain, fill_stubs, stub
from tinyxf.book.maths import fill_formulas
from tinyxf.book.pieces import (
    ClaimPiece,
    FigurePiece,
    NumberPiece,
    Piece,
    ProblemPiece,
    TablePiece,
    TextPiece,
    WorkPiece,
)
from tinyxf.book.render import Renderer
from tinyxf.catalog import Catalog
from tinyxf.errors import Problem

CONFIGURATION = "mkdocs.yml"


@dataclass(frozen=True, slots=True)
class Source:
    """A page as its author wrote it: `path` as problems name it, `uri` relative to the pages' folder."""

    path: str
    uri: str
    text: str


# From one page to the address of another, as the engine publishes it: ("a.md", "b.md#c") -> "b.html#c".
Link = Callable[[str, str], str]


class Edition:
    """A catalog and the pages that show it, in the order of the navigation."""

    def __init__(self, catalog: Catalog, sources: Sequence[Source], renderer: Renderer, link: Link) -> None:
        self.catalog = catalog
        self.sources = {source.uri: source for source in sources}
        self.pages: dict[str, Expanded] = {
            source.uri: expand(source.path, source.text, catalog, FIGURES) for source in sources
        }
        self._renderer = renderer
        self._published = {number.address: number.display for number in catalog.published()}
        self._link = link
        self._formula_problems: dict[str, list[Problem]] = {}
        self._first_page: dict[str, str] = {}
        for uri, page in self.pages.items():
            for table in page.tables:
                self._first_page.setdefault(table, uri)
        self._tokens: dict[str, dict[Placed, str]] = {}
        self._fillings: dict[str, Filling] = {}
        self._pieces: dict[str, Piece] = {}
        for number, (uri, page) in enumerate(self.pages.items()):
            self._tokens[uri] = {placed: f"tx{number}n{own}x" for own, placed in enumerate(page.placed)}
            for placed, token in self._tokens[uri].items():
                self._pieces[token] = placed.piece
                self._fillings[token] = self._filling(placed)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every problem found so far, sorted by place; those in formulas are known once `content` has seen the page."""
        found = {problem for page in self.pages.values() for problem in page.problems}
        formulas = {problem for own in self._formula_problems.values() for problem in own}
        return tuple(sorted(found | formulas | set(self._unshown())))

    def marked(self, uri: str) -> str:
        """Return the page with a token in place of each placeholder."""
        tokens = self._tokens[uri]
        return write(self.sources[uri].text, self.pages[uri].placed, tokens.__getitem__)

    def plain(self, text: str) -> str:
        """Return a title or a description with plain numbers in place of its tokens."""
        return fill_plain(text, self._fillings)

    def content(self, uri: str, page: str) -> str:
        """Return a converted page with its formulas and numbers; tables and figures stay stubs."""
        self._formula_problems[uri] = []
        page = fill_formulas(page, self.plain, functools.partial(self._bad_formula, uri))
        return fill_page(page, self._fillings, stub)

    def finish(self, uri: str, page: str) -> str:
        """Return the finished page, each stub replaced by its table or figure."""
        return fill_stubs(page, functools.partial(self._block, uri))

    def _unshown(self) -> Iterator[Problem]:
        for table in self.catalog.tables:
            if table.id not in self._first_page:
                wanted = f'{{{{ table("{table.id}") }}}}'
                message = f'no page shows the table "{table.id}"; write {wanted} on a line of its own'
                yield Problem(CONFIGURATION, 1, 1, message, "unshown")

    def _filling(self, placed: Placed) -> Filling:
        source = placed.placeholder.text
        match placed.piece:
            case NumberPiece() as number:
                derived = self._published.get(number.address or "") != number.display
                return Filling(number.display, _data(number, derived=derived), source)
            case TextPiece(text):
                return Filling(text, html.escape(text, quote=False), source)
            case ClaimPiece():
                return Filling("", "", source)
            case ProblemPiece(problem):
                return Filling(source, problem_box(problem, "span"), source)
            case TablePiece(name):
                return Filling("", "", source, block=True, words=self._table_words(name))
            case FigurePiece(name):
                return Filling("", "", source, block=True, words=figure_words(name, self.catalog))
            case WorkPiece():
                return Filling("", "", source, block=True)

    def _block(self, uri: str, token: str) -> str:
        match self._pieces[token]:
            case TablePiece(name):
                return self._table(name, ids=self._first_page[name] == uri)
            case FigurePiece(name):
                context = figure_context(name, self.catalog)
                return self._renderer.figure(name, link=functools.partial(self._link, uri), **context)
            case _:
                raise AssertionError(token)

    @functools.cache  # noqa: B019  an edition lives for one build
    def _table(self, name: str, *, ids: bool) -> str:
        return self._renderer.table(self.catalog.table(name), "html", ids=ids, note=False)

    @functools.cache  # noqa: B019  an edition lives for one build
    def _table_words(self, name: str) -> str:
        table = self.catalog.table(name)
        cells = (table.text(i, j) for i in range(len(table.rows)) for j in range(len(table.columns)))
        return " ".join([table.title, *(column.label for column in table.columns), *cells])

    def _bad_formula(self, uri: str, latex: str, reason: str) -> str:
        """Report a formula that cannot be read, at its place in the author's page."""
        source = self.sources[uri]
        typed = TOKEN.sub(lambda found: self._fillings[found[0]].source, latex)
        start = max(source.text.find(typed.strip()), 0)
        line = source.text.count("\n", 0, start) + 1
        column = start - source.text.rfind("\n", 0, start)
        problem = Problem(source.path, line, column, f"formula cannot be read: {reason}", "maths")
        self._formula_problems[uri].append(problem)
        return problem_box(problem, "span")


def problem_box(problem: Problem, tag: str) -> str:
    """Return a problem as the reader of a served page sees it, where it is."""
    return f'<{tag} class="tx-problem" role="alert">{html.escape(str(problem), quote=False)}</{tag}>'


def _data(number: NumberPiece, *, derived: bool) -> str:
    where = f' data-address="{html.escape(number.address)}"' if number.address else ""
    own = f' data-expression="{html.escape(number.expression)}"' if derived else ""
    return f'<data value="{number.full}"{where}{own}>{html.escape(number.display)}</data>'
