"""Programs: a trace run again, with other numbers and in other arithmetics."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.strategies import Case, cases, random_model
from tinyxf.errors import UnknownNameError
from tinyxf.layers import softmax
from tinyxf.model import Inputs, read_inputs, run_model
from tinyxf.params import Array, Model
from tinyxf.trace.arithmetic import LEAVES, Operation, fifty_digits, proof_decimal
from tinyxf.trace.lifting import lift_record
from tinyxf.trace.program import Program, Step, freeze
from tinyxf.trace.traced import Node, lift, name_leaf, node_values
from tinyxf.weights import PROMPT, TARGET, woodchuck

SIZE = 3

# Steps of random programs: functions of two matrices that keep numbers small, so that errors do not grow.
PARTS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: (x + y) / 2,
    "subtract": lambda x, y: (x - y) / 2,
    "multiply": lambda x, y: np.sin(x * y),
    "divide": lambda x, y: x / (y**2 + 1),
    "negative": lambda x, _: -x,
    "square": lambda x, _: np.cos(np.square(x)),
    "power": lambda x, y: (x**2 + 0.5) ** np.cos(y),
    "exp": lambda x, _: np.exp(np.sin(x)),
    "log": lambda x, _: np.log(x**2 + 1.0),
    "sqrt": lambda x, _: np.sqrt(x**2 + 0.25),
    "matrix": lambda x, y: np.sin(x @ y.T),
    "row maximum": lambda x, _: x - np.max(x, axis=-1, keepdims=True),
    "ReLU": lambda x, _: np.maximum(x, 0.0),
    "maximum": np.maximum,
    "mean": lambda x, y: y - x.mean(axis=-1, keepdims=True),
    "sum": lambda x, y: np.cos(y + x.sum(axis=0)),
    "softmax": lambda x, _: softmax(x).weights,
    "rows": lambda x, y: np.stack([x[0], y[1], x[2]]),
}
matrices = st.lists(
    st.floats(-3, 3, allow_subnormal=False).map(lambda x: round(x, 3)), min_size=SIZE**2, max_size=SIZE**2
).map(lambda numbers: np.array(numbers).reshape(SIZE, SIZE))
recipes = st.lists(
    st.tuples(st.sampled_from(sorted(PARTS)), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=8
)


def follow(recipe: list[tuple[str, int, int]], x: Any, y: Any) -> Any:
    made = [x, y]
    for name, i, j in recipe:
        made.append(PARTS[name](made[-1 - i % len(made)], made[-1 - j % len(made)]))
    return made[-1]


def leaf_values(name: str, array: Array) -> dict[str, float]:
    return {f"{name}[{', '.join(map(str, index))}]": float(array[index]) for index in np.ndindex(array.shape)}


@given(recipes, matrices, matrices, matrices, matrices)
def test_a_program_with_new_leaves_equals_numpy(
    recipe: list[tuple[str, int, int]], x: Array, y: Array, new_x: Array, new_y: Array
) -> None:
    traced = follow(recipe, lift(x, "x"), lift(y, "y"))
    program, places = freeze(traced.flat)
    named = {**leaf_values("x", new_x), **leaf_values("y", new_y)}
    values = program.values({name: value for name, value in named.items() if name in program.leaves})
    expected = follow(recipe, new_x, new_y)
    np.testing.assert_allclose([values[p] for p in places], expected.ravel(), rtol=1e-12, atol=1e-12)
    again = program.values()
    np.testing.assert_allclose([again[p] for p in places], follow(recipe, x, y).ravel(), rtol=1e-12, atol=1e-12)


def weights_of(model: Model) -> dict[str, float]:
    named = leaf_values("model.embedding", model.embedding)
    for b, block in enumerate(model.blocks):
        for h, head in enumerate(block.heads):
            for name in ("wq", "wk", "wv"):
                named |= leaf_values(f"model.blocks.{b}.heads.{h}.{name}", getattr(head, name))
        for name in ("wo", "w1", "b1", "w2", "b2"):
            named |= leaf_values(f"model.blocks.{b}.{name}", getattr(block, name))
    return named


def trace_end(model: Model, inputs: Inputs) -> tuple[Program, list[int], Any]:
    run = run_model(lift_record(model, "model"), lift_record(inputs, "inputs"))
    ends = [run.loss.after, *run.logits.logits, *(node for block in run.blocks for node in block.ffn.residual.flat)]
    program, places = freeze(ends)
    return program, list(places), run


@given(cases(), st.integers(0, 2**32 - 1))
def test_a_model_with_new_weights_equals_numpy(case: Case, seed: int) -> None:
    """One trace serves every model of its shape: the new weights switch units and row maxima at will."""
    model, block = case.model, case.model.blocks[0]
    inputs = read_inputs(model, case.prompt, case.target)
    program, places, _ = trace_end(model, inputs)
    other = random_model(
        seed,
        vocabulary=model.vocabulary,
        width=model.width,
        heads=len(block.heads),
        head_width=model.head_width,
        hidden=model.hidden,
        blocks=len(model.blocks),
    )
    expected = run_model(other, inputs)
    residuals = [block.ffn.residual.ravel() for block in expected.blocks]
    numbers = np.concatenate([[float(expected.loss.after)], expected.logits.logits, *residuals])
    named = {name: value for name, value in weights_of(other).items() if name in program.leaves}
    values = program.values(named)
    np.testing.assert_allclose([values[place] for place in places], numbers, rtol=1e-12, atol=1e-12)


def test_branches_do_switch() -> None:
    """The standard run with other thresholds and negated queries: other units are on, other scores are largest."""
    model = woodchuck()
    inputs = read_inputs(model, PROMPT, TARGET)
    run: Any = run_model(lift_record(model, "model"), lift_record(inputs, "inputs"))
    scores = run.blocks[0].attention.heads[0].masked[3]
    hidden = run.blocks[0].ffn.hidden[3]
    program, places = freeze([*scores, *hidden, run.loss.before])
    before = program.values()
    switched = {
        **leaf_values("model.blocks.0.b1", np.array([9.0, 0, 0, -9.0, 0, 0, 0, 0])),
        **leaf_values("model.blocks.0.heads.0.wq", -model.blocks[0].heads[0].wq),
    }
    after = program.values({name: value for name, value in switched.items() if name in program.leaves})
    old, new = [before[p] for p in places], [after[p] for p in places]
    assert int(np.argmax(old[:4])) == 3
    assert int(np.argmax(new[:4])) != 3
    assert [value > 0 for value in old[4:12]] == [False, False, False, True, False, False, False, True]
    assert [value > 0 for value in new[4:12]] == [True, False, False, False, False, False, False, True]
    assert new[12] != pytest.approx(old[12])


def test_steps_come_after_their_operands_and_once_each() -> None:
    model = woodchuck()
    program, places, run = trace_end(model, read_inputs(model, PROMPT, TARGET))
    for place, step in enumerate(program.steps):
        assert all(operand < place for operand in step.operands)
        assert bool(step.operands) == (step.operation not in LEAVES)
        assert (step.value is None) == bool(step.operands)
    assert len(set(places)) == len(places)
    assert program.values()[places[0]] == run.loss.after.value
    names = [step.name for step in program.steps if step.name]
    assert len(set(names)) == len(names)
    assert program.steps[program.leaves["inputs.eps"]].value == 1e-5


def test_a_program_is_a_value() -> None:
    def make(value: float) -> Program:
        x = lift([value, 2.0], "x")
        return freeze([x[0] + 3.0 * x[1]])[0]

    assert make(1.0) == make(1.0) != make(1.5)
    assert hash(make(1.0)) == hash(make(1.0))
    assert make(1.0).steps[-1] == Step(Operation.ADD, (0, 3))


def test_a_chain_of_any_length_freezes() -> None:
    node: Any = lift([1.0], "x")[0]
    for _ in range(20_000):
        node = node + 1.0
    program, (place,) = freeze([node])
    assert program.values({"x[0]": 5.0})[place] == 20_005.0


def test_an_unknown_leaf_is_named_with_its_neighbours() -> None:
    x = lift([1.0, 2.0], "model.b1")
    program, _ = freeze([x[0] * x[1]])
    with pytest.raises(UnknownNameError, match=r'no leaf "model.b1\[2\]"; did you mean "model.b1\[1\]"'):
        program.values({"model.b1[2]": 0.0})


def test_what_settles_is_what_later_steps_see() -> None:
    x = lift([0.26, 10.0], "x")
    part = x[0] + 0.0
    program, (middle, end) = freeze([part, part * x[1]])
    values = program.run(fifty_digits(), settle=lambda place, value: round(value, 1) if place == middle else value)
    assert math.isclose(values[end], 3.0)


def test_fifty_digits_start_from_the_decimals_that_are_written() -> None:
    eps: Any = name_leaf(1e-5, "eps")
    third: Any = name_leaf(0.1, "x") / 3.0
    root: Any = np.sqrt(name_leaf(2, "two"))
    program, places = freeze([eps + 0.0, third, root, np.exp(eps - eps)])
    values = program.run(fifty_digits())
    assert [proof_decimal(values[place]) for place in places] == [
        Decimal("0.00001"),
        Decimal("0.0" + "3" * 50),
        Decimal("1.4142135623730950488016887242096980785696718753769"),
        Decimal(1),
    ]


@given(recipes, matrices, matrices)
def test_fifty_digits_agree_with_float64(recipe: list[tuple[str, int, int]], x: Array, y: Array) -> None:
    traced = follow(recipe, lift(x, "x"), lift(y, "y"))
    values = node_values(traced)
    gaps = abs(np.subtract.outer(values.ravel(), values.ravel()))
    assume(not np.any((gaps > 0) & (gaps < 1e-9)))  # a maximum of near-equals may be decided either way
    program, places = freeze(traced.flat)
    proved = program.run(fifty_digits())
    digits = [float(proof_decimal(proved[place])) for place in places]
    np.testing.assert_allclose(digits, values.ravel(), rtol=1e-10, atol=1e-10)


def test_nodes_hash_by_identity() -> None:
    first, second = Node(Operation.CONSTANT, (), 1.0), Node(Operation.CONSTANT, (), 1.0)
    assert len({first: 1, second: 2}) == 2
