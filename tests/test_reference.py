"""The published numbers are right: every output is read back and held against figures that others computed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.reading import Seen, parse_html, read_csv, read_html, read_json, read_markdown, read_tex, read_text
from tinyxf.chapter import catalog
from tinyxf.params import EPS, RATE
from tinyxf.weights import PROMPT, TARGET, woodchuck

REFERENCE = Path(__file__).parent / "reference"

# Step of the reference tables -> id, in the order of the run: all of head 1, then head 2.
IDS = {
    "1": "embed.tokens",
    "2": "embed.lookup",
    "3": "embed.positions",
    "4": "embed.input",
    "5": "attention.norm",
    "6.1": "attention.h1.qkv",
    "7.1": "attention.h1.scores",
    "8.1": "attention.h1.weights",
    "6.2": "attention.h2.qkv",
    "7.2": "attention.h2.scores",
    "8.2": "attention.h2.weights",
    "9": "attention.output",
    "10": "attention.residual",
    "11": "ffn.hidden",
    "12": "ffn.residual",
    "13": "logits.norm",
    "14": "logits.prediction",
    "15": "loss.gradient",
    "15.after": "loss.step",
    "16": "params.count",
    "16.sizes": "params.sizes",
}


def reference(name: str) -> Any:
    return json.loads((REFERENCE / f"{name}.json").read_text(encoding="utf-8"))


def expected() -> dict[str, Seen]:
    """Return the reference tables by id, as an output must show them."""
    tables = {}
    for table in reference("forward")["tables"]:
        step = table["step"].removesuffix(".after").removesuffix(".sizes")
        columns = [column or "percent" for column in table["columns"]]  # step 14 leaves its last head empty
        tables[IDS[table["step"]]] = Seen(step, columns, table["rows"])
    return tables


def test_the_reference_is_whole() -> None:
    tables = expected()
    assert list(tables) == list(IDS.values())
    assert len(tables) == 21
    assert sum(len(row) for table in tables.values() for row in table.rows) == 508


# -- out of the catalog ----------------------------------------------------------------------------------------------


def test_prompt_and_target_are_those_of_the_reference() -> None:
    assert reference("forward")["prompt"] == list(PROMPT)
    assert reference("forward")["target"] == TARGET


@pytest.mark.parametrize("name", IDS.values())
def test_the_catalog_shows_the_reference_tables(name: str) -> None:
    table = catalog().table(name)
    rows = [[table.text(i, j) for j in range(len(table.columns))] for i in range(len(table.rows))]
    assert Seen(table.step, [column.label for column in table.columns], rows) == expected()[name]
    assert not table.companion


def test_reference_tables_come_in_the_order_of_the_run_and_all_others_are_companions() -> None:
    assert [table.id for table in catalog().tables if not table.companion] == list(IDS.values())


# -- out of each output of the command line --------------------------------------------------------------------------

READERS: dict[str, Callable[[str], dict[str, Seen]]] = {
    "text": read_text,
    "md": read_markdown,
    "html": read_html,
    "csv": read_csv,
    "json": read_json,
}


@cache
def output_of(form: str, *more: str) -> str:
    """Run the command line as a reader does."""
    done = subprocess.run(
        [sys.executable, "-m", "tinyxf", "--format", form, *more],
        check=True, capture_output=True, cwd=Path(__file__).parents[1],
    )  # fmt: skip
    assert done.stderr == b""
    return done.stdout.decode("utf-8")


@pytest.mark.parametrize("form", READERS)
def test_each_format_shows_the_reference_tables(form: str) -> None:
    seen = READERS[form](output_of(form))
    assert list(seen) == list(IDS.values())
    for name, table in expected().items():
        assert seen[name] == table, name


def test_latex_shows_the_reference_tables() -> None:
    seen = read_tex(output_of("tex"))
    titles = {catalog().table(name).title: table for name, table in expected().items()}
    assert seen == titles


@pytest.mark.parametrize("form", READERS)
def test_each_format_shows_companions_on_request(form: str) -> None:
    """Companions have no reference, but every format must say the same of them."""
    seen = READERS[form](output_of(form, "--companions"))
    assert list(seen) == [table.id for table in catalog().tables]
    for table in catalog().tables:
        rows = [[table.text(i, j) for j in range(len(table.columns))] for i in range(len(table.rows))]
        assert seen[table.id] == Seen(table.step, [column.label for column in table.columns], rows), table.id


# -- out of the built site -------------------------------------------------------------------------------------------


def test_the_site_shows_the_reference_tables(built_site: Path) -> None:
    """Wherever a page shows one of the tables, it shows it whole and right; and a page shows each."""
    shown: dict[str, list[str]] = {}
    for page in sorted(built_site.rglob("*.html")):
        for name, table in read_html(parse_html(page.read_text(encoding="utf-8"))).items():
            shown.setdefault(name, []).append(page.name)
            if name in IDS.values():
                assert table == expected()[name], f"{name} on {page.name}"
    assert set(IDS.values()) <= set(shown)
    assert all("run.html" in shown[name] for name in IDS.values())


def test_a_masked_cell_of_the_site_has_a_word_for_those_who_listen(built_site: Path) -> None:
    page = parse_html((built_site / "attention.html").read_text(encoding="utf-8"))
    (box,) = (part for part in page.iter() if part.get("data-table") == "attention.h1.weights")
    cells = [
        "".join(cell.itertext()) for row in box.iter("tr") for cell in row if "tx-blank" in cell.get("class", "")
    ]
    assert len(cells) == 6
    assert all(cell.startswith("-") and "masked" in cell for cell in cells)


# -- the weights, the constants, the counts --------------------------------------------------------------------------


def test_the_weights_are_those_of_the_reference() -> None:
    model, wanted = woodchuck(), reference("model")
    (block,) = model.blocks
    assert list(model.vocabulary) == wanted["vocabulary"]
    assert list(model.dimensions) == wanted["dimensions"]
    heads = {
        f"W{letter.upper()}{number}": getattr(head, f"w{letter}")
        for number, head in enumerate(block.heads, start=1)
        for letter in "qkv"
    }
    rest = {"EMB": model.embedding, "WO": block.wo, "W1": block.w1, "B1": block.b1, "W2": block.w2, "B2": block.b2}
    found = {name: weight.tolist() for name, weight in (heads | rest).items()}
    assert found == wanted["weights"]


def test_the_constants_are_those_of_the_reference() -> None:
    model, wanted = woodchuck(), reference("model")
    assert (model.width, len(model.blocks[0].heads), model.head_width, model.hidden) == (
        wanted["d_model"], wanted["heads"], wanted["d_head"], wanted["d_ff"],
    )  # fmt: skip
    assert (wanted["eps"], wanted["learning_rate"]) == (EPS, RATE)
    assert (list(PROMPT), TARGET) == (wanted["prompt"], wanted["target"])


def test_the_weights_page_shows_the_reference_weights(built_site: Path) -> None:
    seen = read_html((built_site / "weights.html").read_text(encoding="utf-8"))
    wanted = reference("model")["weights"]
    ids = {
        "EMB": "weights.embedding", "WO": "weights.wo",
        "W1": "weights.w1", "B1": "weights.b1", "W2": "weights.w2", "B2": "weights.b2",
        **{f"W{letter.upper()}{head}": f"weights.h{head}.w{letter}" for head in (1, 2) for letter in "qkv"},
    }  # fmt: skip
    assert set(ids) == set(wanted)
    for name, table in ids.items():
        rows = [row if name in ("B1", "B2") else row[1:] for row in seen[table].rows]
        assert [[float(cell) for cell in row] for row in rows] == np.atleast_2d(wanted[name]).tolist(), table


COUNTS = {model["model"]: model for model in reference("counts")["models"]}


@pytest.mark.parametrize("name", COUNTS)
def test_published_models_are_counted_part_by_part(name: str) -> None:
    own, wanted = catalog(), COUNTS[name]
    key = name.casefold().replace("-", "").replace(" ", "_")

    def number(table: str, column: str) -> float:
        return own.lookup(table, key, column).number.value

    assert number("params.shapes", "vocabulary") == wanted["vocab"]
    assert number("params.shapes", "d_ff") == wanted["d_ff"]
    assert number("params.simple", "simple") == number("params.exact", "simple") == wanted["simple"]
    assert number("params.shapes", "n_ctx") == wanted["n_ctx"]
    assert number("params.exact", "positions") == wanted["positions"]
    assert number("params.exact", "attention_biases") == wanted["attention_biases"]
    assert number("params.exact", "norms") == wanted["layer_norms"]
    assert number("params.exact", "exact") == wanted["exact"]
    parts = sum(number("params.simple", part) for part in ("embedding", "attention", "feed_forward"))
    assert parts == wanted["simple"]
    if name in ("GPT-2 small", "GPT-2 medium", "GPT-3"):  # those of step 16
        sizes = [number("params.sizes", column) for column in ("d_model", "layers", "heads", "parameters")]
        assert sizes == [wanted["d_model"], wanted["layers"], wanted["heads"], wanted["simple"]]


def test_this_model_is_counted_with_what_it_leaves_out() -> None:
    own, wanted = catalog(), reference("counts")["toy"]
    simple, positions, biases, norms, exact = (
        own.lookup("params.exact", "tinyxf", part).number.value
        for part in ("simple", "positions", "attention_biases", "norms", "exact")
    )
    assert (simple, positions) == (wanted["simple"], wanted["positions"])
    assert simple + norms == wanted["with_layer_norm_gain_and_bias"]
    assert exact == simple + norms + biases == wanted["with_attention_biases"]


def test_totals_that_stand_elsewhere_in_print() -> None:
    table = catalog().table("params.published")
    shown = {number.value for _, _, number, _ in table.numbers()}
    wanted = {int(total) for total in reference("counts")["other_published_totals"] if total.isdecimal()}
    assert shown == wanted
    without = {row.cells[0].text: row.cells[1].value for row in table.rows}  # type: ignore[union-attr]  # label, number
    assert without["GPT-2 small, exact"] - without["GPT-2 small without query, key and value biases"] == 27648
