"""Steps 1 to 4 as tables."""

from __future__ import annotations

from tinyxf.formatting import INTEGER
from tinyxf.model import Run
from tinyxf.table import Key, Label, Number, Row, Source, Table
from tinyxf.tables.build import FORM, TOKEN, column, decimals, grid, numbered, token_rows
from tinyxf.tables.weights import dimension_columns

POSITION = column("position", form=INTEGER, symbol="p")


def embed_tables(run: Run) -> tuple[Table, ...]:
    """Return steps 1 to 4: tokens, lookup, positions, input."""
    prompt, width = run.inputs.prompt, run.model.width
    lookup = grid(run, "embed.lookup", exact=True)
    waves = tuple(column(f"d{i}_{wave(i)}", f"d{i} {wave(i)}", FORM, symbol=f"P{i}") for i in range(width))
    return (
        Table(
            id="embed.tokens",
            step="1",
            title="Words become ids",
            stage="embed",
            columns=(POSITION, TOKEN, column("id", form=INTEGER)),
            rows=tuple(
                Row(
                    Key(str(position), position),
                    (
                        position_cell(position),
                        Label(token),
                        Number(number, Source("inputs.ids", (position,)), exact=True),
                    ),
                )
                for position, (token, number) in enumerate(zip(prompt, run.inputs.ids, strict=True))
            ),
            note="Every word of the prompt is one of the {model.vocabulary} words that the model knows, and its id is"
            " nothing but its place in that list.",
        ),
        Table(
            id="embed.lookup",
            step="2",
            title="Ids become vectors",
            stage="embed",
            columns=(TOKEN, *dimension_columns(run.model.dimensions, decimals(lookup))),
            rows=token_rows(prompt, lookup),
            note="A lookup computes nothing: it copies one row of the embedding table, whatever the neighbours.",
        ),
        Table(
            id="embed.positions",
            step="3",
            title="Positions as waves",
            stage="embed",
            columns=(POSITION, *waves),
            rows=tuple(
                Row(Key(str(position), position), (position_cell(position), *row))
                for position, row in enumerate(grid(run, "embed.waves"))
            ),
            note="Without these, attention would see a set of words and not a sentence. Each position gets a pattern"
            " of its own: fast waves in the first dimensions, slow ones in the last.",
        ),
        Table(
            id="embed.input",
            step="4",
            title="Meaning plus position",
            stage="embed",
            columns=(TOKEN, *numbered("x", width, FORM)),
            rows=token_rows(prompt, grid(run, "embed.x")),
            note="The sum makes meaning and position share the same {model.d_model} dimensions; from here on nothing"
            " tells which part of a number came from where.",
        ),
    )


def position_cell(position: int) -> Number:
    """Return a position as the number that the waves are made of."""
    return Number(position, Source("inputs.positions", (position,)), exact=True)


def wave(dimension: int) -> str:
    """Return which wave a dimension holds."""
    return "cos" if dimension % 2 else "sin"
