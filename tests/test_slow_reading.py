from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.nodes import arrays
from tests.slow_reading import SlowModel, count_slowly, read_slowly
from tests.strategies import Case, cases
from tinyxf.model import PUBLISHED_SIZES, Run, find_array, read_inputs, run_model
from tinyxf.params import Model
from tinyxf.weights import PROMPT, TARGET, woodchuck


def as_lists(record: Any) -> Any:
    """Turn a model into nested lists and dictionaries, so that the slow reading needs no numpy."""
    if isinstance(record, np.ndarray):
        return record.tolist()
    if isinstance(record, tuple):
        return [as_lists(part) for part in record]
    if dataclasses.is_dataclass(record):
        return {field.name: as_lists(getattr(record, field.name)) for field in dataclasses.fields(record)}
    return record


def slow_model(model: Model) -> SlowModel:
    lists: SlowModel = as_lists(model)
    return lists


def assert_same(run: Run, prompt: tuple[str, ...], target: str) -> None:
    """Compare every array of the run with the slow reading, to 1e-12 of its size."""
    slow = read_slowly(slow_model(run.model), prompt, target)
    computed = dict(arrays(run))
    counted = {path for path in computed if path.startswith(("parts.", "counts."))}
    assert set(slow) == set(computed) - counted
    for path, expected in slow.items():
        assert np.shape(computed[path]) == np.shape(expected), path
        np.testing.assert_allclose(computed[path], expected, rtol=1e-12, atol=1e-12, err_msg=path)


def test_the_standard_run_equals_the_slow_reading() -> None:
    model = woodchuck()
    assert_same(run_model(model, read_inputs(model, PROMPT, TARGET)), PROMPT, TARGET)


@given(cases())
def test_random_runs_equal_the_slow_reading(case: Case) -> None:
    inputs = read_inputs(case.model, case.prompt, case.target)
    assert_same(run_model(case.model, inputs), case.prompt, case.target)


def test_the_slow_reading_notices_a_changed_weight() -> None:
    model = woodchuck()
    run = run_model(model, read_inputs(model, PROMPT, TARGET))
    model.blocks[0].b2[3] += 1e-9
    with pytest.raises(AssertionError, match=r"blocks\.0\.ffn\.output"):
        assert_same(run, PROMPT, TARGET)


@given(cases(most_tokens=1))
def test_counts_equal_a_list_of_shapes(case: Case) -> None:
    run = run_model(case.model, read_inputs(case.model, case.prompt, case.target))
    block = case.model.blocks[0]
    slow = count_slowly(
        len(case.model.vocabulary), case.model.width, len(case.model.blocks), len(block.heads),
        case.model.head_width, case.model.hidden, context=0,
    )  # fmt: skip
    assert {part: int(find_array(run, f"counts.{part}")[0]) for part in slow} == slow
    sizes = [weight.size for weight in (case.model.embedding, *weights_of(case.model))]
    assert int(run.parts.total) == int(run.counts.simple[0]) == sum(sizes)
    # embedding + blocks * (heads + output + ffn_in + ffn_out), each as its table row says
    parts = run.parts
    assert int(parts.block) * len(case.model.blocks) + int(parts.embedding) == sum(sizes)
    assert int(parts.head) == sum(weight.size for weight in (block.heads[0].wq, block.heads[0].wk, block.heads[0].wv))
    assert int(parts.heads) == len(block.heads) * int(parts.head)
    assert (int(parts.output), int(parts.ffn_in), int(parts.ffn_out)) == (
        block.wo.size,
        block.w1.size + block.b1.size,
        block.w2.size + block.b2.size,
    )


@pytest.mark.parametrize(("index", "name"), list(enumerate(PUBLISHED_SIZES, start=1)))
def test_published_counts_equal_a_list_of_shapes(index: int, name: str) -> None:
    vocabulary, width, layers, heads, inner, hidden, context = PUBLISHED_SIZES[name]
    slow = count_slowly(vocabulary, width, layers, heads, inner // heads, hidden, context)
    model = woodchuck()
    run = run_model(model, read_inputs(model, PROMPT, TARGET))
    assert {part: int(find_array(run, f"counts.{part}")[index]) for part in slow} == slow


def weights_of(model: Model) -> list[np.ndarray[Any, Any]]:
    return [
        weight
        for block in model.blocks
        for weight in (
            *(part for head in block.heads for part in (head.wq, head.wk, head.wv)),
            block.wo, block.w1, block.b1, block.w2, block.b2,
        )
    ]  # fmt: skip
