from __future__ import annotations

import json

import pytest

from tests.altered import altered, without
from tests.second_chapter import catalog
from tinyxf.book.expand import expand
from tinyxf.book.history.diff import DIFFS, compare_snapshots
from tinyxf.book.history.snapshot import Snapshot, take_snapshot
from tinyxf.catalog import Catalog

TEA = catalog()
PAGES = {
    "docs/brew.md": (
        'It holds {{ n("brew.total") }} mg, or {{ n("brew.total") / 2 }} mg in half.\n'
        'Of {{ n("brew.leaves") }} leaves, one has none.\n\n{{ table("brew.blend") }}\n'
    ),
    "docs/cool.md": (
        'At last {{ n("cool.last") }} degrees, about {{ n("cool.last", digits=0) }}; at first *much* more.\n\n'
        '{{ table("cool.minutes") }}\n'
    ),
    "docs/run.md": '{{ table("brew.blend") }}\n\n{{ table("cool.minutes") }}\n',
}


def side(made: Catalog = TEA, **pages: str) -> Snapshot:
    texts = PAGES | {f"docs/{name}.md": text for name, text in pages.items()}
    return take_snapshot(made, [expand(page, text, made) for page, text in texts.items()])


def difference(new: Snapshot, form: str = "text", old: Snapshot | None = None) -> str:
    return DIFFS[form](compare_snapshots(old or side(), new))


MORE = side(altered(TEA, {"brew.blend/green/grams": 2.4, "brew.total": 72.6, "cool.minutes/3/degrees": 57.8112}))


def test_changed_numbers_come_with_the_sentences_and_tables_they_stand_in() -> None:
    assert (
        difference(MORE)
        == """\
Published numbers: 4 changed.

brew.blend/green/grams: 2.0 -> 2.4
  docs/brew.md:4: in the table brew.blend
  docs/run.md:1: in the table brew.blend

cool.minutes/3/degrees: 57.79 -> 57.81
  docs/cool.md:1: At last 57.81 degrees, about 58; at first much more.
  docs/cool.md:3: in the table cool.minutes
  docs/run.md:3: in the table cool.minutes

brew.total: 70.0 -> 72.6
  docs/brew.md:1: It holds 72.6 mg, or 36.3 mg in half.

n("brew.total") / 2: 35.0 -> 36.3
  docs/brew.md:1: It holds 72.6 mg, or 36.3 mg in half.
"""
    )


def test_markdown_is_a_table_with_what_moved_in_bold() -> None:
    assert (
        difference(MORE, "md")
        == """\
**Published numbers: 4 changed.**

| number | before | now | where it stands |
|---|--:|--:|---|
| brew.blend/green/grams | 2.0 | **2.4** | docs/brew.md:4: in the table brew.blend<br>\
docs/run.md:1: in the table brew.blend |
| cool.minutes/3/degrees | 57.79 | **57.81** | \
docs/cool.md:1: At last **57.81** degrees, about 58; at first much more.<br>\
docs/cool.md:3: in the table cool.minutes<br>docs/run.md:3: in the table cool.minutes |
| brew.total | 70.0 | **72.6** | docs/brew.md:1: It holds **72.6** mg, or 36.3 mg in half. |
| n(&#34;brew.total&#34;) / 2 | 35.0 | **36.3** | docs/brew.md:1: It holds 72.6 mg, or **36.3** mg in half. |
"""
    )


def test_json_has_it_all() -> None:
    rows = json.loads(difference(MORE, "json"))
    assert rows[1:3] == [
        {
            "number": "cool.minutes/3/degrees",
            "old": "57.79",
            "new": "57.81",
            "sentences": [
                {
                    "page": "docs/cool.md",
                    "line": 1,
                    "text": "At last 57.81 degrees, about 58; at first much more.",
                }
            ],
            "tables": [
                {"page": "docs/cool.md", "line": 3, "table": "cool.minutes"},
                {"page": "docs/run.md", "line": 3, "table": "cool.minutes"},
            ],
        },
        {
            "number": "brew.total",
            "old": "70.0",
            "new": "72.6",
            "sentences": [
                {"page": "docs/brew.md", "line": 1, "text": "It holds 72.6 mg, or 36.3 mg in half."}
            ],
            "tables": [],
        },
    ]  # fmt: skip
    assert len(rows) == 4


