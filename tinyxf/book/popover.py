"""The arithmetic of every number as scripts, one of which a page loads when a reader first asks for a number.

After the workbook, beside the pages.  A page from a disk cannot fetch JSON, so each file is a classic script that
calls `tinyxfWork(name, part)` of docs/assets/javascripts/work.js.  An address says by its first word which file holds
it, so that a reader can follow the operands through the whole book.

    pages    [url, title]: where numbers are at home, relative to the site
    tables   id: page, for every table that is mentioned
    titles   what a number is, in words
    numbers  [address, symbol, display]: first those whose work is here, then those that are mentioned
    works    [title, step and kind, facts, formula, the same with numbers, used by, same as], one a number; what is
             empty at the end is left out

Numbers are mentioned by their place in `numbers`.  A formula with numbers is a list of texts and mentions; a mention
that is written unlike the number's display is a pair of place and text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tinyxf.book.worked import full_of
from tinyxf.trace.notation import Piece, join_pieces
from tinyxf.trace.work import COPY, GIVEN, Mention, Work, Workbook

FOLDER = "assets/work"
UNMADE = (GIVEN, COPY)  # kinds of numbers that no arithmetic made

_WORD = re.compile(r"[\w-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Home:
    """The page on which a table has its ids: `url` is relative to the site."""

    url: str
    title: str


def popover_files(workbook: Workbook, homes: Mapping[str, Home]) -> dict[str, str]:
    """Return the scripts by their path in the site; `homes` says for each table where its cells can be linked to."""
    works: dict[str, list[Work]] = {}
    for work in workbook.works():
        works.setdefault(group_of(work.number.address), []).append(work)
    known = {work.number.address: work.number for own in works.values() for work in own}
    return {f"{FOLDER}/{name}.js": _Part(known).script(name, own, homes) for name, own in works.items()}


def facts_of(work: Work) -> str:
    """Return what is to be said about a number beside its formula."""
    facts = []
    if work.kind == GIVEN:
        facts.append("Given: nothing in the run computes it.")
    elif full := full_of(work):
        facts.append(f"In full {full}.")
    if work.exact:
        facts.append(f"Exactly {work.exact}.")
    if work.kind == COPY:
        facts.append("The same number once more.")
    if work.units:
        facts.append(f"A pencil gets {work.pencil} from the printed numbers, {work.units} off in the last digit.")
    return " ".join(facts)


def group_of(address: str) -> str:
    """Return the name of the file that holds an address: its first word."""
    word = _WORD.match(address)
    return word[0] if word else "_"


class _Part:
    """One file in the making: what is mentioned gets its place when it is first met."""

    def __init__(self, known: Mapping[str, Mention]) -> None:
        self.known = known
        self.places: dict[str, int] = {}
        self.titles: dict[str, int] = {}

    def script(self, name: str, works: Sequence[Work], homes: Mapping[str, Home]) -> str:
        self._places(work.number for work in works)
        rows = [self._work(work) for work in works]
        mentioned = dict.fromkeys(address.partition("/")[0] for address in self.places)
        pages: dict[Home, int] = {}
        tables = {table: pages.setdefault(homes[table], len(pages)) for table in mentioned if table in homes}
        numbers = [[own.address, own.symbol, own.display] for own in map(self.known.__getitem__, self.places)]
        fields = {
            "pages": _lines([page.url, page.title] for page in pages),
            "tables": _json(tables),
            "titles": _lines(self.titles),
            "numbers": _lines(numbers),
            "works": _lines(rows),
        }
        body = ",\n".join(f'"{field}":{value}' for field, value in fields.items())
        return f"tinyxfWork({_json(name)},{{\n{body}\n}});\n"

    def _work(self, work: Work) -> list[object]:
        row: list[object] = [
            self.titles.setdefault(work.number.title, len(self.titles)),
            " · ".join(filter(None, (work.step and f"Step {work.step}", "" if work.kind in UNMADE else work.kind))),
            facts_of(work),
            "" if work.kind in UNMADE else join_pieces(work.formula),
            [self._piece(piece) for piece in work.substituted],
            self._places(work.used_by),
            self._places(work.same_as),
        ]
        while len(row) > 1 and not row[-1]:
            row.pop()
        return row

    def _piece(self, piece: Piece) -> object:
        if not piece.address:
            return piece.text
        own = self.known[piece.address]
        (place,) = self._places([own])
        return place if piece.text == own.display else [place, piece.text]

    def _places(self, mentions: Iterable[Mention]) -> list[int]:
        return [self.places.setdefault(own.address, len(self.places)) for own in mentions]


def _json(value: object) -> str:
    """Write JSON in ASCII alone, so that it reads the same whatever encoding a server claims."""
    return json.dumps(value, separators=(",", ":"))


def _lines(rows: Iterable[object]) -> str:
    """Write a list, one row a line, so that a change shows as changed lines."""
    return "[\n" + ",\n".join(map(_json, rows)) + "\n]"
