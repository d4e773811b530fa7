from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nodes import Node, Nodes, arrays, leaves, lift, operations, replay, values
from tests.strategies import Case, cases, random_model
from tinyxf.chapter import catalog
from tinyxf.layers import layer_norm, softmax
from tinyxf.model import Run, find_array, read_inputs, run_model
from tinyxf.params import EPS, Array, Block, Model
from tinyxf.table import Number
from tinyxf.weights import PROMPT, TARGET, woodchuck


def run_case(case: Case) -> Run:
    return run_model(case.model, read_inputs(case.model, case.prompt, case.target))


def run_lifted(model: Model, prompt: tuple[str, ...], target: str) -> Run:
    """Run the same stages over arrays of nodes, weights and constants alike."""
    return run_model(lift(model), lift(read_inputs(model, prompt, target)))


# -- what holds for every model ------------------------------------------------------------------------------------


@given(cases())
def test_every_softmax_row_sums_to_one(case: Case) -> None:
    run = run_case(case)
    softmaxes = [array for path, array in arrays(run) if path.endswith(".weights")]
    assert len(softmaxes) == len(case.model.blocks) * len(case.model.blocks[0].heads) + 2
    for weights in softmaxes:
        assert (weights >= 0).all()
        np.testing.assert_allclose(weights.sum(axis=-1), 1.0, rtol=0, atol=1e-12)


@given(cases())
def test_no_weight_falls_on_a_later_position(case: Case) -> None:
    for block in run_case(case).blocks:
        for head in block.attention.heads:
            assert np.array_equal(head.softmax.weights, np.tril(head.softmax.weights))
            assert np.array_equal(np.isneginf(head.masked), np.triu(np.ones_like(head.masked, dtype=bool), k=1))


@given(cases(least_tokens=2), st.data())
def test_changing_a_token_changes_no_row_before_it(case: Case, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(case.prompt) - 1))
    other = data.draw(st.sampled_from(case.model.vocabulary))
    changed = run_case(replace(case, prompt=(*case.prompt[:at], other, *case.prompt[at + 1 :])))
    for path, before in arrays(run_case(case)):
        after = find_array(changed, path)
        if path.startswith(("logits", "loss", "counts", "parts")) or path.endswith(".scale"):
            continue  # these are of the last position, or of no position at all
        if path.endswith(".scores"):  # a query meets every key before the mask hides the later ones
            assert np.array_equal(before[:at, :at], after[:at, :at]), path
        else:
            assert np.array_equal(before[:at], after[:at]), path


@given(cases(least_tokens=2), st.data())
def test_a_longer_prompt_changes_no_row_that_was_there(case: Case, data: st.DataObject) -> None:
    length = data.draw(st.integers(1, len(case.prompt) - 1))
    short, long = run_case(replace(case, prompt=case.prompt[:length])), run_case(case)
    for few, many in zip(short.blocks, long.blocks, strict=True):
        np.testing.assert_allclose(many.ffn.residual[:length], few.ffn.residual, rtol=1e-12, atol=1e-12)


def test_changing_the_last_token_does_change_the_prediction() -> None:
    before, after = (run_case(Case(woodchuck(), (*PROMPT[:3], last), TARGET)) for last in ("chuck", "."))
    assert np.abs(before.logits.logits - after.logits.logits).max() > 0.1


@given(cases())
def test_every_normed_row_has_mean_zero_and_variance_below_one(case: Case) -> None:
    run = run_case(case)
    norms = [path.removesuffix(".denominator") for path, _ in arrays(run) if path.endswith(".denominator")]
    assert len(norms) == 2 * len(case.model.blocks) + 1
    for path in norms:
        output, variance = find_array(run, f"{path}.output"), find_array(run, f"{path}.variance")
        np.testing.assert_allclose(output.mean(axis=-1), 0.0, rtol=0, atol=1e-11)
        # ((x - m) / sqrt(v + eps))^2 has mean v / (v + eps)
        np.testing.assert_allclose(
            output.var(axis=-1, keepdims=True), variance / (variance + EPS), rtol=1e-9, atol=1e-12
        )


@given(cases(), st.randoms(use_true_random=False))
def test_permuting_heads_with_the_rows_of_wo_changes_nothing(case: Case, random: Random) -> None:
    order = list(range(len(case.model.blocks[0].heads)))
    random.shuffle(order)

    def permuted(block: Block) -> Block:
        rows = np.split(block.wo, len(order))
        return replace(block, heads=tuple(block.heads[i] for i in order), wo=np.concatenate([rows[i] for i in order]))

    model = replace(case.model, blocks=tuple(map(permuted, case.model.blocks)))
    one, other = run_case(case), run_case(replace(case, model=model))
    np.testing.assert_allclose(other.logits.logits, one.logits.logits, rtol=1e-9, atol=1e-9)
    for before, after in zip(one.blocks, other.blocks, strict=True):
        np.testing.assert_allclose(after.attention.projected, before.attention.projected, rtol=1e-9, atol=1e-9)
        for position, head in enumerate(order):
            np.testing.assert_allclose(
                after.attention.heads[position].output, before.attention.heads[head].output, rtol=1e-9, atol=1e-9
            )


