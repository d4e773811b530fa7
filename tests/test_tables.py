from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings

from tests.strategies import Case, cases, random_model
from tinyxf.catalog import Catalog
from tinyxf.chapter import catalog
from tinyxf.contents import STAGES
from tinyxf.errors import InputError
from tinyxf.formatting import TIE_GATE, Format, tie_distance
from tinyxf.table import Blank, Label, Number, Source
from tinyxf.tables.build import decimals, prefix
from tinyxf.tables.embed import wave
from tinyxf.tables.logits import ranking
from tinyxf.tables.weights import slug
from tinyxf.weights import woodchuck


def shown(own: Catalog, name: str) -> list[list[str]]:
    table = own.table(name)
    return [[table.text(i, j) for j in range(len(table.columns))] for i in range(len(table.rows))]


# -- the little pieces -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("probabilities", "order"),
    [
        ((0.1, 0.6, 0.3), (1, 2, 0)),
        ((0.25, 0.5, 0.25), (1, 0, 2)),  # a tie keeps the vocabulary's order
        ((0.25 - 1e-16, 0.5, 0.25), (1, 0, 2)),  # so does a difference of the last bit
        ((0.25 - 1e-9, 0.5, 0.25), (1, 2, 0)),
        ((1.0,), (0,)),
        ((), ()),
    ],
)
def test_ranking(probabilities: tuple[float, ...], order: tuple[int, ...]) -> None:
    assert ranking(probabilities) == order


@pytest.mark.parametrize(
    ("values", "digits"),
    [
        ((0.0, 1.0), 1),
        ((0.5, -2.0), 1),
        ((0.25, 1.0), 2),
        ((0.125, 1.0), 3),
        ((0.12345, 1.0), 4),  # no more than four
        ((1e-9,), 4),
        ((1e6, 100), 1),
        ((), 1),
    ],
)
def test_as_many_decimals_as_weights_need(values: tuple[float, ...], digits: int) -> None:
    assert decimals((tuple(map(Number, values)),)) == Format(digits=digits)


def test_labels_need_no_decimals() -> None:
    assert decimals(((Label("0.125"), Blank(), Number(0.5)),)) == Format(digits=1)


@pytest.mark.parametrize(
    ("name", "key"),
    [("thing", "thing"), ("GPT2 small", "gpt2_small"), ("d-0", "d_0"), (" Größe ", "gr_sse"), ("木", "_"), ("", "_")],
)
def test_slugs(name: str, key: str) -> None:
    assert slug(name) == key


def test_blocks_after_the_first_have_a_prefix() -> None:
    assert [prefix(block) for block in range(3)] == ["", "block2.", "block3."]


def test_waves_take_turns() -> None:
    assert [wave(dimension) for dimension in range(5)] == ["sin", "cos", "sin", "cos", "sin"]


# -- the standard run ------------------------------------------------------------------------------------------------


def test_weights_are_shown_as_they_were_typed() -> None:
    own = catalog()
    assert shown(own, "weights.embedding")[1] == ["chuck", "0.0", "1.0", "0.0", "0.5"]
    assert shown(own, "weights.h2.wq") == [
        # from          q0     q1
        ["thing",      "0.0", "0.0"],
        ["action",     "0.0", "0.0"],
        ["quantifier", "0.0", "1.0"],
        ["wood",       "1.0", "0.0"],
    ]  # fmt: skip
    assert shown(own, "weights.b1") == [["0.0"] * 4 + ["-0.5"] * 4]
    assert [row[0] for row in shown(own, "weights.wo")] == ["h1_0", "h1_1", "h2_0", "h2_1"]


@pytest.mark.parametrize(
    ("name", "title", "symbol", "first"),
    [
        ("weights.embedding", "Embedding E: one row a word", "E", ""),
        ("weights.h1.wq", "W_Q of head 1: what it asks for", "WQ1", ""),
        ("weights.h2.wk", "W_K of head 2: what it answers to", "WK2", ""),
        ("weights.h2.wv", "W_V of head 2: what it hands over", "WV2", ""),
        ("attention.h2.weights", "Head 2: how much each token listens to each", "A2", ""),
        ("attention.h2.qkv", "Head 2: query, key, value", "", "h2.q0"),
        ("attention.output", "What the heads found, joined", "", ""),
    ],
)
def test_titles_and_symbols_name_their_head(name: str, title: str, symbol: str, first: str) -> None:
    table = catalog().table(name)
    assert (table.title, table.symbol, table.columns[1].symbol) == (title, symbol, first)


