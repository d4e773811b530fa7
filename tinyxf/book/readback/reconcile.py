"""The built site against the catalog: every number that a page should show is there, and is the catalog's.

After a build, whatever converted, decorated or shrank the pages in between.  A number is found by its attributes:

    data-address     its address; the text is what the catalog displays
    data-expression  how it was calculated or rounded for this place; the text is what the expression gives
    value            its ten significant digits; a `<data>` always has it

Formulas, titles and attributes hold plain digits, which are counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tinyxf.book.language.expression import evaluate
from tinyxf.book.language.pieces import NumberPiece
from tinyxf.book.language.values import PlaceholderError
from tinyxf.book.readback.downloads import download_problems
from tinyxf.book.readback.site import LEFT, FoundNumber, FoundPage, Place, digits_in, read_site_page
from tinyxf.catalog import Catalog
from tinyxf.errors import Problem, nearest

SITE = "site"
KIND = "reconcile"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page of the site should show, at least.

    `path` is the file in the site.  `tables` are ids; `numbers` the inline numbers in running text, each by its
    expression where the element carries one, else by its address; `maths` and `plain` are the displays of those in
    formulas, and in titles and attributes; `blocks` is the HTML of figures and the like, whose numbers count as well.
    Whatever stands there twice is listed twice.  In a page that another engine built of Markdown, tables are `bare`:
    no element around one says its name.
    """

    path: str
    tables: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    maths: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    bare: bool = False


def reconcile(
    catalog: Catalog, shown: Sequence[Shown], files: Mapping[str, str], folder: str = SITE
) -> tuple[Problem, ...]:
    """Compare a built site with the catalog and with what its pages, in the order of the navigation, should show.

    `files` are the site's HTML pages and its CSV and JSON files, by their path in the site; `folder` is how problems
    name the site.
    """
    found = {path: read_site_page(text) for path, text in files.items() if path.endswith(".html")}
    check = _Check(catalog, found, folder)
    for page in shown:
        if page.path not in found:
            check.add(page.path, (1, 1), "the page is missing in the site")
        else:
            check.expected(page, found[page.path])
    for path, own in found.items():
        check.page(path, own)
    check.ids(shown)
    check.downloads(files)
    return tuple(sorted(check.problems))


