"""Which node of the trace each published number is, and where else it stands.

Between programs and the readings that speak of published numbers: worked arithmetic and closure.  Everything follows
from the catalog and its traced run; no table is known by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType

from tinyxf.catalog import Catalog, Published
from tinyxf.errors import TinyxfError
from tinyxf.formatting import format_number, rounded
from tinyxf.table import Table
from tinyxf.trace.arithmetic import LEAVES, Operation
from tinyxf.trace.exact import Exact, exact_forms
from tinyxf.trace.program import Program, freeze
from tinyxf.trace.traced import Node, name_leaf

_COUNTER = re.compile(r"[\d_]+$")


@dataclass(frozen=True, eq=False)
class Entry:
    """A published number with its place in the program.

    `table`, `row` and `column` say where it stands; a scalar that is no cell has none.
    """

    number: Published
    place: int
    table: Table | None = None
    row: int = 0
    column: int = 0

    @property
    def address(self) -> str:
        """The number's address."""
        return self.number.address

    @cached_property
    def decimals(self) -> int:
        """How many decimals of the value itself are printed; a percentage prints two more than it shows."""
        return self.number.format.digits + (2 if self.number.format.percent else 0)

    @cached_property
    def figure(self) -> str:
        """What is printed, as formulas write it: without thousands separators and plus sign."""
        return format_number(self.number.number.value, replace(self.number.format, thousands=False, signed=False))

    @cached_property
    def printed(self) -> Decimal:
        """The value of what is printed."""
        shown = rounded(self.number.number.value, self.number.format)
        return shown.scaleb(-2) if self.number.format.percent else shown

    @cached_property
    def symbol(self) -> str:
        """What a formula calls this number: `A1[chuck, a]` in a matrix, else `n0[chuck]`, `z0` or a scalar's name."""
        if self.table is None:
            return self.address.rpartition(".")[2]
        row, column = row_name(self.table, self.row), column_name(self.table, self.column)
        matrix = self.table.symbol
        return index_symbol(matrix or column, row, column if matrix else "")


def index_symbol(name: str, *places: str) -> str:
    """Write `name[place, place]`, leaving out empty places."""
    named = [place for place in places if place]
    return f"{name}[{', '.join(named)}]" if named else name


def row_name(table: Table, row: int) -> str:
    """Return what a formula calls a row, `token@position` where a token stands twice; empty if it needs no name."""
    key = table.rows[row].key
    return _axis_name(key.name, table.row_names[row]) if key else ""


def column_name(table: Table, column: int) -> str:
    """Return what a formula calls a column, `token@position` where a token stands twice."""
    own = table.columns[column]
    return _axis_name(own.symbol or own.label, table.column_names[column])


def column_stem(table: Table, column: int) -> str:
    """Return what the columns of one vector share: `q0` and `q1` are of `q`, all of a matrix is of the matrix."""
    return table.symbol or _COUNTER.sub("", column_name(table, column))


def _axis_name(name: str, key: str) -> str:
    _, at, position = key.partition("@")
    return f"{name}@{position}" if at else name


