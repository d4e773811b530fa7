"""Figures that are curves: the waves of the positions, and the loss over the size of the step.

Between the published points a curve runs through values of the model's own functions; only published numbers are
printed on it.
"""

from __future__ import annotations

import numpy as np

from tinyxf.book.figures.drawing import (
    Picture,
    Shape,
    Text,
    dots,
    line,
    note,
    number,
    px,
    read,
    read_rows,
)
from tinyxf.catalog import Catalog
from tinyxf.params import Array
from tinyxf.stages.embed import sinusoids
from tinyxf.stages.loss import learn
from tinyxf.table import Number, Table

PANEL, LEFT, RIGHT = 156, 18, 138  # a wave's panel, and where its first and last position stand
MIDDLE, SWING = 62, 26  # height of the zero line, and of a wave
HEIGHT = 122  # of a wave's panel, the labels of its positions included
SHOWN = 4  # numbers that fit side by side in a panel
LOSS = (344, 200, 44, 170)  # width, height, and the corner where both axes start
REACH = 8  # the loss is drawn for steps up to so many times the step that is taken


def wave_panels(catalog: Catalog) -> tuple[Picture, ...]:
    """Draw one wave a dimension, with a dot at each position of the prompt."""
    table = catalog.table("embed.positions")
    rows = list(read_rows(catalog, table))
    width, length = len(table.columns) - 1, len(rows)
    fine = np.linspace(0, max(length - 1, 1), 8 * max(length - 1, 1) + 1)
    waves = sinusoids(fine, width, np.array(catalog.lookup("model.base").number.value))
    pitch = (RIGHT - LEFT) / max(length - 1, 1)
    every = -(-length // SHOWN)
    panels = []
    for j in range(width):
        points = [(LEFT + pitch * p, MIDDLE - SWING * row[j].value) for p, row in enumerate(rows)]
        curve = [(LEFT + pitch * at, MIDDLE - SWING * value) for at, value in zip(fine, waves[:, j], strict=True)]
        shapes = (
            Shape("axis", f"M{LEFT} {MIDDLE}H{RIGHT}"),
            Shape("curve", line(curve)),
            Shape("dot", dots(points)),
        )
        texts = [note("name", 0, 13, table.columns[j + 1].label)]
        for p in range(0, length, every):
            x, y = points[p]
            texts.append(number("mid", x, y - 8 if y <= MIDDLE else y + 17, rows[p][j]))
            texts.append(note("small mid", x, HEIGHT - 2, str(p)))
        panels.append(Picture(PANEL, HEIGHT, shapes, tuple(texts)))
    return tuple(panels)


def wave_words(catalog: Catalog) -> str:
    """Say each dimension's values, position by position."""
    table = catalog.table("embed.positions")
    rows = list(read_rows(catalog, table))
    return " ".join(
        f"{column.label}: {', '.join(row[j].text for row in rows)}." for j, column in enumerate(table.columns[1:])
    )


def loss_curve(catalog: Catalog) -> Picture:
    """Draw the loss over the rate of the step, with a dot before the step and one after it."""
    width, height, left, bottom = LOSS
    before, after, rate = (read(catalog.lookup(name)) for name in ("loss.before", "loss.after", "loss.rate"))
    across, up = (width - left - 10) / (REACH * rate.value), (bottom - 34) / (before.value or 1.0)
    curve = [(left + across * at, bottom - up * loss) for at, loss in _losses(catalog, rate.value)]
    start, end = (left, bottom - up * before.value), (left + across * rate.value, bottom - up * after.value)
    shapes = (
        Shape("axis", f"M{left} 20V{bottom}H{width}"),
        Shape("guide", f"M{px(end[0])} {bottom}V{px(end[1])}H{left}"),
        Shape("curve", line(curve)),
        Shape("dot", dots([start, end])),
    )
    texts: tuple[Text, ...] = (
        note("name", 0, 12, "loss"),
        note("end", width, bottom + 22, "rate of the step →"),
        number("end", left - 7, start[1] + 4, before),
        number("end", left - 7, end[1] + 4, after),
        note("mid", left, bottom + 16, "0"),
        number("mid", end[0], bottom + 16, rate),
    )
    return Picture(width, height, shapes, texts)


def _losses(catalog: Catalog, rate: float) -> list[tuple[float, float]]:
    """Return (rate, loss after a step of that rate) along the curve."""
    logits = _column(catalog.table("loss.logits"), "before")
    gradient = catalog.table("loss.gradient")
    one_hot, p = _column(gradient, "target"), _column(gradient, "p")
    target = int(one_hot.argmax())
    rates = np.linspace(0, REACH * rate, 4 * REACH + 1)
    return [(float(at), float(learn(logits, p, target, one_hot, np.array(at)).after)) for at in rates]


def _column(table: Table, key: str) -> Array:
    """Return a column's full values."""
    j = table.find_column(key)
    cells = [row.cells[j] for row in table.rows]
    return np.array([cell.value for cell in cells if isinstance(cell, Number)], dtype=np.float64)


def loss_words(catalog: Catalog) -> str:
    """Say where the curve starts and where the step leads."""
    before, after, rate = (catalog.lookup(name).display for name in ("loss.before", "loss.after", "loss.rate"))
    return f"The loss is {before} without a step and {after} after a step of {rate}; larger steps lower it further."
