"""The few pieces that tables are built of.

`grid` is the only way from an array to numbers: it reads the array by the same path that it writes into each number's
`Source`, so a number and its source cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tinyxf.formatting import Format, as_decimal
from tinyxf.model import Run, find_array
from tinyxf.params import Array
from tinyxf.table import Blank, Cell, Column, Key, Label, Number, Row, Source

TOKEN = Column(Key("token"), "token")
FORM = Format(digits=4)  # of most columns
Grid = tuple[tuple[Cell, ...], ...]


def grid(run: Run, path: str, *, exact: bool = False, causal: bool = False) -> Grid:
    """Return the array at `path` as rows of cells: (R, C) as it is, (C,) as one row, a scalar as one cell.

    With `causal`, every cell right of the diagonal is blank: no position sees a later one.
    """
    array = find_array(run, path)
    width = array.shape[-1] if array.ndim else 1
    cells: list[Cell] = [
        Blank() if causal and index[1] > index[0] else _number(array[index], path, index, exact=exact)
        for index in np.ndindex(array.shape)
    ]
    return tuple(tuple(cells[start : start + width]) for start in range(0, len(cells), width))


def cell(run: Run, path: str, *index: int, exact: bool = False) -> Number:
    """Return one number of the array at `path`."""
    return _number(find_array(run, path)[index], path, index, exact=exact)


def _number(value: np.generic | Array, path: str, index: tuple[int, ...], *, exact: bool) -> Number:
    whole = value.dtype.kind == "i"
    return Number(int(value) if whole else float(value), Source(path, tuple(index)), exact=exact or whole)


def column(key: str, label: str = "", form: Format | None = None, *, symbol: str = "", role: str = "") -> Column:
    """Return a column whose label is its key unless given."""
    return Column(Key(key), label or key, form, symbol, role)


def numbered(letter: str, width: int, form: Format, *, symbol: str = "", role: str = "") -> tuple[Column, ...]:
    """Return columns `x0`, `x1`, ... of one letter; `symbol` replaces the letter in worked arithmetic."""
    return tuple(
        column(f"{letter}{i}", form=form, symbol=f"{symbol}{i}" if symbol else "", role=role) for i in range(width)
    )


def token_columns(tokens: Sequence[str], form: Format, *, role: str = "") -> tuple[Column, ...]:
    """Return one column a token, keyed by the token and its position."""
    return tuple(Column(Key(token, position), token, form, role=role) for position, token in enumerate(tokens))


def token_rows(tokens: Sequence[str], *blocks: Iterable[Sequence[Cell]]) -> tuple[Row, ...]:
    """Return one row a token: the token as a label, then its cells from each block, side by side."""
    joined = [[cell for part in parts for cell in part] for parts in zip(*blocks, strict=True)]
    return tuple(
        Row(Key(token, position), (Label(token), *cells))
        for position, (token, cells) in enumerate(zip(tokens, joined, strict=True))
    )


def softmax_columns(maximum: str, total: str) -> tuple[Column, ...]:
    """Return the columns of what a softmax subtracts and divides by, with their symbols."""
    return column("maximum", form=FORM, symbol=maximum), column("total", form=FORM, symbol=total)


def softmax_row(run: Run, path: str) -> tuple[Row, ...]:
    """Return maximum and total of a softmax over one vector, as the only row of a table."""
    return (Row(None, (cell(run, f"{path}.maximum", 0), cell(run, f"{path}.total", 0))),)


def decimals(rows: Grid, most: int = 4) -> Format:
    """Return the format with the fewest digits, at least one, that shows every number whole."""
    needed = 1
    for number in (number for row in rows for number in row if isinstance(number, Number)):
        exponent = as_decimal(float(number.value)).normalize().as_tuple().exponent
        needed = max(needed, -exponent if isinstance(exponent, int) else needed)
    return Format(digits=min(needed, most))


def prefix(block: int) -> str:
    """Return what stands before the ids of a block's tables: nothing for the first, `block2.` for the second."""
    return "" if block == 0 else f"block{block + 1}."
