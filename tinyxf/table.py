"""Tables: what the stages computed, named so that every number has an address.

After the stages and before the catalog.  A table is frozen and made of tuples, so equality, hashing and test
differences come free; its numbers keep their full value, digits belong to the column.

An address is `table id / row key / column key`, e.g. `attention.h1.weights/chuck/a`.  Keys are not labels: a token's
key is the token where it is unique on its axis, else `token@position`; `@position` alone is always understood.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from numbers import Integral
from typing import SupportsFloat
from urllib.parse import quote, unquote

from tinyxf.errors import UnknownNameError, nearest
from tinyxf.formatting import INTEGER, Format, as_decimal, format_number


@dataclass(frozen=True, slots=True)
class Source:
    """Where a number comes from: a dotted path into the run and an index into the array found there."""

    path: str
    index: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.path + (f"[{', '.join(map(str, self.index))}]" if self.index else "")


@dataclass(frozen=True, slots=True)
class Number:
    """A computed cell.  `exact` says that the float is the true value itself (a weight, a count), so that it may
    stand on a rounding tie; everything else is taken to be a float64 approximation.
    """

    value: float
    source: Source | None = None
    exact: bool = False

    def __post_init__(self) -> None:
        given: SupportsFloat = self.value  # numpy's whole numbers are no `int`
        plain = int(given) if isinstance(given, Integral) else float(given)
        as_decimal(plain)  # refuses nan and infinities
        object.__setattr__(self, "value", plain)


@dataclass(frozen=True, slots=True)
class Label:
    """A cell of words: a token, the name of a part, a shape."""

    text: str


@dataclass(frozen=True, slots=True)
class Blank:
    """A cell that holds no number on purpose; `word` says why to a screen reader."""

    word: str = "masked"


Cell = Number | Label | Blank


@dataclass(frozen=True, slots=True)
class Key:
    """The name of a row or column; tokens also carry their position on the axis."""

    name: str
    position: int | None = None


# How a caller may name a row or column: in words, by position, or by a key read from an address.
Wanted = str | int | Key


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key, the label that readers see, and how its numbers are shown (None: a column of labels).

    `symbol` is what worked arithmetic calls a cell of this column; empty means the label.  `role` names what the
    numbers are (`query`, `key`, `value`, `gradient`, ...) for those who colour them.
    """

    key: Key
    label: str
    format: Format | None = None
    symbol: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its key (None in a table of one row) and one cell a column."""

    key: Key | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One published table.

    `step` is what readers see (`7.1`); `stage` is the command line's flag that shows it; `note` says in a sentence
    or two what to see, with numbers as `{address}` or `{scalar}`.  A `companion` shows intermediate values that the
    chapter's main tables leave out.  `symbol` names the matrix when the whole table is one (`A`, `W_O`).
    """

    id: str
    step: str
    title: str
    stage: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    companion: bool = False
    symbol: str = ""
    _row_names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _column_names: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row.cells) != len(self.columns):
                raise ValueError(
                    f"table {self.id}: row {number} has {len(row.cells)} cells, expected {len(self.columns)}"
                )
        keyless = [number for number, row in enumerate(self.rows) if row.key is None]
        if keyless and len(self.rows) != 1:
            raise ValueError(f"table {self.id}: rows {keyless} have no key; only a table of one row may omit it")
        rows = key_names([row.key for row in self.rows if row.key is not None])
        columns = key_names([column.key for column in self.columns])
        for axis, names in (("row", rows), ("column", columns)):
            twice = sorted(name for name, count in Counter(names).items() if count > 1)
            if twice:
                raise ValueError(f"table {self.id}: {axis} keys must differ, found twice: {', '.join(twice)}")
        object.__setattr__(self, "_row_names", rows)
        object.__setattr__(self, "_column_names", columns)

    @property
    def row_names(self) -> tuple[str, ...]:
        """The rows' keys as addresses spell them; empty in a table of one row without a key."""
        return self._row_names

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns' keys as addresses spell them."""
        return self._column_names

    @property
    def names_rows(self) -> bool:
        """Whether the first column names the rows, rather than being one number among others."""
        return bool(self.rows) and self.rows[0].key is not None

    def address(self, row: int, column: int) -> str:
        """Return the address of the cell in row `row`, column `column` (counted from 0)."""
        parts = [self.id, *self._row_names[row : row + 1], self._column_names[column]]
        return "/".join(parts)

    def numbers(self) -> Iterator[tuple[int, int, Number, Format]]:
        """Yield row, column, number and format of each numeric cell, row by row."""
        for i, row in enumerate(self.rows):
            for j, (cell, column) in enumerate(zip(row.cells, self.columns, strict=True)):
                if isinstance(cell, Number):
                    yield i, j, cell, column.format or INTEGER

    def text(self, row: int, column: int) -> str:
        """Return what the cell shows as plain text: the formatted number, the label, or a dash."""
        cell = self.rows[row].cells[column]
        match cell:
            case Number():
                return format_number(cell.value, self.columns[column].format or INTEGER)
            case Label():
                return cell.text
            case Blank():
                return "-"

    def find_row(self, key: Wanted | None) -> int:
        """Return the index of the row that `key` names.  Raises UnknownNameError with the choices."""
        if self.rows and self.rows[0].key is None:
            if key is not None:
                raise UnknownNameError(f'table "{self.id}" has one row and takes no row key, found "{_said(key)}"')
            return 0
        if key is None:
            raise UnknownNameError(f'table "{self.id}" needs a row key, one of {_listing(self._row_names)}')
        return _find(f'table "{self.id}"', "row", key, [row.key or Key("") for row in self.rows], self._row_names)

    def find_column(self, key: Wanted) -> int:
        """Return the index of the column that `key` names.  Raises UnknownNameError with the choices."""
        return _find(f'table "{self.id}"', "column", key, [column.key for column in self.columns], self._column_names)


