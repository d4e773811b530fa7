"""Worked arithmetic: for any published number, how it is made of others, ready to be shown.

A reading of the published trace.  Every line of it is derived from the program; a page, a popover or a terminal only
has to lay it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType

from tinyxf.catalog import Catalog
from tinyxf.formatting import format_number
from tinyxf.trace.arithmetic import Operation
from tinyxf.trace.closure import measure_drift, pencil_results
from tinyxf.trace.exact import write_exact
from tinyxf.trace.expression import Apply, Formula, Reference, expand, fold, refer
from tinyxf.trace.notation import LATEX, Piece, join_pieces, write_formula
from tinyxf.trace.published import Entry, PublishedTrace, read_trace

GIVEN = "given"
COPY = "copy"

_KINDS = {
    "add": "sum",
    "subtract": "difference",
    "multiply": "product",
    "divide": "quotient",
    "negative": "negative",
    "power": "power",
    "exp": "exponential",
    "log": "logarithm",
    "sqrt": "square root",
    "sin": "sine",
    "cos": "cosine",
    "maximum": "maximum",
    "dot": "dot product",
    "sum": "sum",
    "mean": "mean",
}


@dataclass(frozen=True, slots=True)
class Mention:
    """A published number as a work speaks of it."""

    address: str
    symbol: str
    display: str
    title: str


@dataclass(frozen=True, slots=True)
class Work:
    """How one number came to be.

    `kind` is given (a weight, a size), copy (the same number as the first of `same_as`) or what the arithmetic is
    called.  `formula` says it in symbols and `substituted` with the numbers as they are printed; both are empty for a
    given number, and for one whose formula nobody would read.  `exact` is a short closed form, if there is one.
    `pencil` is what the substituted formula comes to, `units` how far that is from what is printed, in its last
    digit; where it comes to nothing (ln 0), `pencil` is empty and `units` is LOST.  `same_as` lists where else the
    number stands, `used_by` the numbers that are made of it.
    """

    number: Mention
    step: str
    kind: str
    formula: tuple[Piece, ...]
    substituted: tuple[Piece, ...]
    full: str
    exact: str
    pencil: str
    units: int
    operations: int
    operands: tuple[Mention, ...]
    same_as: tuple[Mention, ...]
    used_by: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class LatexWork:
    """The same in LaTeX: symbol, formula, the formula with numbers, closed form; empty where the work has none."""

    symbol: str
    formula: str
    substituted: str
    exact: str


class Workbook:
    """The worked arithmetic of a whole chapter."""

    def __init__(self, trace: PublishedTrace) -> None:
        self.trace = trace

    def work(self, name: str) -> Work:
        """Return the work of an address or a scalar's name.  Raises UnknownNameError with the nearest right name."""
        return self._work(self.trace.find(name))

    def works(self) -> Iterator[Work]:
        """Yield the work of every published number, in the catalog's order."""
        return map(self._work, self.trace.entries)

    def explain(self, name: str, depth: int = 1) -> tuple[tuple[int, Work], ...]:
        """Return the work of a number and, `depth` levels up, of those that it is made of, each once, with its level.

        Given numbers stand among the operands of others; they are explained only when asked for.
        """
        first = self.trace.find(name)
        told: dict[str, tuple[int, Work]] = {}
        waiting = [(0, first)]
        while waiting:
            level, entry = waiting.pop()
            if entry.address in told or (level and self.trace.is_leaf(entry)):
                continue
            work = self._work(entry)
            told[entry.address] = (level, work)
            if level + 1 < depth:
                above = [self.trace.by_address[operand.address] for operand in work.operands]
                waiting += [(level + 1, operand) for operand in reversed(above)]
        return tuple(told.values())

    def latex(self, name: str) -> LatexWork:
        """Return the work of an address or a scalar's name in LaTeX."""
        entry = self.trace.find(name)
        formula = self._formula(entry)
        return LatexWork(
            symbol=LATEX.symbol(entry.symbol),
            formula="" if formula is None else join_pieces(write_formula(fold(formula), LATEX)),
            substituted="" if formula is None else join_pieces(write_formula(formula, LATEX, numbers=True)),
            exact=self._exact(entry, latex=True),
        )

    def _exact(self, entry: Entry, *, latex: bool = False) -> str:
        """Write the closed form of a computed number, if it is short and says more than the decimal."""
        exact = self.trace.exact[entry.place]
        if self.trace.is_leaf(entry) or not exact.short or write_exact(exact) == entry.number.display:
            return ""
        return write_exact(exact, latex=latex)

    @cached_property
    def _pencil(self) -> tuple[Decimal, ...]:
        return pencil_results(self.trace)

    @cached_property
    def _mentions(self) -> Mapping[Entry, Mention]:
        return MappingProxyType(
            {
                entry: Mention(entry.address, entry.symbol, entry.number.display, entry.number.title)
                for entry in self.trace.entries
            }
        )

    def _formula(self, entry: Entry) -> Formula | None:
        if self.trace.is_copy(entry):
            return refer(self.trace, entry.place, entry)
        return None if self.trace.is_leaf(entry) else expand(self.trace, entry)

    def _work(self, entry: Entry) -> Work:
        trace, number, mentions = self.trace, entry.number, self._mentions
        formula = self._formula(entry)
        folded = None if formula is None else fold(formula)
        copy = trace.is_copy(entry)
        result = trace.home(entry.place).printed if copy else self._pencil[entry.place]
        users = [user for user in trace.users.get(entry.place, ()) if user.place != entry.place]
        copies = [other for other in trace.entries_at[entry.place] if trace.is_copy(other) and other is not entry]
        return Work(
            number=mentions[entry],
            step=entry.table.step if entry.table else "",
            kind=COPY if copy else _name_kind(trace, entry, folded),
            formula=() if folded is None else write_formula(folded),
            substituted=() if formula is None else write_formula(formula, numbers=True),
            full=number.full,
            exact=self._exact(entry),
            pencil=format_number(result, number.format) if result.is_finite() else "",
            units=measure_drift(entry, result).units,
            operations=0 if copy else trace.operation_count(entry.place),
            operands=() if formula is None else tuple(dict.fromkeys(mentions[own] for own in _references(formula))),
            same_as=tuple(mentions[other] for other in trace.entries_at[entry.place] if other is not entry),
            used_by=tuple(mentions[user] for user in users + ([] if copy else copies)),
        )