def test_permuting_heads_alone_changes_something() -> None:
    model = woodchuck()
    block = replace(model.blocks[0], heads=model.blocks[0].heads[::-1])
    one, other = (run_case(Case(own, PROMPT, TARGET)) for own in (model, replace(model, blocks=(block,))))
    assert np.abs(one.logits.logits - other.logits.logits).max() > 0.01


@given(cases())
def test_the_gradient_by_the_logits_sums_to_zero_and_lowers_the_loss(case: Case) -> None:
    loss = run_case(case).loss
    assert loss.gradient.sum() == pytest.approx(0.0, abs=1e-12)
    assert loss.improvement >= 0 or len(case.model.vocabulary) == 1


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8), st.floats(-100, 100))
def test_softmax_does_not_see_a_shift(row: list[float], shift: float) -> None:
    x = np.array(row)
    np.testing.assert_allclose(softmax(x + shift).weights, softmax(x).weights, rtol=1e-9, atol=1e-12)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8), st.floats(-100, 100))
def test_layer_norm_does_not_see_a_shift(row: list[float], shift: float) -> None:
    x = np.array([row])
    eps = np.array(1e-5)
    np.testing.assert_allclose(layer_norm(x + shift, eps).output, layer_norm(x, eps).output, rtol=1e-7, atol=1e-9)


# -- the same stages over nodes --------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(cases(most_tokens=5, most_blocks=2))
def test_runs_over_nodes_and_over_floats_agree(case: Case) -> None:
    floats = dict(arrays(run_case(case)))
    nodes = dict(arrays(run_lifted(case.model, case.prompt, case.target)))
    assert list(nodes) == list(floats)
    for path, array in nodes.items():
        np.testing.assert_allclose(values(array), floats[path], rtol=1e-12, atol=1e-12, err_msg=path)


def test_no_number_of_a_run_over_nodes_is_a_bare_float() -> None:
    for path, array in arrays(run_lifted(woodchuck(), PROMPT, TARGET)):
        assert isinstance(array, (Node, Nodes)), path
        bare = [cell for cell in np.asarray(array, dtype=object).flat if not isinstance(cell, Node)]
        # the mask is a constant: nothing computes it
        assert bare == ([-np.inf] * 6 if path.endswith(".masked") else []), path


def test_every_elementary_operation_leaves_a_node() -> None:
    # Derived by hand for T = 4 tokens, D = 4, two heads of K = 2, F = 8, V = 8, one block.
    rows = 4 + 4 + 1  # that are normed: two norms of T rows, and the last row
    products = {
        "q, k, v": (3 * 2 * 4 * 2, 4),  # entries, and terms of each
        "scores": (2 * 4 * 4, 2),
        "heads": (2 * 4 * 2, 4),
        "projection": (4 * 4, 4),
        "hidden": (4 * 8, 4),
        "output": (4 * 4, 8),
        "logits": (8, 4),
    }
    softmaxes = [4] * 8 + [8] * 2  # width of each row: T rows a head, logits before and after the step
    counted = operations(run_lifted(woodchuck(), PROMPT, TARGET))
    arithmetic = {name: counted.pop(name) for name in ("add", "subtract", "multiply", "divide", "power")}
    assert counted == {
        "sin": 4 * 2,
        "cos": 4 * 2,
        "sqrt": rows + 1,  # and the scale
        "exp": sum(softmaxes),
        "log": 2,
        "negative": 2,
        "maximum": sum(width - 1 for width in softmaxes) + 4 * 8,  # and ReLU, unit by unit
    }
    # Parameter counts use the four operations too, so these are lower bounds, met exactly without them.
    counts = operations_of_counts()
    assert Counter(arithmetic) - counts == Counter(
        multiply=sum(entries * terms for entries, terms in products.values()) + 8,  # and rate times gradient
        add=sum(entries * (terms - 1) for entries, terms in products.values())
        + 4 * 4  # embedding plus position
        + rows * (3 + 3 + 1)  # mean, variance, eps
        + 4 * 4 * 2  # two residuals
        + 4 * 8 + 4 * 4  # two biases
        + sum(width - 1 for width in softmaxes),
        subtract=rows * (4 + 4) + sum(softmaxes) + 8 + 8 + 1,  # gradient, step, improvement
        divide=4 * 2 + rows * (1 + 1 + 4) + 2 * 4 * 4 + sum(softmaxes),  # angles, norms, scale, weights
        power=2 + rows * 4,  # the base of each pair of waves; squares
    )  # fmt: skip


