from __future__ import annotations

from dataclasses import replace

import pytest

from tinyxf.catalog import Catalog, Published, Resolve, Scalar, Stage, merge
from tinyxf.errors import UnknownNameError
from tinyxf.formatting import COUNT, INTEGER, Format
from tinyxf.table import Blank, Cell, Column, Key, Label, Number, Row, Source, Table

HALF = Number(0.5, Source("a", (0, 1)), exact=True)

BOIL = Table(
    "boil.heat", "1", "Heat", "boil",
    (
        Column(Key("minute"), "minute"),
        Column(Key("degrees"), "degrees", Format(2)),
        Column(Key("share"), "share", Format(1, percent=True)),
    ),
    (
        Row(Key("0", 0), (Label("0"), Number(20.0), HALF)),
        Row(Key("1", 1), (Label("1"), Number(60.0), Blank("not measured"))),
    ),
    note="It starts at {boil.start} and ends at {boil.heat/1/degrees}, of {kettles}.",
)  # fmt: skip
POUR = Table(
    "pour.cups", "2", "Cups", "pour",
    (Column(Key("cups"), "cups", COUNT), Column(Key("spilled"), "spilled", Format(3))),
    (Row(None, (Number(1200), Number(0.125))),),
)  # fmt: skip
TEA = Catalog(
    title="Tea",
    stages=(Stage("boil", "Boiling"), Stage("pour", "Pouring", needs=("boil",))),
    tables=(BOIL, POUR),
    scalars=(
        Scalar("boil.start", "degrees at first", address="boil.heat/0/degrees"),
        Scalar("kettles", "kettles", number=Number(1, exact=True), format=INTEGER),
        Scalar("rate", "degrees a minute", number=Number(40.0, Source("rate"))),
    ),
    header=(("kettle", "small"),),
)


def cells(table: Table, *new: tuple[Cell, ...]) -> Table:
    return replace(table, rows=tuple(replace(row, cells=own) for row, own in zip(table.rows, new, strict=True)))


# -- looking up ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "address", "display", "title"),
    [
        (("boil.heat", "1", "degrees"), "boil.heat/1/degrees", "60.00", "Heat, degrees"),
        (("boil.heat", 1, "degrees"), "boil.heat/1/degrees", "60.00", "Heat, degrees"),
        (("boil.heat", "@0", "share"), "boil.heat/0/share", "50.0%", "Heat, share"),
        (("boil.heat/1/degrees",), "boil.heat/1/degrees", "60.00", "Heat, degrees"),
        (("boil.heat/@1/degrees",), "boil.heat/1/degrees", "60.00", "Heat, degrees"),
        # in a table of one row, the only key is the column's
        (("pour.cups", "cups"), "pour.cups/cups", "1,200", "Cups, cups"),
        (("pour.cups", None, "spilled"), "pour.cups/spilled", "0.125", "Cups, spilled"),
        (("pour.cups/spilled",), "pour.cups/spilled", "0.125", "Cups, spilled"),
        # a scalar is another name of a cell, or a constant
        (("boil.start",), "boil.heat/0/degrees", "20.00", "degrees at first"),
        (("kettles",), "kettles", "1", "kettles"),
        (("rate",), "rate", "40.0000", "degrees a minute"),
    ],
)
def test_a_number_is_found_by_name(
    names: tuple[str | int | None, ...], address: str, display: str, title: str
) -> None:
    found = TEA.lookup(*names)  # type: ignore[arg-type]  # one, two or three names
    assert (found.address, found.display, found.title) == (address, display, title)


def test_what_is_found_is_the_number_itself() -> None:
    assert TEA.lookup("boil.heat/0/share") == Published(
        "boil.heat/0/share", HALF, Format(1, percent=True), "Heat, share"
    )
    assert TEA.lookup("boil.heat/0/share").full == "0.5"


