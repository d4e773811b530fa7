"""The catalog: every table and named scalar of a chapter, found by address.

After the tables, before everything that publishes.  A chapter is a module with `catalog() -> Catalog`; generator,
readings and checks know chapters only through this class.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType

from tinyxf.errors import UnknownNameError, nearest
from tinyxf.formatting import Format, format_number, full_value
from tinyxf.table import Blank, Label, Number, Row, Source, Table, Wanted, split_address

_REFERENCE = re.compile(r"\{([^{}\s]+)\}")


@dataclass(frozen=True, slots=True)
class Stage:
    """A group of tables that the command line shows together, as `--name`.

    `needs` names the stages whose tables are shown with it, since it cannot be followed without them.
    """

    name: str
    title: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scalar:
    """A named number: another name of one cell (`address`), or a constant (`number` with its `format`)."""

    name: str
    title: str
    address: str = ""
    number: Number | None = None
    format: Format = field(default_factory=Format)


@dataclass(frozen=True, slots=True)
class Published:
    """A number with its address, ready to be shown."""

    address: str
    number: Number
    format: Format
    title: str = ""

    @property
    def display(self) -> str:
        """The number as readers see it."""
        return format_number(self.number.value, self.format)

    @property
    def full(self) -> str:
        """The number with ten significant digits."""
        return full_value(self.number.value)


# A traced run of the chapter: takes a number's source, returns the node of the trace that computed it.
Resolve = Callable[[Source], object]


@dataclass(frozen=True)
class Catalog:
    """All that a chapter publishes.

    `header` is what the command line prints first, as (label, value) pairs; `traced` runs the chapter's stages over
    traced scalars and returns the way from a source to its node.  Raises ValueError for a duplicate id, name or
    stage, an unknown stage, or a scalar or note that refers to nothing.
    """

    title: str
    stages: tuple[Stage, ...]
    tables: tuple[Table, ...]
    scalars: tuple[Scalar, ...] = ()
    header: tuple[tuple[str, str], ...] = ()
    traced: Callable[[], Resolve] | None = field(default=None, compare=False)
    _tables: Mapping[str, Table] = field(init=False, repr=False, compare=False)
    _scalars: Mapping[str, Scalar] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = [table.id for table in self.tables] + [scalar.name for scalar in self.scalars]
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        if twice:
            raise ValueError(f"duplicate id: {', '.join(twice)}; every table and scalar needs a name of its own")
        known = {stage.name for stage in self.stages}
        if len(known) < len(self.stages):
            twice = sorted(name for name, count in Counter(stage.name for stage in self.stages).items() if count > 1)
            raise ValueError(f"duplicate stage: {', '.join(twice)}; every stage needs a flag of its own")
        missing = sorted({need for stage in self.stages for need in stage.needs} - known)
        if missing:
            raise ValueError(f"stages need unknown stages: {', '.join(missing)}; expected {', '.join(sorted(known))}")
        lost = sorted({table.stage for table in self.tables} - known)
        if lost:
            raise ValueError(f"tables name unknown stages: {', '.join(lost)}; expected {', '.join(sorted(known))}")
        object.__setattr__(self, "_tables", MappingProxyType({table.id: table for table in self.tables}))
        object.__setattr__(self, "_scalars", MappingProxyType({scalar.name: scalar for scalar in self.scalars}))
        try:
            for scalar in self.scalars:
                self.lookup(scalar.name)
            for table in self.tables:
                self.note(table)
        except UnknownNameError as error:
            raise ValueError(f"a scalar or a note refers to nothing: {error}") from error

    def table(self, name: str) -> Table:
        """Return the table of that id.  Raises UnknownNameError with the nearest ids."""
        try:
            return self._tables[name]
        except KeyError:
            raise UnknownNameError(f'unknown table "{name}"{nearest(name, self._tables)}') from None

    def lookup(self, name: str, row: Wanted | None = None, column: Wanted | None = None) -> Published:
        """Return the number called `name`: a scalar, a whole address, or a table with row and column key.

        In a table of one row the column may be given as the only key.  Raises UnknownNameError, saying what was
        found, what was expected, and the nearest right name.
        """
        if row is None and column is None:
            if name in self._scalars:
                return self._scalar(self._scalars[name])
            table_id, row, column = split_address(name)
        else:
            table_id = name
        if table_id not in self._tables:
            raise UnknownNameError(self._unknown(table_id, whole=row is None and column is None))
        table = self._tables[table_id]
        single = bool(table.rows) and table.rows[0].key is None
        if single and column is None:
            row, column = None, row
        if column is None:
            example = next((table.address(i, j) for i, j, _, _ in table.numbers()), table.id)
            if row is not None:
                known = ", ".join(f'"{key}"' for key in table.column_names)
                raise UnknownNameError(f'table "{table_id}" needs a column key too, one of {known}')
            raise UnknownNameError(f'"{table_id}" is a table; name one of its cells, like "{example}"')
        return self.cell(table, table.find_row(row), table.find_column(column))

    def cell(self, table: Table, row: int, column: int) -> Published:
        """Return the number in a cell.  Raises UnknownNameError where the cell holds none."""
        address = table.address(row, column)
        match table.rows[row].cells[column]:
            case Number() as number:
                form = table.columns[column].format or Format(digits=0)
                return Published(address, number, form, f"{table.title}, {table.columns[column].label}")
            case Blank(word):
                raise UnknownNameError(f'"{address}" is {word}: there is no number to show')
            case Label(text):
                raise UnknownNameError(f'"{address}" is the label "{text}", not a number')

    def published(self) -> Iterator[Published]:
        """Yield every published number once, tables first, in order; a scalar that renames a cell is not repeated."""
        for table in self.tables:
            for row, column, _, _ in table.numbers():
                yield self.cell(table, row, column)
        for scalar in self.scalars:
            if scalar.number is not None:
                yield self._scalar(scalar)

    def names(self) -> tuple[str, ...]:
        """Return every table id and scalar name, in order."""
        return (*self._tables, *self._scalars)

    def note(self, table: Table) -> tuple[str | Published, ...]:
        """Return the table's note in pieces: words, and the numbers it refers to."""
        pieces: list[str | Published] = []
        at = 0
        for match in _REFERENCE.finditer(table.note):
            if match.start() > at:
                pieces.append(table.note[at : match.start()])
            pieces.append(self.lookup(match[1]))
            at = match.end()
        if at < len(table.note):
            pieces.append(table.note[at:])
        return tuple(pieces)

    def with_digits(self, digits: int) -> Catalog:
        """Return the same catalog with every column of decimals shown to `digits` places; counts stay whole."""
        tables = tuple(
            replace(
                table,
                columns=tuple(
                    replace(column, format=replace(column.format, digits=digits))
                    if column.format is not None and column.format.digits > 0
                    else column
                    for column in table.columns
                ),
            )
            for table in self.tables
        )
        return replace(self, tables=tables)

    def _scalar(self, scalar: Scalar) -> Published:
        if scalar.number is None:
            if scalar.address in self._scalars:
                raise UnknownNameError(f'"{scalar.name}" renames the scalar "{scalar.address}", expected a cell')
            return replace(self.lookup(scalar.address), title=scalar.title)
        return Published(scalar.name, scalar.number, scalar.format, scalar.title)

    def _unknown(self, name: str, *, whole: bool) -> str:
        what = "name" if whole else "table"
        return f'unknown {what} "{name}"{nearest(name, self.names())}'