def test_the_norms_show_what_they_measured() -> None:
    # x of "a" is 0, 1, 1, 1: mean 0.75, variance (0.75^2 + 3 * 0.25^2) / 4 = 0.1875, and its root
    assert shown(catalog(), "attention.norm_stats")[0] == ["a", "0.7500", "0.1875", "0.4330"]


def test_what_is_exact_may_stand_on_a_tie_and_nothing_else_stands_near_one() -> None:
    numbers = list(catalog().published())
    for number in numbers:
        if not number.number.exact:
            assert tie_distance(number.number.value, number.format) > TIE_GATE, number.address
    exact = {number.address.split("/")[0] for number in numbers if number.number.exact}
    computed = {number.address.split("/")[0] for number in numbers if not number.number.exact}
    # positions and the one-hot target are whole numbers beside computed ones
    assert exact & computed == {"embed.positions", "loss.gradient"}
    assert {name for name in exact if name.startswith(("weights.", "params."))} == {
        table.id for table in catalog().tables if table.stage in ("weights", "params")
    }


def test_every_table_has_a_title_and_stages_come_in_order() -> None:
    own = catalog()
    order = [stage.name for stage in STAGES]
    stages = [order.index(table.stage) for table in own.tables]
    assert stages == sorted(stages)
    assert all(table.title and not table.title.endswith(".") for table in own.tables)
    assert len({table.title for table in own.tables}) == len(own.tables)
    # every table of a step has a note; the weights have theirs beside them, on their page
    assert all(own.note(table) for table in own.tables if table.step)


def test_column_keys_are_slugs_unless_they_are_tokens() -> None:
    for table in catalog().tables:
        for column in table.columns:
            assert column.key.position is not None or re.fullmatch("[a-z0-9_]+", column.key.name), table.id


def test_the_header_says_what_runs() -> None:
    assert catalog().header == (
        ("prompt", "a woodchuck would chuck"),
        ("target", "wood"),
        ("model", "d_model 4, heads 2, d_head 2, d_ff 8, blocks 1, vocabulary 8"),
    )
    assert catalog(prompt=("how", "much"), target=".").header[:2] == (("prompt", "how much"), ("target", "."))


SCALARS = {
    "model.d_model": "4",
    "model.heads": "2",
    "model.d_head": "2",
    "model.joined": "4",
    "model.d_ff": "8",
    "model.blocks": "1",
    "model.vocabulary": "8",
    "model.tokens": "4",
    "model.max_tokens": "16",
    "model.parameters": "172",
    "model.eps": "0.00001",
    "model.base": "10000",
    "attention.scale": "1.4142",
    "loss.before": "1.1690",
    "loss.after": "0.9119",
    "loss.improvement": "0.2570",
    "loss.rate": "0.5",
    "params.untied_saving": "32",
    "params.gpt2_small_saving": "38,597,376",  # 50257 x 768
}


def test_scalars() -> None:
    own = catalog()
    assert {name: own.lookup(name).display for name in SCALARS} == SCALARS


# -- other prompts and models ----------------------------------------------------------------------------------------


def test_a_repeated_token_is_told_apart_by_its_position() -> None:
    own = catalog(prompt=("would", "a", "would"))
    assert own.lookup("attention.h1.scores", "would@2", "would@0").address == "attention.h1.scores/would@2/would@0"
    assert own.lookup("embed.lookup", "a", "quantifier").address == "embed.lookup/a/quantifier"
    positions = own.table("embed.tokens")
    assert [positions.address(row, 2) for row in range(3)] == [f"embed.tokens/{row}/id" for row in range(3)]
    assert own.lookup("embed.tokens", 1, "id").display == "0"


