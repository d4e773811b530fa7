from __future__ import annotations

import json

import pytest

from tinyxf.book.history.report import REPORTS, report
from tinyxf.errors import Problem

CLAIM = Problem("docs/b.md", 4, 7, 'claim is false: "x" = 1 is not > 2', "claim")
NAME = Problem("docs/a, b:c%.md", 12, 1, "50% off: unknown name,\r\nor\nnone → ☃", "name")
BOTH = [CLAIM, NAME, CLAIM]


def test_text_has_one_line_a_problem_sorted_by_place() -> None:
    assert report(BOTH) == (
        "docs/a, b:c%.md:12:1: 50% off: unknown name, or none → ☃\n"
        'docs/b.md:4:7: claim is false: "x" = 1 is not > 2\n'
    )  # fmt: skip


def test_annotations_are_escaped_as_github_reads_them() -> None:
    assert report(BOTH, "github") == (
        "::error file=docs/a%2C b%3Ac%25.md,line=12,col=1,title=name"
        "::docs/a, b:c%25.md:12:1: 50%25 off: unknown name,%0D%0Aor%0Anone → ☃\n"
        "::error file=docs/b.md,line=4,col=7,title=claim"
        '::docs/b.md:4:7: claim is false: "x" = 1 is not > 2\n'
    )


def test_json_keeps_every_field() -> None:
    assert json.loads(report(BOTH, "json")) == [
        {
            "file": "docs/a, b:c%.md",
            "line": 12,
            "column": 1,
            "kind": "name",
            "message": "50% off: unknown name,\r\nor\nnone → ☃",
        },
        {
            "file": "docs/b.md",
            "line": 4,
            "column": 7,
            "kind": "claim",
            "message": 'claim is false: "x" = 1 is not > 2',
        },
    ]


@pytest.mark.parametrize(("form", "nothing"), [("text", ""), ("github", ""), ("json", "[]\n")])
def test_nothing_is_said_where_nothing_is_wrong(form: str, nothing: str) -> None:
    assert report([], form) == nothing


def test_the_forms_are_known() -> None:
    assert list(REPORTS) == ["text", "github", "json"]
    with pytest.raises(KeyError):
        report([], "xml")
