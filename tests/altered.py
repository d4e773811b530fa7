"""A catalog with other values in some places, as an edit of the code would leave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tinyxf.catalog import Catalog
from tinyxf.table import Number, Table


def altered(catalog: Catalog, values: Mapping[str, float]) -> Catalog:
    """Return the catalog with these values at these addresses, which must exist."""
    left = dict(values)
    tables = tuple(_table(table, left) for table in catalog.tables)
    scalars = tuple(
        replace(scalar, number=replace(scalar.number, value=left.pop(scalar.name)))
        if scalar.number is not None and scalar.name in left
        else scalar
        for scalar in catalog.scalars
    )
    assert left == {}, f"nothing has the address {', '.join(left)}"
    return replace(catalog, tables=tables, scalars=scalars)


def without(catalog: Catalog, table_id: str) -> Catalog:
    """Return the catalog without one of its tables, and without the scalars that rename its cells."""
    return replace(
        catalog,
        tables=tuple(table for table in catalog.tables if table.id != table_id),
        scalars=tuple(scalar for scalar in catalog.scalars if not scalar.address.startswith(f"{table_id}/")),
    )


def _table(table: Table, left: dict[str, float]) -> Table:
    return replace(
        table,
        rows=tuple(
            replace(
                row,
                cells=tuple(
                    replace(cell, value=left.pop(table.address(i, j)))
                    if isinstance(cell, Number) and table.address(i, j) in left
                    else cell
                    for j, cell in enumerate(row.cells)
                ),
            )
            for i, row in enumerate(table.rows)
        ),
    )
