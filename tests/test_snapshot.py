from __future__ import annotations

import json

import pytest

from tests.second_chapter import catalog
from tinyxf.book.expand import expand
from tinyxf.book.history.ledger import ledger_entries
from tinyxf.book.history.snapshot import (
    Mention,
    Sentence,
    Snapshot,
    TableShown,
    read_snapshot,
    take_snapshot,
    write_snapshot,
)
from tinyxf.errors import TinyxfError

TEA = catalog()
BREW = """\
---
title: Tea with {{ n("brew.total") }} mg
---

# Brewing

It holds {{ n("brew.total") }} mg, and half of that
is {{ n("brew.total") / 2 }} mg. {{ claim(n("brew.total") > 2) }} Nothing here.
Then it *cools* to {{ n("cool.last", digits=1) }} of {{ literal("100") }} degrees!

{{ table("brew.blend") }}

- {{ n("nowhere") }} is a mistake, {{ n("brew.leaves") }} is none.
"""
COOL = '{{ table("cool.minutes") }}\n\n`{{ n("brew.total") }}`\n\n{{ table("brew.blend") }}\n'
TOTAL = Mention("70.0", 'n("brew.total")', "brew.total", derived=False)
TAKEN = Snapshot(
    ledger_entries(TEA),
    (
        Sentence("docs/brew.md", 2, ("title: Tea with ", TOTAL, " mg")),
        Sentence(
            "docs/brew.md",
            7,
            (
                "It holds ",
                TOTAL,
                " mg, and half of that is ",
                Mention("35.0", 'n("brew.total") / 2', None, derived=True),
                " mg.",
            ),
        ),
        Sentence(
            "docs/brew.md",
            9,
            (
                "Then it cools to ",
                Mention("57.8", 'n("cool.last", digits=1)', "cool.minutes/3/degrees", derived=True),
                " of ",
                "100",
                " degrees!",
            ),
        ),
        Sentence(
            "docs/brew.md",
            13,
            ("", " is a mistake, ", Mention("3", 'n("brew.leaves")', "brew.leaves", derived=False), " is none."),
        ),
    ),
    (
        TableShown("docs/brew.md", 11, "brew.blend"),
        TableShown("docs/cool.md", 1, "cool.minutes"),
        TableShown("docs/cool.md", 5, "brew.blend"),
    ),
)


def test_a_snapshot_has_each_sentence_with_a_number_and_each_table() -> None:
    pages = [expand("docs/brew.md", BREW, TEA), expand("docs/cool.md", COOL, TEA)]
    assert take_snapshot(TEA, pages) == TAKEN


def test_a_sentence_reads_as_readers_see_it() -> None:
    assert [sentence.text for sentence in TAKEN.sentences] == [
        "title: Tea with 70.0 mg",
        "It holds 70.0 mg, and half of that is 35.0 mg.",
        "Then it cools to 57.8 of 100 degrees!",
        " is a mistake, 3 is none.",
    ]
    assert [[mention.name for mention in sentence.mentions] for sentence in TAKEN.sentences] == [
        ["brew.total"],
        ["brew.total", 'n("brew.total") / 2'],
        ['n("cool.last", digits=1)'],
        ["brew.leaves"],
    ]


def test_what_is_written_is_read_back() -> None:
    assert read_snapshot(write_snapshot(TAKEN)) == TAKEN
    assert write_snapshot(TAKEN).count("\n") == 1
    assert json.loads(write_snapshot(TAKEN))["form"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no snapshot of the book: JSONDecodeError"),
        ("[]", "no snapshot of the book: TypeError"),
        ("{}", "no snapshot of the book: KeyError"),
        ('{"form": 2, "numbers": []}', "the snapshot has form 2, expected 1"),
        ('{"form": 1, "numbers": [["x", "1", "1"]]}', "no snapshot of the book: TypeError"),
        ('{"form": 1, "numbers": [], "sentences": [{"page": "x", "line": "y", "parts": []}]}', "ValueError"),
        ('{"form": 1, "numbers": [], "sentences": [], "tables": [{"page": "x"}]}', "TypeError"),
    ],
)  # fmt: skip
def test_anything_else_is_refused(text: str, message: str) -> None:
    with pytest.raises(TinyxfError) as error:
        read_snapshot(text)
    assert message in str(error.value)
