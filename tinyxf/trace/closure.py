"""Paper closure: what a reader with a pencil gets from the printed numbers.

A reading of the published trace.  Each published number is worked out from the published numbers that it is made of,
as they are printed, and compared with what is printed for itself.  Two readers are asked: one looks every operand up
in the book, the other starts from the weights and carries on with own rounded results, right through to the loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from tinyxf.formatting import Format, as_decimal, rounded
from tinyxf.trace.arithmetic import FLOAT64, Arithmetic
from tinyxf.trace.published import Entry, PublishedTrace

MOST_OPERATIONS = 16  # between a published number and those it is made of: one sentence's worth of arithmetic
LOST = 10**9  # units where a pencil gets nothing at all
TOLERANCE = 2  # units of the last printed digit by which one step on paper may differ

ROUNDING_RULE = (
    "Take each number as printed, where it is printed with most digits. Work the formula out in full, as a calculator"
    " does, in the order written. Round once, at the end, to the digits that are printed; a tie goes away from zero."
)


_SHOWN = 12  # decimals of a calculator; float64 is good for a few more


def _forgive(compute: Callable[..., float]) -> Callable[..., float]:
    def computed(*operands: float) -> float:
        if any(map(math.isnan, operands)):
            return math.nan
        try:
            return compute(*operands)
        except (ArithmeticError, ValueError):
            return math.nan

    return computed


# Float64 in which what can't be computed is nan.
CALCULATOR = Arithmetic(
    FLOAT64.leaf, {operation: _forgive(compute) for operation, compute in FLOAT64.operations.items()}
)


@dataclass(frozen=True, slots=True)
class Effort:
    """How many elementary operations lead from the published numbers to this one, and how many numbers those are."""

    address: str
    operations: int
    operands: int


@dataclass(frozen=True, slots=True)
class Drift:
    """A published number, what the pencil gets for it, and how many units of the last printed digit lie between.

    Where the printed numbers give nothing (ln 0), `pencil` is nan and `units` is LOST.
    """

    address: str
    table: str
    step: str
    printed: Decimal
    pencil: Decimal
    units: int


@dataclass(frozen=True, slots=True)
class TableDrift:
    """How well one table closes.

    Of its computed `cells`, `moved` come out otherwise on paper, and `whole` are printed with all their digits.
    `worst` is the largest drift with operands looked up, `carried` the largest with own results carried on.
    """

    table: str
    step: str
    cells: int
    moved: int
    whole: int
    worst: Drift
    carried: Drift


def measure_efforts(trace: PublishedTrace) -> tuple[Effort, ...]:
    """Return the effort of every computed number, in the catalog's order."""
    return tuple(
        Effort(entry.address, trace.operation_count(entry.place), len(trace.sources[entry.place]))
        for entry in trace.entries
        if not trace.is_leaf(entry)
    )


def heaviest_effort(trace: PublishedTrace) -> Effort:
    """Return the largest effort of the chapter, the first of equals.  Raises ValueError if nothing is computed."""
    return max(measure_efforts(trace), key=lambda effort: effort.operations)


def effort_faults(trace: PublishedTrace) -> tuple[str, ...]:
    """Return a sentence for each number that takes too many operations, and for each leaf that is printed nowhere."""
    heavy = [
        f"{effort.address} takes {effort.operations} operations from the numbers printed, expected at most"
        f" {MOST_OPERATIONS}: publish a number between"
        for effort in measure_efforts(trace)
        if effort.operations > MOST_OPERATIONS
    ]
    users: dict[str, str] = {}
    for entry in trace.entries:
        for place in trace.hidden_steps(entry.place):
            for operand in trace.program.steps[place].operands:
                name = trace.program.steps[operand].name
                if name and operand not in trace.entries_at:
                    users.setdefault(name, entry.address)
    return (*heavy, *(f"{user} is made of {name}, which is printed nowhere" for name, user in sorted(users.items())))


