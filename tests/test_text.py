"""Tables as the terminal shows them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.golden_texts import Golden
from tests.invented import SIGNS, mix
from tests.reading import read_text
from tinyxf.catalog import Catalog, Stage
from tinyxf.formatting import INTEGER, Format
from tinyxf.table import Blank, Column, Key, Label, Number, Row, Table
from tinyxf.text import WIDTH, display_width, text_header, text_list, text_note, text_table


def small(note: str = "") -> Catalog:
    table = Table(
        "a.b",
        "7.1",
        "A title",
        "a",
        (Column(Key("w"), "word"), Column(Key("x"), "x", Format(digits=2)), Column(Key("n"), "count", INTEGER)),
        (
            Row(Key("a"), (Label("long word"), Number(-0.5), Number(3))),
            Row(Key("b"), (Label("b"), Number(10.125), Blank())),
        ),
        note=note,
    )
    return Catalog("Title", (Stage("a", "A"),), (table,), header=(("prompt", "x y"), ("a", "b")))


def test_a_table_is_aligned_words_left_and_numbers_right() -> None:
    catalog = small("It is {a.b/a/x}.")
    assert text_table(catalog, catalog.table("a.b")) == (
        "Step 7.1  A title  [a.b]\n"
        "\n"
        "  word           x  count\n"
        "  long word  -0.50      3\n"
        "  b          10.13      -\n"
        "\n"
        "  It is -0.50.\n"
    )


def test_no_line_ends_in_blanks() -> None:
    catalog = small()
    table = replace(
        catalog.table("a.b"), columns=(*catalog.table("a.b").columns[:2], Column(Key("n"), "a long head"))
    )
    shown = text_table(catalog, table)
    assert all(line == line.rstrip() for line in shown.splitlines())
    assert shown.endswith("-\n")


def test_long_notes_are_wrapped() -> None:
    catalog = small(" ".join(["word"] * 60))
    *_, first, second, third, fourth = text_table(catalog, catalog.table("a.b")).splitlines()
    for line in (first, second, third, fourth):
        assert line.startswith("  word")
        assert len(line) <= WIDTH
    assert text_note(catalog, catalog.table("a.b")) == " ".join(["word"] * 60)


def test_the_header_names_the_run() -> None:
    assert text_header(small()) == "Title\nprompt  x y\na       b\n"
    assert text_header(replace(small(), header=())) == "Title\n"


def test_the_list_has_a_line_a_table() -> None:
    assert text_list(mix()) == "mix.words   1  Words\nmix.losses  2  Losses\nmix.signs   3  Signs\n"
    assert text_list(replace(mix(), tables=(), scalars=())) == ""


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("日本", 4), ("é", 1), ("e\u0301", 1), ("", 0), ("ｱ", 1), ("Ａ", 2)]
)
def test_width_is_what_a_terminal_takes(text: str, width: int) -> None:
    assert display_width(text) == width


def test_wide_words_stay_aligned() -> None:
    catalog = small()
    table = catalog.table("a.b")
    wide = replace(
        table, rows=(replace(table.rows[0], cells=(Label("日本"), *table.rows[0].cells[1:])), table.rows[1])
    )
    lines = text_table(catalog, wide).splitlines()[2:]
    assert lines == ["  word      x  count", "  日本  -0.50      3", "  b     10.13      -"]


def test_the_invented_tables_come_out_as_kept(golden: Golden) -> None:
    catalog = mix()
    golden.check("mix.txt", "\n".join(text_table(catalog, table) for table in catalog.tables))


def test_what_is_written_reads_back() -> None:
    catalog = mix()
    shown = read_text("\n".join(text_table(catalog, table) for table in catalog.tables))
    assert [row[0] for row in shown["mix.signs"].rows] == list(SIGNS)