@pytest.mark.parametrize(
    ("form", "nothing"),
    [
        ("text", "No published number changed.\n"),
        ("md", "**No published number changed.**\n"),
        ("json", "[]\n"),
    ],
)
def test_unchanged_digits_make_no_noise(form: str, nothing: str) -> None:
    noise = altered(TEA, {"cool.minutes/3/degrees": 57.7893242301, "brew.total": 70.0000001})
    reworded = (
        'Now {{ n("brew.total") }} mg, {{ n("brew.total") / 2 }} and {{ n("brew.total", digits=0) }} that is.\n'
    )
    assert difference(side(noise), form) == nothing
    assert difference(side(noise, brew=reworded, more=PAGES["docs/brew.md"], cool="Cool.\n"), form) == nothing


def test_a_number_that_is_gone_stands_where_it_stood() -> None:
    small = side(without(TEA, "cool.minutes"), cool="Nothing.\n", run="Nothing.\n")
    assert (
        difference(small)
        == """\
Published numbers: 4 gone.

cool.minutes/0/degrees: 100.00 -> (none)
  docs/cool.md:3: in the table cool.minutes
  docs/run.md:3: in the table cool.minutes

cool.minutes/1/degrees: 82.30 -> (none)
  docs/cool.md:3: in the table cool.minutes
  docs/run.md:3: in the table cool.minutes

cool.minutes/2/degrees: 68.52 -> (none)
  docs/cool.md:3: in the table cool.minutes
  docs/run.md:3: in the table cool.minutes

cool.minutes/3/degrees: 57.79 -> (none)
  docs/cool.md:1: At last 57.79 degrees, about 58; at first much more.
  docs/cool.md:3: in the table cool.minutes
  docs/run.md:3: in the table cool.minutes
"""
    )
    back = compare_snapshots(small, side())
    assert [(moved.change.old, moved.change.new) for moved in back][:1] == [(None, "100.00")]
    assert [sentence.text for sentence in back[3].sentences] == [
        "At last 57.79 degrees, about 58; at first much more."
    ]


def test_calculated_numbers_come_and_go_with_their_sentences() -> None:
    new = side(
        brew='It holds {{ n("brew.total") }} mg, or {{ n("brew.total") / 4 }} in a cup.\n', run=PAGES["docs/brew.md"]
    )
    assert (
        difference(new)
        == """\
Published numbers: 1 new.

n("brew.total") / 4: (none) -> 17.5
  docs/brew.md:1: It holds 70.0 mg, or 17.5 in a cup.
"""
    )
    assert difference(side(), old=new).startswith(
        'Published numbers: 1 gone.\n\nn("brew.total") / 4: 17.5 -> (none)\n  docs/brew.md:1: It holds'
    )


def test_a_change_behind_the_digits_of_a_table_is_seen_where_a_page_shows_more() -> None:
    fine = 'It ends at {{ n("cool.last", digits=5) }} degrees.\n'
    moved = altered(TEA, {"cool.minutes/3/degrees": 57.78935})
    assert (
        difference(side(moved, cool=fine), old=side(cool=fine))
        == """\
Published numbers: 1 changed.

n("cool.last", digits=5): 57.78932 -> 57.78935
  docs/cool.md:1: It ends at 57.78935 degrees.
"""
    )


def test_nothing_in_a_page_can_speak_in_the_pull_request() -> None:
    text = 'Thanks @all, <img src=x> | ![a](b) `x` **{{ n("brew.leaves") }}** #1.\n'
    old = side(brew=text)
    written = difference(side(altered(TEA, {"brew.leaves": 4}), brew=text), "md", old=old)
    assert written.splitlines()[-1] == (
        "| brew.leaves | 3 | **4** | docs/brew.md:1: Thanks &#64;all, \\| a x **4** \\#1. |"
    )
