from __future__ import annotations

import math

import numpy as np
import pytest

from tinyxf.errors import UnknownNameError
from tinyxf.formatting import COUNT, Format
from tinyxf.table import Blank, Column, Key, Label, Number, Row, Source, Table, key_names, split_address


def tokens(*names: str) -> tuple[Key, ...]:
    return tuple(Key(name, position) for position, name in enumerate(names))


def square(*names: str) -> Table:
    """Return a table with a row and a column for each token; the cell of row i, column j holds 10 i + j."""
    keys = tokens(*names)
    return Table(
        id="t",
        step="7.1",
        title="Square",
        stage="s",
        columns=(Column(Key("query_key"), "query \\ key"), *(Column(key, key.name, Format(1)) for key in keys)),
        rows=tuple(
            Row(key, (Label(key.name), *(Number(10.0 * i + j) for j in range(len(keys)))))
            for i, key in enumerate(keys)
        ),
    )


def single() -> Table:
    columns = (
        Column(Key("loss_before"), "loss before", Format(2)),
        Column(Key("loss_after"), "loss after", Format(2)),
    )
    return Table("loss.step", "15", "Losses", "loss", columns, (Row(None, (Number(1.5), Number(0.5))),))


# -- cells -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kept", "kind"),
    [
        (172, 172, int),
        (1.5, 1.5, float),
        (np.float64(1.5), 1.5, float),
        (np.float32(1.5), 1.5, float),
        (np.int64(3), 3, int),
        (2**60 + 1, 2**60 + 1, int),
        (np.int64(2**60 + 1), 2**60 + 1, int),
    ],
)
def test_a_number_keeps_its_value_as_a_plain_number(given: float, kept: float, kind: type) -> None:
    number = Number(given)
    assert (number.value, type(number.value)) == (kept, kind)
    assert "np." not in repr(number)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_a_number_is_finite(value: float) -> None:
    with pytest.raises(ValueError, match="a published number must be finite"):
        Number(value)


def test_a_source_reads_like_an_index() -> None:
    assert str(Source("blocks.0.ffn.hidden", (3, 0))) == "blocks.0.ffn.hidden[3, 0]"
    assert str(Source("loss.before")) == "loss.before"


def test_each_kind_of_cell_has_its_text() -> None:
    table = Table(
        "t", "1", "Kinds", "s",
        (
            Column(Key("word"), "word"),
            Column(Key("count"), "count", COUNT),
            Column(Key("mask"), "mask", Format(4)),
            Column(Key("bare"), "bare"),
        ),
        (Row(Key("r"), (Label("<bos>"), Number(1234), Blank(), Number(7.0))),),
    )  # fmt: skip
    assert [table.text(0, column) for column in range(4)] == ["<bos>", "1,234", "-", "7"]
    assert [(row, column, number.value, form.digits) for row, column, number, form in table.numbers()] == [
        (0, 1, 1234, 0),
        (0, 3, 7.0, 0),
    ]


def test_nothing_is_exact_and_no_table_a_companion_unless_said() -> None:
    assert not Number(1.0).exact
    assert not single().companion


# -- a table checks itself -------------------------------------------------------------------------------------------


def test_a_row_of_the_wrong_width_is_refused() -> None:
    columns = (Column(Key("a"), "a"), Column(Key("b"), "b"))
    rows = (Row(Key("r0"), (Label("x"), Label("y"))), Row(Key("r1"), (Label("x"),)))
    with pytest.raises(ValueError, match="table t") as error:
        Table("t", "1", "Wrong", "s", columns, rows)
    assert str(error.value) == "table t: row 1 has 1 cells, expected 2"


def test_only_a_single_row_may_go_without_a_key() -> None:
    rows = (Row(None, (Label("x"),)), Row(Key("r"), (Label("y"),)), Row(None, (Label("z"),)))
    with pytest.raises(ValueError, match="table t") as error:
        Table("t", "1", "Wrong", "s", (Column(Key("a"), "a"),), rows)
    assert str(error.value) == "table t: rows [0, 2] have no key; only a table of one row may omit it"


@pytest.mark.parametrize(
    ("axis", "columns", "rows"),
    [
        ("row", ("a", "b"), ("r", "s", "r")),
        ("column", ("r", "a", "r"), ("a", "b")),
    ],
)
def test_keys_that_cannot_be_told_apart_are_refused(
    axis: str, columns: tuple[str, ...], rows: tuple[str, ...]
) -> None:
    cells = (Label(""),) * len(columns)
    with pytest.raises(ValueError, match="table t") as error:
        Table(
            "t", "1", "Wrong", "s",
            tuple(Column(Key(key), key) for key in columns),
            tuple(Row(Key(key), cells) for key in rows),
        )  # fmt: skip
    assert str(error.value) == f"table t: {axis} keys must differ, found twice: r"


def test_equal_tables_are_equal_and_hash_alike() -> None:
    assert square("a", "b") == square("a", "b")
    assert hash(square("a", "b")) == hash(square("a", "b"))
    assert square("a", "b") != square("a", "c")


# -- keys and addresses ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (tokens("a", "would", "chuck"), ("a", "would", "chuck")),
        (tokens("a", "would", "a"), ("a@0", "would", "a@2")),
        (tokens("<bos>", "a/b", " "), ("%3Cbos%3E", "a%2Fb", "%20")),
        (tokens("x@1", "%40", "@2", "."), ("x%401", "%2540", "%402", ".")),
        (tokens("größe", "木"), ("gr%C3%B6%C3%9Fe", "%E6%9C%A8")),
        ((Key("token"), *tokens("token", "b")), ("token", "token@0", "b")),
        ((), ()),
    ],
)
def test_keys_as_addresses_spell_them(keys: tuple[Key, ...], names: tuple[str, ...]) -> None:
    assert key_names(list(keys)) == names


