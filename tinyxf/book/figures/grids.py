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
    shaded,
)
from tinyxf.catalog import Catalog

CELL, ROW, GAP = 64, 34, 2
UNIT_ROW, UNIT_TOP = 22, 24
TOP = 40  # two lines of labels stand above a square of pairs


def attention_grid(catalog: Catalog, head: int) -> Picture:
    """Draw the attention weights of a head: one cell a pair, the darker the larger, hatched where masked."""
    table = catalog.table(f"attention.h{head}.weights")
    tokens = first_column(table)
    left = margin(tokens)
    cells: list[tuple[float, str]] = []
    texts = [
        note("key", left, 12, "key →"),
        note("query end", left - 8, 32, "query ↓"),
        *_columns(tokens, left, TOP),
        *_rows(tokens, "token", left, TOP, ROW),
    ]
    hidden = ""
    for i, readings in enumerate(read_rows(catalog, table)):
        y = TOP + i * ROW
        for j, weight in enumerate(readings):  # a causal mask hides the end of a row
            x = left + j * CELL
            cells.append((weight.value, box(x, y, CELL - GAP, ROW - GAP)))
            texts.append(number("mid", x + CELL / 2 - 1, y + 20, weight))
        if len(readings) < len(tokens):
            hidden += f"M{px(left + len(readings) * CELL)} {px(y + ROW / 2 - 1)}H{left + len(tokens) * CELL - GAP}"
    shapes = [*shaded(cells), *([Shape("masked", hidden)] if hidden else [])]
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
    cells: list[tuple[float, str]] = []
    texts = [*_columns(tokens, left, UNIT_TOP), *_rows(units, "", left, UNIT_TOP, UNIT_ROW)]
    silent: list[tuple[float, float]] = []
    for i, row in enumerate(rows):
        for j, unit in enumerate(row):
            x, y = left + i * CELL, UNIT_TOP + j * UNIT_ROW
            if unit.value > 0:
                cells.append((unit.value / most, box(x, y, CELL - GAP, UNIT_ROW - GAP)))
                texts.append(number("mid", x + CELL / 2 - 1, y + 14, unit))
            else:
                silent.append((x + CELL / 2 - 1, y + UNIT_ROW / 2 - 1))
    shapes = [*shaded(cells), *([Shape("off", dots(silent))] if silent else [])]
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


def _columns(tokens: list[str], left: float, top: float) -> list[Text]:
    """Write a token over each column."""
    return [note("mid token", left + j * CELL + CELL / 2 - 1, top - 8, token) for j, token in enumerate(tokens)]


def _rows(labels: list[str], role: str, left: float, top: float, pitch: float) -> list[Text]:
    """Write a label at the left of each row."""
    return [
        note(f"end {role}".strip(), left - 8, top + i * pitch + pitch / 2 + 3, label)
        for i, label in enumerate(labels)
    ]
