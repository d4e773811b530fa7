"""Steps 5 to 10 as tables, block by block, head by head."""

from __future__ import annotations

from tinyxf.model import Run
from tinyxf.table import Table
from tinyxf.tables.build import (
    FORM,
    TOKEN,
    column,
    grid,
    numbered,
    prefix,
    softmax_columns,
    token_columns,
    token_rows,
)

_ROLES = {"q": "query", "k": "key", "v": "value"}


def norm_stats(run: Run, name: str, step: str, path: str, title: str, *, mark: str = "") -> Table:
    """Return a norm's mean, variance and denominator, one row a token; `mark` sets its symbols apart."""
    return Table(
        id=name,
        step=step,
        title=title,
        stage=name.rpartition(".")[0].rpartition(".")[2],
        columns=(
            TOKEN,
            *(column(part, form=FORM, symbol=f"{part}{mark}") for part in ("mean", "variance", "denominator")),
        ),
        rows=token_rows(
            run.inputs.prompt, *(grid(run, f"{path}.{part}") for part in ("mean", "variance", "denominator"))
        ),
        note="What the norm divides by: the root of the variance plus {model.eps}. The variance is the mean of the"
        " squared distances, divided by all {model.d_model} numbers and not by one fewer.",
        companion=True,
    )


def attention_tables(run: Run, block: int) -> tuple[Table, ...]:
    """Return steps 5 to 10 of one block."""
    path, ids = f"blocks.{block}.attention", prefix(block)
    prompt, width = run.inputs.prompt, run.model.width
    heads = range(len(run.blocks[block].attention.heads))
    norm = Table(
        id=f"{ids}attention.norm",
        step="5",
        title="Every row normed",
        stage="attention",
        columns=(TOKEN, *numbered("n", width, FORM)),
        rows=token_rows(prompt, grid(run, f"{path}.norm.output")),
        note="Each row is normed by itself, to mean 0 and variance close to 1. Norming before each half of a block,"
        " not after, leaves the stream itself untouched: this pre-norm is what keeps deep stacks trainable.",
    )
    stats = norm_stats(run, f"{ids}attention.norm_stats", "5", f"{path}.norm", "What the first norm measured")
    tables = [norm, stats]
    for head in heads:
        tables += _head_tables(run, block, head)
    joined = tuple(
        column(f"h{h + 1}_{i}", form=FORM, role="value") for h in heads for i in range(run.model.head_width)
    )
    tables += [
        Table(
            id=f"{ids}attention.output",
            step="9",
            title="What the heads found, joined",
            stage="attention",
            columns=(TOKEN, *joined, *numbered("o", width, FORM)),
            rows=token_rows(prompt, grid(run, f"{path}.joined"), grid(run, f"{path}.projected")),
            note="{model.heads} heads of {model.d_head} side by side make {model.joined} numbers again; W_O turns"
            " them into additions to the stream's own dimensions.",
        ),
        Table(
            id=f"{ids}attention.residual",
            step="10",
            title="Added to the stream",
            stage="attention",
            columns=(
                TOKEN,
                *numbered("in", width, FORM),
                *numbered("a", width, FORM),
                *numbered("r", width, FORM),
            ),
            rows=token_rows(
                prompt,
                grid(run, "embed.x" if block == 0 else f"blocks.{block - 1}.ffn.residual"),
                grid(run, f"{path}.projected"),
                grid(run, f"{path}.residual"),
            ),
            note="The residual keeps what came in and adds what attention found, r = in + a. Nothing is overwritten.",
        ),
    ]
    return tuple(tables)


def _head_tables(run: Run, block: int, head: int) -> list[Table]:
    path, ids = f"blocks.{block}.attention.heads.{head}", f"{prefix(block)}attention.h{head + 1}"
    prompt, h = run.inputs.prompt, head + 1
    views = [
        numbered(letter, run.model.head_width, FORM, symbol=f"h{h}.{letter}", role=role)
        for letter, role in _ROLES.items()
    ]

    def square(name: str, step: str, title: str, array: str, note: str, symbol: str, *, causal: bool) -> Table:
        return Table(
            id=f"{ids}.{name}",
            step=step,
            title=title,
            stage="attention",
            columns=(column("query_key", "query \\ key"), *token_columns(prompt, FORM)),
            rows=token_rows(prompt, grid(run, f"{path}.{array}", causal=causal)),
            note=note,
            companion=name not in ("scores", "weights"),
            symbol=symbol,
        )

    return [
        Table(
            id=f"{ids}.qkv",
            step=f"6.{h}",
            title=f"Head {h}: query, key, value",
            stage="attention",
            columns=(TOKEN, *(own for view in views for own in view)),
            rows=token_rows(prompt, *(grid(run, f"{path}.{letter}") for letter in _ROLES)),
            note="One input seen three ways: what a token looks for (query), what it can be found by (key), and what"
            " it hands over when found (value).",
        ),
        square(
            "scores",
            f"7.{h}",
            f"Head {h}: how well each query meets each key",
            "scores",
            "Each cell is a dot product of one query with one key, divided by sqrt(d_k) = {attention.scale}: without"
            " it, wider heads would give larger scores, and the softmax would listen to one token only.",
            f"S{h}",
            causal=False,
        ),
        square(
            "masked",
            f"8.{h}",
            f"Head {h}: scores behind the causal mask",
            "masked",
            "Scores of later positions are set to minus infinity, so that they get no weight at all.",
            f"M{h}",
            causal=True,
        ),
        Table(
            id=f"{ids}.softmax",
            step=f"8.{h}",
            title=f"Head {h}: each row's maximum, and the sum of its exponentials",
            stage="attention",
            columns=(TOKEN, *softmax_columns(f"h{h}.maximum", f"h{h}.total")),
            rows=token_rows(prompt, grid(run, f"{path}.softmax.maximum"), grid(run, f"{path}.softmax.total")),
            note="The maximum is subtracted before the exponential. It cancels in the quotient, and keeps exp small.",
            companion=True,
        ),
        square(
            "exp",
            f"8.{h}",
            f"Head {h}: the exponentials",
            "softmax.exponentials",
            "exp of each score less its row's maximum: the largest score of a row gives 1.",
            f"X{h}",
            causal=True,
        ),
        square(
            "weights",
            f"8.{h}",
            f"Head {h}: how much each token listens to each",
            "softmax.weights",
            "A dash marks a later position, which the mask hides: no token may look ahead. Each row sums to 1.",
            f"A{h}",
            causal=True,
        ),
    ]