def test_a_number_in_a_column_without_a_format_is_shown_whole() -> None:
    bare = replace(BOIL, columns=(*BOIL.columns[:1], replace(BOIL.columns[1], format=None), *BOIL.columns[2:]))
    assert replace(TEA, tables=(bare, POUR)).lookup("boil.heat/1/degrees").display == "60"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("kettle",), 'unknown name "kettle"; did you mean "kettles"?'),
        (("zebra",), 'unknown name "zebra".'),
        (("boil.hat", "1", "degrees"), 'unknown table "boil.hat"; did you mean "boil.heat" or "boil.start"?'),
        (("boil.hat", "1"), 'unknown table "boil.hat"; did you mean "boil.heat" or "boil.start"?'),
        (("boil.hat/1/degrees",), 'unknown table "boil.hat"; did you mean "boil.heat" or "boil.start"?'),
        (("boil.heat",), '"boil.heat" is a table; name one of its cells, like "boil.heat/0/degrees"'),
        (("boil.heat", "1"), 'table "boil.heat" needs a column key too, one of "minute", "degrees", "share"'),
        (("pour.cups",), '"pour.cups" is a table; name one of its cells, like "pour.cups/cups"'),
        (("boil.heat/degrees",), 'table "boil.heat" needs a row key, one of "0", "1"'),
        (("boil.heat", "2", "degrees"), 'table "boil.heat" has no row "2". It has "0", "1"'),
        (
            ("boil.heat", "1", "degree"),
            'table "boil.heat" has no column "degree"; did you mean "degrees"? It has "minute", "degrees", "share"',
        ),
        (("pour.cups", "0", "cups"), 'table "pour.cups" has one row and takes no row key, found "0"'),
        (("boil.heat", "1", "share"), '"boil.heat/1/share" is not measured: there is no number to show'),
        (("boil.heat", "1", "minute"), '"boil.heat/1/minute" is the label "1", not a number'),
        (("a/b/c/d",), '"a/b/c/d" is not an address; expected table/row/column, tokens percent-encoded'),
    ],
)
def test_what_is_not_found_is_explained(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        TEA.lookup(*names)
    assert str(error.value) == message


def test_a_table_without_rows_has_no_cell_to_show_as_example() -> None:
    empty = replace(TEA, tables=(*TEA.tables, replace(POUR, id="pour.none", rows=())))
    with pytest.raises(UnknownNameError) as error:
        empty.lookup("pour.none")
    assert str(error.value) == '"pour.none" is a table; name one of its cells, like "pour.none"'


def test_a_table_is_found_by_id() -> None:
    assert TEA.table("pour.cups") is POUR
    with pytest.raises(UnknownNameError) as error:
        TEA.table("pour.cup")
    assert str(error.value) == 'unknown table "pour.cup"; did you mean "pour.cups"?'


# -- all of it -------------------------------------------------------------------------------------------------------


def test_every_number_is_published_once() -> None:
    assert [(number.address, number.display, number.full) for number in TEA.published()] == [
        ("boil.heat/0/degrees", "20.00", "20"),
        ("boil.heat/0/share", "50.0%", "0.5"),
        ("boil.heat/1/degrees", "60.00", "60"),
        ("pour.cups/cups", "1,200", "1200"),
        ("pour.cups/spilled", "0.125", "0.125"),
        ("kettles", "1", "1"),
        ("rate", "40.0000", "40"),
    ]


def test_names_come_in_order() -> None:
    assert TEA.names() == ("boil.heat", "pour.cups", "boil.start", "kettles", "rate")


def test_a_note_is_words_and_numbers() -> None:
    note = [part if isinstance(part, str) else (part.address, part.display) for part in TEA.note(BOIL)]
    assert note == [
        "It starts at ",
        ("boil.heat/0/degrees", "20.00"),
        " and ends at ",
        ("boil.heat/1/degrees", "60.00"),
        ", of ",
        ("kettles", "1"),
        ".",
    ]
    assert TEA.note(POUR) == ()
    assert [part for part in TEA.note(replace(BOIL, note="{kettles}")) if isinstance(part, str)] == []
    assert TEA.note(replace(BOIL, note="{ } {a b} and {}")) == ("{ } {a b} and {}",)  # braces, but no names


def test_other_digits_change_decimals_and_leave_counts_alone() -> None:
    shown = [number.display for number in TEA.with_digits(1).published()]
    assert shown == ["20.0", "50.0%", "60.0", "1,200", "0.1", "1", "40.0000"]
    assert [number.display for number in TEA.with_digits(0).published()][:2] == ["20", "50%"]
    assert TEA.with_digits(3).lookup("boil.start").display == "20.000"
    assert TEA.lookup("boil.start").display == "20.00"


# -- a catalog checks itself -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"tables": (BOIL, POUR, replace(POUR, title="Again"))},
            "duplicate id: pour.cups; every table and scalar needs a name of its own",
        ),
        (
            {"scalars": (*TEA.scalars, Scalar("pour.cups", "a table's name", number=HALF))},
            "duplicate id: pour.cups; every table and scalar needs a name of its own",
        ),
        (
            {"scalars": (*TEA.scalars, TEA.scalars[0], TEA.scalars[1])},
            "duplicate id: boil.start, kettles; every table and scalar needs a name of its own",
        ),
        (
            {"tables": (replace(BOIL, stage="bolt"), replace(POUR, stage="por"))},
            "tables name unknown stages: bolt, por; expected boil, pour",
        ),
        (
            {"stages": (*TEA.stages, Stage("pour", "Again"))},
            "duplicate stage: pour; every stage needs a flag of its own",
        ),
        (
            {"stages": (Stage("boil", "Boiling", needs=("well",)), Stage("pour", "Pouring"))},
            "stages need unknown stages: well; expected boil, pour",
        ),
        (
            {"tables": (replace(BOIL, note="See {boil.heat/7/degrees}."), POUR)},
            'a scalar or a note refers to nothing: table "boil.heat" has no row "7". It has "0", "1"',
        ),
        (
            {"tables": (replace(BOIL, note="See {kettle}."), POUR)},
            'a scalar or a note refers to nothing: unknown name "kettle"; did you mean "kettles"?',
        ),
        (
            {"scalars": (*TEA.scalars, Scalar("lost", "points nowhere", address="boil.heat/0/minute"))},
            'a scalar or a note refers to nothing: "boil.heat/0/minute" is the label "0", not a number',
        ),
        (
            {"scalars": (*TEA.scalars, Scalar("empty", "names nothing"))},
            'a scalar or a note refers to nothing: unknown name "".',
        ),
        (
            {"scalars": (*TEA.scalars, Scalar("me", "names itself", address="me"))},
            'a scalar or a note refers to nothing: "me" renames the scalar "me", expected a cell',
        ),
    ],
)
def test_a_catalog_that_does_not_hold_together_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=r"duplicate|unknown|refers") as error:
        replace(TEA, **change)  # type: ignore[arg-type]  # one field at a time
    assert str(error.value) == message


