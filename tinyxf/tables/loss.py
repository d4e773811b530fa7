"""Step 15 as tables."""

from __future__ import annotations

from tinyxf.formatting import INTEGER
from tinyxf.model import Run
from tinyxf.table import Row, Table
from tinyxf.tables.build import FORM, TOKEN, cell, column, softmax_columns, softmax_row, token_rows


def loss_tables(run: Run) -> tuple[Table, ...]:
    """Return step 15: the gradient by the logits, the step, the loss before and after."""
    words = run.model.vocabulary
    everyone = range(len(words))
    return (
        Table(
            id="loss.gradient",
            step="15",
            title="What each logit did wrong",
            stage="loss",
            columns=(
                TOKEN,
                column("p", form=FORM),
                column("target", form=INTEGER),
                column("dl_dlogit", "dL/dlogit", FORM, symbol="g", role="gradient"),
                column("p_after", "p after", FORM, symbol="p'"),
            ),
            rows=token_rows(
                words,
                [
                    (
                        cell(run, "logits.softmax.weights", i),
                        cell(run, "inputs.one_hot", i, exact=True),
                        cell(run, "loss.gradient", i),
                        cell(run, "loss.softmax_after.weights", i),
                    )
                    for i in everyone
                ],
            ),
            note="The gradient with respect to the logits is p minus the one-hot target: below zero at the target,"
            " which should rise, above zero everywhere else. The chain rule carries it from here to every weight.",
        ),
        Table(
            id="loss.logits",
            step="15",
            title="The step, logit by logit",
            stage="loss",
            columns=(
                TOKEN,
                column("before", form=FORM, symbol="logit"),
                column("after", form=FORM, symbol="logit'"),
                column("exp_after", "exp after", FORM, symbol="exp'"),
            ),
            rows=token_rows(
                words,
                [
                    (
                        cell(run, "logits.logits", i),
                        cell(run, "loss.logits_after", i),
                        cell(run, "loss.softmax_after.exponentials", i),
                    )
                    for i in everyone
                ],
            ),
            note="Each logit moves against its gradient, by {loss.rate} times it.",
            companion=True,
        ),
        Table(
            id="loss.softmax",
            step="15",
            title="The largest logit after the step, and the sum of the exponentials",
            stage="loss",
            columns=softmax_columns("maximum'", "total'"),
            rows=softmax_row(run, "loss.softmax_after"),
            note="The second softmax, of the logits after the step.",
            companion=True,
        ),
        Table(
            id="loss.step",
            step="15",
            title="The loss before and after",
            stage="loss",
            columns=(
                column("loss_before", "loss before", FORM, symbol="L"),
                column("loss_after", "loss after", FORM, symbol="L'"),
                column("improvement", form=FORM),
            ),
            rows=(Row(None, tuple(cell(run, f"loss.{name}") for name in ("before", "after", "improvement"))),),
            note="The loss is -ln p(target), in nats. One step of {loss.rate} on the logits takes it from"
            " {loss.before} to {loss.after}.",
        ),
    )
