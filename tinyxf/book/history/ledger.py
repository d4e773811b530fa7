"""The ledger, `docs/numbers.csv`: every published number, one a line, committed so that a review sees what moved.

After the catalog, beside the pages.  Numbers are compared as they are displayed: the last bits of a float differ
between processors, and nobody has published those.  Pure: the scripts read and write the file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from tinyxf.catalog import Catalog
from tinyxf.errors import Problem

LEDGER = "docs/numbers.csv"
HEADER = ("address", "display", "value")
ACCEPT = 'if the new numbers are meant, run "make accept"'

_DISPLAY = re.compile(r"[+-]?(\d[\d,]{0,400}(?:\.(\d{1,400}))?)(%?)", re.ASCII)
_VALUE = re.compile(r"-?\d{1,400}(\.\d{1,400})?", re.ASCII)
_NOISE = Decimal("1e-9")  # ten digits of a value say no more, relative to its size


@dataclass(frozen=True, slots=True)
class Entry:
    """One published number: its address, as readers see it, and with ten significant digits."""

    address: str
    display: str
    value: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger as it was read: its entries, the line of each, and every line that is none."""

    entries: tuple[Entry, ...]
    lines: tuple[int, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A number whose display differs between two sides; None where a side does not publish it."""

    address: str
    old: str | None
    new: str | None

    def __str__(self) -> str:
        return f"{self.address}: {self.old or '(none)'} -> {self.new or '(none)'}"


def ledger_entries(catalog: Catalog) -> tuple[Entry, ...]:
    """Return what the ledger of a catalog holds: each published number once, in order."""
    return tuple(Entry(number.address, number.display, number.full) for number in catalog.published())


def write_ledger(catalog: Catalog) -> str:
    """Return the ledger of a catalog as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows((entry.address, entry.display, entry.value) for entry in ledger_entries(catalog))
    return out.getvalue()


def read_ledger(text: str, page: str = LEDGER) -> Ledger:
    """Read a ledger; `page` is how its problems name the file."""
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[-1] == "":
        lines.pop()
    entries: dict[str, tuple[Entry, int]] = {}
    problems: list[Problem] = []
    for number, line in enumerate(lines, 1):
        fields = _fields(line.removesuffix("\r"))
        fault = _fault(fields, first=number == 1)
        if not fault and number > 1:
            entry = Entry(*fields)
            twice = entries.setdefault(entry.address, (entry, number))[1]
            fault = f'"{entry.address}" stands here again, first in line {twice}' if twice != number else ""
        if fault:
            problems.append(Problem(page, number, 1, f'malformed ledger: {fault}; run "make accept"', "ledger"))
    if not lines:
        message = f'malformed ledger: it is empty, expected the line "{",".join(HEADER)}"; run "make accept"'
        problems.append(Problem(page, 1, 1, message, "ledger"))
    kept = entries.values()
    return Ledger(tuple(entry for entry, _ in kept), tuple(number for _, number in kept), tuple(problems))


def drift(old: Iterable[Entry], new: Iterable[Entry]) -> tuple[Change, ...]:
    """Return every number whose display differs, in the order of `new`, lost ones where they stood before."""
    before = {entry.address: entry.display for entry in old}
    after = {entry.address: entry.display for entry in new}
    lost: dict[str | None, list[Change]] = {}
    anchor = None
    for address, display in before.items():
        if address in after:
            anchor = address
        else:
            lost.setdefault(anchor, []).append(Change(address, display, None))
    changes = lost.pop(None, [])
    for address, display in after.items():
        if before.get(address) != display:
            changes.append(Change(address, before.get(address), display))
        changes += lost.pop(address, [])
    return tuple(changes)


def ledger_problems(text: str | None, catalog: Catalog) -> tuple[Problem, ...]:
    """Compare the committed ledger (None: there is no file) with the catalog; report every number that moved.

    A changed or lost number is placed at its line, a new one at the line that it would follow.
    """
    if text is None:
        message = 'the ledger is missing; run "make accept" to write it'
        return (Problem(LEDGER, 1, 1, message, "ledger"),)
    ledger = read_ledger(text)
    new = ledger_entries(catalog)
    places = {entry.address: line for entry, line in zip(ledger.entries, ledger.lines, strict=True)}
    line = 1
    for entry in new:
        line = places.setdefault(entry.address, line)
    moved = (
        Problem(LEDGER, places[change.address], 1, f"{change}; {ACCEPT}", "drift")
        for change in drift(ledger.entries, new)
    )
    return (*ledger.problems, *moved)


def _fields(line: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return [line]


def _fault(fields: Sequence[str], *, first: bool) -> str:
    """Return what is wrong with a line, or nothing."""
    if first:
        return (
            "" if tuple(fields) == HEADER else f'expected the line "{",".join(HEADER)}", found "{",".join(fields)}"'
        )
    if len(fields) != len(HEADER):
        return f'expected {", ".join(HEADER)}, found "{",".join(fields)}"'
    address, display, value = fields
    if not address:
        return "a number without an address"
    shown = _DISPLAY.fullmatch(display)
    if not shown:
        return f'{address} displays "{display}", which is no number'
    if not _VALUE.fullmatch(value):
        return f'{address} has the value "{value}", which is no plain decimal'
    return "" if _agree(shown, display, Decimal(value)) else f"{address} has the value {value} but displays {display}"


def _agree(shown: re.Match[str], display: str, value: Decimal) -> bool:
    """Return whether a value rounds to its display, as far as ten digits tell."""
    scale = 100 if shown[3] else 1
    unit = Decimal(1).scaleb(-len(shown[2] or ""))
    number = Decimal(shown[1].replace(",", "")) * (-1 if display.startswith("-") else 1)
    return abs(value * scale - number) <= unit / 2 + _NOISE * (1 + abs(value * scale))
