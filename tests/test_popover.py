"""The scripts behind the numbers: read back, they say what the workbook says, and little more than it has to say."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.golden_texts import Golden
from tests.little_chapter import little_chapter
from tests.second_chapter import catalog as tea
from tinyxf.book.popover import FOLDER, Home, facts_of, group_of, popover_files
from tinyxf.chapter import catalog
from tinyxf.trace.notation import join_pieces
from tinyxf.trace.work import Mention, Work, Workbook, read_workbook

LITTLE_HOMES = {"bill.rows": Home("bill.html", "The bill"), "bill.sum": Home("in/sum.html", "The “sum”")}


@pytest.fixture(scope="module")
def workbook() -> Workbook:
    return read_workbook(catalog())


@pytest.fixture(scope="module")
def files(workbook: Workbook) -> dict[str, str]:
    tables = workbook.trace.catalog.tables
    return popover_files(workbook, {table.id: Home(f"{table.stage}.html", table.stage) for table in tables})


def read(files: dict[str, str], name: str) -> dict[str, Any]:
    """Read a script back."""
    found = re.fullmatch(r'tinyxfWork\("([^"]+)",(\{.*\})\);\n', files[f"{FOLDER}/{name}.js"], re.DOTALL)
    assert found is not None
    assert found[1] == name
    part: dict[str, Any] = json.loads(found[2])
    return part


def told(part: dict[str, Any], place: int) -> dict[str, Any]:
    """Say in words what the panel shows for the number at a place."""

    def mention(own: int) -> list[str]:
        return [part["numbers"][own][0]]

    title, kind, facts, formula, filled, used, same = [*part["works"][place], "", "", "", [], [], []][:7]
    pieces = [[own] if isinstance(own, str) else own if isinstance(own, list) else [own] for own in filled or []]
    return {
        "number": part["numbers"][place],
        "title": part["titles"][title],
        "kind": kind,
        "facts": facts,
        "formula": formula,
        "filled": [
            [piece[0]]
            if isinstance(piece[0], str)
            else [(*piece, part["numbers"][piece[0]][2])[1], *mention(piece[0])]
            for piece in pieces
        ],
        "used": [mention(own) for own in used or []],
        "same": [mention(own) for own in same or []],
    }


def wanted(work: Work) -> dict[str, Any]:
    """Say the same from the workbook."""
    made = work.kind not in ("given", "copy")
    return {
        "number": [work.number.address, work.number.symbol, work.number.display],
        "title": work.number.title,
        "kind": " · ".join(filter(None, [work.step and f"Step {work.step}", work.kind if made else ""])),
        "facts": facts_of(work),
        "formula": join_pieces(work.formula) if made else "",
        "filled": [[own.text, own.address] if own.address else [own.text] for own in work.substituted],
        "used": [[own.address] for own in work.used_by],
        "same": [[own.address] for own in work.same_as],
    }


@pytest.mark.parametrize("chapter", [catalog, little_chapter, tea])
def test_read_back_they_say_what_the_workbook_says(chapter: Any) -> None:
    book = read_workbook(chapter())
    made = popover_files(book, {})
    found = {}
    for path in made:
        part = read(made, path.removeprefix(f"{FOLDER}/").removesuffix(".js"))
        for place in range(len(part["works"])):
            found[part["numbers"][place][0]] = told(part, place)
    assert found == {work.number.address: wanted(work) for work in book.works()}


def test_an_address_says_where_it_is(files: dict[str, str], workbook: Workbook) -> None:
    for work in workbook.works():
        part = read(files, group_of(work.number.address))
        own = [number[0] for number in part["numbers"][: len(part["works"])]]
        assert work.number.address in own
        for mention in (*work.operands, *work.used_by, *work.same_as):
            assert [mention.address, mention.symbol, mention.display] in part["numbers"]


@pytest.mark.parametrize(
    ("address", "group"),
    [
        ("attention.h1.scores/chuck/a", "attention"),
        ("block2.attention.norm/a/n0", "block2"),
        ("model.d_model", "model"),
        ("one-word/x", "one-word"),
        ("%C3%A9.x/a", "_"),
    ],
)
def test_groups(address: str, group: str) -> None:
    assert group_of(address) == group


def test_every_table_that_is_mentioned_has_its_page(files: dict[str, str]) -> None:
    part = read(files, "attention")
    assert part["pages"][part["tables"]["weights.h1.wq"]] == ["weights.html", "weights"]
    mentioned = {number[0].partition("/")[0] for number in part["numbers"]} - {"attention.scale", "model.eps"}
    assert set(part["tables"]) == {name for name in mentioned if not name.startswith("model.")}


def test_a_table_that_no_page_shows_has_none() -> None:
    part = read(popover_files(read_workbook(little_chapter()), {"bill.sum": Home("s.html", "S")}), "bill")
    assert part["tables"] == {"bill.sum": 0}
    assert part["pages"] == [["s.html", "S"]]


def test_the_file_as_it_is(golden: Golden) -> None:
    (text,) = popover_files(read_workbook(little_chapter()), LITTLE_HOMES).values()
    golden.check("little.popover.js", text)


def test_they_read_the_same_in_every_encoding(files: dict[str, str]) -> None:
    assert all(text.isascii() for text in files.values())


def test_the_same_numbers_give_the_same_bytes(files: dict[str, str], workbook: Workbook) -> None:
    tables = workbook.trace.catalog.tables
    homes = {table.id: Home(f"{table.stage}.html", table.stage) for table in reversed(tables)}
    assert popover_files(read_workbook(catalog()), homes) == files


def test_all_together_stay_small(files: dict[str, str]) -> None:
    """A page's own data are a part of this."""
    assert sum(len(gzip.compress(text.encode(), mtime=0)) for text in files.values()) < 60_000


PLAIN = Work(
    number=Mention("t/a", "a", "0.50", "a number"),
    step="",
    kind="sum",
    formula=(),
    substituted=(),
    full="0.5012",
    exact="",
    pencil="0.50",
    units=0,
    operations=1,
    operands=(),
    same_as=(),
    used_by=(),
)


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({}, "In full 0.5012."),
        ({"full": "0.50"}, ""),
        ({"full": "1234", "number": Mention("t/a", "a", "1,234", "a count")}, ""),
        ({"full": "0.5", "exact": "1/2"}, "In full 0.5. Exactly 1/2."),
        ({"full": "2", "exact": "2"}, "Exactly 2."),
        ({"kind": "given"}, "Given: nothing in the run computes it."),
        ({"kind": "copy"}, "In full 0.5012. The same number once more."),
        (
            {"units": 2, "pencil": "0.48"},
            "In full 0.5012. A pencil gets 0.48 from the printed numbers, 2 off in the last digit.",
        ),
    ],
)
def test_facts(changes: dict[str, Any], facts: str) -> None:
    assert facts_of(replace(PLAIN, **changes)) == facts
