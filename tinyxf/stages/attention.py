"""Steps 5 to 10: each position gathers what it needs from itself and the positions before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyxf.layers import Norm, Softmax, layer_norm, softmax
from tinyxf.params import Array, Block, Head


@dataclass(frozen=True, slots=True, eq=False)
class HeadRun:
    """One head at work: q, k, v and output are (T, K); scores and masked are (T, T), query by key."""

    q: Array
    k: Array
    v: Array
    scores: Array
    masked: Array
    softmax: Softmax
    output: Array


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """The attention half of a block: `joined` is (T, H*K); `projected` and `residual` are (T, D)."""

    norm: Norm
    scale: Array
    heads: tuple[HeadRun, ...]
    joined: Array
    projected: Array
    residual: Array


def attend_head(n: Array, head: Head, scale: Array) -> HeadRun:
    """Run one head over normed rows `n` (T, D).

    softmax(Q K^T / sqrt(K)) V with a causal mask: later positions get -inf before the softmax, so weight 0 after it.
    Vaswani et al. 2017, sections 3.2.1 and 3.2.3.
    """
    q, k, v = n @ head.wq, n @ head.wk, n @ head.wv  # (T, K) each
    scores = q @ k.T / scale  # (T, T)
    masked = scores.copy()
    masked[np.triu_indices(len(scores), k=1)] = -np.inf
    weights = softmax(masked)
    return HeadRun(q, k, v, scores, masked, weights, weights.weights @ v)


def attend(x: Array, block: Block, head_width: Array, eps: Array) -> Attention:
    """Run all heads of `block` over the stream `x` (T, D): norm, heads, output projection, residual add.

    The norm comes first (pre-norm), as in GPT-2; Xiong et al. 2020 on why that keeps deep stacks trainable.
    """
    norm = layer_norm(x, eps)
    scale = np.sqrt(head_width)
    heads = tuple(attend_head(norm.output, head, scale) for head in block.heads)
    joined = np.concatenate([head.output for head in heads], axis=1)  # (T, H*K)
    projected = joined @ block.wo  # (T, D)
    return Attention(norm, scale, heads, joined, projected, x + projected)