@dataclass(frozen=True, eq=False)
class PublishedTrace:
    """A chapter's catalog, its program, and the entry of every published number in the catalog's order.

    Several entries may be one number.  Its `home` is where a reader finds it best: a leaf's own table, else the entry
    with the most decimals, else the first.
    """

    catalog: Catalog
    program: Program
    entries: tuple[Entry, ...]
    by_address: Mapping[str, Entry] = field(init=False, repr=False)
    entries_at: Mapping[int, tuple[Entry, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        gathered: dict[int, list[Entry]] = {}
        for entry in self.entries:
            gathered.setdefault(entry.place, []).append(entry)
        object.__setattr__(self, "by_address", MappingProxyType({entry.address: entry for entry in self.entries}))
        ranked = {place: tuple(sorted(entries, key=self._rank)) for place, entries in gathered.items()}
        object.__setattr__(self, "entries_at", MappingProxyType(ranked))

    def _rank(self, entry: Entry) -> tuple[bool, int]:
        return not self._cites_leaf(entry), -entry.decimals

    def _cites_leaf(self, entry: Entry) -> bool:
        name = self.program.steps[entry.place].name
        return (
            bool(name) and str(entry.number.number.source).rpartition(":")[2] == name
        )  # a second chapter's has a mark

    def home(self, place: int) -> Entry:
        """Return the entry where the number at `place` of the program is at home."""
        return self.entries_at[place][0]

    def is_leaf(self, entry: Entry) -> bool:
        """Tell whether a number is given, not computed."""
        return self.program.steps[entry.place].operation in LEAVES

    def is_copy(self, entry: Entry) -> bool:
        """Tell whether an entry only repeats a number: it is neither its home nor the first to print it."""
        others = self.entries_at[entry.place]
        first = others[0] if self.is_leaf(entry) else min(others, key=self._order.__getitem__)
        return entry is not others[0] and entry is not first

    @cached_property
    def _order(self) -> Mapping[Entry, int]:
        return MappingProxyType({entry: number for number, entry in enumerate(self.entries)})

    def find(self, name: str) -> Entry:
        """Return the entry of an address or a scalar's name.  Raises UnknownNameError with the nearest right name."""
        return self.by_address[self.catalog.lookup(name).address]

    @cached_property
    def exact(self) -> tuple[Exact, ...]:
        """Every step of the program in exact arithmetic."""
        return self.program.run(exact_forms())

    @cached_property
    def sources(self) -> tuple[tuple[int, ...], ...]:
        """For every step, the published numbers it is made of, in reading order."""
        found: list[tuple[int, ...]] = []
        for step in self.program.steps:
            parts: dict[int, None] = {}
            for operand in step.operands:
                parts.update(dict.fromkeys([operand] if operand in self.entries_at else found[operand]))
            found.append(tuple(parts))
        return tuple(found)

    @cached_property
    def users(self) -> Mapping[int, tuple[Entry, ...]]:
        """For every published number, the entries whose formulas take it, in the catalog's order."""
        found: dict[int, list[Entry]] = {}
        for entry in self.entries:
            if not self.is_copy(entry):
                for source in self.sources[entry.place]:
                    found.setdefault(source, []).append(entry)
        return MappingProxyType({place: tuple(entries) for place, entries in found.items()})

    def hidden_steps(self, place: int) -> set[int]:
        """Return the step at `place` and the unpublished computations between it and published numbers or leaves."""
        inside: set[int] = set()
        waiting = [place]
        while waiting:
            here = waiting.pop()
            if here not in inside and self.program.steps[here].operands:
                inside.add(here)
                operands = self.program.steps[here].operands
                waiting.extend(operand for operand in operands if operand not in self.entries_at)
        return inside

    def operation_count(self, place: int) -> int:
        """Count the elementary operations from the published numbers to the one at `place`.

        A sum or a maximum of n numbers is n - 1 operations; everything else is one.
        """
        total = 0
        for inside in self.hidden_steps(place):
            step = self.program.steps[inside]
            several = step.operation in (Operation.ADD, Operation.MAXIMUM)
            total += len(step.operands) - 1 if several else 1
        return total


def read_trace(catalog: Catalog) -> PublishedTrace:
    """Run the chapter over traced numbers and find the node of each published number.

    Raises TinyxfError for a chapter that can't be traced, or a number whose source leads nowhere.
    """
    if catalog.traced is None:
        raise TinyxfError(f'"{catalog.title}" has no traced run, so nothing is known of its arithmetic')
    resolve = catalog.traced()
    nodes: dict[str, Node] = {}
    stands = list(_standing(catalog))
    names = [str(published.number.source or published.address) for published, _ in stands]
    for (published, _), name in zip(stands, names, strict=True):
        source = published.number.source
        if name not in nodes:
            try:
                node = name_leaf(published.number.value, name) if source is None else resolve(source)
            except (LookupError, AttributeError) as error:
                raise TinyxfError(f"{published.address} comes from {name}, which the run does not have") from error
            if not isinstance(node, Node):
                raise TinyxfError(f"{published.address} comes from {name}, which is {node!r} and not a traced number")
            nodes[name] = node
    program, places = freeze(nodes[name] for name in names)
    entries = (Entry(number, place, *where) for (number, where), place in zip(stands, places, strict=True))
    return PublishedTrace(catalog, program, tuple(entries))


def _standing(catalog: Catalog) -> Iterator[tuple[Published, tuple[Table | None, int, int]]]:
    for table in catalog.tables:
        for row, column, _, _ in table.numbers():
            yield catalog.cell(table, row, column), (table, row, column)
    for scalar in catalog.scalars:
        if scalar.number is not None:
            yield catalog.lookup(scalar.name), (None, 0, 0)
