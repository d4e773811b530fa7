"""A page of the built site, read back: its numbers, its tables, its ids, and what nobody filled in.

Before reconciliation, which compares this with the catalog.  Read with the standard library's parser, which minds
neither missing end tags nor missing quotation marks: a minifier may have taken them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from tinyxf.book.fill import TOKEN

# What a reader must never see: a token that was not filled, a placeholder that was not read.
LEFT = re.compile(TOKEN.pattern + r"|\{\{ [^\n]*?(?:\}\}|$)", re.MULTILINE)
_FIGURES = re.compile(r"\d+(?:\.\d+)?")
_CODE = frozenset({"code", "kbd", "pre", "samp", "script", "style", "textarea"})
_VOID = frozenset({  # elements without an end tag
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
})  # fmt: skip

Place = tuple[int, int]  # line and column, from 1


@dataclass(slots=True, eq=False)
class FoundNumber:
    """An element that says which number it shows; `table` is the place in `FoundPage.tables` of the one around it."""

    tag: str
    address: str | None
    expression: str | None
    value: str | None
    place: Place
    table: int | None = None
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What a reader sees."""
        return " ".join("".join(self.texts).split())

    @property
    def key(self) -> str:
        """What the number is counted by."""
        return self.expression or self.address or ""


@dataclass(frozen=True, slots=True)
class FoundPage:
    """What was found in one page.

    `left` holds tokens and placeholders outside code, `code` those inside; `maths` and `plain` count the digits in
    formulas, and in attributes and the title.
    """

    numbers: tuple[FoundNumber, ...]
    tables: tuple[tuple[str, Place], ...]
    ids: tuple[tuple[str, Place], ...]
    left: tuple[tuple[str, Place], ...]
    code: frozenset[str]
    maths: Counter[str]
    plain: Counter[str]


def read_site_page(text: str) -> FoundPage:
    """Read one page, or a part of one."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return FoundPage(
        numbers=tuple(reader.numbers),
        tables=tuple(reader.tables),
        ids=tuple(reader.ids),
        left=tuple(reader.left),
        code=frozenset(reader.code),
        maths=reader.maths,
        plain=reader.plain,
    )


def digits_in(text: str) -> Iterator[str]:
    """Yield the unbroken runs of digits in a text, with their decimals: what a formula cannot pull apart."""
    for found in _FIGURES.finditer(text):
        yield found[0]


@dataclass(slots=True)
class _Open:
    """An element that has begun: its tag, and what ends with it."""

    tag: str
    number: FoundNumber | None
    table: int | None


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.numbers: list[FoundNumber] = []
        self.tables: list[tuple[str, Place]] = []
        self.ids: list[tuple[str, Place]] = []
        self.left: list[tuple[str, Place]] = []
        self.code: set[str] = set()
        self.maths: Counter[str] = Counter()
        self.plain: Counter[str] = Counter()
        self._stack: list[_Open] = []
        self._open: Counter[str] = Counter()
        self._reading: list[FoundNumber] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line, column = self.getpos()
        place = line, column + 1
        given = {name: value or "" for name, value in attrs}
        for value in given.values():
            self.left += [(found[0], place) for found in LEFT.finditer(value)]
            self.plain.update(digits_in(value))
        if "id" in given:
            self.ids.append((given["id"], place))
        table = self._stack[-1].table if self._stack else None
        if "data-table" in given:
            table = len(self.tables)
            self.tables.append((given["data-table"], place))
        number = None
        if "data-address" in given or "data-expression" in given:
            address, expression = given.get("data-address"), given.get("data-expression")
            number = FoundNumber(tag, address, expression, given.get("value"), place, table)
            self.numbers.append(number)
        if tag in _VOID:
            return
        if number is not None:
            self._reading.append(number)
        self._stack.append(_Open(tag, number, table))
        self._open[tag] += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open[tag]:
            return
        while True:
            ended = self._stack.pop()
            self._open[ended.tag] -= 1
            if ended.number is not None:
                self._reading.remove(ended.number)
            if ended.tag == tag:
                return

    def handle_data(self, data: str) -> None:
        for number in self._reading:
            number.texts.append(data)
        if any(self._open[tag] for tag in _CODE):
            self.code.update(found[0] for found in LEFT.finditer(data))
            return
        if self._open["math"]:
            self.maths.update(digits_in(data))
        if self._open["title"]:
            self.plain.update(digits_in(data))
        for found in LEFT.finditer(data):
            self.left.append((found[0], self._place(data, found.start())))

    def _place(self, data: str, offset: int) -> Place:
        """Return where in the file an offset of the text at hand is, as near as entities allow."""
        line, column = self.getpos()
        breaks = data.count("\n", 0, offset)
        return line + breaks, offset - data.rfind("\n", 0, offset) if breaks else column + 1 + offset
