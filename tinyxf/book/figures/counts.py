"""The figure of parameter counts: this model's square by square, the published ones as areas to one scale."""

from __future__ import annotations

from math import sqrt

from tinyxf.book.figures.drawing import Picture, Reading, Shape, Text, box, first_column, note, number, px, read
from tinyxf.catalog import Catalog

WIDTH = 344
PARTS = ("embedding", "attention", "output_projection", "ffn_in", "ffn_out")
SQUARE, SQUARES = 7, 32  # size of one parameter's square, and squares in a line
LARGEST = 150  # side of the largest model's square
MOST = 2000  # parameters that can still be drawn one by one


def own_parts(catalog: Catalog) -> Picture:
    """Draw this model's parameters one by one, part by part; a model too large for that gets its numbers only."""
    parts = _parts(catalog)
    drawn = sum(round(count.value) for _, count in parts) <= MOST
    shapes: list[Shape] = []
    texts: list[Text] = []
    y = 0
    for index, (label, count) in enumerate(parts):
        texts += [note("", 0, y + 12, label), number("end", WIDTH, y + 12, count)]
        y += 18
        left = round(count.value) if drawn else 0
        path = ""
        while left > 0:
            path += f"M0 {px(y + SQUARE / 2)}h{min(left, SQUARES) * (SQUARE + 2) - 2}"
            left -= SQUARES
            y += SQUARE + 2
        if path:
            shapes.append(Shape(f"squares part{index % 2}", path))
        y += 6
    return Picture(WIDTH, y, tuple(shapes), tuple(texts))


def _parts(catalog: Catalog) -> list[tuple[str, Reading]]:
    table = catalog.table("params.count")
    labels = dict(zip(table.row_names, first_column(table), strict=True))
    return [(labels[name], read(catalog.lookup(f"params.count/{name}/parameters"))) for name in PARTS]


def model_areas(catalog: Catalog) -> Picture:
    """Draw each model as a square whose area is its parameter count, the largest first."""
    models = sorted(_models(catalog), key=lambda model: -model[1].value)
    (first, most), others = models[0], models[1:]
    shapes = [Shape("area", box(0, 0, LARGEST, LARGEST))]
    texts = [note("", 10, 22, first), number("", 10, 38, most)]
    for index, (label, count) in enumerate(others):
        side = LARGEST * sqrt(count.value / most.value)
        y = 12 + index * 48
        if side >= 1:
            shapes.append(Shape("area", box(LARGEST + 34 - side, y + 14 - side, side, side)))
        else:
            shapes.append(Shape("axis", f"M{LARGEST + 27} {px(y + 10)}h6"))
        texts += [note("", LARGEST + 44, y + 8, label), number("", LARGEST + 44, y + 24, count)]
    return Picture(WIDTH, max(LARGEST, len(others) * 48 + 4), tuple(shapes), tuple(texts))


def _models(catalog: Catalog) -> list[tuple[str, Reading]]:
    table = catalog.table("params.sizes")
    counts = (read(catalog.lookup(f"params.sizes/{name}/parameters")) for name in table.row_names)
    return list(zip(first_column(table), counts, strict=True))


def count_words(catalog: Catalog) -> str:
    """Say each part's and each model's count."""
    parts = ", ".join(f"{label} {count.text}" for label, count in _parts(catalog))
    models = ", ".join(f"{label} {count.text}" for label, count in _models(catalog))
    return f"Parts: {parts}. Models: {models}."
