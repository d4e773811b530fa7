from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings

from tests.nodes import arrays
from tests.strategies import Case, cases, random_model
from tinyxf.chapter import catalog
from tinyxf.errors import InputError
from tinyxf.model import find_array, read_inputs, run_model
from tinyxf.weights import PROMPT, TARGET, woodchuck


def test_a_path_leads_to_an_array() -> None:
    run = run_model(woodchuck(), read_inputs(woodchuck(), PROMPT, TARGET))
    assert find_array(run, "blocks.0.attention.heads.1.softmax.weights") is (
        run.blocks[0].attention.heads[1].softmax.weights
    )
    assert find_array(run, "model.blocks.0.w1") is run.model.blocks[0].w1
    assert find_array(run, "inputs.ids").tolist() == [0, 5, 6, 1]  # ids are a tuple, found as an array
    assert find_array(run, "loss.before").shape == ()


@pytest.mark.parametrize("path", ["blocks.7.ffn", "blocks.0.fnn", ""])
def test_a_wrong_path_raises(path: str) -> None:
    run = run_model(woodchuck(), read_inputs(woodchuck(), PROMPT, TARGET))
    with pytest.raises((AttributeError, IndexError)):
        find_array(run, path)


def test_each_block_reads_what_the_one_before_wrote() -> None:
    model = random_model(5, vocabulary=("a", "b"), width=3, heads=1, head_width=2, hidden=4, blocks=3)
    run = run_model(model, read_inputs(model, ("a", "b"), "a"))
    streams = [run.embed.x, *(block.ffn.residual for block in run.blocks)]
    for before, block in zip(streams, run.blocks, strict=False):
        np.testing.assert_allclose(block.attention.residual, before + block.attention.projected)
        np.testing.assert_allclose(block.ffn.residual, block.attention.residual + block.ffn.output)
    assert not np.allclose(streams[1], streams[2])
    np.testing.assert_allclose(run.logits.norm.mean[0, 0], streams[-1][-1].mean())


@settings(max_examples=20)
@given(cases())
def test_a_run_changes_neither_model_nor_inputs_and_repeats_itself(case: Case) -> None:
    inputs = read_inputs(case.model, case.prompt, case.target)
    given_arrays = [array for record in (case.model, inputs) for _, array in arrays(_parts(record))]
    copies = [array.copy() for array in given_arrays]
    first, second = (dict(arrays(run_model(case.model, inputs))) for _ in range(2))
    assert all(np.array_equal(array, copy) for array, copy in zip(given_arrays, copies, strict=True))
    assert all(np.array_equal(first[path], second[path]) for path in first)


def _parts(record: object) -> tuple[object, ...]:
    """Take a model or inputs apart; whole, they are not counted among what a run computed."""
    assert dataclasses.is_dataclass(record)
    return tuple(getattr(record, field.name) for field in dataclasses.fields(record))


def test_words_of_equal_embedding_cannot_be_told_apart() -> None:
    runs = [
        run_model(woodchuck(), read_inputs(woodchuck(), ("a", word, "would"), TARGET)) for word in ("how", "much")
    ]
    assert np.array_equal(runs[0].logits.logits, runs[1].logits.logits)


def test_the_weights_are_made_anew_each_time() -> None:
    first = woodchuck()
    first.embedding[0, 0] = 7.0
    assert woodchuck().embedding[0, 0] == 0.0


def test_weights_too_large_for_float64_are_bad_input() -> None:
    model = woodchuck()
    loud = dataclasses.replace(model, embedding=model.embedding * 1e200)
    with pytest.raises(InputError, match="the weights are too large for float64"):
        catalog(model=loud)


def test_a_prompt_is_a_sequence_and_no_text() -> None:
    with pytest.raises(InputError, match=r"the prompt is the text 'a would', expected .* \['a', 'would'\]"):
        read_inputs(woodchuck(), "a would", "wood")
