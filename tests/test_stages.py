"""Each stage by itself, on inputs so small that the answer was worked out with a pencil."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tinyxf.params import Array, Block, Head
from tinyxf.stages.attention import attend, attend_head
from tinyxf.stages.count import Sizes, count_models, count_parts
from tinyxf.stages.embed import embed, sinusoids
from tinyxf.stages.ffn import feed_forward
from tinyxf.stages.logits import predict
from tinyxf.stages.loss import learn

NO_EPS = np.array(0.0)
BASE = np.array(10000.0)


def same(found: Array, expected: object) -> None:
    """Compare to the last bit or two."""
    np.testing.assert_allclose(found, np.array(expected), rtol=1e-14, atol=1e-15)


# -- embed -----------------------------------------------------------------------------------------------------------


def test_sinusoids_by_hand() -> None:
    # base 100 and D = 4: the second pair turns 10 times slower, 100^(2/4)
    same(
        sinusoids(np.array([0.0, 2.0]), 4, np.array(100.0)),
        #  sin          cos          sin            cos
        [[0, 1, 0, 1], [math.sin(2), math.cos(2), math.sin(0.2), math.cos(0.2)]],
    )


@pytest.mark.parametrize(
    ("width", "row"),
    [
        (1, [math.sin(1)]),
        (2, [math.sin(1), math.cos(1)]),
        (3, [math.sin(1), math.cos(1), math.sin(10000 ** (-2 / 3))]),
    ],
)
def test_sinusoids_of_any_width(width: int, row: list[float]) -> None:
    same(sinusoids(np.array([1.0]), width, BASE), [row])


def test_embedding_copies_rows_and_adds_positions() -> None:
    table = np.array([[10.0, 20.0], [30.0, 40.0]])
    embedded = embed(table, (1, 0, 1), np.array([0.0, 1.0, 2.0]), BASE)
    same(embedded.lookup, [[30, 40], [10, 20], [30, 40]])
    same(embedded.waves, [[0, 1], [math.sin(1), math.cos(1)], [math.sin(2), math.cos(2)]])
    same(
        embedded.x,
        [[30, 41], [10 + math.sin(1), 20 + math.cos(1)], [30 + math.sin(2), 40 + math.cos(2)]],
    )
    embedded.lookup[0, 0] = -1
    assert table[1, 0] == 30.0  # a copy, so that nothing done to it reaches the weights


# -- attention -------------------------------------------------------------------------------------------------------

ROWS = np.array([[1.0, -1.0], [-1.0, 1.0]])  # already normed
LOG4 = math.log(4)


def test_a_head_by_hand() -> None:
    # One number a head: Q and K from the first dimension, V from the second; a score is 2 ln 4 / 2, up or down.
    head = Head(
        wq=np.array([[2 * LOG4], [0.0]]),
        wk=np.array([[1.0], [0.0]]),
        wv=np.array([[0.0], [10.0]]),
    )
    run = attend_head(ROWS, head, scale=np.array(2.0))
    same(run.q, [[2 * LOG4], [-2 * LOG4]])
    same(run.k, [[1], [-1]])
    same(run.v, [[-10], [10]])
    same(run.scores, [[LOG4, -LOG4], [-LOG4, LOG4]])
    same(run.masked, [[LOG4, -np.inf], [-LOG4, LOG4]])
    # 1/4 and 4 are as 1 to 16
    same(run.softmax.weights, [[1, 0], [1 / 17, 16 / 17]])
    same(run.output, [[-10], [-10 / 17 + 160 / 17]])
    assert run.scores[0, 1] == -LOG4  # masking works on a copy


def test_attention_joins_heads_projects_and_adds() -> None:
    nothing, first, second = np.zeros((2, 1)), np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]])
    block = Block(
        # no queries: every weight is one over the tokens seen
        heads=(Head(nothing, nothing, first), Head(nothing, nothing, second)),
        wo=np.array([[1.0, 0.0], [3.0, 0.0]]),
        w1=np.zeros((2, 1)), b1=np.zeros(1), w2=np.zeros((1, 2)), b2=np.zeros(2),
    )  # fmt: skip
    run = attend(5 * ROWS + 7, block, np.array(1), NO_EPS)
    same(run.norm.output, ROWS)
    same(run.scale, 1)
    same(run.joined, [[1, -1], [0, 0]])  # each head's value, averaged over what is seen
    same(run.projected, [[1 - 3, 0], [0, 0]])
    same(run.residual, [[12 - 2, 2], [2, 12]])


def test_the_scale_is_the_root_of_the_head_width() -> None:
    wide = np.zeros((2, 9))
    head = Head(wide, wide, wide)
    block = Block((head,), np.zeros((9, 2)), np.zeros((2, 1)), np.zeros(1), np.zeros((1, 2)), np.zeros(2))
    assert attend(ROWS, block, np.array(9), NO_EPS).scale == 3.0


# -- feed-forward ----------------------------------------------------------------------------------------------------


def test_feed_forward_by_hand() -> None:
    block = Block(
        heads=(), wo=np.zeros((0, 2)),
        w1=np.array([[1.0, -1.0, 2.0], [0.0, 0.0, 1.0]]),
        b1=np.array([0.5, 0.5, -1.0]),
        w2=np.array([[1.0, 0.0], [0.0, 1.0], [100.0, 100.0]]),
        b2=np.array([0.25, -0.25]),
    )  # fmt: skip
    run = feed_forward(3 * ROWS, block, NO_EPS)
    same(run.norm.output, ROWS)
    same(run.pre, [[1.5, -0.5, 0], [-0.5, 1.5, -2]])
    same(run.hidden, [[1.5, 0, 0], [0, 1.5, 0]])  # zero itself is off
    same(run.output, [[1.75, -0.25], [0.25, 1.25]])
    same(run.residual, [[4.75, -3.25], [-2.75, 4.25]])


# -- logits ----------------------------------------------------------------------------------------------------------


def test_only_the_last_row_predicts() -> None:
    table = np.array([[math.log(2), 0.0], [0.0, 0.0], [0.0, -math.log(3)]])
    run = predict(np.array([[99.0, -99.0], [7.0, 3.0]]), table, NO_EPS)
    same(run.norm.mean, [[5]])
    same(run.norm.variance, [[4]])
    same(run.z, [1, -1])
    same(run.logits, [math.log(2), 0, math.log(3)])
    same(run.softmax.weights, [2 / 6, 1 / 6, 3 / 6])


# -- loss ------------------------------------------------------------------------------------------------------------


def test_one_step_by_hand() -> None:
    # p = (1/4, 3/4); the target is the first word
    logits = np.array([0.0, math.log(3)])
    run = learn(logits, np.array([0.25, 0.75]), 0, np.array([1.0, 0.0]), np.array(2.0))
    same(run.before, math.log(4))
    same(run.gradient, [-0.75, 0.75])
    same(run.logits_after, [1.5, math.log(3) - 1.5])
    # p after is 1 / (1 + 3 e^-3)
    same(run.softmax_after.weights, [1 / (1 + 3 * math.exp(-3)), 3 * math.exp(-3) / (1 + 3 * math.exp(-3))])
    same(run.after, math.log(1 + 3 * math.exp(-3)))
    same(run.improvement, math.log(4) - math.log(1 + 3 * math.exp(-3)))


# -- counts ----------------------------------------------------------------------------------------------------------


def sizes(**changed: int) -> Sizes:
    own = {"vocabulary": 10, "width": 3, "layers": 2, "heads": 2, "inner": 4, "hidden": 5, "context": 7} | changed
    return Sizes(**{name: np.array([size]) for name, size in own.items()})


def test_parts_by_hand() -> None:
    parts = count_parts(sizes(), np.array(2))
    assert {name: int(getattr(parts, name)) for name in parts.__slots__} == {
        "embedding": 30,  # 10 x 3
        "head": 18,  # 3 x (3 x 2)
        "heads": 36,
        "output": 12,  # 4 x 3
        "ffn_in": 20,  # 3 x 5 + 5
        "ffn_out": 18,  # 5 x 3 + 3
        "block": 86,
        "total": 202,  # 30 + 2 x 86
    }


def test_counts_by_hand() -> None:
    counts = count_models(sizes())
    assert {name: int(getattr(counts, name)[0]) for name in counts.__slots__} == {
        "embedding": 30,
        "attention": 96,  # 2 layers of 4 x 3 x 4
        "feed_forward": 76,  # 2 layers of 2 x 3 x 5 + 5 + 3
        "simple": 202,
        "positions": 21,  # 7 x 3
        "attention_biases": 30,  # 2 layers of 3 x 4 + 3
        "norms": 30,  # 5 norms of 2 x 3
        "exact": 283,
        # less every bias: in a layer 3 x 4 + 3 + 5 + 3, and the shift of 5 norms
        "without_biases": 283 - 2 * 23 - 15,
        "without_qkv_biases": 283 - 2 * 12,
        "untied": 283 - 2 * 12 + 30,
        "bare_untied": 2 * 30 + 2 * (48 + 30),
    }
