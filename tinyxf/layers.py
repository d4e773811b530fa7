"""Two functions that several stages share: layer norm and softmax.

They keep every intermediate value, because a reader wants to see them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyxf.params import Array


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """A layer norm, taken apart: mean, variance and denominator are (T, 1), output is (T, D)."""

    mean: Array
    variance: Array
    denominator: Array
    output: Array


@dataclass(frozen=True, slots=True, eq=False)
class Softmax:
    """A softmax, taken apart: maximum and total are (..., 1); shifted, exponentials and weights are (..., N)."""

    maximum: Array
    shifted: Array
    exponentials: Array
    total: Array
    weights: Array


def layer_norm(x: Array, eps: Array) -> Norm:
    """Normalise each row of `x` (T, D) to mean 0 and variance 1.

    (x - m) / sqrt(v + eps), with the population variance v (divided by D, not D - 1) and neither gain nor bias.
    Ba, Kiros & Hinton 2016, section 3.
    """
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    denominator = np.sqrt(variance + eps)
    return Norm(mean, variance, denominator, (x - mean) / denominator)


def softmax(x: Array) -> Softmax:
    """Turn each row of `x` (..., N) into positive weights that sum to 1.

    exp(x) / sum(exp(x)).  The row's maximum is subtracted first: it cancels, and it keeps exp from overflowing.
    """
    maximum = np.max(x, axis=-1, keepdims=True)
    shifted = x - maximum
    exponentials = np.exp(shifted)
    total = np.sum(exponentials, axis=-1, keepdims=True)
    return Softmax(maximum, shifted, exponentials, total, exponentials / total)
