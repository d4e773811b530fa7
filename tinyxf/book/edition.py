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

from tinyxf.book.expand import Placed, expand, write
from tinyxf.book.figures import FIGURES, figure_context, figure_words
from tinyxf.book.export import latex
from tinyxf.book.fill import TOKEN, Filling, fill_latex, fill_page, fill_plain, fill_stubs, stub
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
from tinyxf.book.scan import snippet_names
from tinyxf.book.snapshot import Snapshot, take_snapshot
from tinyxf.catalog import Catalog
from tinyxf.errors import BookError, Problem

CONFIGURATION = "mkdocs.yml"


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A page, or a file that pages include, as its author wrote it.

    `path` is what problems call it; `uri` is relative to the folder of the pages, or of the included files.
    """

    path: str
    uri: str
    text: str


# From one page to the address of another, as the engine publishes it: ("a.md", "b.md#c") -> "b.html#c".
Link = Callable[[str, str], str]


class Edition:
    """A catalog and the pages that show it, in the order of the navigation."""

    def __init__(
        self,
        catalog: Catalog,
        manuscripts: Sequence[Manuscript],
        renderer: Renderer,
        link: Link,
        snippets: Sequence[Manuscript] = (),
    ) -> None:
        self.catalog = catalog
        self.manuscripts = {own.uri: own for own in manuscripts}
        self.snippets = {own.uri: own for own in snippets}
        self.pages = {own.uri: expand(own.path, own.text, catalog, FIGURES) for own in manuscripts}
        self._included = {own.uri: expand(own.path, own.text, catalog, FIGURES) for own in snippets}
        self._renderer = renderer
        self._link = link
        self._formula_problems: dict[str, list[Problem]] = {}
        self._template_problems: set[Problem] = set()
        self._blocks: dict[str, str] = {}
        self._first_page: dict[str, str] = {}
        for uri in self.pages:
            for table in self.tables_of(uri):
                self._first_page.setdefault(table, uri)
        self._tokens: dict[str, dict[Placed, str]] = {}
        self._fillings: dict[str, Filling] = {}
        self._pieces: dict[str, Piece] = {}
        for number, (uri, page) in enumerate(self.pages.items()):
            self._tokens[uri] = {placed: f"tx{number}n{own}x" for own, placed in enumerate(page.placed)}
            for placed, token in self._tokens[uri].items():
                self._keep(token, placed)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every problem found so far, sorted by place; those in formulas are known once `content` has seen the page."""
        expanded = (*self.pages.values(), *self._included.values())
        found = {problem for page in expanded for problem in page.problems}
        formulas = {problem for own in self._formula_problems.values() for problem in own}
        for uri, tokens in self._tokens.items():
            for token in tokens.values():
                if self._fillings[token].block:
                    self._block(uri, token)
        return tuple(sorted(found | formulas | self._template_problems | set(self._unshown())))

    def marked(self, uri: str) -> str:
        """Return the page with a token in place of each placeholder."""
        tokens = self._tokens[uri]
        return write(self.manuscripts[uri].text, self.pages[uri].placed, tokens.__getitem__)

    def mark_included(self, text: str) -> str:
        """Return a page's text with a token for each placeholder that an included file brought in.

        Problems are reported where they are, in the included file itself.
        """
        expanded = expand("", text, self.catalog, FIGURES)
        tokens = {}
        for placed in expanded.placed:
            tokens[placed] = f"tx{len(self.pages)}n{len(self._pieces)}x"
            self._keep(tokens[placed], placed)
        return write(text, expanded.placed, tokens.__getitem__)

    def tables_of(self, uri: str) -> tuple[str, ...]:
        """Return the tables that a page shows, in included files too."""
        names = [snippet.name for snippet in snippet_names(self.manuscripts[uri].text) if not snippet.code]
        included = (table for name in names if name in self._included for table in self._included[name].tables)
        return (*self.pages[uri].tables, *included)

    def blocks_of(self, uri: str) -> tuple[str, ...]:
        """Return the HTML of all that a page shows as a whole, other than tables."""
        kinds = FigurePiece | WorkPiece
        return tuple(
            self._block(uri, token) for placed, token in self._tokens[uri].items() if isinstance(placed.piece, kinds)
        )

    def snapshot(self) -> Snapshot:
        """Return what this edition publishes, for a comparison with another."""
        return take_snapshot(self.catalog, (*self.pages.values(), *self._included.values()))

    def plain(self, text: str) -> str:
        """Return a title or a description with plain numbers in place of its tokens."""
        return fill_plain(text, self._fillings)

    def content(self, uri: str, page: str) -> str:
        """Return a converted page with its formulas and numbers; tables and figures stay stubs."""
        self._formula_problems[uri] = []
        page = fill_formulas(page, functools.partial(fill_latex, fillings=self._fillings), functools.partial(self._bad_formula, uri))
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

    def _keep(self, token: str, placed: Placed) -> None:
        self._pieces[token] = placed.piece
        self._fillings[token] = self._filling(placed)

    def _filling(self, placed: Placed) -> Filling:
        source = placed.placeholder.text
        match placed.piece:
            case NumberPiece() as number:
                return Filling(number.display, _data(number), source, latex=latex(number.display))
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
        """Return a block as HTML; where its template is at fault, the problem in its place."""
        if token not in self._blocks:
            try:
                self._blocks[token] = self._render(uri, token)
            except BookError as error:
                self._template_problems.update(error.problems)
                self._blocks[token] = "".join(problem_box(problem, "div") for problem in error.problems)
        return self._blocks[token]

    def _render(self, uri: str, token: str) -> str:
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
        source = self.manuscripts[uri]
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


def _data(number: NumberPiece) -> str:
    where = f' data-address="{html.escape(number.address)}"' if number.address else ""
    own = f' data-expression="{html.escape(number.expression)}"' if number.derived else ""
    return f'<data value="{number.full}"{where}{own}>{html.escape(number.display)}</data>'
