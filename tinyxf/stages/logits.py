"""Steps 13 and 14: the last position alone predicts the next word."""

from __future__ import annotations

from dataclasses import dataclass

from tinyxf.layers import Norm, Softmax, layer_norm, softmax
from tinyxf.params import Array


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """The prediction: `norm` is of one row (1, D), `z` its output (D,), `logits` and the softmax are (V,)."""

    norm: Norm
    z: Array
    logits: Array
    softmax: Softmax


def predict(y: Array, embedding: Array, eps: Array) -> Prediction:
    """Read a prediction off the last row of the stream `y` (T, D).

    Final norm, then one dot product with each row of `embedding` (V, D): the table that looked words up also scores
    them (tied weights, Press & Wolf 2017).
    """
    norm = layer_norm(y[-1:], eps)
    z = norm.output[0]  # (D,)
    logits = z @ embedding.T  # (V,)
    return Prediction(norm, z, logits, softmax(logits))
