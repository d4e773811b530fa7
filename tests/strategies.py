"""Random models and prompts, small enough to run in a millisecond.

Hypothesis draws the sizes, the words and the prompt, which decide the shapes; a seeded generator fills the weights,
so that a model of a hundred weights costs one draw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from tinyxf.params import MAX_TOKENS, Array, Block, Head, Model

# Words that some format, address or shell gives a meaning of its own.
ODD_WORDS = (
    "<bos>", "<pad>", "a/b", "x@1", "x", "%40", "@2", "2", "a b", " ", "&amp;", "*x*", "__init__", "{k}", "`", "|",
    "=1+1", "-", "token", "query_key", "größe", "木", "a'b", '"', "\\", "#", "?", "%2F", "@", "$x$", "📎",
)  # fmt: skip


# Meanings of dimensions, which need not differ, nor be words of one alphabet.
MEANINGS = ("thing", "thing", "Thing", "token", "d 0", "d-0", "größe", "木", "")


@dataclass(frozen=True, slots=True)
class Case:
    """A model with a prompt and a target that it can take."""

    model: Model
    prompt: tuple[str, ...]
    target: str


def random_model(
    seed: int, *, vocabulary: tuple[str, ...], width: int, heads: int, head_width: int, hidden: int, blocks: int,
    scale: float = 1.0,
    dimensions: tuple[str, ...] = (),
) -> Model:  # fmt: skip
    """Return a model of the given sizes, its weights normal with the given standard deviation."""
    generator = np.random.default_rng(seed)

    def weight(*shape: int) -> Array:
        return np.round(generator.normal(scale=scale, size=shape), 3) + 0.0

    return Model(
        name="random",
        vocabulary=vocabulary,
        dimensions=dimensions or tuple(f"d{i}" for i in range(width)),
        embedding=weight(len(vocabulary), width),
        blocks=tuple(
            Block(
                heads=tuple(
                    Head(wq=weight(width, head_width), wk=weight(width, head_width), wv=weight(width, head_width))
                    for _ in range(heads)
                ),
                wo=weight(heads * head_width, width),
                w1=weight(width, hidden),
                b1=weight(hidden),
                w2=weight(hidden, width),
                b2=weight(width),
            )
            for _ in range(blocks)
        ),
    )


@st.composite
def cases(draw: st.DrawFn, *, most_tokens: int = MAX_TOKENS, least_tokens: int = 1, most_blocks: int = 3) -> Case:
    """Draw a model of 1 to `most_blocks` blocks and a prompt, tokens repeated more often than not."""
    words = draw(
        st.lists(
            st.sampled_from(ODD_WORDS) | st.text("abcdefgh", min_size=1, max_size=6),
            min_size=1,
            max_size=9,
            unique=True,
        )
    )
    meanings = draw(st.lists(st.sampled_from(MEANINGS), min_size=1, max_size=7))
    model = random_model(
        draw(st.integers(0, 2**32 - 1)),
        vocabulary=tuple(words),
        width=len(meanings),
        dimensions=tuple(meanings),
        heads=draw(st.integers(1, 3)),
        head_width=draw(st.integers(1, 4)),
        hidden=draw(st.integers(1, 9)),
        blocks=draw(st.integers(1, most_blocks)),
        scale=draw(st.sampled_from([0.0, 0.3, 1.0])),
    )
    prompt = draw(st.lists(st.sampled_from(words), min_size=least_tokens, max_size=most_tokens))
    return Case(model, tuple(prompt), draw(st.sampled_from(words)))
