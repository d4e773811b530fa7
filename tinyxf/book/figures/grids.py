"""Figures that are grids of cells: who listens to whom, and which hidden units are on."""

from __future__ import annotations

from tinyxf.book.figures.drawing import (
    Picture,
    Shape,
    Text,
    box,
    dots,
    first_column,
    margin,
    note,
    number,
    px,
    read_rows,
    share,
)
from tinyxf.catalog import Catalog
from tinyxf.table import Blank

CELL, ROW, GAP = 64, 34, 2
UNIT_ROW, UNIT_TOP = 22, 24
TOP = 40  # two lines of labels stand above a square of pairs


def attention_grid(catalog: Catalog, head: int) -> Picture:
    """Draw the attention weights of a head: one cell a pair, the darker the larger, hatched where masked."""
    table = catalog.table(f"attention.h{head}.weights")
    tokens = first_column(table)
    left = margin(tokens)
    shapes: list[Shape] = []
    texts = [
        note("key", left, 12, "key →"),
        note("query end", left - 8, 32, "query ↓"),
        *_axes(tokens, tokens, left, TOP, ROW),
    ]
    hidden = ""
    for i, readings in enumerate(read_rows(catalog, table)):
        weights = iter(readings)
        for j, cell in enumerate(table.rows[i].cells[1:]):
            x, y = left + j * CELL, TOP + i * ROW
            if isinstance(cell, Blank):
                hidden += _hatch(x, y)
                continue
            weight = next(weights)
            shapes.append(Shape("heat", box(x, y, CELL - GAP, ROW - GAP), share(weight.value)))
            texts.append(number("mid", x + CELL / 2 - 1, y + 20, weight))
    if hidden:
        shapes.append(Shape("masked", hidden))
    return Picture(left + len(tokens) * CELL, TOP + len(tokens) * ROW, tuple(shapes), tuple(texts))


def attention_words(catalog: Catalog, head: int) -> str:
    """Say what the grid of a head shows, row by row."""
    table = catalog.table(f"attention.h{head}.weights")
    tokens = first_column(table)
    sentences = []
    for token, weights in zip(tokens, read_rows(catalog, table), strict=True):
        heard = ", ".join(f"{other} {weight.text}" for other, weight in zip(tokens, weights, strict=False))
        masked = len(tokens) - len(weights)
        sentences.append(f"{token} listens to {heard}{f'; {masked} masked' if masked else ''}.")
    return " ".join(sentences)


def unit_grid(catalog: Catalog) -> Picture:
    """Draw the hidden units, one row a unit and one column a token: a filled cell when on, a dot when off."""
    table = catalog.table("ffn.hidden")
    tokens, units = first_column(table), [column.label for column in table.columns[1:]]
    rows = list(read_rows(catalog, table))
    left = margin(units)
    most = max(unit.value for row in rows for unit in row) or 1.0
    shapes: list[Shape] = []
    texts = _axes(units, tokens, left, UNIT_TOP, UNIT_ROW)
    silent: list[tuple[float, float]] = []
    for i, row in enumerate(rows):
        for j, unit in enumerate(row):
            x, y = left + i * CELL, UNIT_TOP + j * UNIT_ROW
            if unit.value > 0:
                shapes.append(Shape("heat", box(x, y, CELL - GAP, UNIT_ROW - GAP), share(unit.value / most)))
                texts.append(number("mid", x + CELL / 2 - 1, y + 14, unit))
            else:
                silent.append((x + CELL / 2 - 1, y + UNIT_ROW / 2 - 1))
    if silent:
        shapes.append(Shape("off", dots(silent)))
    return Picture(left + len(tokens) * CELL, UNIT_TOP + len(units) * UNIT_ROW, tuple(shapes), tuple(texts))


def unit_words(catalog: Catalog) -> str:
    """Say which units are on for each token, and how much."""
    table = catalog.table("ffn.hidden")
    units = [column.label for column in table.columns[1:]]
    sentences = []
    for token, row in zip(first_column(table), read_rows(catalog, table), strict=True):
        awake = [f"{label} {unit.text}" for label, unit in zip(units, row, strict=True) if unit.value > 0]
        sentences.append(f"{token}: {', '.join(awake) or 'none'} on, {len(row) - len(awake)} off.")
    return " ".join(sentences)


def _axes(rows: list[str], columns: list[str], left: float, top: float, pitch: float) -> list[Text]:
    """Label the rows at the left and the columns on top."""
    texts = [note("mid", left + j * CELL + CELL / 2 - 1, top - 8, label) for j, label in enumerate(columns)]
    return texts + [note("end", left - 8, top + i * pitch + pitch / 2 + 3, label) for i, label in enumerate(rows)]


def _hatch(x: float, y: float) -> str:
    """Return the path of slanted lines that fill a cell."""
    width, height = CELL - GAP, ROW - GAP
    return "".join(
        f"M{px(x + step)} {px(y + height)}l{px(height)} {px(-height)}" for step in range(0, width - height + 1, 6)
    )
