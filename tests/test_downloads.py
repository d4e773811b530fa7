from __future__ import annotations

import json

import pytest

from tests.second_chapter import catalog
from tinyxf.book.history.ledger import write_ledger
from tinyxf.book.readback.reconcile import reconcile
from tinyxf.data import table_csv, tables_csv, tables_json

TEA = catalog()
FILES = {
    "numbers.csv": write_ledger(TEA),
    "downloads/tables.csv": tables_csv(TEA.tables),
    "downloads/tables.json": tables_json(TEA, TEA.tables),
    "downloads/cool.minutes.csv": table_csv(TEA.table("cool.minutes")),
    "downloads/brew.blend.json": tables_json(TEA, [TEA.table("brew.blend")]),
    "search/search_index.json": '{"docs": [{"text": "at home"}]}',
    "assets/other.csv": "year,cups\n1999,12\n",
    "assets/cool.last.csv": "not a table's",
    "404.html": "<code>tx3n1x</code>",
}


def problems(path: str, old: str = "", new: str = "") -> list[str]:
    assert old in FILES[path]
    found = reconcile(TEA, (), {**FILES, path: FILES[path].replace(old, new, 1)}, folder="out")
    return [str(problem) for problem in found]


def test_downloads_as_written_have_no_problems() -> None:
    assert problems("numbers.csv") == []


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    files = {path: "\ufeff" + text.replace("\n", "\r\n") for path, text in FILES.items() if path.endswith(".csv")}
    assert reconcile(TEA, (), files) == ()


@pytest.mark.parametrize(
    ("path", "old", "new", "messages"),
    [
        (
            "numbers.csv",
            "82.30,82.30406265",
            "82.30,82.30406266",
            ["12:1: cool.minutes/1/degrees reads 82.30 (82.30406266), expected 82.30 (82.30406265)"],
        ),
        ("numbers.csv", "brew.leaves,3,3\n", "", ['1:1: the number "brew.leaves" is lost']),
        (
            "numbers.csv",
            "brew.leaves,3,3\n",
            "brew.leaves,3,3\nnothing\ncool.roof,20.0,20\n",
            [
                '17:1: malformed ledger: expected address, display, value, found "nothing"; run "make accept"',
                '18:1: unknown address "cool.roof"',
            ],
        ),
        (
            "downloads/tables.csv",
            "57.79,57.78932422",
            "57.80,57.78932422",
            ["21:1: cool.minutes/3/degrees reads 57.80 (57.78932422), expected 57.79 (57.78932422)"],
        ),
        (
            "downloads/tables.csv",
            "cool.minutes/3/degrees",
            "",
            ['1:1: the number "cool.minutes/3/degrees" is lost'],
        ),
        (
            "downloads/cool.minutes.csv",
            "3,57.79",
            "3,57.80",
            ['5:1: "cool.minutes" reads "3,57.80", expected "3,57.79"'],
        ),
        ("downloads/cool.minutes.csv", "3,57.79\n", "", ['5:1: "cool.minutes" has 4 lines, expected 5']),
        (
            "downloads/cool.minutes.csv",
            "minute,degrees",
            "m,d",
            ['1:1: "cool.minutes" reads "m,d", expected "minute,degrees"'],
        ),
        (
            "downloads/tables.json",
            '"value": 57.78932422',
            '"value": 57.7',
            ["11:63: cool.minutes/3/degrees reads 57.79 (57.7), expected 57.79 (57.78932422)"],
        ),
        (
            "downloads/tables.json",
            '"value": 57.78932422',
            '"value": null',
            ["11:63: cool.minutes/3/degrees reads 57.79 (), expected 57.79 (57.78932422)"],
        ),
        (
            "downloads/tables.json",
            '"value": 57.78932422',
            '"value": "57.78932422"',
            [],
        ),
        (
            "downloads/brew.blend.json",
            '"address": "brew.blend/mint%7Choney/grams"',
            '"adress": "brew.blend/mint%7Choney/grams"',
            ['1:1: the number "brew.blend/mint%7Choney/grams" is lost'],
        ),
        (
            "search/search_index.json",
            "at home",
            "at tx0n7x",
            ['1:24: "tx0n7x" was never filled in'],
        ),
        ("search/search_index.json", "at home", "at tx3n1x", []),  # as some page shows it in code
        ("search/search_index.json", "at home", "at {{ home", []),
        ("search/search_index.json", '"docs"', '"docs', None),
    ],
)  # fmt: skip
def test_what_changed_or_is_lost_is_named(path: str, old: str, new: str, messages: list[str] | None) -> None:
    if messages is None:
        with pytest.raises(json.JSONDecodeError) as error:
            json.loads(FILES[path].replace(old, new, 1))
        messages = [f"{error.value.lineno}:{error.value.colno}: malformed JSON: {error.value}"]
    assert problems(path, old, new) == [f"out/{path}:{message}" for message in messages]


@pytest.mark.parametrize(
    ("path", "mark"),
    [
        ("numbers.csv", "{display},{full}\n"),
        ("downloads/tables.csv", "{display},{full},"),
        ("downloads/tables.json", '{display}", "value": {full},'),
        ("downloads/cool.minutes.csv", "{display}\n"),
    ],
)
def test_no_digit_of_a_number_can_change_unseen(path: str, mark: str) -> None:
    text = FILES[path]
    own = [
        number for number in TEA.published() if path != "downloads/cool.minutes.csv" or "minutes" in number.address
    ]
    for number in own:
        start = text.find(mark.format(display=number.display, full=number.full))
        assert (start >= 0) == ("/" in number.address or path == "numbers.csv")
        for at in range(start, start + len(number.display)) if start >= 0 else ():
            other = "7" if text[at] != "7" else "8"
            assert reconcile(TEA, (), {path: text[:at] + other + text[at + 1 :]}), text[at - 40 : at + 9]
