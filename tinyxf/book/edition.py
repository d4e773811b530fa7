"""One build of the book: a catalog and its pages, from placeholders to finished HTML.

After expansion, before the scripts.  Pure of files and engines: pages come as text, a converter (MkDocs, or
Python-Markdown alone) turns them into HTML in between.

    marked(uri)          the page with a token in place of each placeholder, for the converter
    content(uri, html)   the converted page with its numbers; all else is stubs with words for the search index
    finish(uri, html)    the finished page with its formulas, tables and figures
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyxf.book.checks.formulas import FormulaPlaces, Place
from tinyxf.book.checks.links import Links, read_links
from tinyxf.book.expand import Expanded, Placed, expand_with, write
from tinyxf.book.figures import FIGURES
from tinyxf.book.fill import (
    TOKEN,
    Filling,
    fill_latex,
    fill_page,
    fill_plain,
    fill_stubs,
    fill_values,
    free_number,
    hold_formulas,
    stub,
    stubs_in,
)
from tinyxf.book.fillings import filling
from tinyxf.book.included import Inclusions
from tinyxf.book.language.expression import evaluate
from tinyxf.book.language.pieces import (
    FigurePiece,
    Piece,
    ProblemPiece,
    WorkPiece,
)
from tinyxf.book.maths import fill_formulas
from tinyxf.book.plates import Link, Plates, problem_box
from tinyxf.book.render import Renderer
from tinyxf.catalog import Catalog
from tinyxf.errors import Problem, TinyxfError

if TYPE_CHECKING:
    from tinyxf.book.history.snapshot import Snapshot

CONFIGURATION = "mkdocs.yml"


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A page, or a file that pages include, as its author wrote it.

    `path` is what problems call it; `uri` is relative to the folder of the pages, or of the included files.
    """

    path: str
    uri: str
    text: str


@dataclass(frozen=True, slots=True)
class Read:
    """A page as it was read: what its placeholders become, and its links with those of what it includes."""

    manuscript: Manuscript
    page: Expanded
    links: tuple[Links, ...]


@dataclass(frozen=True, slots=True)
class Content:
    """A converted page, filled: `digest` is that of what the engine made of `page` with tokens of this `number`."""

    page: Expanded
    number: int
    digest: bytes
    filled: str
    formulas: tuple[str, ...]
    problems: tuple[Problem, ...]


