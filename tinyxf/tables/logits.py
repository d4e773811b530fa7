"""Steps 13 and 14 as tables."""

from __future__ import annotations

from tinyxf.formatting import Format
from tinyxf.model import Run
from tinyxf.table import Key, Label, Row, Table
from tinyxf.tables.build import FORM, TOKEN, cell, column, grid, numbered, softmax_columns, softmax_row, token_rows

_SAME = 12  # decimals to which two probabilities count as tied


def logits_tables(run: Run) -> tuple[Table, ...]:
    """Return steps 13 and 14: final norm, prediction."""
    words = run.model.vocabulary
    order = ranking(tuple(float(p) for p in run.logits.softmax.weights))
    stats = tuple(cell(run, f"logits.norm.{part}", 0, 0) for part in ("mean", "variance", "denominator"))
    return (
        Table(
            id="logits.norm",
            step="13",
            title="The last row, normed",
            stage="logits",
            columns=numbered("z", run.model.width, FORM),
            rows=(Row(None, grid(run, "logits.z")[0]),),
            note="Only the last position predicts the next word, so only its row goes on. The other rows have done"
            " their work: the last one has listened to them.",
        ),
        Table(
            id="logits.norm_stats",
            step="13",
            title="What the final norm measured",
            stage="logits",
            columns=tuple(
                column(part, form=FORM, symbol=f"z.{part}") for part in ("mean", "variance", "denominator")
            ),
            rows=(Row(None, stats),),
            note="One row, one mean, one variance.",
            companion=True,
        ),
        Table(
            id="logits.exp",
            step="14",
            title="The exponential of each logit",
            stage="logits",
            columns=(TOKEN, column("exp", form=FORM)),
            rows=token_rows(words, [(cell(run, "logits.softmax.exponentials", i),) for i in range(len(words))]),
            note="exp of each logit less the largest one, in the order of the vocabulary.",
            companion=True,
        ),
        Table(
            id="logits.softmax",
            step="14",
            title="The largest logit, and the sum of the exponentials",
            stage="logits",
            columns=softmax_columns("logits.maximum", "logits.total"),
            rows=softmax_row(run, "logits.softmax"),
            note="Each probability is one exponential divided by this sum.",
            companion=True,
        ),
        Table(
            id="logits.prediction",
            step="14",
            title="The prediction",
            stage="logits",
            columns=(
                TOKEN,
                column("logit", form=FORM),
                column("probability", form=FORM, symbol="p"),
                column("percent", form=Format(digits=1, percent=True), symbol="p"),
            ),
            rows=tuple(
                Row(
                    Key(words[i], i),
                    (
                        Label(words[i]),
                        cell(run, "logits.logits", i),
                        cell(run, "logits.softmax.weights", i),
                        cell(run, "logits.softmax.weights", i),
                    ),
                )
                for i in order
            ),
            note="One table read both ways: the rows that looked words up now score them, which saves"
            " {params.untied_saving} parameters. Sorted by probability; the probabilities sum to 1.",
        ),
    )


def ranking(probabilities: tuple[float, ...]) -> tuple[int, ...]:
    """Return the words' ids from the most to the least likely, ties in vocabulary order.

    Words of equal embedding tie in truth, but matrix products may differ in the last bit, hence the rounding.
    """
    return tuple(sorted(range(len(probabilities)), key=lambda i: (-round(probabilities[i], _SAME), i)))
