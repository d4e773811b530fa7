"""The weights as tables: what every other number starts from."""

from __future__ import annotations

import re

from tinyxf.formatting import Format
from tinyxf.model import Run
from tinyxf.table import Column, Key, Label, Row, Table
from tinyxf.tables.build import Grid, column, decimals, grid, numbered, prefix, token_rows


def dimension_columns(names: tuple[str, ...], form: Format) -> tuple[Column, ...]:
    """Return one column a dimension of meaning, keyed by its name, and by its place where two names are alike."""
    return tuple(Column(Key(slug(name), place), name, form) for place, name in enumerate(names))


def slug(name: str) -> str:
    """Turn a name into a key: lower case, digits, underscores."""
    return re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_") or "_"


def weight_tables(run: Run) -> tuple[Table, ...]:
    """Return every weight array of the model."""
    model = run.model
    rows = grid(run, "model.embedding", exact=True)
    embedding = Table(
        id="weights.embedding",
        step="",
        title="Embedding E: one row a word",
        stage="weights",
        columns=(column("token"), *dimension_columns(model.dimensions, decimals(rows))),
        rows=token_rows(model.vocabulary, rows),
        note="Read forwards it looks words up, read backwards it scores them: the two ends of the model share it.",
        companion=True,
        symbol="E",
    )
    blocks = [table for block in range(len(model.blocks)) for table in _block_tables(run, block)]
    return (embedding, *blocks)


def _block_tables(run: Run, block: int) -> list[Table]:
    path, ids = f"model.blocks.{block}", prefix(block)
    model = run.model
    width, hidden = model.width, model.hidden
    dimensions = [(slug(name), name) for name in model.dimensions]
    normed = [(f"n{i}", f"n{i}") for i in range(width)]
    units = [(f"u{i}", f"u{i}") for i in range(hidden)]
    tables = []
    heads = len(model.blocks[block].heads)
    for h in range(heads):
        for letter, asks in (("q", "what it asks for"), ("k", "what it answers to"), ("v", "what it hands over")):
            rows = grid(run, f"{path}.heads.{h}.w{letter}", exact=True)
            tables.append(
                _matrix(
                    f"{ids}weights.h{h + 1}.w{letter}",
                    f"W_{letter.upper()} of head {h + 1}: {asks}",
                    dimensions,
                    numbered(letter, model.head_width, decimals(rows)),
                    rows,
                    f"W{letter.upper()}{h + 1}",
                )
            )
    joined = [(f"h{h + 1}_{i}", f"h{h + 1}_{i}") for h in range(heads) for i in range(model.head_width)]
    output, w1, b1, w2, b2 = (grid(run, f"{path}.{name}", exact=True) for name in ("wo", "w1", "b1", "w2", "b2"))
    o = numbered("o", width, decimals(output))
    u = numbered("u", hidden, decimals(w1))
    f = numbered("f", width, decimals(w2))
    tables += [
        _matrix(f"{ids}weights.wo", "W_O: from the heads back into the stream", joined, o, output, "WO"),
        _matrix(f"{ids}weights.w1", "W1: what each hidden unit watches", normed, u, w1, "W1"),
        _vector(f"{ids}weights.b1", "b1: each unit's threshold", numbered("u", hidden, decimals(b1)), b1, "b1"),
        _matrix(f"{ids}weights.w2", "W2: what each hidden unit adds when it is on", units, f, w2, "W2"),
        _vector(f"{ids}weights.b2", "b2: added whatever happens", numbered("f", width, decimals(b2)), b2, "b2"),
    ]
    return tables


def _matrix(
    name: str, title: str, keys: list[tuple[str, str]], columns: tuple[Column, ...], cells: Grid, symbol: str
) -> Table:
    rows = tuple(
        Row(Key(key, place), (Label(label), *row))
        for place, ((key, label), row) in enumerate(zip(keys, cells, strict=True))
    )
    return Table(name, "", title, "weights", (column("from"), *columns), rows, companion=True, symbol=symbol)


def _vector(name: str, title: str, columns: tuple[Column, ...], cells: Grid, symbol: str) -> Table:
    return Table(name, "", title, "weights", columns, (Row(None, cells[0]),), companion=True, symbol=symbol)
