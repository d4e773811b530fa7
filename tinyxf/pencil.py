"""A chapter about the chapter: how far a pencil strays from the printed numbers.

Listed in `mkdocs.yml` beside `tinyxf.chapter`, whose trace it reads.  Its numbers are measurements and not part of
any trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tinyxf.catalog import Catalog, Scalar, Stage
from tinyxf.chapter import catalog as chapter
from tinyxf.formatting import INTEGER, Format
from tinyxf.table import Column, Key, Label, Number, Row, Table
from tinyxf.trace.closure import (
    TOLERANCE,
    Drift,
    TableDrift,
    heaviest_effort,
    measure_tables,
    work_on_paper,
)
from tinyxf.trace.published import PublishedTrace, read_trace

LOSSES = ("loss.step/loss_before", "loss.step/loss_after", "loss.step/improvement")


def catalog() -> Catalog:
    """Work the whole chapter out on paper and return what that measures."""
    trace = read_trace(chapter())
    drifts = measure_tables(trace)
    heaviest = heaviest_effort(trace)
    return Catalog(
        title="Paper closure",
        stages=(Stage("pencil", "With a pencil"),),
        tables=(_steps(trace, drifts), _largest(trace, drifts), _loss(trace)),
        scalars=(
            Scalar(
                "pencil.operations",
                "operations between printed numbers, at most",
                number=_count(heaviest.operations),
                format=INTEGER,
            ),
            Scalar("pencil.tolerance", "units that one step may differ by", number=_count(TOLERANCE), format=INTEGER),
            Scalar(
                "pencil.numbers",
                "numbers worked out",
                number=_count(sum(own.cells for own in drifts)),
                format=INTEGER,
            ),
            Scalar(
                "pencil.moved",
                "numbers that come out otherwise",
                number=_count(sum(own.moved for own in drifts)),
                format=INTEGER,
            ),
            Scalar(
                "pencil.worst",
                "largest drift of one step",
                number=_count(max(own.worst.units for own in drifts)),
                format=INTEGER,
            ),
            Scalar(
                "pencil.carried",
                "largest drift with own results",
                number=_count(max(own.carried.units for own in drifts)),
                format=INTEGER,
            ),
        ),
    )


def _steps(trace: PublishedTrace, drifts: Sequence[TableDrift]) -> Table:
    tables = {table.id: table for table in trace.catalog.tables}
    rows = []
    for step, group in groupby(drifts, key=lambda own: own.step):
        own = list(group)
        counts = (
            sum(table.cells for table in own),
            sum(table.whole for table in own),
            sum(table.moved for table in own),
            max(table.worst.units for table in own),
            max(table.carried.units for table in own),
        )
        shown = [tables[drift.table] for drift in own]
        label = Label(next((table.title for table in shown if not table.companion), shown[0].title))
        rows.append(Row(Key(step.replace(".", "_")), (Label(step), label, *map(_count, counts))))
    return Table(
        id="pencil.steps",
        step="",
        title="How far a pencil strays, step by step",
        stage="pencil",
        columns=(
            Column(Key("step"), "step"),
            Column(Key("what"), "what"),
            *(Column(Key(key), label, INTEGER) for key, label in _MEASURES),
        ),
        rows=tuple(rows),
        note="Drift is counted in units of the last printed digit.",
    )


_MEASURES = (
    ("numbers", "numbers"),
    ("whole", "printed whole"),
    ("moved", "moved"),
    ("worst", "worst drift"),
    ("carried", "carried on"),
)


def _largest(trace: PublishedTrace, drifts: Sequence[TableDrift]) -> Table:
    """Lay out the number that strays furthest in one step."""
    worst = max((own.worst for own in drifts), key=lambda drift: drift.units)
    form = trace.by_address[worst.address].number.format
    return Table(
        id="pencil.largest",
        step="",
        title=f"The largest drift of one step: {worst.address}",
        stage="pencil",
        columns=_compared_columns(form),
        rows=(Row(None, _compared(worst)),),
    )


def _compared(drift: Drift) -> tuple[Number, ...]:
    return Number(float(drift.printed), exact=True), Number(float(drift.pencil), exact=True), _count(drift.units)


def _compared_columns(form: Format) -> tuple[Column, ...]:
    return (
        Column(Key("printed"), "printed", form),
        Column(Key("pencil"), "by pencil", form),
        Column(Key("drift"), "drift", INTEGER),
    )


def _loss(trace: PublishedTrace) -> Table:
    """Lay out what a reader gets who starts from the weights and never looks back."""
    carried = {drift.address: drift for drift in work_on_paper(trace, carry=True)}
    rows = []
    for address in LOSSES:
        entry, drift = trace.by_address[address], carried[address]
        label = Label(entry.number.title.rpartition(", ")[2])
        rows.append(Row(Key(address.rpartition("/")[2]), (label, *_compared(drift))))
    form = trace.by_address[LOSSES[0]].number.format
    return Table(
        id="pencil.loss",
        step="",
        title="The loss of a reader who never looks back",
        stage="pencil",
        columns=(Column(Key("quantity"), "quantity"), *_compared_columns(form)),
        rows=tuple(rows),
        note="Every number on the way was rounded as it is printed, and carried on.",
    )


def _count(count: int) -> Number:
    return Number(count, exact=True)
