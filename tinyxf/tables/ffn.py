"""Steps 11 and 12 as tables, block by block."""

from __future__ import annotations

from tinyxf.formatting import Format
from tinyxf.model import Run
from tinyxf.table import Table
from tinyxf.tables.attention import norm_stats
from tinyxf.tables.build import FORM, TOKEN, grid, numbered, prefix, token_rows

_COARSE = Format(digits=3)


def ffn_tables(run: Run, block: int) -> tuple[Table, ...]:
    """Return steps 11 and 12 of one block."""
    path, ids = f"blocks.{block}.ffn", prefix(block)
    prompt, width = run.inputs.prompt, run.model.width

    def rows_of_tokens(
        name: str,
        title: str,
        letter: str,
        array: str,
        note: str,
        *,
        form: Format = FORM,
        symbol: str = "",
    ) -> Table:
        values = grid(run, f"{path}.{array}")
        return Table(
            id=f"{ids}ffn.{name}",
            step="11",
            title=title,
            stage="ffn",
            columns=(TOKEN, *numbered(letter, len(values[0]), form, symbol=symbol)),
            rows=token_rows(prompt, values),
            note=note,
            companion=name != "hidden",
        )

    return (
        norm_stats(run, f"{ids}ffn.norm_stats", "11", f"{path}.norm", "What the second norm measured", mark="'"),
        rows_of_tokens(
            "norm",
            "Every row normed again",
            "n",
            "norm.output",
            "The second norm of the block, of the stream as attention left it.",
            symbol="n'",
        ),
        rows_of_tokens(
            "pre",
            "Hidden units before ReLU",
            "u",
            "pre",
            "The same row goes through W1 and b1. A unit below zero here will be off.",
            symbol="pre",
        ),
        rows_of_tokens(
            "hidden",
            "Hidden units on and off",
            "u",
            "hidden",
            "{model.d_model} numbers fan out to {model.d_ff} units, each on or off (ReLU keeps what is above zero),"
            " to come back as {model.d_model}. Positions do not mix here: every row is on its own.",
            form=_COARSE,
        ),
        rows_of_tokens(
            "hidden_fine",
            "The same units to one more digit",
            "u",
            "hidden",
            "For a pencil: with three decimals the next step would drift by several units in its last digit.",
        ),
        Table(
            id=f"{ids}ffn.residual",
            step="12",
            title="Added to the stream again",
            stage="ffn",
            columns=(TOKEN, *numbered("f", width, FORM), *numbered("y", width, FORM)),
            rows=token_rows(prompt, grid(run, f"{path}.output"), grid(run, f"{path}.residual")),
            note="The units that are on, times their rows of W2, make f; the residual adds it, y = r + f. From"
            " {model.d_ff} back to {model.d_model}, and the block is done.",
        ),
    )
