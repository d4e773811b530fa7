"""Traced arrays: the same stages, the same numbers, and a node for every elementary operation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.strategies import Case, cases
from tinyxf.layers import softmax
from tinyxf.model import read_inputs, run_model
from tinyxf.params import Array
from tinyxf.table import Source
from tinyxf.trace.arithmetic import Operation
from tinyxf.trace.lifting import lift_record, resolve_source, trace_run
from tinyxf.trace.traced import Node, TracedArray, lift, name_leaf, node_values
from tinyxf.weights import PROMPT, TARGET, woodchuck

X = np.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]])
Y = np.array([[0.5, 2.0, 4.0], [1.0, 1.5, 0.125]])

# What stages do to arrays: each must give the same numbers over traced ones.
WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "negative": lambda x, _: -x,
    "positive power": lambda x, _: x**2,
    "power of a constant": lambda x, _: 10000.0 ** (x / 4),
    "power of two arrays": lambda x, y: y**x,
    "square": lambda x, _: np.square(x),
    "exp": lambda x, _: np.exp(x),
    "log": lambda _, y: np.log(y),
    "sqrt": lambda _, y: np.sqrt(y),
    "sin": lambda x, _: np.sin(x),
    "cos": lambda x, _: np.cos(x),
    "maximum": np.maximum,
    "ReLU, constant first": lambda x, _: np.maximum(0.0, x),
    "ReLU, constant last": lambda x, _: np.maximum(x, 0),
    "plain on the left": lambda x, _: 2 - x,
    "numpy number on the left": lambda x, _: np.float64(2) * x,
    "plain array on the left": lambda x, _: Y @ x.T,
    "in place": lambda x, y: np.add(x, y, out=np.empty_like(x)),
    "sum of all": lambda x, _: np.sum(x),
    "sum of rows": lambda x, _: x.sum(axis=1),
    "sum of columns": lambda x, _: np.sum(x, axis=0),
    "sum of both axes": lambda x, _: x.sum(axis=(0, 1)),
    "sum of all, keeping axes": lambda x, _: np.sum(x, keepdims=True),
    "sum of rows, keeping axes": lambda x, _: np.sum(x, axis=-1, keepdims=True),
    "running sum": lambda x, _: np.cumsum(x, axis=1),
    "mean": lambda x, _: x.mean(),
    "mean of rows": lambda x, _: x.mean(axis=-1, keepdims=True),
    "max": lambda x, _: np.max(x),
    "max of rows": lambda x, _: np.max(x, axis=-1, keepdims=True),
    "variance": lambda x, _: ((x - x.mean(axis=-1, keepdims=True)) ** 2).mean(axis=-1, keepdims=True),
    "matrix by matrix": lambda x, y: x @ y.T,
    "matrix by vector": lambda x, y: x @ y[0],
    "vector by matrix": lambda x, y: x[0] @ y.T,
    "vector by vector": lambda x, y: x[0] @ y[1],
    "dot": lambda x, y: np.dot(x, y.T),
    "one number by an array": lambda x, y: x[0, 0] * y,
    "an array by one number": lambda x, y: x / y[0, 0],
    "operators on one number": lambda x, y: -np.log(y[0, 1]) + 2 * x[0, 0] - 3 / y[1, 1] ** 2,
    "concatenate": lambda x, y: np.concatenate([x, y], axis=1),
    "concatenate with plain": lambda x, _: np.concatenate([np.ones((2, 1)), x], axis=1),
    "stack": lambda x, y: np.stack([np.sin(x), np.cos(y)], axis=-1).reshape(2, -1)[:, :5],
    "where": lambda x, y: np.where(np.array([True, False, True]), x, y),
    "rows by index": lambda x, _: x[[1, 0, 1]],
    "transpose and slice": lambda x, _: x.T[1:, ::-1],
    "store": lambda x, _: _store(x),
    "order": lambda x, _: np.argsort(-x[0], kind="stable"),
    "place of the largest": lambda x, _: np.argmax(x),
}


def _store(x: Any) -> Any:
    copy = x.copy()
    copy[0] = np.exp(x[1])
    copy[1, 2] = 7.5
    return copy


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_traced_arrays_compute_as_plain_ones_do(way: Callable[[Any, Any], Any]) -> None:
    plain = way(X, Y)
    traced = way(lift(X, "x"), lift(Y, "y"))
    if np.asarray(plain).dtype.kind == "f":
        values = node_values(traced)
        assert np.shape(traced) == np.shape(plain)
        np.testing.assert_allclose(values, plain, rtol=1e-14, atol=1e-15)
        assert isinstance(traced, TracedArray if np.ndim(plain) else Node)
    else:
        np.testing.assert_array_equal(traced, plain)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "comparison": lambda x: x > 0,
    "equality": lambda x: x == x,  # noqa: PLR0124  what is compared does not matter
    "truth": lambda x: bool(x[0, 0]),
    "branch by max": lambda x: max(x[0, 0], x[0, 1]),
    "float": lambda x: float(x[0, 0]),
    "storing in a float array": lambda x: np.zeros(3).__setitem__(0, x[0, 0]),
    "tanh": np.tanh,
    "sort": np.sort,
    "clip": lambda x: np.clip(x, 0, 1),
    "numpy's own variance": np.var,
    "isfinite": np.isfinite,
    "outer": lambda x: np.multiply.outer(x, x),
    "minimum": np.min,
    "three axes in a matrix product": lambda x: x[None] @ x.T,
    "a sum with a condition": lambda x: np.sum(x, where=np.array([True, False, True])),
    "words": lambda x: x + "1",
}


@pytest.mark.parametrize("way", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_replayed_is_refused(way: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        way(lift(X, "x"))


def test_a_refusal_says_what_a_stage_may_use() -> None:
    with pytest.raises(
        TypeError, match=r"numpy's tanh.__call__ can't be traced; a stage may use add, cos, .*sum, mean"
    ):
        np.tanh(lift(X, "x"))


def test_nan_and_infinity_are_refused_with_their_place() -> None:
    with pytest.raises(ValueError, match=r"x\[1\] is nan, expected a finite number"):
        lift([0.0, math.nan], "x")
    with pytest.raises(ValueError, match="finite or masked"):
        lift(X, "x") + math.inf


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shapes \(2, 3\) and \(2, 3\) do not fit"):
        lift(X, "x") @ lift(X, "y")


def test_leaves_are_named_after_their_places() -> None:
    x = lift(X, "model.w1")
    assert x[1, 2].name == "model.w1[1, 2]"
    assert name_leaf(1e-5, "inputs.eps").name == "inputs.eps"
    single: Any = lift(np.array(1e-5), "inputs.eps")
    assert single[()].name == "inputs.eps"
    assert repr(x[1, 2]) == "<model.w1[1, 2] -1.0>"
    assert repr(np.exp(x[1, 2])) == f"<exp {math.exp(-1.0)}>"


def test_a_sum_of_products_is_one_node_of_many_operands() -> None:
    product = lift(X, "x") @ lift(Y, "y").T
    assert product[0, 1].operation is Operation.ADD
    assert [term.operation for term in product[0, 1].operands] == [Operation.MULTIPLY] * 3
    assert [factor.name for factor in product[0, 1].operands[2].operands] == ["x[0, 2]", "y[1, 2]"]


def test_a_maximum_keeps_all_its_operands() -> None:
    x = lift(X, "x")
    assert np.max(x[0]).operands == tuple(x[0])
    relu = np.maximum(x[0, 1], 0.0)
    assert relu.operands[0] is x[0, 1]
    assert relu.operands[1].operation is Operation.CONSTANT


def test_whole_numbers_stay_whole() -> None:
    sizes = lift(np.array([50257, 12288], dtype=np.int64), "sizes")
    total = 3 * sizes[0] * sizes[1] + sizes[1] ** 2 - sizes[0]
    assert total.value == 3 * 50257 * 12288 + 12288**2 - 50257
    assert isinstance(total.value, int)


def test_a_mask_leaves_only_what_lives() -> None:
    scores = lift(np.array([[1.0, 5.0], [2.0, 3.0]]), "s")
    scores[np.triu_indices(2, k=1)] = -np.inf
    result = softmax(scores / lift(np.array(2.0), "scale"))
    assert [node.operation for node in result.weights[0]] == [Operation.DIVIDE, Operation.MASKED]
    assert node_values(result.weights)[0].tolist() == [1.0, 0.0]
    assert len(result.total[0, 0].operands) == 1
    assert len(result.maximum[0, 0].operands) == 1
    read = result.weights @ lift(np.array([[7.0], [9.0]]), "v")
    assert len(read[0, 0].operands) == 1
    assert len(read[1, 0].operands) == 2


@pytest.mark.parametrize(
    ("way", "value"),
    [
        (lambda hidden: hidden + 3.0, -math.inf),
        (lambda hidden: hidden - 3.0, -math.inf),
        (lambda hidden: hidden * 3.0, -math.inf),
        (lambda hidden: 3.0 * hidden, -math.inf),
        (lambda hidden: np.exp(hidden) + np.exp(hidden), 0.0),
        (lambda hidden: np.exp(hidden) * 3.0, 0.0),
        (lambda hidden: np.exp(hidden) / 3.0, 0.0),
        (lambda hidden: np.exp(hidden) + 3.0, 3.0),
        (lambda hidden: 3.0 - np.exp(hidden), 3.0),
        (lambda hidden: np.cos(np.exp(hidden)), 1.0),
        (lambda hidden: np.maximum(hidden, 3.0), 3.0),
    ],
)
def test_a_masked_entry_goes_through_as_minus_infinity_does(way: Callable[[Any], Any], value: float) -> None:
    hidden = lift(np.zeros(1), "s")
    hidden[0] = -np.inf
    assert node_values(way(hidden)).tolist() == [value]
    with np.errstate(invalid="ignore"):
        assert way(np.array([-np.inf])).tolist() == [value]


@pytest.mark.parametrize(
    "way",
    [
        lambda hidden: 3.0 - hidden,
        lambda hidden: hidden * -3.0,
        lambda hidden: 3.0 / hidden,
        lambda hidden: hidden - hidden,
        np.max,
        np.sin,
    ],
)
def test_a_masked_entry_must_not_become_a_number(way: Callable[[Any], Any]) -> None:
    hidden = lift(np.zeros(1), "s")
    hidden[0] = -np.inf
    with pytest.raises(ValueError, match="a masked entry can't take part in"):
        way(hidden)


def test_records_are_lifted_field_by_field_and_stay_records() -> None:
    model = woodchuck()
    lifted = lift_record(model, "model")
    assert type(lifted) is type(model)
    assert lifted.vocabulary == model.vocabulary
    assert lifted.blocks[0].heads[1].wq[3, 0].name == "model.blocks.0.heads.1.wq[3, 0]"
    assert lift_record((1.5, 2, "word"), "x")[1:] == (2, "word")
    rate: Any = lift_record(1.5, "rate")
    assert (rate.name, rate.value) == ("rate", 1.5)


def arrays_of(record: object, path: str = "") -> list[tuple[str, Array]]:
    """Return every array of floats in a record of the run, with its path."""
    if isinstance(record, np.ndarray):
        return [(path, record)]
    if isinstance(record, np.floating):
        return [(path, np.asarray(record))]
    if isinstance(record, tuple):
        return [found for i, part in enumerate(record) for found in arrays_of(part, f"{path}.{i}")]
    fields = getattr(record, "__dataclass_fields__", ())
    return [found for name in fields for found in arrays_of(getattr(record, name), f"{path}.{name}")]


@given(cases())
def test_every_number_of_a_run_is_the_same_traced(case: Case) -> None:
    inputs = read_inputs(case.model, case.prompt, case.target)
    run = run_model(case.model, inputs)
    resolve = trace_run(run_model, model=case.model, inputs=inputs)
    for path, array in arrays_of(run):
        for index in np.ndindex(array.shape):
            node: Any = resolve(Source(path.removeprefix("."), index))
            if math.isfinite(array[index]):
                assert node.value == pytest.approx(float(array[index]), rel=1e-12, abs=1e-12), path
            else:
                assert node.value == array[index]


def test_two_runs_share_nothing() -> None:
    """The trace hangs on its results alone: no list that grows, no numbering that goes on."""
    model = woodchuck()
    inputs = read_inputs(model, PROMPT, TARGET)
    trace = partial(trace_run, run_model, model=model, inputs=inputs)
    source = Source("loss.after")
    seen: list[set[int]] = []
    keep = [trace()(source), trace()(source)]
    for end in keep:
        found: set[int] = set()
        waiting: list[Any] = [end]
        while waiting:
            node = waiting.pop()
            if id(node) not in found:
                found.add(id(node))
                waiting.extend(node.operands)
        seen.append(found)
    assert len(seen[0]) == len(seen[1]) > 500
    assert not seen[0] & seen[1]


def test_a_traced_run_takes_well_under_a_tenth_of_a_second() -> None:
    model = woodchuck()
    inputs = read_inputs(model, PROMPT, TARGET)
    took = []
    for _ in range(5):
        start = time.perf_counter()
        trace_run(run_model, model=model, inputs=inputs)
        took.append(time.perf_counter() - start)
    assert min(took) < 0.1


def test_a_source_that_leads_nowhere_is_an_error() -> None:
    record = lift_record(woodchuck(), "model")
    with pytest.raises(AttributeError):
        resolve_source(record, Source("no.such"))
    with pytest.raises(IndexError):
        resolve_source(record, Source("embedding", (99, 0)))
    with pytest.raises(TypeError, match="expected a number"):
        resolve_source(record, Source("name"))
