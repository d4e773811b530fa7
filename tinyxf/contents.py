"""What the chapter publishes: one prompt through sixteen steps, as a catalog.

After the tables.  Needs numpy alone, so the downloadable script has it too; `tinyxf.chapter` adds the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tinyxf.catalog import Catalog, Resolve, Scalar, Stage
from tinyxf.errors import InputError
from tinyxf.formatting import INTEGER, Format
from tinyxf.model import Run, read_inputs, run_model
from tinyxf.params import MAX_TOKENS, Model
from tinyxf.table import Number
from tinyxf.tables.attention import attention_tables
from tinyxf.tables.build import cell
from tinyxf.tables.embed import embed_tables
from tinyxf.tables.ffn import ffn_tables
from tinyxf.tables.logits import logits_tables
from tinyxf.tables.loss import loss_tables
from tinyxf.tables.params import params_tables
from tinyxf.tables.weights import weight_tables
from tinyxf.weights import PROMPT, TARGET, woodchuck

STAGES = (
    Stage("embed", "Tokens, embeddings, positions"),
    Stage("attention", "Attention"),
    Stage("ffn", "Feed-forward"),
    Stage("logits", "Prediction"),
    Stage("loss", "Loss and one step", needs=("logits",)),
    Stage("params", "Counting parameters"),
    Stage("weights", "The weights"),
)


def run_chapter(prompt: Sequence[str] | None = None, target: str | None = None, model: Model | None = None) -> Run:
    """Run the chapter's model; the standard run unless told otherwise.

    Raises InputError for a prompt or target that the model cannot take.
    """
    model = model or woodchuck()
    inputs = read_inputs(model, PROMPT if prompt is None else prompt, TARGET if target is None else target)
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            return run_model(model, inputs)
    except FloatingPointError as error:
        raise InputError(f"the weights are too large for float64: {error}") from error


def publish_run(run: Run, traced: Callable[[], Resolve] | None = None) -> Catalog:
    """Return all that the chapter publishes of a run."""
    blocks = range(len(run.blocks))
    return Catalog(
        title="A transformer you can check by hand",
        stages=STAGES,
        tables=(
            *embed_tables(run),
            *(table for block in blocks for table in (*attention_tables(run, block), *ffn_tables(run, block))),
            *logits_tables(run),
            *loss_tables(run),
            *params_tables(run),
            *weight_tables(run),
        ),
        scalars=scalars(run),
        header=header(run),
        traced=traced,
    )


def publish_chapter(prompt: Sequence[str] | None = None, target: str | None = None) -> Catalog:
    """Return the chapter without its trace: all that a terminal shows.

    Raises InputError for a prompt or target that the model cannot take.
    """
    return publish_run(run_chapter(prompt, target))


def header(run: Run) -> tuple[tuple[str, str], ...]:
    """Return what stands above every run: prompt, target, sizes."""
    model = run.model
    sizes = {
        "d_model": model.width,
        "heads": len(model.blocks[0].heads),
        "d_head": model.head_width,
        "d_ff": model.hidden,
        "blocks": len(model.blocks),
        "vocabulary": len(model.vocabulary),
    }
    return (
        ("prompt", " ".join(run.inputs.prompt)),
        ("target", run.inputs.target),
        ("model", ", ".join(f"{name} {size}" for name, size in sizes.items())),
    )


def scalars(run: Run) -> tuple[Scalar, ...]:
    """Return the named numbers: the model's sizes and constants, and short names of much-quoted cells."""
    attention = "blocks.0.attention"
    return (
        Scalar("model.d_model", "numbers that each token carries", number=_size(run, "width"), format=INTEGER),
        Scalar("model.heads", "attention heads", number=_size(run, "heads"), format=INTEGER),
        Scalar("model.d_head", "width of one head", number=_whole(run, "inputs.head_width"), format=INTEGER),
        Scalar("model.joined", "width of all heads together", number=_size(run, "inner"), format=INTEGER),
        Scalar("model.d_ff", "hidden units of the feed-forward", number=_size(run, "hidden"), format=INTEGER),
        Scalar("model.blocks", "blocks", number=_size(run, "layers"), format=INTEGER),
        Scalar("model.vocabulary", "words that the model knows", number=_size(run, "vocabulary"), format=INTEGER),
        Scalar(
            "model.tokens", "tokens of the prompt", number=Number(len(run.inputs.prompt), exact=True), format=INTEGER
        ),
        Scalar(
            "model.max_tokens", "tokens that a prompt may have", number=Number(MAX_TOKENS, exact=True), format=INTEGER
        ),
        Scalar("model.parameters", "parameters of the model", address="params.count/total/parameters"),
        Scalar(
            "model.eps", "added to the variance", number=cell(run, "inputs.eps", exact=True), format=Format(digits=5)
        ),
        Scalar("model.base", "base of the wavelengths", number=_whole(run, "inputs.base"), format=INTEGER),
        Scalar("attention.scale", "the root of d_k", number=cell(run, f"{attention}.scale"), format=Format(digits=4)),
        Scalar("loss.before", "the loss before the step", address="loss.step/loss_before"),
        Scalar("loss.after", "the loss after the step", address="loss.step/loss_after"),
        Scalar("loss.improvement", "what the step gained", address="loss.step/improvement"),
        Scalar("loss.rate", "the step's rate", number=cell(run, "inputs.rate", exact=True), format=Format(digits=1)),
        Scalar("params.untied_saving", "what tying saves", address="params.count/embedding/parameters"),
        Scalar(
            "params.gpt2_small_saving",
            "what tying saves in GPT-2 small",
            address="params.simple/gpt2_small/embedding",
        ),
    )


def _size(run: Run, name: str) -> Number:
    return cell(run, f"inputs.sizes.{name}", 0)


def _whole(run: Run, path: str) -> Number:
    number = cell(run, path, exact=True)
    return Number(int(number.value), number.source, exact=True)
