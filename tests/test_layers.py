from __future__ import annotations

import math

import numpy as np
import pytest

from tinyxf.layers import layer_norm, softmax
from tinyxf.params import Array

NO_EPS = np.array(0.0)


def same(found: Array, expected: object) -> None:
    """Compare to the last bit or two."""
    np.testing.assert_allclose(found, np.array(expected), rtol=1e-14, atol=1e-15)


def test_layer_norm_by_hand() -> None:
    # 1, 3 and 8 have mean 4; squared distances 9, 1 and 16 have mean 26 / 3, divided by three and not by two
    norm = layer_norm(np.array([[1.0, 3.0, 8.0], [2.0, 2.0, 2.0]]), np.array(1 / 3))
    same(norm.mean, [[4], [2]])
    same(norm.variance, [[26 / 3], [0]])
    same(norm.denominator, [[3], [math.sqrt(1 / 3)]])  # sqrt(26/3 + 1/3) = 3
    same(norm.output, [[-1, -1 / 3, 4 / 3], [0, 0, 0]])


def test_layer_norm_leaves_normed_rows_alone() -> None:
    rows = np.array([[1.0, -1.0], [-1.0, 1.0]])
    same(layer_norm(rows, NO_EPS).output, rows)


def test_softmax_by_hand() -> None:
    # e^ln 1 : e^ln 2 : e^ln 5 = 1 : 2 : 5
    soft = softmax(np.log(np.array([[1.0, 2.0, 5.0], [5.0, 5.0, 5.0]])))
    same(soft.maximum, [[math.log(5)], [math.log(5)]])
    same(soft.shifted, [[-math.log(5), math.log(0.4), 0], [0, 0, 0]])
    same(soft.exponentials, [[0.2, 0.4, 1], [1, 1, 1]])
    same(soft.total, [[1.6], [3]])
    same(soft.weights, [[1 / 8, 2 / 8, 5 / 8], [1 / 3, 1 / 3, 1 / 3]])


def test_softmax_of_one_row_keeps_its_shape() -> None:
    soft = softmax(np.array([0.0, math.log(3)]))
    assert soft.maximum.shape == soft.total.shape == (1,)
    same(soft.weights, [0.25, 0.75])


@pytest.mark.parametrize("size", [1000.0, 1e300])
def test_softmax_does_not_overflow(size: float) -> None:
    assert softmax(np.array([size, 0.0, -size])).weights.tolist() == [1.0, 0.0, 0.0]


def test_a_masked_entry_weighs_nothing() -> None:
    soft = softmax(np.array([[0.0, -np.inf, 0.0]]))
    assert soft.exponentials.tolist() == [[1.0, 0.0, 1.0]]
    assert soft.weights.tolist() == [[0.5, 0.0, 0.5]]
