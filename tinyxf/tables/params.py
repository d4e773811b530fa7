"""Step 16 as tables: parameters here, and at published sizes."""

from __future__ import annotations

from tinyxf.formatting import COUNT, INTEGER
from tinyxf.model import PUBLISHED_SIZES, Run
from tinyxf.table import Key, Label, Row, Table
from tinyxf.tables.build import cell, column
from tinyxf.tables.weights import slug

_IN_STEP = ("GPT-2 small", "GPT-2 medium", "GPT-3")
_PARTS = ("embedding", "attention", "feed_forward", "simple", "positions", "attention_biases", "norms", "exact")


def params_tables(run: Run) -> tuple[Table, ...]:
    """Return step 16: the count of this model, the published sizes, and the way from one formula to the other."""
    return (_count(run), _sizes(run), _shapes(run), _simple(run), _exact(run), _published(run))


def _count(run: Run) -> Table:
    model = run.model
    d, k, f = model.width, model.head_width, model.hidden
    heads, layers = len(model.blocks[0].heads), len(model.blocks)
    parts = [
        ("embedding", "embedding E (tied)", f"{len(model.vocabulary)} x {d}", "embedding"),
        ("attention_head", "attention, per head", f"3 x {d} x {k}", "head"),
        ("attention", f"attention, {_many(heads, 'head')}", "", "heads"),
        ("output_projection", "output projection W_O", f"{heads * k} x {d}", "output"),
        ("ffn_in", "feed-forward W1, b1", f"{d} x {f} + {f}", "ffn_in"),
        ("ffn_out", "feed-forward W2, b2", f"{f} x {d} + {d}", "ffn_out"),
        *([("block", f"one block of {layers}", "", "block")] if layers > 1 else []),
        ("total", "TOTAL", "", "total"),
    ]
    return Table(
        id="params.count",
        step="16",
        title="Every parameter, counted",
        stage="params",
        columns=(column("part"), column("shape"), column("parameters", form=COUNT)),
        rows=tuple(
            Row(Key(key), (Label(label), Label(shape), cell(run, f"parts.{part}")))
            for key, label, shape, part in parts
        ),
        note="Each is one number that training would move: the gradient reaches every weight, here and there with a"
        " slope of zero. The embedding counts once, although it is used at both ends.",
    )


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _models(only: tuple[str, ...] = tuple(PUBLISHED_SIZES)) -> list[tuple[int, str, str]]:
    """Return index, key and label of this chapter's model and of the published ones."""
    named = [
        (i, slug(name.replace("-", "")), name) for i, name in enumerate(PUBLISHED_SIZES, start=1) if name in only
    ]
    return [(0, "tinyxf", "this chapter"), *named]


def _sizes(run: Run) -> Table:
    return Table(
        id="params.sizes",
        step="16",
        title="The same equations, larger",
        stage="params",
        columns=(
            column("model"),
            column("d_model", form=INTEGER),
            column("layers", form=INTEGER),
            column("heads", form=INTEGER),
            column("parameters", form=COUNT),
        ),
        rows=tuple(
            Row(
                Key(key),
                (
                    Label(label),
                    *(cell(run, f"inputs.sizes.{size}", i) for size in ("width", "layers", "heads")),
                    cell(run, "counts.simple", i),
                ),
            )
            for i, key, label in _models(_IN_STEP)
        ),
        note="The same stages with other sizes. The formula leaves out learned positions, the attention's biases and"
        " the norms' gains and biases, which the chapter's model does not have.",
    )


def _shapes(run: Run) -> Table:
    sizes = (
        ("vocabulary", "V", "vocabulary", COUNT),
        ("layers", "L", "layers", INTEGER),
        ("d_model", "d", "width", INTEGER),
        ("joined", "H d_k", "inner", INTEGER),
        ("d_ff", "f", "hidden", INTEGER),
        ("n_ctx", "n_ctx", "context", INTEGER),
    )
    return Table(
        id="params.shapes",
        step="16",
        title="The sizes that the formulas take",
        stage="params",
        columns=(column("model"), *(column(key, label, form) for key, label, _, form in sizes)),
        rows=tuple(
            Row(Key(key), (Label(label), *(cell(run, f"inputs.sizes.{size}", i) for _, _, size, _ in sizes)))
            for i, key, label in _models()
        ),
        note="V words, L layers, width d, H heads of d_k, hidden units f, learned positions n_ctx (none here).",
        companion=True,
    )


def _simple(run: Run) -> Table:
    return _by_part(
        run,
        "params.simple",
        "The simple count, part by part",
        _PARTS[:4],
        "V d for the embedding; in each layer 4 d^2 for attention and 2 d f + f + d for the feed-forward.",
    )


def _exact(run: Run) -> Table:
    return _by_part(
        run,
        "params.exact",
        "From the simple count to the exact one",
        _PARTS[3:],
        "Learned positions, the attention's biases, a gain and a bias in each norm: with them the count is the"
        " published one, to the last parameter.",
    )


def _by_part(run: Run, name: str, title: str, parts: tuple[str, ...], note: str) -> Table:
    return Table(
        id=name,
        step="16",
        title=title,
        stage="params",
        columns=(column("model"), *(column(part, part.replace("_", " "), COUNT) for part in parts)),
        rows=tuple(
            Row(Key(key), (Label(label), *(cell(run, f"counts.{part}", i) for part in parts)))
            for i, key, label in _models()
        ),
        note=note,
        companion=True,
    )


def _published(run: Run) -> Table:
    totals = (
        ("gpt2_small_bare", "GPT-2 small without any biases", "without_biases", 1),
        ("gpt2_small_no_qkv", "GPT-2 small without query, key and value biases", "without_qkv_biases", 1),
        ("gpt2_small_exact", "GPT-2 small, exact", "exact", 1),
        ("gpt2_small_untied", "GPT-2 small, no query, key and value biases, untied", "untied", 1),
        ("gpt3_exact", "GPT-3, counted as GPT-2 is", "exact", len(PUBLISHED_SIZES)),
        ("gpt3_untied", "GPT-3, untied, no positions, no biases, no norms", "bare_untied", len(PUBLISHED_SIZES)),
    )
    return Table(
        id="params.published",
        step="16",
        title="Totals that you may have seen",
        stage="params",
        columns=(column("count"), column("parameters", form=COUNT)),
        rows=tuple(
            Row(Key(key), (Label(label), cell(run, f"counts.{field}", index))) for key, label, field, index in totals
        ),
        note="One model, several totals in print: they differ in what they leave out.",
        companion=True,
    )
