"""The files that a site offers beside its pages, against the catalog: CSV and JSON.

For reconciliation.  What a file is, its content tells: the ledger and the long form of tables have a header line of
their own, a table by itself is named by its file, and JSON names each number's address.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any

from tinyxf.book.history.ledger import HEADER, read_ledger
from tinyxf.catalog import Catalog
from tinyxf.data import FIELDS, table_csv
from tinyxf.errors import Problem
from tinyxf.formatting import full_value

KIND = "reconcile"
Fault = tuple[int, int, str]


def download_problems(catalog: Catalog, path: str, text: str, folder: str) -> tuple[Problem, ...]:
    """Compare one file of the site with the catalog; a file that holds no numbers of ours has no problems."""
    page = f"{folder}/{path}"
    return tuple(Problem(page, line, column, message, KIND) for line, column, message in _faults(catalog, path, text))


def _faults(catalog: Catalog, path: str, text: str) -> Iterator[Fault]:
    name = PurePosixPath(path)
    if name.suffix == ".csv":
        header = text.removeprefix("\ufeff").partition("\n")[0].rstrip("\r")
        check = _CSV.get(header)
        if check is not None:
            yield from check(catalog, text)
        elif name.stem in catalog.names():
            yield from _table(catalog, name.stem, text)
    elif name.suffix == ".json":
        yield from _json(catalog, text)


def _ledger(catalog: Catalog, text: str) -> Iterator[Fault]:
    """Compare the ledger, which holds every number with all its digits."""
    ledger = read_ledger(text)
    seen = _Seen(catalog)
    for problem in ledger.problems:
        yield problem.line, problem.column, problem.message
    for entry, line in zip(ledger.entries, ledger.lines, strict=True):
        fault = seen.number(entry.address, entry.display, entry.value)
        if fault:
            yield line, 1, fault
    for address in seen.published:
        if address not in seen.addresses:
            yield 1, 1, f'the number "{address}" is lost'


def _long(catalog: Catalog, text: str) -> Iterator[Fault]:
    """Compare the long form, which has one line a cell; those of numbers carry the address."""
    reader = csv.DictReader(text.removeprefix("\ufeff").splitlines(keepends=True))
    seen = _Seen(catalog)
    for row in reader:
        address = row.get("address") or ""
        seen.tables.add(row.get("table") or "")
        if address:
            fault = seen.number(address, row.get("display") or "", row.get("value") or "")
            if fault:
                yield reader.line_num, 1, fault
    yield from seen.lost()


def _table(catalog: Catalog, name: str, text: str) -> Iterator[Fault]:
    """Compare a table by itself, which is exactly what readers see."""
    if name not in {table.id for table in catalog.tables}:
        return
    wanted = table_csv(catalog.table(name)).splitlines()
    found = text.removeprefix("\ufeff").splitlines()
    for line, (own, expected) in enumerate(zip(found, wanted, strict=False), 1):
        if own != expected:
            yield line, 1, f'"{name}" reads "{own}", expected "{expected}"'
    if len(found) != len(wanted):
        yield min(len(found), len(wanted)) + 1, 1, f'"{name}" has {len(found)} lines, expected {len(wanted)}'


_CSV: dict[str, Callable[[Catalog, str], Iterator[Fault]]] = {",".join(HEADER): _ledger, ",".join(FIELDS): _long}


def _json(catalog: Catalog, text: str) -> Iterator[Fault]:
    """Compare every object with an address and a text: it is a number of ours."""
    try:
        todo: list[Any] = [json.loads(text)]
    except ValueError as error:
        yield getattr(error, "lineno", 1), getattr(error, "colno", 1), f"malformed JSON: {error}"
        return
    seen = _Seen(catalog)
    while todo:
        match todo.pop():
            case list() as items:
                todo.extend(items)
            case dict() as fields:
                todo.extend(fields.values())
                if "rows" in fields:
                    seen.tables.add(str(fields.get("id")))
                address, shown = fields.get("address"), fields.get("text", fields.get("display"))
                if isinstance(address, str) and isinstance(shown, str):
                    fault = seen.number(address, shown, _plain(fields.get("value")))
                    if fault:
                        at = max(text.find(json.dumps(address, ensure_ascii=False)), 0)
                        yield text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), fault
            case _:
                pass
    yield from seen.lost()


def _plain(value: object) -> str:
    match value:
        case bool() | None:
            return ""
        case int() | float():
            return full_value(value)
        case _:
            return str(value)


class _Seen:
    """The numbers of one file, and the tables that it says it holds."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.published = {number.address: number for number in catalog.published()}
        self.addresses: set[str] = set()
        self.tables: set[str] = set()

    def number(self, address: str, display: str, value: str) -> str:
        """Return what is wrong with a number, or nothing."""
        self.addresses.add(address)
        expected = self.published.get(address)
        if expected is None:
            return f'unknown address "{address}"'
        if (display, value) != (expected.display, expected.full):
            return f"{address} reads {display} ({value}), expected {expected.display} ({expected.full})"
        return ""

    def lost(self) -> Iterator[Fault]:
        """Yield each number of the file's tables that the file does not have."""
        for table in self.catalog.tables:
            if table.id in self.tables:
                for row, column, _, _ in table.numbers():
                    address = table.address(row, column)
                    if address not in self.addresses:
                        yield 1, 1, f'the number "{address}" is lost'
