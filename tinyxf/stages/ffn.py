"""Steps 11 and 12: each position, on its own, works on what attention gathered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyxf.layers import Norm, layer_norm
from tinyxf.params import Array, Block


@dataclass(frozen=True, slots=True, eq=False)
class FeedForward:
    """The feed-forward half of a block: `pre` and `hidden` are (T, F); `output` and `residual` are (T, D)."""

    norm: Norm
    pre: Array
    hidden: Array
    output: Array
    residual: Array


def feed_forward(r: Array, block: Block, eps: Array) -> FeedForward:
    """Run the feed-forward layer over the stream `r` (T, D): norm, ReLU(n W1 + b1) W2 + b2, residual add.

    Vaswani et al. 2017, section 3.3, with the norm first.
    """
    norm = layer_norm(r, eps)
    pre = norm.output @ block.w1 + block.b1  # (T, F)
    hidden = np.maximum(pre, 0.0)
    output = hidden @ block.w2 + block.b2  # (T, D)
    return FeedForward(norm, pre, hidden, output, r + output)