def read_workbook(catalog: Catalog) -> Workbook:
    """Run the chapter over traced numbers and open its workbook.  Raises TinyxfError if it can't be traced."""
    return Workbook(read_trace(catalog))


def _references(formula: Formula) -> Iterator[Entry]:
    """Yield the entries that a formula speaks of, in reading order."""
    match formula:
        case Reference():
            yield formula.entry
        case Apply(_, arguments):
            for argument in arguments:
                yield from _references(argument)
        case _:
            pass


def _name_kind(trace: PublishedTrace, entry: Entry, folded: Formula | None) -> str:
    """Say what the arithmetic is called, by the field's own word where it has one."""
    steps = trace.program.steps
    step = steps[entry.place]
    if not step.operands:
        return GIVEN
    match step.operation, [steps[operand].operation for operand in step.operands]:
        case Operation.DIVIDE, [Operation.EXP, Operation.ADD] if step.operands[0] in steps[step.operands[1]].operands:
            return "softmax"
        case Operation.DIVIDE, [Operation.SUBTRACT, Operation.SQRT]:
            return "layer norm"
        case Operation.MAXIMUM, [_, Operation.CONSTANT] | [Operation.CONSTANT, _]:
            return "ReLU"
        case _:
            return _name_formula(folded) or _KINDS[step.operation]


def _name_formula(folded: Formula | None) -> str:
    match folded:
        case Apply("divide", (Apply("dot"), _)):
            return "scaled dot product"
        case Apply("add", (Apply("dot"), Reference())):
            return "dot product and bias"
        case Apply("mean", (Apply("power"),)):
            return "mean of squares"
        case Apply("negative", (Apply(name),)):
            return f"negative {_KINDS[name]}"
        case Apply(name):
            return _KINDS[name]
        case _:
            return ""