def key_names(keys: list[Key]) -> tuple[str, ...]:
    """Spell the keys of one axis as addresses do: percent-encoded, with `@position` where a name stands twice."""
    count = Counter(key.name for key in keys)
    return tuple(
        quote(key.name, safe="") + (f"@{key.position}" if count[key.name] > 1 and key.position is not None else "")
        for key in keys
    )


def _find(place: str, axis: str, wanted: Wanted, keys: list[Key], names: tuple[str, ...]) -> int:
    said = _said(wanted)
    for found in _readings(wanted, said, keys, names):
        if len(found) > 1:
            choices = _listing(names[index] for index in found)
            raise UnknownNameError(f'{place}: {axis} "{said}" is ambiguous, write one of {choices}')
        if found:
            return found[0]
    known = [key.name for key in keys] + list(names)
    raise UnknownNameError(f'{place} has no {axis} "{said}"{nearest(said, known)} It has {_listing(names)}')


def _readings(wanted: Wanted, said: str, keys: list[Key], names: tuple[str, ...]) -> Iterator[list[int]]:
    """Yield the keys that `wanted` may mean, likeliest reading first.

    A key out of an address has its mark apart and is taken at its word.  What an author typed as plain words is
    not: `@2` is the position, since that is always accepted, but `x@2` is first of all a token of that name.
    """
    name, at, position = said.rpartition("@")
    marked = [i for i, own in enumerate(keys) if at and str(own.position) == position and name in ("", own.name)]
    named = [i for i, own in enumerate(keys) if own.name == said]
    match wanted:
        case int():
            yield marked
        case Key(position=None):
            yield named
        case Key():
            yield marked
            yield named
        case str():
            yield from (named, marked) if name else (marked, named)
            yield [i for i, own in enumerate(names) if own == said]


def _said(wanted: Wanted) -> str:
    match wanted:
        case int():
            return f"@{wanted}"
        case Key(name, position):
            return name if position is None else f"{name}@{position}"
        case str():
            return wanted


def _listing(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def split_address(address: str) -> tuple[str, Key | None, Key | None]:
    """Split an address into table or scalar, row key and column key, percent-decoded.

    The mark of a position is split off before decoding, so that it cannot be mixed up with an `%40` in a token.
    """
    match address.split("/"):
        case [name]:
            return name, None, None
        case [name, column]:
            return name, None, _decode(column)
        case [name, row, column]:
            return name, _decode(row), _decode(column)
        case _:
            raise UnknownNameError(
                f'"{address}" is not an address; expected table/row/column, tokens percent-encoded'
            )


def _decode(segment: str) -> Key:
    name, at, position = segment.rpartition("@")
    if at and position.isdecimal():
        return Key(unquote(name), int(position))
    return Key(unquote(segment))
