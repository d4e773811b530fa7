"""Tables as CSV and JSON: every cell, every sign as typed, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from tests.golden_texts import Golden
from tests.invented import mix
from tests.test_render import odd
from tinyxf.catalog import Catalog, Stage
from tinyxf.data import FIELDS, table_csv, tables_csv, tables_json
from tinyxf.formatting import COUNT, Format, full_value
from tinyxf.table import Blank, Column, Key, Label, Number, Row, Table


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_csv_has_a_line_for_each_cell() -> None:
    head, *lines = read(tables_csv(mix().tables))
    assert tuple(head) == FIELDS
    assert len(lines) == sum(len(table.rows) * len(table.columns) for table in mix().tables)
    assert lines[1] == ["mix.words", "1", "Words", "0", "1", "share", "0.3107", "0.31068985", "mix.words/a/share"]
    assert lines[7] == ["mix.words", "1", "Words", "1", "3", "count", "-", "", ""]


def test_one_table_as_csv_reads_as_readers_see_it() -> None:
    assert table_csv(mix().table("mix.losses")) == "before,after\n1.1690,0.9119\n"
    assert read(table_csv(mix().table("mix.words")))[2] == ["b", "-0.6805", "0.2%", "-"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+2", "'=1+2"),
        ("+x", "'+x"),
        ("-x", "'-x"),
        ("@sum", "'@sum"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("--", "'--"),
        ("-1x", "'-1x"),
        ("+", "'+"),
        ("=-1", "'=-1"),
        ("-", "-"),
        ("-1,234.5", "-1,234.5"),
        ("+12.5%", "+12.5%"),
        ("-0.5", "-0.5"),
        ("a=b", "a=b"),
        ('say "no", twice', 'say "no", twice'),
        ("two\nlines", "two\nlines"),
        ("", ""),
    ],
)
def test_a_spreadsheet_runs_no_word_and_every_number_stays_one(text: str, written: str) -> None:
    table = Table("a.b", "1", text, "a", (Column(Key("w"), text),), (Row(Key("x"), (Label(text),)),))
    assert read(table_csv(table)) == [[written], [written]]
    assert read(tables_csv([table]))[1] == ["a.b", "1", written, "0", "0", written, written, "", ""]


def test_csv_and_json_come_out_as_kept(golden: Golden) -> None:
    golden.check("odd.csv", tables_csv(odd().tables))
    golden.check("odd.json", tables_json(odd(), odd().tables))


def test_json_holds_texts_values_and_addresses() -> None:
    catalog = odd()
    data = json.loads(tables_json(catalog, catalog.tables))
    assert list(data) == ["tables"]
    tokens, single = data["tables"]
    assert (tokens["id"], tokens["step"], tokens["stage"]) == ("odd.tokens", "1.a", "odd")
    assert tokens["note"] == "So *1.25* is <b> & $x_1$, 100 % of `it`."
    assert tokens["columns"][1:] == [
        {"key": "x_1", "label": "x_1", "digits": 2},
        {"key": "share", "label": "%", "digits": 0},
    ]
    for table, own in zip(catalog.tables, (tokens, single), strict=True):
        assert [[cell["text"] for cell in row] for row in own["rows"]] == [
            [table.text(i, j) for j in range(len(table.columns))] for i in range(len(table.rows))
        ]
        found = {cell["address"]: cell["value"] for row in own["rows"] for cell in row if "address" in cell}
        assert found == {table.address(i, j): pytest.approx(number.value) for i, j, number, _ in table.numbers()}
    assert tables_json(catalog, []) == '{"tables": [\n\n]}\n'


@pytest.mark.parametrize("value", [0.1, -0.0, 1e-7, 1500000.0, 123578112, 1 / 3, 2.0, 1e-15])
def test_values_are_plain_numbers_of_ten_digits(value: float) -> None:
    table = Table("a.b", "1", "t", "a", (Column(Key("x"), "x", Format()),), (Row(None, (Number(value),)),))
    catalog = Catalog("t", (Stage("a", "A"),), (table,))
    (cell,) = json.loads(tables_json(catalog, [table]), parse_float=str, parse_int=str)["tables"][0]["rows"][0]
    assert cell["value"] == full_value(value) == read(tables_csv([table]))[1][7]
    assert "e" not in cell["value"].lower()
    assert json.loads(cell["value"]) == pytest.approx(value, rel=1e-9, abs=1e-14)


def test_counts_and_masked_cells() -> None:
    table = replace(
        mix().table("mix.losses"),
        columns=(Column(Key("a"), "a", COUNT), Column(Key("b"), "b", Format(percent=True, digits=1))),
        rows=(Row(None, (Number(1234567, exact=True), Blank())),),
    )
    assert table_csv(table) == 'a,b\n"1,234,567",-\n'
    assert '{"text": "1,234,567", "value": 1234567, "address": "mix.losses/a"}, {"text": "-"}' in tables_json(
        mix(), [table]
    )
