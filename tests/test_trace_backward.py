"""The gradient by reverse mode: against PyTorch's, against formulas derived by hand, against differences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.test_trace_program import follow, leaf_values, matrices, recipes, weights_of
from tinyxf.model import read_inputs, run_model
from tinyxf.params import Array
from tinyxf.trace.backward import differentiate
from tinyxf.trace.lifting import lift_record
from tinyxf.trace.program import Program, freeze
from tinyxf.trace.traced import lift
from tinyxf.weights import PROMPT, TARGET, woodchuck

REFERENCE = json.loads((Path(__file__).parent / "reference" / "gradients.json").read_text(encoding="utf-8"))
ARRAYS = {
    "EMB": "model.embedding",
    **{f"W{letter}{h + 1}": f"model.blocks.0.heads.{h}.w{letter.lower()}" for letter in "QKV" for h in (0, 1)},
    **{name: f"model.blocks.0.{name.lower()}" for name in ("WO", "W1", "W2", "B1", "B2")},
}


def standard_run() -> Any:
    model = woodchuck()
    inputs = read_inputs(model, PROMPT, TARGET)
    return run_model(lift_record(model, "model"), lift_record(inputs, "inputs"))


def loss_gradient() -> tuple[Program, int, tuple[float, ...]]:
    program, (loss,) = freeze([standard_run().loss.before])
    return program, loss, differentiate(program, loss, program.values())


def test_every_weight_array_of_the_reference_is_compared() -> None:
    assert ARRAYS.keys() == REFERENCE["weights"].keys()


@pytest.mark.parametrize(("name", "path"), ARRAYS.items(), ids=ARRAYS)
def test_the_gradient_of_the_weights_is_pytorchs(name: str, path: str) -> None:
    """The embedding is used at both ends; its gradient is the sum of both."""
    program, _, gradients = loss_gradient()
    expected = np.array(REFERENCE["weights"][name])
    found = [
        gradients[program.leaves[leaf]] if leaf in program.leaves else 0.0 for leaf in leaf_values(path, expected)
    ]
    np.testing.assert_allclose(found, expected.ravel(), rtol=1e-12, atol=1e-15)
    assert np.any(expected)


def test_the_gradient_of_the_activations_is_pytorchs() -> None:
    run = standard_run()
    block = run.blocks[0]
    arrays = {
        "x": run.embed.x,
        "xn": block.attention.norm.output,
        "r": block.attention.residual,
        "n2": block.ffn.norm.output,
        "hid": block.ffn.hidden,
        "y": block.ffn.residual,
        "z": run.logits.z,
        "logits": run.logits.logits,
    }
    assert arrays.keys() == REFERENCE["activations"].keys()
    program, places = freeze([run.loss.before, *(node for array in arrays.values() for node in array.flat)])
    gradients = differentiate(program, places[0], program.values())
    found = [gradients[place] for place in places[1:]]
    expected = np.concatenate([np.ravel(REFERENCE["activations"][name]) for name in arrays])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_the_loss_after_a_step_on_all_weights_is_pytorchs() -> None:
    program, loss, gradients = loss_gradient()
    assert program.values()[loss] == pytest.approx(REFERENCE["loss"], rel=1e-14)
    assert len(REFERENCE["loss_after_sgd_step"]) == 6
    weights = {name: value for name, value in weights_of(woodchuck()).items() if name in program.leaves}
    for rate, after in REFERENCE["loss_after_sgd_step"].items():
        stepped = {name: value - float(rate) * gradients[program.leaves[name]] for name, value in weights.items()}
        assert program.values(stepped)[loss] == pytest.approx(after, rel=1e-12), rate


def test_the_gradient_by_the_logits_is_p_minus_one_hot() -> None:
    run = standard_run()
    program, places = freeze([run.loss.before, *run.logits.logits, *run.loss.gradient])
    values = program.values()
    gradients = differentiate(program, places[0], values)
    logits, formula = places[1:9], places[9:]
    np.testing.assert_allclose([gradients[p] for p in logits], [values[p] for p in formula], rtol=1e-13, atol=1e-16)


@given(recipes, matrices, matrices, matrices)
def test_gradients_agree_with_central_differences(
    recipe: list[tuple[str, int, int]], x: Array, y: Array, way: Array
) -> None:
    """Along a random direction, at points where no branch is near: there the slope is the same from both sides."""
    traced = follow(recipe, lift(x, "x"), lift(y, "y"))
    program, (end,) = freeze([np.sum(np.sin(traced))])
    direction = {name: value for name, value in leaf_values("x", way).items() if name in program.leaves}

    start = {name: float(program.steps[program.leaves[name]].value or 0.0) for name in direction}

    def at(step: float) -> float:
        return program.values({name: start[name] + step * d for name, d in direction.items()})[end]

    h = 1e-5
    centre, ahead, behind = at(0.0), at(h), at(-h)
    gradients = differentiate(program, end, program.values())
    slope = sum(gradients[program.leaves[name]] * d for name, d in direction.items())
    assume(abs(ahead - 2 * centre + behind) / h < 1e-3)  # else there is a kink between the three points
    assert (ahead - behind) / (2 * h) == pytest.approx(slope, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("swapped", [False, True])
def test_relu_has_derivative_zero_at_zero(swapped: bool) -> None:  # noqa: FBT001  a parameter of the test
    x = lift(np.array([-1.0, 0.0, 2.0]), "x")
    relu = np.maximum(0.0, x) if swapped else np.maximum(x, 0.0)
    program, (end,) = freeze([relu.sum()])
    gradients = differentiate(program, end, program.values())
    assert [gradients[program.leaves[f"x[{i}]"]] for i in range(3)] == [0.0, 0.0, 1.0]


def test_a_tie_in_a_maximum_goes_to_the_first() -> None:
    x: Any = lift(np.array([1.0, 3.0, 3.0]), "x")
    program, (end,) = freeze([np.max(x) * 5.0])
    gradients = differentiate(program, end, program.values())
    assert [gradients[program.leaves[f"x[{i}]"]] for i in range(3)] == [0.0, 5.0, 0.0]


def test_powers_know_both_slopes() -> None:
    x: Any = lift(np.array([2.0, 3.0, 0.0]), "x")
    program, (end,) = freeze([x[0] ** x[1] + x[2] ** 2 + x[2] ** 0])
    gradients = differentiate(program, end, program.values())
    assert [gradients[program.leaves[f"x[{i}]"]] for i in range(3)] == pytest.approx([12.0, 8 * np.log(2), 0.0])


@given(st.floats(0.1, 3.0))
def test_a_step_that_nothing_depends_on_has_no_gradient(value: float) -> None:
    x: Any = lift(np.array([value, 1.0]), "x")
    program, (aside, end) = freeze([np.log(x[0]), x[1] * 2.0])
    gradients = differentiate(program, end, program.values())
    assert gradients[aside] == gradients[program.leaves["x[0]"]] == 0.0
    assert gradients[end] == 1.0
