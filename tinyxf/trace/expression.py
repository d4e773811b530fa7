"""Formulas: how one published number is made of others, as a tree.

After the published trace, before notation.  `expand` walks back from a number until it meets published numbers or
leaves.  `fold` then reads what it found: terms that differ only in which number of a row, a column or a vector they
take become one term over the whole of it.  Four rules say what such a term is: a sum of products of two vectors is a
dot product, any other sum a sum over the vector, a sum divided by its length a mean, a maximum a maximum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyxf.table import Table
from tinyxf.trace.arithmetic import Operation
from tinyxf.trace.published import Entry, PublishedTrace, column_name, column_stem, index_symbol, row_name

_LARGEST = 400  # a formula of more operations than this is not worth reading


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that is published nowhere: a constant, or a leaf without a table."""

    value: float


@dataclass(frozen=True, slots=True)
class Reference:
    """A published number: all the entries that print it, the one to speak of first."""

    entries: tuple[Entry, ...]

    @property
    def entry(self) -> Entry:
        """The entry to speak of."""
        return self.entries[0]


@dataclass(frozen=True, slots=True)
class Vector:
    """Several published numbers of one row or column, and what they are called together."""

    entries: tuple[Entry, ...]
    symbol: str
    whole: bool


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation on formulas; `name` is that of an elementary operation, or dot, sum or mean."""

    name: str
    arguments: tuple[Formula, ...]


Formula = Figure | Reference | Vector | Apply


def expand(trace: PublishedTrace, entry: Entry) -> Formula | None:
    """Return how `entry` is made of published numbers and leaves; None if that is too long to read."""
    formulas: dict[int, Formula] = {}
    sizes: dict[int, int] = {}
    for place in sorted(trace.hidden_steps(entry.place)):
        step = trace.program.steps[place]
        hidden = [operand for operand in step.operands if operand in formulas]
        sizes[place] = len(step.operands) + sum(sizes[operand] for operand in hidden)
        if sizes[place] > _LARGEST:
            return None
        arguments = tuple(formulas.get(operand) or refer(trace, operand, entry) for operand in step.operands)
        formulas[place] = Apply(step.operation, arguments)
    return formulas.get(entry.place) or refer(trace, entry.place, entry)


def refer(trace: PublishedTrace, place: int, reader: Entry) -> Formula:
    """Return the number at `place` as whoever reads the table of `reader` should see it.

    A number that stands in the same row of the same table is spoken of as it stands there.
    """
    if place not in trace.entries_at:
        value = trace.program.steps[place].value
        return Figure(0.0 if value is None else value)
    entries = trace.entries_at[place]
    equals = [entry for entry in entries if entry.decimals == entries[0].decimals and not entry.number.format.percent]
    beside = [entry for entry in equals if entry.table is reader.table is not None and entry.row == reader.row]
    others = [entry for entry in equals or entries[:1] if entry not in beside]
    return Reference(tuple(entry for entry in beside + others if entry is not reader) or entries[:1])


def fold(formula: Formula) -> Formula:
    """Return the formula as a reader would say it, with vectors where it ran through their numbers."""
    if not isinstance(formula, Apply):
        return formula
    arguments = tuple(fold(argument) for argument in formula.arguments)
    if formula.name in (Operation.ADD, Operation.MAXIMUM):
        return _fold_terms(formula.name, arguments)
    match formula.name, arguments:
        case Operation.DIVIDE, (Apply("sum", (term,)), Figure(value)) if value == _length(term):
            return Apply("mean", (term,))
        case _:
            return Apply(formula.name, arguments)


def _fold_terms(name: str, terms: tuple[Formula, ...]) -> Formula:
    if len(terms) == 1:
        return terms[0]
    term = _join(terms)
    match term:
        case None:
            return Apply(name, terms)
        case Apply(Operation.MULTIPLY, (Vector(), Vector()) as vectors) if name == Operation.ADD:
            return Apply("dot", vectors)
        case Vector(whole=False) if len(terms) == 2:  # noqa: PLR2004  two numbers out of several are quicker said
            return Apply(name, terms)
        case _:
            return Apply("sum" if name == Operation.ADD else name, (term,))


def _join(terms: Sequence[Formula]) -> Formula | None:
    """Return the one term that `terms` are the instances of, if they are, and differ in at least one number."""
    joined = _join_alike(terms)
    return joined if joined is not None and _length(joined) == len(terms) else None


def _join_alike(terms: Sequence[Formula]) -> Formula | None:
    first = terms[0]
    if all(term == first for term in terms):
        return first
    references = [term for term in terms if isinstance(term, Reference)]
    if len(references) == len(terms):
        return _find_vector(references)
    calls = [term for term in terms if isinstance(term, Apply)]
    if len(calls) < len(terms) or len({(call.name, len(call.arguments)) for call in calls}) > 1:
        return None
    columns = zip(*(call.arguments for call in calls), strict=True)
    arguments = [_join_alike(column) for column in columns]
    known = tuple(argument for argument in arguments if argument is not None)
    return Apply(calls[0].name, known) if len(known) == len(arguments) else None


def _length(formula: Formula) -> int:
    """Return how many numbers a term runs through; 0 for a single number."""
    match formula:
        case Vector(entries):
            return len(entries)
        case Apply(name, arguments) if name not in ("sum", "dot", "mean") and not (
            name == Operation.MAXIMUM and len(arguments) == 1
        ):
            return max((_length(argument) for argument in arguments), default=0)
        case _:
            return 0


def _find_vector(references: Sequence[Reference]) -> Vector | None:
    """Return the row or column that holds all of `references` in order, if one does."""
    for first in references[0].entries:
        for along in ("row", "column") if first.table else ():
            line = [first]
            for reference in references[1:]:
                line += [entry for entry in reference.entries if _in_line(first, entry, along)][:1]
            if first.table and len(line) == len(references) and (vector := _name_vector(first.table, line, along)):
                return vector
    return None


def _in_line(first: Entry, other: Entry, along: str) -> bool:
    if first.table is None or other.table is not first.table:
        return False
    if along == "row":
        table = first.table
        return other.row == first.row and column_stem(table, other.column) == column_stem(table, first.column)
    return other.column == first.column


def _name_vector(table: Table, line: list[Entry], along: str) -> Vector | None:
    """Name consecutive numbers of a row or column; None if they are not consecutive."""
    first, last = line[0], line[-1]
    numbers = [(row, column) for row, column, _, _ in table.numbers()]
    if along == "row":
        stem = column_stem(table, first.column)
        fellows = [column for row, column in numbers if row == first.row and column_stem(table, column) == stem]
        places = [entry.column for entry in line]
    else:
        fellows = [row for row, column in numbers if column == first.column]
        places = [entry.row for entry in line]
    start = fellows.index(places[0])
    whole = sorted(places) == fellows
    if not whole and fellows[start : start + len(places)] != places:
        return None
    name = _row_symbol if along == "row" else _column_symbol
    return Vector(tuple(line), name(table, first, last, whole=whole), whole)


def _row_symbol(table: Table, first: Entry, last: Entry, *, whole: bool) -> str:
    """`A1[chuck, :]`, `A1[chuck, a..would]` in a matrix, else `n[chuck]`, `n0..n2[chuck]`; `b1`, `z` of one row."""
    row = row_name(table, first.row)
    part = f"{column_name(table, first.column)}..{column_name(table, last.column)}"
    if table.symbol:
        return index_symbol(table.symbol, row, (row and ":") if whole else part)
    return index_symbol(column_stem(table, first.column) if whole else part, row)


def _column_symbol(table: Table, first: Entry, last: Entry, *, whole: bool) -> str:
    """`WQ1[:, q0]`, `WQ1[n0..n2, q0]` in a matrix, else `v0[:]`, `v0[a..would]`."""
    rows = ":" if whole else f"{row_name(table, first.row)}..{row_name(table, last.row)}"
    column = column_name(table, first.column)
    return index_symbol(table.symbol, rows, column) if table.symbol else index_symbol(column, rows)