class _Check:
    """Gathers the problems of one site."""

    def __init__(self, catalog: Catalog, found: Mapping[str, FoundPage], folder: str) -> None:
        self.catalog = catalog
        self.found = found
        self.folder = folder
        self.problems: set[Problem] = set()
        self.published = {number.address: number for number in catalog.published()}
        self.cells: dict[str, list[str]] = {
            table.id: [table.address(row, column) for row, column, _, _ in table.numbers()]
            for table in catalog.tables
        }
        self._code = {" ".join(text.split()) for page in found.values() for text in page.code}
        self._evaluated: dict[str, NumberPiece | str] = {}

    def add(self, path: str, place: Place, message: str) -> None:
        self.problems.add(Problem(f"{self.folder}/{path}", *place, message, KIND))

    def expected(self, page: Shown, found: FoundPage) -> None:
        """Report what is lost in a page: tables, numbers in running text, digits in formulas and titles."""
        places = Counter(name for name, _ in found.tables)
        for name, count in Counter(() if page.bare else page.tables).items():
            if places[name] < count:
                self.add(page.path, (1, 1), f'the table "{name}" is lost{_times(count, places[name])}')
        there = Counter(number.key for number in found.numbers if number.table is None)
        wanted = Counter(page.numbers)
        wanted.update(address for name in page.tables if page.bare for address in self.cells[name])
        for block in page.blocks:
            wanted.update(number.key for number in read_site_page(block).numbers)
        for key, count in wanted.items():
            if there[key] < count:
                self.add(page.path, (1, 1), f'the number "{key}" is lost{_times(count, there[key])}')
        self._digits(page.path, page.maths, found.maths, "formulas")
        self._digits(page.path, page.plain, found.plain, "titles and attributes")

    def _digits(self, path: str, displays: Iterable[str], found: Counter[str], where: str) -> None:
        wanted = Counter(digits for display in displays for digits in digits_in(display))
        for digits, count in wanted.items():
            if found[digits] < count:
                self.add(path, (1, 1), f'the number "{digits}" is lost in {where}{_times(count, found[digits])}')

    def page(self, path: str, found: FoundPage) -> None:
        """Report what is wrong in a page, whatever it should show."""
        for number in found.numbers:
            fault = self._fault(number)
            if fault:
                self.add(path, number.place, fault)
        self._tables(path, found)
        for text, place in found.left:
            if " ".join(text.split()) not in self._code:  # a title may repeat what a heading shows as code
                self.add(path, place, f'"{text}" was never filled in')
        first: dict[str, Place] = {}
        for name, place in found.ids:
            if first.setdefault(name, place) != place:
                self.add(path, place, f'the id "{name}" stands twice in the page, first in line {first[name][0]}')

    def _tables(self, path: str, found: FoundPage) -> None:
        held: defaultdict[int | None, set[str | None]] = defaultdict(set)
        for number in found.numbers:
            held[number.table].add(number.address)
        for index, (name, place) in enumerate(found.tables):
            if name not in self.cells:
                self.add(path, place, f'unknown table "{name}"{nearest(name, self.cells)}')
            for address in self.cells.get(name, ()):
                if address not in held[index]:
                    self.add(path, place, f'the table "{name}" has lost the number "{address}"')

    def _fault(self, number: FoundNumber) -> str:
        """Return what is wrong with a number, or nothing."""
        name = number.key
        if number.expression is not None:
            piece = self._piece(number.expression)
            if isinstance(piece, str):
                return piece
            if number.address != piece.address:
                return f'{name} carries the address "{number.address or ""}", expected "{piece.address or ""}"'
            display, full = piece.display, piece.full
        elif number.address in self.published:
            display, full = self.published[number.address].display, self.published[number.address].full
        else:
            return f'unknown address "{number.address}"'
        if number.text != display:
            return f'{name} shows "{number.text}", expected "{display}"'
        if number.value != full and (number.tag == "data" or number.value is not None):
            return f'{name} has the value "{number.value or ""}", expected "{full}"'
        return ""

    def _piece(self, expression: str) -> NumberPiece | str:
        """Return what an expression gives, or why it gives no number."""
        if expression not in self._evaluated:
            try:
                piece = evaluate(expression, self.catalog)
            except PlaceholderError as error:
                self._evaluated[expression] = f"{expression} cannot be calculated: {error}"
            else:
                fault = f"{expression} is no number"
                self._evaluated[expression] = piece if isinstance(piece, NumberPiece) else fault
        return self._evaluated[expression]

    def ids(self, shown: Sequence[Shown]) -> None:
        """Report each address that is no id in the first page that shows its table, or is one anywhere else."""
        home: dict[str, str] = {}
        for page in shown:
            for name in page.tables:
                for own in (name, *self.cells.get(name, ())):
                    home.setdefault(own, page.path)
        missing = dict(home)
        for path, found in self.found.items():
            for name, place in found.ids:
                if home.get(name) == path:
                    missing.pop(name, None)
                elif name in self.published or name in self.cells:
                    where = f"{home[name]} has it" if name in home else "no page shows its table"
                    self.add(path, place, f'the id "{name}" does not belong here: {where}')
        for name, path in missing.items():
            if path in self.found:
                self.add(path, (1, 1), f'no element has the id "{name}", so no link can open it')

    def downloads(self, files: Mapping[str, str]) -> None:
        """Report what is wrong in the files beside the pages."""
        for path, text in files.items():
            if path in self.found:
                continue
            self.problems.update(download_problems(self.catalog, path, text, self.folder))
            for found in LEFT.finditer(text):
                if found["page"] and found[0] not in self._code:
                    line = text.count("\n", 0, found.start()) + 1
                    column = found.start() - text.rfind("\n", 0, found.start())
                    self.add(path, (line, column), f'"{found[0]}" was never filled in')


def _times(wanted: int, found: int) -> str:
    return f": expected {wanted} times, found {found}" if wanted > 1 else ""