def merge(catalogs: Iterable[Catalog]) -> Catalog:
    """Join the catalogs of several chapters into one.  Raises ValueError for a duplicate id.

    Arrays of two chapters may bear one name, so from the second chapter on a source says which chapter it is of
    (`2:loss.before`), and the joint trace asks that chapter.  The numbers of a chapter without a trace lose their
    source: to the joint trace they are given.
    """
    parts = tuple(catalogs)
    if len(parts) == 1:
        return parts[0]
    marked = [_marked(part, f"{number}:" if number > 1 else "") for number, part in enumerate(parts, start=1)]
    return Catalog(
        title=" and ".join(part.title for part in parts),
        stages=tuple(dict.fromkeys(stage for part in parts for stage in part.stages)),
        tables=tuple(table for part in marked for table in part.tables),
        scalars=tuple(scalar for part in marked for scalar in part.scalars),
        header=tuple(line for part in parts for line in part.header),
        traced=partial(_trace_all, parts) if any(part.traced for part in parts) else None,
    )


def _marked(part: Catalog, mark: str) -> Catalog:
    def number(own: Number) -> Number:
        if own.source is None or part.traced is None:
            return replace(own, source=None)
        return replace(own, source=replace(own.source, path=mark + own.source.path))

    def row(own: Row) -> Row:
        return replace(own, cells=tuple(number(cell) if isinstance(cell, Number) else cell for cell in own.cells))

    return replace(
        part,
        tables=tuple(replace(table, rows=tuple(map(row, table.rows))) for table in part.tables),
        scalars=tuple(
            scalar if scalar.number is None else replace(scalar, number=number(scalar.number))
            for scalar in part.scalars
        ),
    )


def _nowhere(source: Source) -> object:
    raise LookupError(source)


def _trace_all(parts: tuple[Catalog, ...]) -> Resolve:
    resolvers = [part.traced() if part.traced else _nowhere for part in parts]

    def resolve(source: Source) -> object:
        number, mark, path = source.path.rpartition(":")
        return resolvers[int(number) - 1 if mark else 0](replace(source, path=path))

    return resolve
