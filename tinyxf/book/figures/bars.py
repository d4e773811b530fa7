"""Figures that are bars: the residual stream, the probabilities, and parameter counts to scale."""

from __future__ import annotations

from tinyxf.book.figures.drawing import (
    Picture,
    Reading,
    Shape,
    Text,
    box,
    first_column,
    margin,
    note,
    number,
    px,
    read,
    read_rows,
)
from tinyxf.catalog import Catalog
from tinyxf.table import Table

PANEL = 150  # width of a panel; panels stand side by side as the page has room
STAGE = 86  # height of one stage of a panel
BAR_ROW = 32
WIDTH = 344


def stream_tables(catalog: Catalog) -> list[Table]:
    """Return the tables whose last columns hold the residual stream, in the order of the run."""
    sums = [table for table in catalog.tables if table.id.endswith(("attention.residual", "ffn.residual"))]
    return [catalog.table("embed.input"), *sums]


def stream_panels(catalog: Catalog) -> tuple[Picture, ...]:
    """Draw each position's numbers as bars, stage under stage, one panel a position; all bars have one scale."""
    tables = stream_tables(catalog)
    width = len(tables[0].columns) - 1
    stages = [list(read_rows(catalog, table, last=width)) for table in tables]
    values = [reading.value for stage in stages for row in stage for reading in row]
    top, bottom = max(*values, 0.0), min(*values, 0.0)
    scale = (STAGE - 36) / ((top - bottom) or 1.0)
    panels = []
    for position, token in enumerate(first_column(tables[0])):
        shapes: list[Shape] = []
        texts = [note("name token", 0, 14, token)]
        for index, table in enumerate(tables):
            zero = 24 + index * STAGE + 20 + top * scale
            texts.append(note("small", 0, 24 + index * STAGE + 12, f"step {table.step}"))
            shapes += _columns(stages[index][position], zero, scale)
            texts.append(_largest(stages[index][position], zero, scale))
        panels.append(Picture(PANEL, 24 + len(tables) * STAGE + 4, tuple(shapes), tuple(texts)))
    return tuple(panels)


def _pitch(count: int) -> float:
    return (PANEL - 34) / count


def _columns(row: list[Reading], zero: float, scale: float) -> list[Shape]:
    """Draw one vector as columns over and under a line."""
    pitch = _pitch(len(row))
    paths = {"pos": "", "neg": ""}
    for j, reading in enumerate(row):
        if reading.value:
            paths["pos" if reading.value > 0 else "neg"] += box(
                34 + j * pitch, zero, pitch - min(3.0, pitch / 4), -reading.value * scale
            )
    line = Shape("axis", f"M34 {px(zero)}H{PANEL}")
    return [line, *(Shape(role, path) for role, path in paths.items() if path)]


def _largest(row: list[Reading], zero: float, scale: float) -> Text:
    """Write the number of the longest bar at its end."""
    j = max(range(len(row)), key=lambda index: abs(row[index].value))
    pitch = _pitch(len(row))
    x = min(max(34 + (j + 0.5) * pitch, 52), PANEL - 18)
    end = zero - row[j].value * scale
    return number("mid", x, end - 3 if row[j].value >= 0 else end + 10, row[j])


def stream_words(catalog: Catalog) -> str:
    """Say every number of the stream, position by position."""
    tables = stream_tables(catalog)
    width = len(tables[0].columns) - 1
    stages = [list(read_rows(catalog, table, last=width)) for table in tables]
    sentences = []
    for position, token in enumerate(first_column(tables[0])):
        steps = [
            f"step {table.step}: {' '.join(reading.text for reading in stage[position])}"
            for table, stage in zip(tables, stages, strict=True)
        ]
        sentences.append(f"{token}, {'; '.join(steps)}.")
    return " ".join(sentences)


def prediction_bars(catalog: Catalog) -> Picture:
    """Draw two bars a word, its probability before and after the step, most probable first; the target is in bold."""
    table = catalog.table("logits.prediction")
    words = first_column(table)
    left = margin(words)
    target = [catalog.lookup(f"loss.gradient/{name}/target").number.value for name in table.row_names]
    pairs = [_before_after(catalog, table, i) for i in range(len(words))]
    scale = (WIDTH - left - 52) / (max(reading.value for pair in pairs for reading in pair) or 1.0)
    before, after = "", ""
    texts = []
    for i, (word, (old, new)) in enumerate(zip(words, pairs, strict=True)):
        y = i * BAR_ROW
        before += box(left, y + 4, old.value * scale, 10)
        after += box(left, y + 16, new.value * scale, 10)
        texts += [
            note("end token strong" if target[i] else "end token", left - 8, y + 19, word),
            number("before", left + old.value * scale + 5, y + 13, old),
            number("after", left + new.value * scale + 5, y + 25, new),
        ]
    shapes = (
        Shape("before", before),
        Shape("after", after),
        Shape("axis", f"M{px(left)} 0V{len(words) * BAR_ROW - 2}"),
    )
    return Picture(WIDTH, len(words) * BAR_ROW, shapes, tuple(texts))


def _before_after(catalog: Catalog, table: Table, row: int) -> tuple[Reading, Reading]:
    name = table.row_names[row]
    return read(catalog.lookup(f"loss.gradient/{name}/p")), read(catalog.lookup(f"loss.gradient/{name}/p_after"))


def prediction_words(catalog: Catalog) -> str:
    """Say each word's probability before and after the step."""
    table = catalog.table("logits.prediction")
    pairs = [_before_after(catalog, table, i) for i in range(len(table.rows))]
    changes = [
        f"{word} from {old.text} to {new.text}" for word, (old, new) in zip(first_column(table), pairs, strict=True)
    ]
    return f"{', '.join(changes)}."
