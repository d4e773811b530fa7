"""What was surely meant to be a placeholder is pointed out, and what was not is left alone."""

from __future__ import annotations

import pytest

from tests.invented import mix
from tinyxf.book.checks.misses import near_misses
from tinyxf.book.expand import expand


@pytest.mark.parametrize(
    ("page", "places"),
    [
        ('a {{n("loss")}} b', [(1, 3)]),
        ('a {{n("loss") }}\n{n("loss")}', [(1, 3), (2, 1)]),
        ("{{-table('x')}}", [(1, 1)]),
        ('{{claim(n("loss") > 1)}}', [(1, 1)]),
        ('{{\tliteral("x") }}', [(1, 1)]),
        ('- {{n("loss")}}\n\n> {{ n("loss") }} {{n("loss")}}', [(1, 3), (3, 19)]),
        ('{{ n("loss") }} {{ n("los") }} {{ n("loss")}}', []),  # placeholders, right or wrong
        ('`{{n("loss")}}`\n\n    {{n("loss")}}\n\n```\n{{n("loss")}}\n```', []),
        ("$\\frac{{a}_{{i}}}{{b}}$ {{a}} {{n}} {{n(1)}} {{ m(x)}}", []),
        ("$f{n(x)}$ {table} {#n}", []),
    ],
)
def test_near_misses(page: str, places: list[tuple[int, int]]) -> None:
    found = near_misses(expand("a.md", page, mix()))
    assert [(problem.line, problem.column) for problem in found] == places
    assert all("begins with two braces and a space" in problem.message for problem in found)