def test_addresses_name_table_row_and_column() -> None:
    table = square("a", "b/c", "a")
    assert table.address(0, 1) == "t/a@0/a@0"
    assert table.address(1, 3) == "t/b%2Fc/a@2"
    assert table.row_names == ("a@0", "b%2Fc", "a@2")
    assert table.column_names == ("query_key", "a@0", "b%2Fc", "a@2")


def test_a_table_of_one_row_omits_the_row_key() -> None:
    table = single()
    assert table.row_names == ()
    assert table.address(0, 1) == "loss.step/loss_after"


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("loss.before", ("loss.before", None, None)),
        ("loss.step/loss_before", ("loss.step", None, Key("loss_before"))),
        ("t/a/b", ("t", Key("a"), Key("b"))),
        ("t/a@0/b%2Fc", ("t", Key("a", 0), Key("b/c"))),
        ("t/@3/%402", ("t", Key("", 3), Key("@2"))),
        ("t/x%401/x@1", ("t", Key("x@1"), Key("x", 1))),
        ("t/%2540/@", ("t", Key("%40"), Key("@"))),
        ("t/a@b/<bos>", ("t", Key("a@b"), Key("<bos>"))),
    ],
)
def test_an_address_comes_apart(address: str, parts: tuple[str, Key | None, Key | None]) -> None:
    assert split_address(address) == parts


def test_an_address_has_at_most_three_parts() -> None:
    with pytest.raises(UnknownNameError) as error:
        split_address("t/a/b/c")
    assert str(error.value) == '"t/a/b/c" is not an address; expected table/row/column, tokens percent-encoded'


# -- finding ---------------------------------------------------------------------------------------------------------

ODD = ("x", "x@0", "@2", "x", "%40", "a b")  # two tokens are called like another one's mark


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        # a whole number is a position, whatever tokens are called
        (0, 0),
        (2, 2),
        (5, 5),
        # in an author's words, a position alone is always accepted; else a token's own name comes first
        ("@2", 2),
        ("@3", 3),
        ("x@0", 1),
        ("x@3", 3),
        ("%40", 4),
        ("a b", 5),
        # an address's spelling is understood, too
        ("%402", 2),
        ("%2540", 4),
        ("a%20b", 5),
        # in an address the mark is apart, and nothing is guessed
        (Key("x", 0), 0),
        (Key("x@0"), 1),
        (Key("@2"), 2),
        (Key("", 2), 2),
        (Key("x", 3), 3),
        (Key("%40"), 4),
    ],
)
def test_a_key_finds_its_row_and_column(wanted: str | int | Key, index: int) -> None:
    table = square(*ODD)
    assert table.find_row(wanted) == index
    assert table.find_column(wanted) == index + 1  # the first column holds the tokens


def test_a_token_with_a_mark_in_its_name_needs_no_encoding_where_nothing_else_fits() -> None:
    assert square("a", "x@1").find_row(Key("x", 1)) == 1
    assert square("a", "b", "x@1").find_row(Key("x", 1)) == 2


def test_a_column_without_position_is_found_by_name_alone() -> None:
    table = square("a", "b")
    assert table.find_column("query_key") == 0
    assert table.find_column("@0") == 1


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("x", 'table "t": row "x" is ambiguous, write one of "x@0", "x@3"'),
        (Key("x"), 'table "t": row "x" is ambiguous, write one of "x@0", "x@3"'),
        ("wodchuck", 'table "t" has no row "wodchuck"; did you mean "woodchuck"?'),
        ("zebra", 'table "t" has no row "zebra".'),
        ("x@1", 'table "t" has no row "x@1"; did you mean "x@3" or "x@0"?'),
        ("@9", 'table "t" has no row "@9".'),
        (9, 'table "t" has no row "@9".'),
        (-1, 'table "t" has no row "@-1".'),
        (None, 'table "t" needs a row key, one of'),
    ],
)
def test_a_key_that_finds_nothing_or_too_much_lists_the_choices(wanted: str | int | Key | None, message: str) -> None:
    table = square("x", "woodchuck", "would", "x")
    with pytest.raises(UnknownNameError) as error:
        table.find_row(wanted)
    listed = ' It has "x@0", "woodchuck", "would", "x@3"' if "has no" in message else ""
    listed = ' "x@0", "woodchuck", "would", "x@3"' if "needs" in message else listed
    assert str(error.value) == message + listed


def test_an_unknown_column_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError) as error:
        single().find_column("loss_befor")
    assert str(error.value) == (
        'table "loss.step" has no column "loss_befor"; did you mean "loss_before" or "loss_after"?'
        ' It has "loss_before", "loss_after"'
    )


@pytest.mark.parametrize(("key", "said"), [("chuck", "chuck"), (0, "@0"), (Key("a", 1), "a@1")])
def test_a_table_of_one_row_takes_no_row_key(key: str | int | Key, said: str) -> None:
    assert single().find_row(None) == 0
    with pytest.raises(UnknownNameError) as error:
        single().find_row(key)
    assert str(error.value) == f'table "loss.step" has one row and takes no row key, found "{said}"'