def test_a_prompt_of_one_token_still_has_row_keys() -> None:
    own = catalog(prompt=("a",))
    assert own.lookup("attention.h1.weights/a/a").display == "1.0000"
    assert own.lookup("logits.norm/z0").address == "logits.norm/z0"


def test_a_second_block_has_tables_of_its_own() -> None:
    words = ("a", "b")
    model = random_model(1, vocabulary=words, width=3, heads=1, head_width=2, hidden=2, blocks=2)
    own = catalog(words, "a", model)
    first = [name for name in own.names() if name.startswith(("attention.", "ffn.")) and name != "attention.scale"]
    second = [name for name in own.names() if name.startswith(("block2.attention.", "block2.ffn."))]
    assert second == [f"block2.{name}" for name in first]
    assert "block2.weights.h1.wq" in own.names()
    # what comes in is what the first block left
    for column in range(3):
        came_in = own.lookup("block2.attention.residual", "a", f"in{column}").number
        left = own.lookup("ffn.residual", "a", f"y{column}").number
        assert came_in == left
    # 2 x 3 + 2 (3 x 3 x 2 + 2 x 3 + 3 x 2 + 2 + 2 x 3 + 3)
    assert shown(own, "params.count")[-2:] == [["one block of 2", "", "41"], ["TOTAL", "", "88"]]
    assert shown(own, "params.count")[2][0] == "attention, 1 head"
    assert own.lookup("params.sizes/tinyxf/parameters").display == "88"


def heads_of(case: Case) -> int:
    return len(case.model.blocks[0].heads)


@settings(max_examples=15)
@given(cases(most_tokens=16, most_blocks=2))
def test_every_model_and_prompt_has_its_tables(case: Case) -> None:
    own = catalog(case.prompt, case.target, case.model)
    half = [f"attention.h{h + 1}.{part}" for h in range(heads_of(case)) for part in ("qkv", "scores", "weights")]
    block = ["attention.norm", *half, "attention.output", "attention.residual", "ffn.hidden", "ffn.residual"]
    assert [table.id for table in own.tables if not table.companion] == [
        "embed.tokens", "embed.lookup", "embed.positions", "embed.input",
        *(prefix(number) + name for number in range(len(case.model.blocks)) for name in block),
        "logits.norm", "logits.prediction", "loss.gradient", "loss.step", "params.count", "params.sizes",
    ]  # fmt: skip
    ranked = [row.cells[2] for row in own.table("logits.prediction").rows]
    probabilities = [cell.value for cell in ranked if isinstance(cell, Number)]
    assert len(probabilities) == len(case.model.vocabulary)
    assert all(first >= later - 1e-12 for first, later in pairwise(probabilities))
    masked = sum(isinstance(cell, Blank) for row in own.table("attention.h1.weights").rows for cell in row.cells)
    assert masked == len(case.prompt) * (len(case.prompt) - 1) // 2


def test_a_source_names_the_array_of_its_own_block() -> None:
    words = ("a", "b")
    model = random_model(1, vocabulary=words, width=3, heads=2, head_width=2, hidden=2, blocks=2)
    own = catalog(words, "a", model)
    assert own.lookup("block2.attention.h2.weights/b/a").number.source == Source(
        "blocks.1.attention.heads.1.softmax.weights", (1, 0)
    )
    assert own.lookup("block2.weights.h2.wk", "d1", "k0").number.source == Source("model.blocks.1.heads.1.wk", (1, 0))


def test_a_bad_prompt_is_refused_by_the_chapter() -> None:
    with pytest.raises(InputError, match='unknown token "wodchuck"; did you mean "woodchuck"'):
        catalog(prompt=("wodchuck",))
    with pytest.raises(InputError, match='unknown target "wod"'):
        catalog(target="wod")
    with pytest.raises(InputError, match="the prompt is empty"):
        catalog(prompt=())


def test_another_model_of_the_same_sizes_is_another_run() -> None:
    model = woodchuck()
    other = replace(model, embedding=model.embedding * 2)
    assert catalog(model=other).lookup("loss.before") != catalog().lookup("loss.before")
