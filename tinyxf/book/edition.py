"""One build of the book: a catalog and its pages, from placeholders to finished HTML.

After expansion, before the scripts.  Pure of files and engines: pages come as text, a converter (MkDocs, or
Python-Markdown alone) turns them into HTML in between.

    marked(uri)          the page with a token in place of each placeholder, for the converter
    content(uri, html)   the converted page with its numbers and formulas; tables are stubs for the search index
    finish(uri, html)    the finished page with its tables and figures
"""

from __future__ import annotations

import functools
import html
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tinyxf.book.expand import Placed, expand, write
from tinyxf.book.export import export, latex
from tinyxf.book.figures import FIGURES, figure_context, figure_words
from tinyxf.book.fill import TOKEN, Filling, fill_latex, fill_page, fill_plain, fill_stubs, free_number, stub
from tinyxf.book.formulas import FormulaPlaces, Place
from tinyxf.book.included import Inclusions
from tinyxf.book.maths import fill_formulas
from tinyxf.book.offered import table_links
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
from tinyxf.book.snapshot import Snapshot, take_snapshot
from tinyxf.book.worked import view_work, work_words
from tinyxf.catalog import Catalog
from tinyxf.errors import BookError, Problem, TinyxfError
from tinyxf.trace.work import Workbook, read_workbook

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
        self.included = {own.uri: expand(own.path, own.text, catalog, FIGURES) for own in snippets}
        self.inclusions = Inclusions(self.pages, self.included)
        self._renderer = renderer
        self._link = link
        self._formula_problems: dict[str, list[Problem]] = {}
        self._found: set[Problem] = set()  # beside those that expansion finds
        self._blocks: dict[tuple[str, bool], str] = {}
        self.first_pages: dict[str, str] = {}  # of each table: where its cells have their ids
        for uri in self.pages:
            for table in self.tables_of(uri):
                self.first_pages.setdefault(table, uri)
        self._tokens: dict[str, dict[Placed, str]] = {}
        self._fillings: dict[str, Filling] = {}
        self._pieces: dict[str, Piece] = {}
        self._converting = ""  # the page that the engine has at hand
        free = free_number(own.text for own in (*manuscripts, *snippets))
        self._numbers = {uri: number for number, uri in enumerate(self.pages, free)}
        for uri, page in self.pages.items():
            self._tokens[uri] = {
                own: self._keep(own, uri, index, (page.page, own.placeholder.line, own.placeholder.column))
                for index, own in enumerate(page.placed)
            }

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every problem found so far, sorted by place; those in formulas once `content` has seen the page."""
        expanded = (*self.pages.values(), *self.inclusions.shown_by(*self.pages))
        found = {problem for page in expanded for problem in page.problems}
        formulas = {problem for own in self._formula_problems.values() for problem in own}
        for uri, tokens in self._tokens.items():
            for token in tokens.values():
                if self._fillings[token].block:
                    self._block(uri, token)
        found |= formulas | self._found | set(self.inclusions.problems) | set(self._unshown())
        return tuple(sorted(found))

    def marked(self, uri: str) -> str:
        """Return the page with a token in place of each placeholder."""
        self._converting = uri
        return write(self.manuscripts[uri].text, self.pages[uri].placed, self._tokens[uri].__getitem__)

    def mark_included(self, text: str) -> str:
        """Return the text of the page that was marked last, with a token for each placeholder that a file brought in.

        Problems are reported where they are, in the included file itself.
        """
        uri = self._converting
        tokens = {}
        for index, placed in enumerate(expand("", text, self.catalog, FIGURES).placed, len(self._tokens[uri])):
            place = self.inclusions.place(uri, placed.placeholder.text) or (self.pages[uri].page, 1, 1)
            tokens[placed] = self._keep(placed, uri, index, place)
        return write(text, tokens, tokens.__getitem__)

    def tables_of(self, uri: str) -> tuple[str, ...]:
        """Return the tables that a page shows, in included files too."""
        included = (table for file in self.inclusions.shown_by(uri) for table in file.tables)
        return (*self.pages[uri].tables, *included)

    def exported(self, uri: str) -> str:
        """Return the page as Markdown for any engine: no placeholder left, every number with its address."""
        tokens = self._tokens[uri]

        def block(placed: Placed) -> str:
            if isinstance(placed.piece, TablePiece) and not placed.placeholder.html:
                return self._renderer.table(self.catalog.table(placed.piece.id), "md", addresses=True, note=False)
            return self._block(uri, tokens[placed])

        return export(self.pages[uri], block)

    def blocks_of(self, uri: str) -> tuple[str, ...]:
        """Return the HTML of all that a page shows as a whole, other than tables."""
        kinds = FigurePiece | WorkPiece
        tokens = self._tokens[uri].values()
        return tuple(self._block(uri, token) for token in tokens if isinstance(self._pieces[token], kinds))

    @functools.cached_property
    def workbook(self) -> Workbook:
        """The worked arithmetic of every number.  Raises TinyxfError where the catalog cannot be traced."""
        return read_workbook(self.catalog)

    def snapshot(self) -> Snapshot:
        """Return what this edition publishes, for a comparison with another."""
        return take_snapshot(self.catalog, (*self.pages.values(), *self.included.values()))

    def plain(self, text: str) -> str:
        """Return a title or a description with plain numbers in place of its tokens."""
        return fill_plain(text, self._fillings)

    def content(self, uri: str, page: str) -> str:
        """Return a converted page with its formulas and numbers; tables and figures stay stubs."""
        self._formula_problems[uri] = []
        places: list[FormulaPlaces] = []

        def complain(latex: str, reason: str) -> str:
            if not places:
                places.append(FormulaPlaces((self.pages[uri], *self.inclusions.shown_by(uri))))
            typed = TOKEN.sub(lambda found: self._source(found[0]), latex)
            problem = Problem(*places[0].next(typed), f"formula cannot be read: {reason}", "maths")
            self._formula_problems[uri].append(problem)
            return problem_box(problem, "span")

        page = fill_formulas(page, functools.partial(fill_latex, fillings=self._fillings), complain)
        return fill_page(page, self._fillings, stub)

    def finish(self, uri: str, page: str) -> str:
        """Return the finished page, each stub replaced by its table or figure."""
        named: set[str] = set()

        def block(token: str) -> str:
            piece = self._pieces[token]
            first = not (isinstance(piece, TablePiece) and piece.id in named)
            if isinstance(piece, TablePiece):
                named.add(piece.id)
            return self._block(uri, token, first=first)

        return fill_stubs(page, block)

    def _source(self, token: str) -> str:
        return self._fillings[token].source if token in self._fillings else token

    def _unshown(self) -> Iterator[Problem]:
        for table in self.catalog.tables:
            if table.id not in self.first_pages:
                wanted = f'{{{{ table("{table.id}") }}}}'
                message = f'no page shows the table "{table.id}"; write {wanted} on a line of its own'
                yield Problem(CONFIGURATION, 1, 1, message, "unshown")

    def _keep(self, placed: Placed, uri: str, index: int, place: Place) -> str:
        """Return the token for what stands in a page, and remember it; `place` is where it was typed."""
        piece = placed.piece
        if isinstance(piece, ProblemPiece):
            piece = ProblemPiece(Problem(*place, piece.problem.message, piece.problem.kind))
        words = ""
        try:
            words = self._words(piece)
        except TinyxfError as error:  # a figure of tables that this catalog does not have, or no arithmetic
            kind = "work" if isinstance(piece, WorkPiece) else "figure"
            piece = ProblemPiece(Problem(*place, str(error), kind))
        if isinstance(piece, ProblemPiece):
            self._found.add(piece.problem)
        token = f"tx{self._numbers[uri]}n{index}x"
        self._pieces[token] = piece
        self._fillings[token] = _filling(piece, placed.placeholder.text, words)
        return token

    def _words(self, piece: Piece) -> str:
        """Return what a search finds of a block."""
        match piece:
            case TablePiece(name):
                return self._table_words(name)
            case FigurePiece(name):
                return figure_words(name, self.catalog)
            case WorkPiece(name):
                return work_words(self.workbook.work(name))
            case _:
                return ""

    def _block(self, uri: str, token: str, *, first: bool = True) -> str:
        """Return a block as HTML, or what is wrong with its template; only the `first` of a page may have ids."""
        if (token, first) not in self._blocks:
            try:
                made = self._render(uri, self._pieces[token], first=first)
            except BookError as error:
                self._found.update(error.problems)
                made = "".join(problem_box(problem, "div") for problem in error.problems)
            self._blocks[token, first] = made
        return self._blocks[token, first]

    def _render(self, uri: str, piece: Piece, *, first: bool) -> str:
        match piece:
            case TablePiece(name):
                files = table_links(name, functools.partial(self._link, uri))
                return self._table(name, ids=first and self.first_pages.get(name) == uri, files=files)
            case FigurePiece(name):
                context = figure_context(name, self.catalog)
                return self._renderer.figure(name, link=functools.partial(self._link, uri), **context)
            case WorkPiece(name):
                view = view_work(self.workbook, name, functools.partial(self._cell, uri))
                return self._renderer.render("work.html.jinja", view=view)
            case _:
                raise AssertionError(piece)

    def _cell(self, uri: str, address: str) -> str:
        """Return a link from a page to the cell of an address; empty where no page has it."""
        page = self.first_pages.get(address.partition("/")[0], "") if "/" in address else ""
        return self._link(uri, f"{page}#{address}") if page else ""

    @functools.cache  # noqa: B019  an edition lives for one build
    def _table(self, name: str, *, ids: bool, files: tuple[tuple[str, str], ...]) -> str:
        return self._renderer.table(self.catalog.table(name), "html", ids=ids, note=False, files=files)

    @functools.cache  # noqa: B019  an edition lives for one build
    def _table_words(self, name: str) -> str:
        table = self.catalog.table(name)
        cells = (table.text(i, j) for i in range(len(table.rows)) for j in range(len(table.columns)))
        return " ".join([table.title, *(column.label for column in table.columns), *cells])


def _filling(piece: Piece, source: str, words: str) -> Filling:
    match piece:
        case NumberPiece() as number:
            return Filling(number.display, _data(number), source, latex=latex(number.display))
        case TextPiece(text):
            return Filling(text, html.escape(text, quote=False), source)
        case ClaimPiece():
            return Filling("", "", source)
        case ProblemPiece(problem):
            return Filling(source, problem_box(problem, "span"), source)
        case _:
            return Filling("", "", source, block=True, words=words)


def problem_box(problem: Problem, tag: str) -> str:
    """Return a problem as the reader of a served page sees it, where it is."""
    return f'<{tag} class="tx-problem" role="alert">{html.escape(str(problem), quote=False)}</{tag}>'


def _data(number: NumberPiece) -> str:
    where = f' data-address="{html.escape(number.address)}"' if number.address else ""
    own = f' data-expression="{html.escape(number.expression)}"' if number.derived else ""
    return f'<data value="{number.full}"{where}{own}>{html.escape(number.display)}</data>'