def work_on_paper(trace: PublishedTrace, *, carry: bool = False) -> tuple[Drift, ...]:
    """Return the drift of every computed number, in the catalog's order.

    With `carry`, the reader looks up nothing but leaves and goes on with own results, rounded as they are printed.
    """
    pencil = pencil_results(trace, carry=carry)
    return tuple(
        measure_drift(entry, _copied(trace, entry, pencil, carry=carry))
        for entry in trace.entries
        if not trace.is_leaf(entry)
    )


def pencil_results(trace: PublishedTrace, *, carry: bool = False) -> tuple[Decimal, ...]:
    """Return what every step of the program gives on paper, before rounding; nan where it gives nothing.

    Nothing is what the logarithm of a printed 0 gives, or a division by it.  Who carries on looks that number up.
    """
    results: list[Decimal] = []

    def settle(place: int, result: float) -> float:
        results.append(_read_off(result))
        if place not in trace.entries_at:
            return result
        home = trace.home(place)
        own = carry and not trace.is_leaf(home) and results[place].is_finite()
        return float(_round(results[place], home) if own else home.printed)

    trace.program.run(CALCULATOR, settle=settle)
    return tuple(results)


def _read_off(result: float) -> Decimal:
    """Return a result to twelve decimals: a calculator shows no more, and a tie must look like one."""
    return as_decimal(round(result, _SHOWN)) if math.isfinite(result) else Decimal("NaN")


def _copied(trace: PublishedTrace, entry: Entry, pencil: tuple[Decimal, ...], *, carry: bool) -> Decimal:
    """Return what stands on paper for an entry: worked out, or copied from where the number is at home."""
    home = trace.home(entry.place)
    if not trace.is_copy(entry):
        return pencil[entry.place]
    return _round(pencil[entry.place], home) if carry and pencil[entry.place].is_finite() else home.printed


def measure_drift(entry: Entry, result: Decimal) -> Drift:
    """Compare a result on paper with what is printed."""
    if result.is_nan():
        pencil, units = result, LOST
    else:
        pencil = _round(result, entry)
        units = int(abs(pencil - entry.printed).scaleb(entry.decimals))
    table = entry.table
    return Drift(entry.address, table.id if table else "", table.step if table else "", entry.printed, pencil, units)


def _round(result: Decimal, entry: Entry) -> Decimal:
    form: Format = replace(entry.number.format, percent=False, digits=entry.decimals)
    return rounded(result, form)


def measure_tables(trace: PublishedTrace) -> tuple[TableDrift, ...]:
    """Return how well each table closes on paper, in the catalog's order; scalars and given numbers have none."""
    looked_up, carried = work_on_paper(trace), work_on_paper(trace, carry=True)
    tables = dict.fromkeys(drift.table for drift in looked_up if drift.table)
    return tuple(
        _measure_table(
            trace,
            tuple(drift for drift in looked_up if drift.table == table),
            tuple(drift for drift in carried if drift.table == table),
        )
        for table in tables
    )


def _measure_table(trace: PublishedTrace, looked_up: tuple[Drift, ...], carried: tuple[Drift, ...]) -> TableDrift:
    return TableDrift(
        table=looked_up[0].table,
        step=looked_up[0].step,
        cells=len(looked_up),
        moved=sum(drift.units > 0 for drift in looked_up),
        whole=sum(_printed_whole(trace, trace.by_address[drift.address]) for drift in looked_up),
        worst=max(looked_up, key=lambda drift: drift.units),
        carried=max(carried, key=lambda drift: drift.units),
    )


def _printed_whole(trace: PublishedTrace, entry: Entry) -> bool:
    return trace.exact[entry.place].rational == Fraction(entry.printed)


def drift_faults(trace: PublishedTrace, tolerance: int = TOLERANCE) -> tuple[str, ...]:
    """Return a sentence for each number that a careful pencil misses by more than `tolerance` units."""
    return tuple(
        f"{drift.address} prints {drift.printed}, but a pencil gets {_say(drift)} from the numbers printed,"
        f" expected at most {tolerance}: print an operand with more digits"
        for drift in work_on_paper(trace)
        if drift.units > tolerance
    )


def _say(drift: Drift) -> str:
    return "nothing" if drift.units == LOST else f"{drift.pencil}, {drift.units} units away,"
