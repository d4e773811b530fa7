"""The whole model as a map: one tile a part, in the order of the data, each drawn from the run's own numbers.

The residual stream is the thick line that runs through the tiles; attention and feed-forward stand beside it, read
from it and add to it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyxf.book.figures.drawing import (
    Picture,
    Shape,
    Text,
    box,
    dots,
    first_column,
    line,
    note,
    number,
    read,
    read_rows,
    shaded,
)
from tinyxf.catalog import Catalog

WIDTH, HEIGHT, STREAM = 150, 110, 94  # a tile, and the height at which the stream runs
MOST = 4  # tokens and numbers that a tile has room for
ROW = 20  # squares in a row of a tile


@dataclass(frozen=True, slots=True)
class Tile:
    """A part of the model: its picture, the page that explains it, and its steps as (number, target)."""

    name: str
    page: str
    picture: Picture
    steps: tuple[tuple[str, str], ...]


def model_tiles(catalog: Catalog) -> tuple[Tile, ...]:
    """Return the six parts of the chapter."""
    parts = (
        ("embed", "Embeddings", "embeddings.md", _embed(catalog)),
        ("attention", "Attention", "attention.md", _attention(catalog)),
        ("ffn", "Feed-forward", "feed-forward.md", _feed_forward(catalog)),
        ("logits", "Prediction", "prediction.md", _prediction(catalog)),
        ("loss", "Loss and one step", "loss.md", _loss(catalog)),
        ("params", "Parameters", "parameters.md", _parameters(catalog)),
    )
    return tuple(
        Tile(name, page, picture, tuple((step, f"{page}#step-{step}") for step in _steps(catalog, stage)))
        for stage, name, page, picture in parts
    )


def _steps(catalog: Catalog, stage: str) -> list[str]:
    steps = (table.step.partition(".")[0] for table in catalog.tables if table.stage == stage)
    return list(dict.fromkeys(step for step in steps if step))


def _tile(shapes: list[Shape], texts: list[Text]) -> Picture:
    return Picture(WIDTH, HEIGHT, tuple(shapes), tuple(texts))


def _embed(catalog: Catalog) -> Picture:
    """Turn words into rows of numbers, and the rows into the stream."""
    table = catalog.table("embed.input")
    tokens, rows = first_column(table), [row[:MOST] for row in read_rows(catalog, table)]
    if len(tokens) > MOST:
        tokens, rows = ["…", *tokens[1 - MOST :]], [rows[0], *rows[1 - MOST :]]
    most = max(abs(reading.value) for row in rows for reading in row) or 1.0
    cells = [
        (abs(reading.value) / most, box(82 + 12 * j, 11 + 18 * i, 10, 12))
        for i, row in enumerate(rows)
        for j, reading in enumerate(row)
    ]
    texts = [note("end token", 72, 20 + 18 * i, token) for i, token in enumerate(tokens)]
    return _tile([Shape("stream", f"M105 82V{STREAM}H{WIDTH}"), *shaded(cells)], texts)


def _beside(left: int, right: int, height: int) -> list[Shape]:
    """Draw the stream, and a part that reads from it at the left and adds to it at the right."""
    return [
        Shape("stream", f"M0 {STREAM}H{WIDTH}"),
        Shape("flow", f"M{left} {STREAM}V{height}H{left + 8}M{right - 8} {height}H{right}V{STREAM - 8}"),
        Shape("plus", f"M{right - 7} {STREAM}a7 7 0 1 0 14 0a7 7 0 1 0 -14 0"),
        Shape("cross", f"M{right - 3.5} {STREAM}h7m-3.5 -3.5v7"),
    ]


def _attention(catalog: Catalog) -> Picture:
    """Set the first two heads side by side, each a triangle of weights."""
    shapes = _beside(10, 136, 48)
    heads = range(1, min(int(catalog.lookup("model.heads").number.value), 2) + 1)
    for head in heads:
        table = catalog.table(f"attention.h{head}.weights")
        cell = 48 / len(table.rows)
        left = 22 + (head - 1) * 54
        shapes += shaded(
            [
                (weight.value, box(left + j * cell, 24 + i * cell, cell - 0.8, cell - 0.8))
                for i, row in enumerate(read_rows(catalog, table))
                for j, weight in enumerate(row)
            ]
        )
    return _tile(shapes, [note("small mid", 54 * head - 8, 16, f"head {head}") for head in heads])


def _feed_forward(catalog: Catalog) -> Picture:
    """Let the last row's numbers fan out to the hidden units and come back; those that are on are filled."""
    table = catalog.table("ffn.hidden")
    units = list(read_rows(catalog, table))[-1]
    width = len(catalog.table("ffn.norm").columns) - 1
    outer = [12 + 60 * (i + 1) / (width + 1) for i in range(width)]
    inner = [10 + 64 * (i + 0.5) / len(units) for i in range(len(units))]
    awake = [(75.0, y) for y, unit in zip(inner, units, strict=True) if unit.value > 0]
    silent = [(75.0, y) for y, unit in zip(inner, units, strict=True) if unit.value <= 0]
    fan = "".join(line([(38, a), unit, (112, a)]) for a in outer for unit in awake)  # a silent unit passes nothing on
    shapes = [
        *_beside(20, 130, 42),
        *([Shape("guide", fan)] if fan else []),
        Shape("dot", dots([(x, y) for x in (38, 112) for y in outer])),
        *([Shape("off", dots(silent))] if silent else []),
        *([Shape("on", dots(awake))] if awake else []),
    ]
    return _tile(shapes, [])


