from __future__ import annotations

from dataclasses import replace

from tests.altered import altered
from tests.second_chapter import catalog
from tinyxf.book.checks.gate import tie_problems
from tinyxf.catalog import Scalar
from tinyxf.chapter import catalog as book
from tinyxf.formatting import Format
from tinyxf.table import Number

TEA = catalog()


def test_a_number_on_a_rounding_tie_is_a_problem_at_its_line_of_the_ledger() -> None:
    found = tie_problems(altered(TEA, {"cool.minutes/1/degrees": 82.305, "cool.minutes/3/degrees": 57.7850000000004}))
    advice = "where processors may disagree; show more or fewer digits in this column, or call it exact if it is"
    tie = "is on a rounding tie at"
    assert [str(problem) for problem in found] == [
        f"docs/numbers.csv:12:1: cool.minutes/1/degrees = 82.305 {tie} 82.31, {advice}",
        f"docs/numbers.csv:14:1: cool.minutes/3/degrees = 57.785 {tie} 57.79, {advice}",
    ]
    assert {problem.kind for problem in found} == {"tie"}


def test_an_exact_number_may_stand_on_a_tie() -> None:
    assert (
        tie_problems(altered(TEA, {"brew.blend/green/grams": 2.05, "brew.blend/mint%7Choney/strength": 0.25})) == ()
    )


def test_the_gate_is_narrow() -> None:
    assert tie_problems(altered(TEA, {"cool.minutes/1/degrees": 82.305 + 1e-11})) == ()


def test_a_constant_and_a_percentage_pass_the_gate_too() -> None:
    scalars = (
        Scalar("share", "a share", number=Number(0.3125), format=Format(1, percent=True)),
        Scalar("whole", "a whole", number=Number(0.5), format=Format(0)),
        Scalar("fine", "fine", number=Number(0.5), format=Format(1)),
    )
    found = tie_problems(replace(TEA, tables=(), scalars=scalars))
    assert [(problem.line, problem.message.partition(" is on")[0]) for problem in found] == [
        (2, "share = 0.3125"),
        (3, "whole = 0.5"),
    ]


def test_the_book_passes() -> None:
    assert tie_problems(book()) == ()
    assert tie_problems(TEA) == ()
