"""Tables as plain text for the terminal.

Plain Python and no template, because the downloadable single-file script shares it and needs numpy only.
"""

from __future__ import annotations

import textwrap
import unicodedata

from tinyxf.catalog import Catalog, Published
from tinyxf.table import Table

WIDTH = 78


def text_header(catalog: Catalog) -> str:
    """Return the title and the run's header lines."""
    wide = max((len(label) for label, _ in catalog.header), default=0)
    return "\n".join([catalog.title, *(f"{label.ljust(wide)}  {value}" for label, value in catalog.header)]) + "\n"


def text_table(catalog: Catalog, table: Table) -> str:
    """Return one table: step and title, aligned columns, note.

    Columns are two spaces apart; words stand left, numbers right.
    """
    grid = [[column.label for column in table.columns]]
    grid += [[table.text(i, j) for j in range(len(table.columns))] for i in range(len(table.rows))]
    widths = [max(display_width(row[j]) for row in grid) for j in range(len(table.columns))]
    left = [column.format is None for column in table.columns]
    lines = [
        "  " + "  ".join(_pad(text, width, left=side) for text, width, side in zip(row, widths, left, strict=True))
        for row in grid
    ]
    step = f"Step {table.step}  " if table.step else ""
    parts = [f"{step}{table.title}  [{table.id}]", "", *(line.rstrip() for line in lines)]
    note = text_note(catalog, table)
    if note:
        parts += ["", *textwrap.wrap(note, WIDTH, initial_indent="  ", subsequent_indent="  ")]
    return "\n".join(parts) + "\n"


def text_note(catalog: Catalog, table: Table) -> str:
    """Return the table's note as plain text, its numbers as displayed."""
    return "".join(part.display if isinstance(part, Published) else part for part in catalog.note(table))


def text_list(catalog: Catalog) -> str:
    """Return every table's id, step and title, one a line."""
    wide = max((len(table.id) for table in catalog.tables), default=0)
    steps = max((len(table.step) for table in catalog.tables), default=0)
    return "".join(f"{table.id.ljust(wide)}  {table.step.ljust(steps)}  {table.title}\n" for table in catalog.tables)


def display_width(text: str) -> int:
    """Return how many columns of a terminal the text takes: wide characters two, combining marks none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _pad(text: str, width: int, *, left: bool) -> str:
    space = " " * (width - display_width(text))
    return text + space if left else space + text
