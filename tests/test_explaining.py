"""`tinyxf explain`: the arithmetic of one number, in three formats."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from tests.second_chapter import catalog as tea
from tinyxf.chapter import catalog
from tinyxf.errors import TinyxfError, UnknownNameError
from tinyxf.explaining import MOST_DEPTH, answer_explain
from tinyxf.trace.work import read_workbook


def test_a_number_is_explained_with_what_it_is_made_of() -> None:
    text = answer_explain(["loss.before"])
    assert text.splitlines()[:5] == [
        "loss.step/loss_before = 1.1690",
        "step 15: The loss before and after, loss before",
        "  L = -ln(p[wood])",
        "    = -ln(0.3107)",
        "    = 1.1690",
    ]
    assert "logits.prediction/wood/probability" in text
    assert text == answer_explain(["loss.step/loss_before"])


def test_deeper_explanations_begin_with_the_shallower() -> None:
    shallow, deep = (
        json.loads(answer_explain(["loss.before", "--format", "json", "--depth", depth])) for depth in "13"
    )
    assert deep[0] == shallow[0]
    assert [own["level"] for own in shallow] == [0]
    levels = [own["level"] for own in deep]
    assert levels[0] == 0
    assert set(levels) == {0, 1, 2}
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_format_names_every_operand() -> None:
    address = "attention.h1.scores/chuck/a"
    work = read_workbook(catalog()).work(address)
    assert len(work.operands) > 2
    for form in ("text", "md", "json"):
        said = answer_explain([address, "--format", form])
        assert all(operand.display in said for operand in work.operands)
        assert said.endswith("\n")
    assert answer_explain([address, "--format", "text"]) == answer_explain([address])


def test_a_leaf_is_explained_too() -> None:
    assert answer_explain(["weights.embedding/how/quantifier"]).startswith("weights.embedding/how/quantifier = 0.5\n")


def test_every_published_number_can_be_explained() -> None:
    book = read_workbook(tea())
    for number in tea().published():
        said = answer_explain([number.address, "--chapter", "tests.second_chapter"])
        assert said.startswith(f"{book.work(number.address).number.address} = {number.display}\n")


def test_the_deepest_explanation_ends() -> None:
    said = answer_explain(["loss.after", "--depth", str(MOST_DEPTH), "--format", "json"])
    assert max(own["level"] for own in json.loads(said)) < MOST_DEPTH


@pytest.mark.parametrize("name", ["nope", "loss.befor", "attention.h1.weights", "loss.step/x", ""])
def test_an_unknown_number_says_what_is_near(name: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        answer_explain([name])
    assert "\n" not in str(error.value)


def test_a_chapter_without_a_trace_cannot_explain() -> None:
    with pytest.raises(TinyxfError, match="trace"):
        answer_explain(["loss", "--chapter", "tests.mixed_chapter"])
