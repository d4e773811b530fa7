"""Steps that are named in sentences are steps of tables."""

from __future__ import annotations

import pytest

from tests.invented import mix
from tinyxf.book.checks.steps import step_problems, steps_of
from tinyxf.book.expand import expand
from tinyxf.chapter import catalog

KNOWN = frozenset({"1", "2", "7", "7.1", "7.2", "16"})


def found(page: str) -> list[str]:
    return [str(problem) for problem in step_problems(expand("docs/a.md", page, mix()), KNOWN)]


@pytest.mark.parametrize(
    "page",
    [
        "Step 1 and steps 1, 2 and 7.1; step 16.",
        "## Step 7: x {#step-99}",
        "[step 2](b.md#step-99)",
        "`step 99` and $step 99$",
        "    step 99",
        "one step, 99 of them; a step 5% long; steps 3x; footstep 99",
        "step {{ n('size') }}",
    ],
)
def test_known_steps_and_other_numbers_pass(page: str) -> None:
    assert found(page) == []


@pytest.mark.parametrize(
    ("page", "places"),
    [
        ("In step 99 it is.", ["1:9"]),
        ("x\n\n## Step 3: y", ["3:9"]),
        ("Steps 1-4, and steps 7 and\n18.", ["1:9", "2:1"]),
        ("| step 7.3 | [step 5](b.md) |\n|---|---|\n", ["1:8", "1:20"]),
        ("> - *Step 8*", ["1:11"]),
    ],
)
def test_unknown_steps_are_named_with_their_places(page: str, places: list[str]) -> None:
    assert [problem.split(": ")[0] for problem in found(page)] == [f"docs/a.md:{place}" for place in places]
    assert all(problem.endswith("; the tables go up to step 16") for problem in found(page))


def test_a_chapter_without_steps_has_no_wrong_ones() -> None:
    assert list(step_problems(expand("docs/a.md", "step 99", mix()), frozenset())) == []


def test_steps_come_from_the_tables() -> None:
    assert steps_of(mix()) == {"1", "2", "3"}
    assert {"1", "6", "6.1", "6.2", "16"} <= steps_of(catalog())
