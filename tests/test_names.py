from __future__ import annotations

import pytest

from tests.second_chapter import catalog
from tinyxf.book.history.names import Named, names, names_text, no_names
from tinyxf.chapter import catalog as book

TEA = catalog()
EVERYTHING = [
    *("brew.blend/green/grams", "brew.blend/green/strength", "brew.blend/green/caffeine"),
    *(f"brew.blend/black%20%26%20strong/{column}" for column in ("grams", "strength", "caffeine")),
    *("brew.blend/mint%7Choney/grams", "brew.blend/mint%7Choney/strength", "brew.blend/mint%7Choney/caffeine"),
    *(f"cool.minutes/{minute}/degrees" for minute in range(4)),
    *("brew.total", "brew.leaves", "cool.room", "cool.last"),
]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("", EVERYTHING),
        ("brew.total", ["brew.total"]),
        ("MINUTES/1", ["cool.minutes/1/degrees"]),
        ("honey/", EVERYTHING[6:9]),
        ("mint|honey/g", ["brew.blend/mint%7Choney/grams"]),
        ("%7Choney/g", ["brew.blend/mint%7Choney/grams"]),
        ("cool.*", [*EVERYTHING[9:13], "cool.room", "cool.last"]),
        ("*/grams", [EVERYTHING[0], EVERYTHING[3], EVERYTHING[6]]),
        ("cool.minutes/[12]/*", EVERYTHING[10:12]),
        ("cool.minutes/?/DEGREES", EVERYTHING[9:13]),
        ("*.room", ["cool.room"]),
        ("*.roo", []),
        ("57.79", ["cool.minutes/3/degrees", "cool.last"]),
        ("57.7", []),
        ("3.0", ["brew.blend/mint%7Choney/grams"]),
        ("coffee", []),
    ],
)
def test_names_fit_in_part_or_as_a_pattern_or_by_their_digits(pattern: str, found: list[str]) -> None:
    assert [named.address for named in names(TEA, pattern)] == found


def test_a_name_comes_with_its_number_and_what_it_is() -> None:
    assert names(TEA, "last") == (Named("cool.last", "57.79", "57.78932422", "degrees at last"),)


def test_every_name_is_one_that_a_placeholder_takes() -> None:
    own = book()
    assert [own.lookup(named.address).display for named in names(own)] == [named.display for named in names(own)]
    assert {scalar.name for scalar in own.scalars} <= {named.address for named in names(own)}


def test_names_are_printed_in_columns() -> None:
    assert names_text(names(TEA, "*[m/][ir][no]*")) == (
        "brew.blend/mint%7Choney/grams        3.0  3            What is in the pot, grams\n"
        "brew.blend/mint%7Choney/strength     0.0  0            What is in the pot, mg/g\n"
        "brew.blend/mint%7Choney/caffeine    0.00  0            What is in the pot, caffeine\n"
        "cool.minutes/0/degrees            100.00  100          How it cools, degrees\n"
        "cool.minutes/1/degrees             82.30  82.30406265  How it cools, degrees\n"
        "cool.minutes/2/degrees             68.52  68.52245278  How it cools, degrees\n"
        "cool.minutes/3/degrees             57.79  57.78932422  How it cools, degrees\n"
    )
    assert names_text(()) == ""


def test_where_nothing_fits_the_nearest_names_are_said() -> None:
    meant = 'did you mean "cool.room" or "cool.minutes" or "cool.last"?'
    assert no_names(TEA, "cool.rooms") == f'no name fits "cool.rooms"; {meant}'
    assert no_names(TEA, "zzz") == 'no name fits "zzz".'
