"""Step 15: how wrong the prediction was, and one step to make it less wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyxf.layers import Softmax, softmax
from tinyxf.params import Array


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """One step of learning on the logits: `gradient` and `logits_after` are (V,); the losses are scalars in nats."""

    before: Array
    gradient: Array
    logits_after: Array
    softmax_after: Softmax
    after: Array
    improvement: Array


def learn(logits: Array, p: Array, target: int, one_hot: Array, rate: Array) -> Learned:
    """Take one step of gradient descent on the logits (V,).

    The loss is the cross-entropy -ln p[target]; its gradient by the logits is p - one_hot, for softmax and
    cross-entropy cancel into a difference.  The step is logits - rate * gradient.
    """
    before = -np.log(p[target])
    gradient = p - one_hot
    logits_after = logits - rate * gradient
    softmax_after = softmax(logits_after)
    after = -np.log(softmax_after.weights[target])
    return Learned(before, gradient, logits_after, softmax_after, after, before - after)
