from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.altered import altered, without
from tests.second_chapter import catalog
from tinyxf.book.history.ledger import (
    Change,
    Entry,
    drift,
    ledger_entries,
    ledger_problems,
    read_ledger,
    write_ledger,
)
from tinyxf.catalog import Scalar
from tinyxf.chapter import catalog as book
from tinyxf.formatting import COUNT, Format
from tinyxf.table import Number

TEA = catalog()
TEXT = """\
address,display,value
brew.blend/green/grams,2.0,2
brew.blend/green/strength,12.5,12.5
brew.blend/green/caffeine,25.00,25
brew.blend/black%20%26%20strong/grams,1.5,1.5
brew.blend/black%20%26%20strong/strength,30.0,30
brew.blend/black%20%26%20strong/caffeine,45.00,45
brew.blend/mint%7Choney/grams,3.0,3
brew.blend/mint%7Choney/strength,0.0,0
brew.blend/mint%7Choney/caffeine,0.00,0
cool.minutes/0/degrees,100.00,100
cool.minutes/1/degrees,82.30,82.30406265
cool.minutes/2/degrees,68.52,68.52245278
cool.minutes/3/degrees,57.79,57.78932422
brew.total,70.0,70
brew.leaves,3,3
cool.room,20.0,20
"""
LINES = TEXT.splitlines(keepends=True)
HOW = 'if the new numbers are meant, run "make accept"'


def problems(text: str | None) -> list[str]:
    return [str(problem) for problem in ledger_problems(text, TEA)]


def entries(**displays: str) -> tuple[Entry, ...]:
    return tuple(Entry(address, display, display) for address, display in displays.items())


# -- writing and reading ---------------------------------------------------------------------------------------------


def test_the_ledger_holds_each_number_once_and_constants_by_their_name() -> None:
    assert write_ledger(TEA) == TEXT


def test_a_number_with_commas_is_one_field() -> None:
    cups = Scalar("cups", "cups drunk", number=Number(1234567, exact=True), format=COUNT)
    wide = replace(TEA, tables=(), scalars=(cups,))
    assert write_ledger(wide) == 'address,display,value\ncups,"1,234,567",1234567\n'
    assert read_ledger(write_ledger(wide)).entries == (Entry("cups", "1,234,567", "1234567"),)


@pytest.mark.parametrize("made", [TEA, book()], ids=["tea", "book"])
def test_what_is_written_is_read_back(made: object) -> None:
    own = TEA if made is TEA else book()
    ledger = read_ledger(write_ledger(own))
    assert ledger.entries == ledger_entries(own)
    assert ledger.lines == tuple(range(2, len(ledger.entries) + 2))
    assert ledger.problems == ()


@given(
    st.floats(-1e12, 1e12, allow_nan=False),
    st.builds(Format, st.integers(0, 15), st.booleans(), st.booleans(), st.booleans()),
)
def test_any_number_in_any_format_is_read_back(value: float, form: Format) -> None:
    own = replace(TEA, tables=(), scalars=(Scalar("x", "any", number=Number(value), format=form),))
    ledger = read_ledger(write_ledger(own))
    assert (ledger.entries, ledger.problems) == (ledger_entries(own), ())


def test_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    assert read_ledger("\ufeff" + TEXT.replace("\n", "\r\n")) == read_ledger(TEXT)
    assert read_ledger(TEXT.removesuffix("\n")) == read_ledger(TEXT)


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, "address,shown,value\n", 'expected the line "address,display,value", found "address,shown,value"'),
        (3, "<<<<<<< HEAD\n", 'expected address, display, value, found "<<<<<<< HEAD"'),
        (3, "brew.total,70.0\n", 'expected address, display, value, found "brew.total,70.0"'),
        (3, "\n", 'expected address, display, value, found ""'),
        (3, 'brew.total,"70.0,70\n', 'expected address, display, value, found "brew.total,"70.0,70"'),
        (3, ",70.0,70\n", "a number without an address"),
        (3, "x,seventy,70\n", 'x displays "seventy", which is no number'),
        (3, "x,,70\n", 'x displays "", which is no number'),
        (3, "x,70.0,7e1\n", 'x has the value "7e1", which is no plain decimal'),
        (3, "x,70.0,nan\n", 'x has the value "nan", which is no plain decimal'),
        (3, "x,70.0,71\n", "x has the value 71 but displays 70.0"),
        (3, "x,70.0,-70\n", "x has the value -70 but displays 70.0"),
        (3, "x,31.1%,0.3121\n", "x has the value 0.3121 but displays 31.1%"),
        (3, LINES[1], '"brew.blend/green/grams" stands here again, first in line 2'),
    ],
)
def test_a_malformed_line_is_a_problem_of_its_own(line: int, text: str, message: str) -> None:
    lines = [*LINES[: line - 1], text, *LINES[line if line == 1 else line - 1 :]]
    ledger = read_ledger("".join(lines))
    assert [str(problem) for problem in ledger.problems] == [
        f'docs/numbers.csv:{line}:1: malformed ledger: {message}; run "make accept"'
    ]
    assert ledger.entries == ledger_entries(TEA)
    assert {problem.kind for problem in ledger.problems} == {"ledger"}