def operations_of_counts() -> Counter[str]:
    run = run_lifted(woodchuck(), PROMPT, TARGET)
    nodes = [cell for path, array in arrays(run) if path.startswith(("counts", "parts"))
             for cell in np.asarray(array, dtype=object).flat]  # fmt: skip
    seen: dict[int, Node] = {}
    while nodes:
        one = nodes.pop()
        if id(one) not in seen:
            seen[id(one)] = one
            nodes.extend(one.operands)
    return Counter(one.operation for one in seen.values() if one.operation)


def test_a_maximum_is_a_node_of_its_own() -> None:
    row = leaves(np.array([[1.0, 3.0, 2.0]]))
    top = np.max(row, axis=-1, keepdims=True)
    assert top.shape == (1, 1)
    assert top[0, 0].operation == "maximum"
    assert np.maximum(row, 0.0)[0, 1].operation == "maximum"


def test_nodes_computed_again_take_the_other_branch() -> None:
    """Other weights in the same graph: other units are on, other logits are largest, and all of it is right."""
    model, inputs = woodchuck(), read_inputs(woodchuck(), PROMPT, TARGET)
    lifted = lift(model)
    run = run_model(lifted, lift(inputs))
    other = random_model(3, vocabulary=model.vocabulary, width=4, heads=2, head_width=2, hidden=8, blocks=1)
    expected = run_model(other, inputs)
    known = {id(leaf): value for leaf, value in paired(lifted, other)}
    seen = {path: array for path, array in arrays(run) if not path.endswith(".masked")}
    for path, array in seen.items():
        again = [replay(cell, known) for cell in np.asarray(array, dtype=object).flat]
        np.testing.assert_allclose(again, find_array(expected, path).ravel(), rtol=1e-12, atol=1e-12, err_msg=path)
    switched = (values(run.blocks[0].ffn.hidden) > 0) != (expected.blocks[0].ffn.hidden > 0)
    assert switched.any()


def paired(lifted: Model, floats: Model) -> list[tuple[Node, float]]:
    """Pair each leaf of a lifted model with the number at the same place of another."""

    def weights(model: Model) -> list[Array]:
        (block,) = model.blocks
        heads = [weight for head in block.heads for weight in (head.wq, head.wk, head.wv)]
        return [model.embedding, *heads, block.wo, block.w1, block.b1, block.w2, block.b2]

    return [
        pair
        for own, other in zip(weights(lifted), weights(floats), strict=True)
        for pair in zip(own.flat, other.flat, strict=True)
    ]


# -- tables and addresses --------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(cases(most_tokens=6, most_blocks=2))
def test_every_number_of_a_table_is_the_one_its_source_names(case: Case) -> None:
    run = run_case(case)
    for table in catalog(case.prompt, case.target, case.model).tables:
        for row, column, number, _ in table.numbers():
            assert number.source is not None, table.address(row, column)
            assert number.value == find_array(run, number.source.path)[number.source.index], number.source


def test_scalars_have_sources_unless_they_count_the_prompt() -> None:
    model = woodchuck()
    run = run_model(model, read_inputs(model, PROMPT, TARGET))
    sourceless = []
    for scalar in catalog().scalars:
        if scalar.number is not None and scalar.number.source is None:
            sourceless.append(scalar.name)
        elif scalar.number is not None and scalar.number.source is not None:
            assert scalar.number.value == find_array(run, scalar.number.source.path)[scalar.number.source.index]
    assert sourceless == ["model.tokens", "model.max_tokens"]


@settings(max_examples=25)
@given(cases(most_tokens=6, most_blocks=2))
def test_every_address_leads_back_to_its_number(case: Case) -> None:
    own = catalog(case.prompt, case.target, case.model)
    addresses = [published.address for published in own.published()]
    assert len(set(addresses)) == len(addresses)
    for published in own.published():
        found = own.lookup(published.address)
        assert (found.address, found.number) == (published.address, published.number)


@settings(max_examples=25)
@given(cases(most_tokens=6, most_blocks=1))
def test_positions_always_name_a_token(case: Case) -> None:
    own = catalog(case.prompt, case.target, case.model)
    table = own.table("attention.h1.scores")
    for i in range(len(case.prompt)):
        for j in range(len(case.prompt)):
            expected = table.rows[i].cells[j + 1]
            assert isinstance(expected, Number)
            assert own.lookup(table.id, i, j).number == expected
            assert own.lookup(f"{table.id}/@{i}/@{j}").number == expected