# -- several chapters ------------------------------------------------------------------------------------------------

COFFEE = Catalog(
    title="Coffee",
    stages=(Stage("boil", "Boiling"), Stage("grind", "Grinding")),
    tables=(replace(POUR, id="grind.beans", stage="grind"),),
    scalars=(Scalar("beans", "beans", address="grind.beans/cups"),),
    header=(("mill", "old"),),
)


def test_chapters_join_in_order() -> None:
    both = merge([TEA, COFFEE])
    assert both.title == "Tea and Coffee"
    assert [stage.name for stage in both.stages] == ["boil", "pour", "grind"]  # the same stage is one stage
    assert both.names() == (
        "boil.heat", "pour.cups", "grind.beans", "boil.start", "kettles", "rate", "beans",
    )  # fmt: skip
    assert both.header == (("kettle", "small"), ("mill", "old"))
    assert both.lookup("beans").address == "grind.beans/cups"


def test_a_single_chapter_stays_as_it_is() -> None:
    assert merge([TEA]) is TEA


def test_chapters_that_share_an_id_are_refused() -> None:
    with pytest.raises(ValueError, match=r"duplicate id: boil\.heat, boil\.start, kettles, pour\.cups, rate; every"):
        merge([TEA, replace(TEA, title="Tea again")])


def test_chapters_that_share_a_flag_are_refused() -> None:
    with pytest.raises(ValueError, match="duplicate stage: boil; every stage needs a flag of its own"):
        merge([TEA, replace(COFFEE, stages=(Stage("boil", "Boiling milk"), Stage("grind", "Grinding")))])


def test_a_blank_may_say_why() -> None:
    table = cells(POUR, (Blank("spilled"), Number(0.0)))
    with pytest.raises(UnknownNameError, match=r'"pour\.cups/cups" is spilled: there is no number to show'):
        replace(TEA, tables=(BOIL, table)).lookup("pour.cups/cups")


def traced(part: Catalog) -> Catalog:
    """Give the chapter a trace whose nodes say where they were found."""

    def run() -> Resolve:
        return lambda source: f"{part.title} {source}"

    return replace(part, traced=run)


def test_a_source_says_which_chapter_it_is_of() -> None:
    steam, beans = traced(TEA), traced(COFFEE)
    both = merge([steam, replace(beans, tables=(cells(beans.tables[0], (HALF, Number(0.125))),))])
    sources = [both.lookup(name).number.source for name in ("boil.heat/0/share", "beans", "grind.beans/spilled")]
    assert sources == [Source("a", (0, 1)), Source("2:a", (0, 1)), None]
    assert both.traced is not None
    assert [both.traced()(source) for source in sources[:2] if source] == ["Tea a[0, 1]", "Coffee a[0, 1]"]


def test_the_numbers_of_a_chapter_without_a_trace_are_given() -> None:
    beans = replace(COFFEE, tables=(cells(COFFEE.tables[0], (HALF, Number(0.125))),))
    both = merge([traced(TEA), beans])
    assert both.lookup("beans").number == replace(HALF, source=None)
    assert both.traced is not None
    assert both.traced()(Source("rate")) == "Tea rate"
    with pytest.raises(LookupError):
        both.traced()(Source("2:a", (0, 1)))
    assert merge([TEA, beans]).traced is None
