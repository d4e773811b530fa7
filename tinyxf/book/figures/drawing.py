"""What a figure is made of: paths and texts, already placed, that a template writes out as SVG.

The first module of the figures.  Everything here is plain strings and numbers; colours belong to the stylesheet,
which knows each shape and text by its `role`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyxf.catalog import Catalog, Published
from tinyxf.formatting import rounded
from tinyxf.table import Number, Table

CHARACTER = 6.2  # width of an average character of a figure's text, in user units


@dataclass(frozen=True, slots=True)
class Shape:
    """A path; `opacity` (0 to 1, empty for 1) carries a value where the role's colour shades by it."""

    role: str
    path: str
    opacity: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """Words or a number at a place; a number has the address that it was published at."""

    role: str
    x: str
    y: str
    text: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """One drawing of `width` times `height` user units, which are pixels at the size it was made for."""

    width: int
    height: int
    shapes: tuple[Shape, ...]
    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A published number as figures use it: `value` is the displayed number, so that no picture hangs on the last
    bits of a float, which differ from one processor to another.
    """

    value: float
    text: str
    address: str


def read(published: Published) -> Reading:
    """Return a published number as figures use it."""
    return Reading(float(rounded(published.number.value, published.format)), published.display, published.address)


def read_rows(catalog: Catalog, table: Table, last: int = 0) -> Iterator[list[Reading]]:
    """Yield the numbers of each row of `table`, without masked cells and the first column, which names the row.

    With `last`, only those of its last columns.
    """
    for i, row in enumerate(table.rows):
        wanted = range(len(row.cells) - last if last else 1, len(row.cells))
        yield [read(catalog.cell(table, i, j)) for j in wanted if isinstance(row.cells[j], Number)]


def px(length: float) -> str:
    """Write a length with at most one decimal."""
    text = f"{length:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def share(value: float) -> str:
    """Write an opacity from 0 to 1 in twenty steps, which is more than an eye tells apart."""
    return f"{round(min(max(value, 0.0), 1.0) * 20) / 20:.2f}".rstrip("0").rstrip(".")


def shaded(cells: list[tuple[float, str]]) -> list[Shape]:
    """Return cells, each a share from 0 to 1 and its path, as one shape a shade."""
    paths: dict[str, str] = {}
    for value, path in cells:
        shade = share(value)
        paths[shade] = paths.get(shade, "") + path
    return [Shape("heat", paths[shade], shade) for shade in sorted(paths) if shade != "0"]


def box(x: float, y: float, width: float, height: float) -> str:
    """Return the path of a rectangle; a negative height grows upwards."""
    return f"M{px(x)} {px(y)}h{px(width)}v{px(height)}h{px(-width)}z"


def line(points: list[tuple[float, float]]) -> str:
    """Return the path through all points."""
    return "M" + "L".join(f"{px(x)} {px(y)}" for x, y in points)


def dots(points: list[tuple[float, float]]) -> str:
    """Return a path of lines without length: with round ends each is a dot as wide as the stroke."""
    return "".join(f"M{px(x)} {px(y)}h0" for x, y in points)


def note(role: str, x: float, y: float, text: str) -> Text:
    """Return words at a place."""
    return Text(role, px(x), px(y), text)


def number(role: str, x: float, y: float, reading: Reading) -> Text:
    """Return a published number at a place."""
    return Text(role, px(x), px(y), reading.text, reading.address)


def first_column(table: Table) -> list[str]:
    """Return the labels of a table's first column: the tokens, the parts."""
    return [table.text(i, 0) for i in range(len(table.rows))]


def margin(labels: list[str]) -> int:
    """Return how much room the longest label takes at the left of a drawing, with a little air."""
    return round(max(map(len, labels)) * CHARACTER) + 14
