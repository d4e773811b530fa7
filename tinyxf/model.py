"""One run of the model: every stage in order, every array kept.

After the stages, before the tables.  `Run` is the one record that all readings start from; the dotted paths of its
fields (`blocks.0.attention.norm.mean`) are the names of the arrays in a table number's `Source`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinyxf.errors import InputError, nearest
from tinyxf.params import BASE, EPS, MAX_TOKENS, RATE, Array, Model
from tinyxf.stages.attention import Attention, attend
from tinyxf.stages.count import Counts, Parts, Sizes, count_models, count_parts
from tinyxf.stages.embed import Embedded, embed
from tinyxf.stages.ffn import FeedForward, feed_forward
from tinyxf.stages.logits import Prediction, predict
from tinyxf.stages.loss import Learned, learn

# V, d, L, H, H K, f and n_ctx of published models (Radford et al. 2019, table 2; Brown et al. 2020, table 2.1).
PUBLISHED_SIZES = {
    "GPT-2 small": (50257, 768, 12, 12, 768, 3072, 1024),
    "GPT-2 medium": (50257, 1024, 24, 16, 1024, 4096, 1024),
    "GPT-2 large": (50257, 1280, 36, 20, 1280, 5120, 1024),
    "GPT-2 XL": (50257, 1600, 48, 25, 1600, 6400, 1024),
    "GPT-3": (50257, 12288, 96, 96, 12288, 49152, 2048),
}


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """A prompt ready to run: token ids and target as integers, and as arrays what the arithmetic starts from.

    positions (T,), one_hot (V,); base, eps, rate, head_width are single numbers; sizes are those of this model and
    of the published ones, in that order.
    """

    prompt: tuple[str, ...]
    target: str
    ids: tuple[int, ...]
    target_id: int
    positions: Array
    one_hot: Array
    base: Array
    eps: Array
    rate: Array
    head_width: Array
    sizes: Sizes


@dataclass(frozen=True, slots=True, eq=False)
class BlockRun:
    """One block: its attention half and its feed-forward half."""

    attention: Attention
    ffn: FeedForward


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Everything that one forward pass, one loss and one step computed."""

    model: Model
    inputs: Inputs
    embed: Embedded
    blocks: tuple[BlockRun, ...]
    logits: Prediction
    loss: Learned
    parts: Parts
    counts: Counts


def read_inputs(model: Model, prompt: Sequence[str], target: str) -> Inputs:
    """Check a prompt of 1 to 16 known tokens and a target, and look up their ids.

    Raises InputError for an empty or too long prompt and for an unknown token, naming the nearest known one.
    """
    if isinstance(prompt, str):
        raise InputError(f"the prompt is the text {prompt!r}, expected a sequence of tokens such as {prompt.split()}")
    tokens = tuple(prompt)
    if not 1 <= len(tokens) <= MAX_TOKENS:
        found = f"has {len(tokens)} tokens" if tokens else "is empty"
        raise InputError(f"the prompt {found}, expected 1 to {MAX_TOKENS} tokens")
    index = {word: position for position, word in enumerate(model.vocabulary)}
    unknown = [f'unknown token "{own}"{nearest(own, index)}' for own in dict.fromkeys(tokens) if own not in index]
    if target not in index:
        unknown.append(f'unknown target "{target}"{nearest(target, index)}')
    if unknown:
        raise InputError(f"{' '.join(unknown)} {_known(model.vocabulary)}")
    one_hot = np.zeros(len(model.vocabulary))
    one_hot[index[target]] = 1.0
    own = (
        len(model.vocabulary),
        model.width,
        len(model.blocks),
        len(model.blocks[0].heads),
        len(model.blocks[0].heads) * model.head_width,
        model.hidden,
        0,  # positions are computed, not learned
    )
    return Inputs(
        prompt=tokens,
        target=target,
        ids=tuple(index[token] for token in tokens),
        target_id=index[target],
        positions=np.arange(len(tokens), dtype=np.float64),
        one_hot=one_hot,
        base=np.array(BASE),
        eps=np.array(EPS),
        rate=np.array(RATE),
        head_width=np.array(model.head_width),
        sizes=Sizes(*np.array([own, *PUBLISHED_SIZES.values()], dtype=np.int64).T),
    )


def _known(vocabulary: tuple[str, ...]) -> str:
    most = 20
    shown = ", ".join(vocabulary[:most])
    more = f" and {len(vocabulary) - most} more" if len(vocabulary) > most else ""
    return f"Expected one of: {shown}{more}"


def run_model(model: Model, inputs: Inputs) -> Run:
    """Run every stage in order.  Works alike on float64 arrays and on traced ones."""
    embedded = embed(model.embedding, inputs.ids, inputs.positions, inputs.base)
    stream = embedded.x
    blocks = []
    for block in model.blocks:
        attention = attend(stream, block, inputs.head_width, inputs.eps)
        ffn = feed_forward(attention.residual, block, inputs.eps)
        blocks.append(BlockRun(attention, ffn))
        stream = ffn.residual
    prediction = predict(stream, model.embedding, inputs.eps)
    loss = learn(prediction.logits, prediction.softmax.weights, inputs.target_id, inputs.one_hot, inputs.rate)
    return Run(
        model,
        inputs,
        embedded,
        tuple(blocks),
        prediction,
        loss,
        parts=count_parts(inputs.sizes, inputs.head_width),
        counts=count_models(inputs.sizes),
    )


def find_array(run: Run, path: str) -> Array:
    """Follow a dotted path through records and tuples: `blocks.0.ffn.hidden`."""
    found: Any = run
    for name in path.split("."):
        found = found[int(name)] if name.isdecimal() else getattr(found, name)
    return np.asanyarray(found)
