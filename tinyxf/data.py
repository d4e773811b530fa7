"""Tables as data: CSV and JSON, through the standard library.

Values are published with ten significant digits, from the one formatter.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable

from tinyxf.catalog import Catalog
from tinyxf.formatting import full_value
from tinyxf.table import Number, Table
from tinyxf.text import text_note

FIELDS = ("table", "step", "title", "row", "column", "header", "display", "value", "address")


def tables_csv(tables: Iterable[Table]) -> str:
    """Return one line a cell, so that tables of any shape fit one file; `row` and `column` count from 0."""
    return _csv(
        [
            FIELDS,
            *(
                (table.id, table.step, table.title, i, j, column.label, table.text(i, j), *_value(table, i, j))
                for table in tables
                for i in range(len(table.rows))
                for j, column in enumerate(table.columns)
            ),
        ]
    )


def table_csv(table: Table) -> str:
    """Return one table as readers see it: a header line, then its rows."""
    head = [column.label for column in table.columns]
    return _csv([head, *([table.text(i, j) for j in range(len(head))] for i in range(len(table.rows)))])


def tables_json(catalog: Catalog, tables: Iterable[Table]) -> str:
    """Return the tables as JSON, each cell with its text and, for a number, its value and address; one row a line."""
    return '{"tables": [\n' + ",\n".join(_table(catalog, table) for table in tables) + "\n]}\n"


def _table(catalog: Catalog, table: Table) -> str:
    head = {
        "id": table.id,
        "step": table.step,
        "title": table.title,
        "stage": table.stage,
        "note": text_note(catalog, table),
        "columns": [
            {"key": key, "label": column.label, "digits": column.format.digits if column.format else None}
            for key, column in zip(table.column_names, table.columns, strict=True)
        ],
    }
    columns = range(len(table.columns))
    rows = ",\n".join(f"  [{', '.join(_cell(table, i, j) for j in columns)}]" for i in range(len(table.rows)))
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "rows": [\n{rows}\n]}}'


def _cell(table: Table, row: int, column: int) -> str:
    """Write a cell; a full value is already a number as JSON writes it."""
    value, address = _value(table, row, column)
    text = json.dumps(table.text(row, column), ensure_ascii=False)
    number = f', "value": {value}, "address": {json.dumps(address, ensure_ascii=False)}' if address else ""
    return f'{{"text": {text}{number}}}'


def _value(table: Table, row: int, column: int) -> tuple[str, str]:
    match table.rows[row].cells[column]:
        case Number(value):
            return full_value(value), table.address(row, column)
        case _:
            return "", ""


def _csv(rows: Iterable[Iterable[object]]) -> str:
    return "".join(f"{_csv_row(row)}\n" for row in rows)


def _csv_row(row: Iterable[object]) -> str:
    """Write a row; the writer quotes only those line ends that it ends rows with, so it must end them with both."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow([_inert(value) for value in row])
    return out.getvalue().removesuffix("\r\n")


def _inert(value: object) -> object:
    """Keep a spreadsheet from running a word as a formula; numbers and the dash of a masked cell stay as they are."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") and not _harmless(value):
        return "'" + value
    return value


def _harmless(text: str) -> bool:
    return text == "-" or text.lstrip("+-").replace(",", "").replace(".", "", 1).rstrip("%").isdecimal()
