"""Step 16: count the parameters, here and at the size of GPT-2 and GPT-3."""

from __future__ import annotations

from dataclasses import dataclass

from tinyxf.params import Array


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """The sizes of M models, each (M,) whole numbers.

    `inner` is the width of all heads together (H K), in published models equal to `width`; `context` is 0 where
    positions are not learned.
    """

    vocabulary: Array
    width: Array
    layers: Array
    heads: Array
    inner: Array
    hidden: Array
    context: Array


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Parameters of M models by part, each (M,) whole numbers.

    `simple` counts what this chapter's model has: embedding, attention matrices, feed-forward matrices and biases.
    `exact` adds what GPT-2 has besides: learned positions, attention biases, gain and bias of every layer norm.
    """

    embedding: Array
    attention: Array
    feed_forward: Array
    simple: Array
    positions: Array
    attention_biases: Array
    norms: Array
    exact: Array
    without_biases: Array
    without_qkv_biases: Array
    untied: Array
    bare_untied: Array


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The chapter's own model, part by part, each one whole number."""

    embedding: Array
    head: Array
    heads: Array
    output: Array
    ffn_in: Array
    ffn_out: Array
    block: Array
    total: Array


def count_parts(sizes: Sizes, head_width: Array) -> Parts:
    """Count the first of the models in `sizes` part by part, as its matrices stand in the chapter."""
    v, d, heads, f = sizes.vocabulary[0], sizes.width[0], sizes.heads[0], sizes.hidden[0]
    embedding = v * d
    head = 3 * d * head_width
    all_heads = heads * head
    output = heads * head_width * d
    ffn_in = d * f + f
    ffn_out = f * d + d
    block = all_heads + output + ffn_in + ffn_out
    return Parts(embedding, head, all_heads, output, ffn_in, ffn_out, block, embedding + sizes.layers[0] * block)


def count_models(sizes: Sizes) -> Counts:
    """Count whole models by the two formulas.

    simple: V d + L (4 d^2 + 2 d f + f + d), where 4 d^2 is 4 d times the heads' joint width.  exact: that,
    plus n_ctx d for learned positions, 4 d a layer for the attention's biases, and 2 d for each of the 2 L + 1 layer
    norms; with f = 4 d it is L (12 d^2 + 13 d) + (V + n_ctx) d + 2 d, the published count (Radford et al. 2019).
    The last four fields are totals that stand elsewhere in print, each with something left out or counted twice.
    """
    v, d, layers, inner, f = sizes.vocabulary, sizes.width, sizes.layers, sizes.inner, sizes.hidden
    embedding = v * d
    attention = layers * (4 * d * inner)
    feed_forward = layers * (2 * d * f + f + d)
    simple = embedding + attention + feed_forward
    positions = sizes.context * d
    attention_biases = layers * (3 * inner + d)
    norms = (2 * layers + 1) * (2 * d)
    exact = simple + positions + attention_biases + norms
    without_qkv_biases = exact - layers * (3 * inner)
    return Counts(
        embedding,
        attention,
        feed_forward,
        simple,
        positions,
        attention_biases,
        norms,
        exact,
        without_biases=exact - (layers * (3 * inner + 2 * d + f) + (2 * layers + 1) * d),
        without_qkv_biases=without_qkv_biases,
        untied=without_qkv_biases + embedding,
        bare_untied=2 * embedding + layers * (4 * d * inner + 2 * d * f),
    )