class Edition:
    """A catalog and the pages that show it, in the order of the navigation.

    A `slim` one drops what only `check` looks at, so that many pages fit into little memory.  One that follows
    another, `before`, takes from it what has not changed since: a server builds the book at each save.
    """

    def __init__(
        self,
        catalog: Catalog,
        manuscripts: Sequence[Manuscript],
        renderer: Renderer,
        link: Link,
        snippets: Sequence[Manuscript] = (),
        *,
        slim: bool = False,
        before: Edition | None = None,
    ) -> None:
        self.catalog = catalog
        self.manuscripts = {own.uri: own for own in manuscripts}
        self.snippets = {own.uri: own for own in snippets}
        work_out = functools.cache(functools.partial(evaluate, catalog=catalog, figures=FIGURES))
        self._expand = functools.partial(expand_with, work_out)
        self.included = {own.uri: self._expand(own.path, own.text) for own in snippets}
        same = before if before and (before.catalog, before.snippets) == (catalog, self.snippets) else None
        self._known = same.contents if same else {}
        self.contents: dict[str, Content] = {}
        self.reads: dict[str, Read] = {}
        for own in manuscripts:
            read = same.reads.get(own.uri) if same else None
            self.reads[own.uri] = read if read and read.manuscript == own else self._read(own, slim=slim)
        self.pages = {uri: read.page for uri, read in self.reads.items()}
        self.inclusions = Inclusions(self.pages, self.included)
        self._found: set[Problem] = set()  # beside those that expansion finds
        self.first_pages: dict[str, str] = {}  # of each table: where its cells have their ids
        for uri in self.pages:
            for table in self.tables_of(uri):
                self.first_pages.setdefault(table, uri)
        self.plates = Plates(catalog, renderer, link, self.first_pages)
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

    def _read(self, own: Manuscript, *, slim: bool) -> Read:
        page = self._expand(own.path, own.text)
        links = tuple(read_links(own.uri, page, self.included))
        return Read(own, page.without_scan() if slim else page, links)

    @property
    def links(self) -> tuple[Links, ...]:
        """The links of all pages."""
        return tuple(links for read in self.reads.values() for links in read.links)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every problem found so far, sorted by place; those in formulas once `content` has seen the page."""
        expanded = (*self.pages.values(), *self.inclusions.shown_by(*self.pages))
        found = {problem for page in expanded for problem in page.problems}
        formulas = {problem for content in self.contents.values() for problem in content.problems}
        for uri, tokens in self._tokens.items():
            for token in tokens.values():
                if self._fillings[token].block:
                    self.plates.html(uri, self._pieces[token])
        found |= formulas | self._found | self.plates.problems | set(self.inclusions.problems) | set(self._unshown())
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
        for index, placed in enumerate(self._expand("", text).placed, len(self._tokens[uri])):
            place = self.inclusions.place(uri, placed.placeholder.text) or (self.pages[uri].page, 1, 1)
            tokens[placed] = self._keep(placed, uri, index, place)
        return write(text, tokens, tokens.__getitem__)

    def tables_of(self, uri: str) -> tuple[str, ...]:
        """Return the tables that a page shows, in included files too."""
        included = (table for file in self.inclusions.shown_by(uri) for table in file.tables)
        return (*self.pages[uri].tables, *included)

    def blocks_of(self, uri: str) -> tuple[str, ...]:
        """Return the HTML of all that a page shows as a whole, other than tables."""
        kinds = FigurePiece | WorkPiece
        pieces = map(self._pieces.__getitem__, self._tokens[uri].values())
        return tuple(self.plates.html(uri, piece) for piece in pieces if isinstance(piece, kinds))

    def snapshot(self) -> Snapshot:
        """Return what this edition publishes, for a comparison with another."""
        from tinyxf.book.history.snapshot import take_snapshot  # noqa: PLC0415  no build needs it

        return take_snapshot(self.catalog, (*self.pages.values(), *self.included.values()))

    def plain(self, text: str) -> str:
        """Return a title or a description with plain numbers in place of its tokens."""
        return fill_plain(text, self._fillings)

    def front(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return front matter with plain numbers in place of its tokens."""
        return {key: fill_values(value, self._fillings) for key, value in values.items()}

    def content(self, uri: str, page: str) -> str:
        """Return a converted page with its numbers; formulas, tables and figures are stubs with their words."""
        known = self._known.get(uri)
        of = (self.pages[uri], self._numbers[uri], hashlib.sha256(page.encode()).digest())
        same = known is not None and known.page is of[0] and (known.number, known.digest) == of[1:]
        if known is None or not same or self.inclusions.shown_by(uri):
            known = Content(*of, *self._fill(uri, page))
        self.contents[uri] = known
        return known.filled

    def _fill(self, uri: str, page: str) -> tuple[str, tuple[str, ...], tuple[Problem, ...]]:
        """Return a converted page with its numbers, its formulas, and what is wrong with those."""
        problems: list[Problem] = []
        places: list[FormulaPlaces] = []

        def complain(latex: str, reason: str) -> str:
            if not places:
                places.append(FormulaPlaces((self.pages[uri], *self.inclusions.shown_by(uri))))
            typed = TOKEN.sub(lambda found: self._source(found[0]), latex)
            problems.append(Problem(*places[0].next(typed), f"formula cannot be read: {reason}", "maths"))
            return problem_box(problems[-1], "span")

        page = fill_formulas(page, functools.partial(fill_latex, fillings=self._fillings), complain)
        return *hold_formulas(fill_page(page, self._fillings, stub)), tuple(problems)

    def finish(self, uri: str, page: str) -> str:
        """Return the finished page, each stub replaced by its formula, table or figure."""
        formulas = self.contents[uri].formulas if uri in self.contents else ()
        return fill_stubs(page, self._plates_of(uri), formulas)

    def parts(self, uri: str, page: str) -> tuple[str, ...]:
        """Return a page with stubs, and each plate that belongs in it."""
        return (page, *map(self._plates_of(uri), stubs_in(page)))

    def _plates_of(self, uri: str) -> Callable[[str], str]:
        """Return what gives the plates of a page by their tokens, in order: only a table's first may have ids."""
        named: set[Piece] = set()

        def plate(token: str) -> str:
            piece = self._pieces[token]
            first = piece not in named
            named.add(piece)
            return self.plates.html(uri, piece, first=first)

        return plate

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
            words = self.plates.words(piece)
        except TinyxfError as error:  # a figure of tables that this catalog does not have, or no arithmetic
            kind = "work" if isinstance(piece, WorkPiece) else "figure"
            piece = ProblemPiece(Problem(*place, str(error), kind))
        if isinstance(piece, ProblemPiece):
            self._found.add(piece.problem)
        token = f"tx{self._numbers[uri]}n{index}x"
        self._pieces[token] = piece
        self._fillings[token] = filling(piece, placed.placeholder.text, words)
        return token