def _prediction(catalog: Catalog) -> Picture:
    """End the stream in probabilities, the largest first."""
    table = catalog.table("logits.prediction")
    odds = [row[1] for row in read_rows(catalog, table)]
    pitch = 92 / len(odds)
    scale = 56 / odds[0].value
    bars = "".join(
        box(48 + i * pitch, STREAM, pitch - min(3.0, pitch / 4), -reading.value * scale)
        for i, reading in enumerate(odds)
    )
    first = read(catalog.cell(table, 0, len(table.columns) - 1))
    word = note("strong", 48, 30, table.text(0, 0))
    shapes = [Shape("stream", f"M0 {STREAM}H36"), Shape("axis", f"M42 {STREAM}H144"), Shape("pos", bars)]
    return _tile(shapes, [word, number("", 48 + 7.5 * (len(word.text) + 1), 30, first)])


def _loss(catalog: Catalog) -> Picture:
    """Set the loss before the step beside the loss after it."""
    before, after = (read(catalog.lookup(f"loss.{name}")) for name in ("before", "after"))
    high = STREAM - 58
    low = STREAM - 58 * after.value / (before.value or 1.0)
    shapes = [
        Shape("axis", f"M16 {STREAM}H140"),
        Shape("before", box(34, STREAM, 30, high - STREAM)),
        Shape("after", box(92, STREAM, 30, low - STREAM)),
    ]
    return _tile(shapes, [number("mid", 49, high - 6, before), number("mid", 107, low - 6, after)])


def _parameters(catalog: Catalog) -> Picture:
    """Draw every parameter as a square, as far as they fit."""
    total = read(catalog.lookup("model.parameters"))
    left, y, path = min(round(total.value), 12 * ROW), 40, ""
    while left > 0:
        path += f"M16 {y}h{min(left, ROW) * 6 - 1}"
        left -= ROW
        y += 6
    return _tile([Shape("squares small", path)], [number("strong", 16, 26, total)])


def model_words(catalog: Catalog) -> str:
    """Say what goes through the parts of the model, and what comes out."""
    tokens = " ".join(first_column(catalog.table("embed.input")))
    table = catalog.table("logits.prediction")
    percent = catalog.cell(table, 0, len(table.columns) - 1).display
    before, after, count = (
        catalog.lookup(name).display for name in ("loss.before", "loss.after", "model.parameters")
    )
    return (
        f"{tokens} goes through embeddings, attention with its heads, and feed-forward to the prediction"
        f" {table.text(0, 0)}, {percent}. One step takes the loss from {before} to {after}."
        f" The model has {count} parameters."
    )