def test_an_empty_ledger_is_a_problem() -> None:
    wanted = 'it is empty, expected the line "address,display,value"'
    assert [str(problem) for problem in read_ledger("").problems] == [
        f'docs/numbers.csv:1:1: malformed ledger: {wanted}; run "make accept"'
    ]


def test_a_value_of_millions_of_digits_is_no_number_and_takes_no_time() -> None:
    text = f"{LINES[0]}x,{'9' * 3_000_000},{'9' * 3_000_000}\n"
    assert len(read_ledger(text).problems) == 1


# -- drift -----------------------------------------------------------------------------------------------------------


def test_no_drift_where_only_the_last_digits_of_a_value_move() -> None:
    moved = altered(TEA, {"cool.minutes/1/degrees": 82.3040626599})
    assert write_ledger(moved) != TEXT
    assert ledger_problems(TEXT, moved) == ()
    assert ledger_problems(TEXT, TEA) == ()


def test_every_number_that_moved_is_named_at_its_line() -> None:
    new = altered(
        without(TEA, "cool.minutes"),
        {"brew.blend/green/grams": 2.1, "brew.blend/green/caffeine": 26.25, "brew.leaves": 4},
    )
    found = ledger_problems("".join(LINES), new)
    assert [str(problem) for problem in found] == [
        f"docs/numbers.csv:2:1: brew.blend/green/grams: 2.0 -> 2.1; {HOW}",
        f"docs/numbers.csv:4:1: brew.blend/green/caffeine: 25.00 -> 26.25; {HOW}",
        f"docs/numbers.csv:11:1: cool.minutes/0/degrees: 100.00 -> (none); {HOW}",
        f"docs/numbers.csv:12:1: cool.minutes/1/degrees: 82.30 -> (none); {HOW}",
        f"docs/numbers.csv:13:1: cool.minutes/2/degrees: 68.52 -> (none); {HOW}",
        f"docs/numbers.csv:14:1: cool.minutes/3/degrees: 57.79 -> (none); {HOW}",
        f"docs/numbers.csv:16:1: brew.leaves: 3 -> 4; {HOW}",
    ]
    assert {problem.kind for problem in found} == {"drift"}


def test_a_new_number_is_placed_at_the_line_that_it_follows() -> None:
    assert problems("".join([*LINES[:4], *LINES[10:15]])) == [
        f"docs/numbers.csv:4:1: brew.blend/black%20%26%20strong/grams: (none) -> 1.5; {HOW}",
        f"docs/numbers.csv:4:1: brew.blend/black%20%26%20strong/strength: (none) -> 30.0; {HOW}",
        f"docs/numbers.csv:4:1: brew.blend/black%20%26%20strong/caffeine: (none) -> 45.00; {HOW}",
        f"docs/numbers.csv:4:1: brew.blend/mint%7Choney/grams: (none) -> 3.0; {HOW}",
        f"docs/numbers.csv:4:1: brew.blend/mint%7Choney/strength: (none) -> 0.0; {HOW}",
        f"docs/numbers.csv:4:1: brew.blend/mint%7Choney/caffeine: (none) -> 0.00; {HOW}",
        f"docs/numbers.csv:9:1: brew.leaves: (none) -> 3; {HOW}",
        f"docs/numbers.csv:9:1: cool.room: (none) -> 20.0; {HOW}",
    ]
    assert problems("".join([LINES[0], *LINES[2:]])) == [
        f"docs/numbers.csv:1:1: brew.blend/green/grams: (none) -> 2.0; {HOW}"
    ]


def test_a_malformed_line_hides_no_drift_elsewhere() -> None:
    lines = [*LINES[:2], "=======\n", LINES[2].replace("12.5", "12.4"), *LINES[3:]]
    wanted = 'expected address, display, value, found "======="'
    assert problems("".join(lines)) == [
        f'docs/numbers.csv:3:1: malformed ledger: {wanted}; run "make accept"',
        f"docs/numbers.csv:4:1: brew.blend/green/strength: 12.4 -> 12.5; {HOW}",
    ]


def test_a_missing_ledger_is_a_problem() -> None:
    assert problems(None) == ['docs/numbers.csv:1:1: the ledger is missing; run "make accept" to write it']


def test_lost_numbers_stand_where_they_stood() -> None:
    old = entries(before="1", a="2", gone="3", gone_too="4", b="5", last="6")
    new = entries(a="2", new="7", b="8")
    assert drift(old, new) == (
        Change("before", "1", None),
        Change("gone", "3", None),
        Change("gone_too", "4", None),
        Change("new", None, "7"),
        Change("b", "5", "8"),
        Change("last", "6", None),
    )


def test_another_order_is_no_drift() -> None:
    assert drift(entries(a="1", b="2"), entries(b="2", a="1")) == ()


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("01"), max_size=8),
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("01"), max_size=8),
)
def test_drift_names_exactly_what_differs(old: dict[str, str], new: dict[str, str]) -> None:
    changes = drift(entries(**old), entries(**new))
    assert len({change.address for change in changes}) == len(changes)
    assert {change.address: (change.old, change.new) for change in changes} == {
        address: (old.get(address), new.get(address))
        for address in old.keys() | new.keys()
        if old.get(address) != new.get(address)
    }
