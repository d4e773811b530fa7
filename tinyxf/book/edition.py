"""One build of the book: a catalog and its pages, from placeholders to finished HTML.

After expansion, before the scripts.  Pure of files and engines: pages come as text, a converter (MkDocs, or
Python-Markdown alone) turns them into HTML in between.

    marked(uri)          the page with a token in place of each placeholder, for the converter
    content(uri, html)   the converted page with words for the search index, marked, in place of what is computed
    finish(uri, html)    the finished page with its numbers, formulas, tables and figures
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyxf.book.checks.links import Links, read_links
from tinyxf.book.expand import Expanded, expand_with, write
from tinyxf.book.figures import FIGURES
from tinyxf.book.fill import (
    TOKEN,
    Filling,
    Held,
    fill_latex,
    fill_page,
    fill_plain,
    fill_values,
    free_number,
    stub,
    words_of,
)
from tinyxf.book.finish import Finisher
from tinyxf.book.included import Inclusions
from tinyxf.book.language.expression import evaluate
from tinyxf.book.language.pieces import (
    FigurePiece,
    WorkPiece,
)
from tinyxf.book.maths import fill_formulas
from tinyxf.book.plates import Link, Plates, problem_box
from tinyxf.book.render import Renderer
from tinyxf.book.tokens import Tokens
from tinyxf.catalog import Catalog
from tinyxf.errors import Problem

if TYPE_CHECKING:
    from tinyxf.book.checks.formulas import FormulaPlaces
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
    held: tuple[Held, ...]
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
        self.first_pages: dict[str, str] = {}  # of each table: where its cells have their ids
        for uri in self.pages:
            for table in self.tables_of(uri):
                self.first_pages.setdefault(table, uri)
        self.plates = Plates(catalog, renderer, link, self.first_pages)
        self._tokens = Tokens(self.plates)
        self._placed: dict[str, dict[int, str]] = {}  # the tokens of each page by the offsets of their placeholders
        self._held: dict[str, tuple[Held, ...]] = {}
        self.finisher = Finisher(self.plates, self._tokens.blocks, self._held)
        self._converting = ""  # the page that the engine has at hand
        free = free_number(own.text for own in (*manuscripts, *snippets))
        self._numbers = {uri: number for number, uri in enumerate(self.pages, free)}
        for uri, page in self.pages.items():
            tokens = self._placed[uri] = {}
            for index, placed in enumerate(page.placed):
                place = (page.page, placed.placeholder.line, placed.placeholder.column)
                tokens[placed.placeholder.start] = self._tokens.keep(placed, self._numbers[uri], index, place)

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
        for uri, tokens in self._placed.items():
            for token in tokens.values():
                if token in self._tokens.blocks:
                    self.plates.html(uri, self._tokens.blocks[token])
        found |= formulas | self._tokens.problems | self.plates.problems
        return tuple(sorted({*found, *self.inclusions.problems, *self._unshown()}))

    def marked(self, uri: str) -> str:
        """Return the page with a token in place of each placeholder."""
        self._converting = uri
        tokens = self._placed[uri]
        return write(self.manuscripts[uri].text, self.pages[uri].placed, lambda own: tokens[own.placeholder.start])

    def mark_included(self, text: str) -> str:
        """Return the text of the page that was marked last, with a token for each placeholder that a file brought in.

        Problems are reported where they are, in the included file itself.
        """
        uri = self._converting
        tokens: dict[int, str] = {}
        found = self._expand("", text).placed
        for index, placed in enumerate(found, len(self._placed[uri])):
            place = self.inclusions.place(uri, placed.placeholder.text) or (self.pages[uri].page, 1, 1)
            tokens[placed.placeholder.start] = self._tokens.keep(placed, self._numbers[uri], index, place)
        return write(text, found, lambda own: tokens[own.placeholder.start])

    def tables_of(self, uri: str) -> tuple[str, ...]:
        """Return the tables that a page shows, in included files too."""
        included = (table for file in self.inclusions.shown_by(uri) for table in file.tables)
        return (*self.pages[uri].tables, *included)

    def blocks_of(self, uri: str) -> tuple[str, ...]:
        """Return the HTML of all that a page shows as a whole, other than tables."""
        kinds = FigurePiece | WorkPiece
        pieces = map(self._tokens.blocks.get, self._placed[uri].values())
        return tuple(self.plates.html(uri, piece) for piece in pieces if isinstance(piece, kinds))

    def snapshot(self) -> Snapshot:
        """Return what this edition publishes, for a comparison with another."""
        from tinyxf.book.history.snapshot import take_snapshot  # noqa: PLC0415  no build needs it

        return take_snapshot(self.catalog, (*self.pages.values(), *self.included.values()))

    def plain(self, text: str) -> str:
        """Return a title or a description with plain numbers in place of its tokens."""
        return fill_plain(text, self._tokens.fillings)

    def front(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return front matter with plain numbers in place of its tokens."""
        return {key: fill_values(value, self._tokens.fillings) for key, value in values.items()}

    def content(self, uri: str, page: str) -> str:
        """Return a converted page in which words stand for numbers, formulas, tables and figures."""
        known = self._known.get(uri)
        of = (self.pages[uri], self._numbers[uri], hashlib.sha256(page.encode()).digest())
        same = known is not None and known.page is of[0] and (known.number, known.digest) == of[1:]
        if known is None or not same or self.inclusions.shown_by(uri):
            known = Content(*of, *self._fill(uri, page))
        self.contents[uri] = known
        self._held[uri] = known.held
        return known.filled

    def _fill(self, uri: str, page: str) -> tuple[str, tuple[Held, ...], tuple[Problem, ...]]:
        """Return a converted page with words, what they stand for, and what is wrong with its formulas."""
        held: list[Held] = []
        problems: list[Problem] = []
        places: list[FormulaPlaces] = []

        def complain(latex: str, reason: str) -> str:
            from tinyxf.book.checks.formulas import FormulaPlaces  # noqa: PLC0415  no good book needs it

            if not places:
                places.append(FormulaPlaces((self.pages[uri], *self.inclusions.shown_by(uri))))
            typed = TOKEN.sub(lambda found: self._tokens.source(found[0]), latex)
            problems.append(Problem(*places[0].next(typed), f"formula cannot be read: {reason}", "maths"))
            return problem_box(problems[-1], "span")

        def hold(kind: str, html: str, words: str) -> str:
            held.append(Held(html, words))
            return held[-1].stub(kind, len(held) - 1)

        def show(token: str, own: Filling) -> str:
            return stub(token, own) if own.block else hold("number", own.html, own.words)

        page = fill_formulas(
            page,
            functools.partial(fill_latex, fillings=self._tokens.fillings),
            lambda mathml: hold("formula", mathml, words_of(mathml)),
            complain,
        )
        return fill_page(page, self._tokens.fillings, show), tuple(held), tuple(problems)

    def finish(self, uri: str, page: str) -> str:
        """Return the finished page."""
        return self.finisher.finish(uri, page)

    def _unshown(self) -> Iterator[Problem]:
        for table in self.catalog.tables:
            if table.id not in self.first_pages:
                wanted = f'{{{{ table("{table.id}") }}}}'
                message = f'no page shows the table "{table.id}"; write {wanted} on a line of its own'
                yield Problem(CONFIGURATION, 1, 1, message, "unshown")
