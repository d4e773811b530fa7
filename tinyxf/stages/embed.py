"""Steps 1 to 4: words become vectors, and vectors learn where they stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyxf.params import Array


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """The prompt as vectors, all (T, D): the rows looked up, the position's waves, and their sum."""

    lookup: Array
    waves: Array
    x: Array


def sinusoids(positions: Array, width: int, base: Array) -> Array:
    """Return the sinusoids of each position: (T,) -> (T, D).

    Dimension 2i holds sin(p / base^(2i/D)), dimension 2i+1 the cosine of the same angle.
    Vaswani et al. 2017, section 3.5.
    """
    pairs = np.arange((width + 1) // 2)
    angles = positions[:, None] / base ** (2 * pairs / width)  # (T, D/2)
    both = np.stack([np.sin(angles), np.cos(angles)], axis=-1)  # (T, D/2, 2)
    return both.reshape(len(positions), -1)[:, :width]


def embed(embedding: Array, ids: tuple[int, ...], positions: Array, base: Array) -> Embedded:
    """Look up each token's row of `embedding` (V, D) and add its position's sinusoids.

    No scale of sqrt(D) is applied to the embedding, unlike Vaswani et al. 2017, section 3.4.
    """
    lookup = embedding[list(ids)]  # (T, D)
    waves = sinusoids(positions, embedding.shape[1], base)
    return Embedded(lookup, waves, lookup + waves)
