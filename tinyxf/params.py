"""The model's parameters as plain records, checked where they are made.

First in the flow after the errors: parameters -> stages -> model -> tables -> catalog.

Shapes throughout the package, in the letters of the docstrings:

    T  tokens of the prompt        D  width (d_model)       H  heads
    K  width of one head (d_head)  F  hidden units (d_ff)   V  words of the vocabulary
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyxf.errors import InputError

# float64, or traced scalars (dtype object): the stages do not care which.
Array = npt.NDArray[Any]

EPS = 1e-5  # inside the root of every layer norm
BASE = 10000.0  # of the sinusoids' wavelengths (Vaswani et al. 2017, section 3.5)
RATE = 0.5  # the step of learning that the chapter takes
MAX_TOKENS = 16


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """One attention head: query, key and value projections, each (D, K)."""

    wq: Array
    wk: Array
    wv: Array


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """One transformer block: H heads, the output projection `wo` (H*K, D), and the feed-forward layer
    `w1` (D, F), `b1` (F,), `w2` (F, D), `b2` (D,).
    """

    heads: tuple[Head, ...]
    wo: Array
    w1: Array
    b1: Array
    w2: Array
    b2: Array


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A decoder-only transformer: a vocabulary of V words, their embeddings (V, D), and its blocks.

    `dimensions` gives the meaning of each of the D dimensions.  Raises InputError for a weight of the wrong shape,
    nan or infinities in a weight, a word that stands twice, blocks that differ in their number of heads, or a model
    without words, blocks, heads, or any width.
    """

    name: str
    vocabulary: tuple[str, ...]
    dimensions: tuple[str, ...]
    embedding: Array
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        if not self.vocabulary:
            raise InputError("the vocabulary is empty, expected at least one word")
        twice = sorted(word for word, count in Counter(self.vocabulary).items() if count > 1)
        if twice:
            raise InputError(f"words must differ, found twice in the vocabulary: {', '.join(map(repr, twice))}")
        if not self.blocks or not all(block.heads for block in self.blocks):
            raise InputError("expected at least one block, and one head in each")
        if len({len(block.heads) for block in self.blocks}) > 1:
            found = ", ".join(str(len(block.heads)) for block in self.blocks)
            raise InputError(f"blocks have {found} heads, expected the same number in all")
        v, d, k, f = len(self.vocabulary), self.width, self.head_width, self.hidden
        for what, size in (("dimensions", d), ("numbers in a head", k), ("hidden units", f)):
            if size < 1:
                raise InputError(f"found {size} {what}, expected at least 1")
        _check("embedding", self.embedding, (v, d), "V x D")
        for i, block in enumerate(self.blocks):
            for j, head in enumerate(block.heads):
                for name in ("wq", "wk", "wv"):
                    _check(f"blocks.{i}.heads.{j}.{name}", getattr(head, name), (d, k), "D x K")
            _check(f"blocks.{i}.wo", block.wo, (len(block.heads) * k, d), "H*K x D")
            _check(f"blocks.{i}.w1", block.w1, (d, f), "D x F")
            _check(f"blocks.{i}.b1", block.b1, (f,), "F")
            _check(f"blocks.{i}.w2", block.w2, (f, d), "F x D")
            _check(f"blocks.{i}.b2", block.b2, (d,), "D")

    @property
    def width(self) -> int:
        """D, the numbers that each token carries (d_model)."""
        return len(self.dimensions)

    @property
    def head_width(self) -> int:
        """K, the width of one head (d_head)."""
        return _last(self.blocks[0].heads[0].wq)

    @property
    def hidden(self) -> int:
        """F, the hidden units of the feed-forward layer (d_ff)."""
        return _last(self.blocks[0].w1)


def _last(weight: Array) -> int:
    return int((0, *np.shape(weight))[-1])


def _check(name: str, weight: Array, shape: tuple[int, ...], letters: str) -> None:
    found = np.shape(weight)
    if found != shape:
        raise InputError(f"weight {name} has shape {_by(found)}, expected {_by(shape)} ({letters})")
    if weight.dtype.kind == "f" and not np.isfinite(weight).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(weight))[0])
        raise InputError(f"weight {name} holds {weight[where]} at {where}, expected finite numbers")


def _by(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "of a single number"
