"""Formulas at build time: found where the Markdown extension marked them, MathML or a reason in their place."""

from __future__ import annotations

import html
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyxf.book.maths import displayed, fill_formulas, formula


def fill(page: str) -> tuple[str, list[tuple[str, str]]]:
    complaints: list[tuple[str, str]] = []

    def complain(latex: str, reason: str) -> str:
        complaints.append((latex, reason))
        return "[wrong]"

    return fill_formulas(page, lambda latex: latex.replace("TOKEN", "1.25"), str, complain), complaints


def test_formulas_become_mathml_in_their_places() -> None:
    page, complaints = fill(
        '<p>a <span class="arithmatex">\\(x &lt; TOKEN\\)</span> b</p>\n<div class="arithmatex">\\[\ny\n\\]</div>'
    )
    assert page == (
        "<p>a <math><mi>x</mi><mo>&lt;</mo><mn>1.25</mn></math> b</p>\n"
        '<div class="tx-maths" role="group" aria-label="formula" tabindex="0">'
        '<math display="block"><mi>y</mi></math></div>'
    )
    assert complaints == []


@pytest.mark.parametrize(
    ("latex", "reason"),
    [
        (r"\bad", 'Unknown command "\\bad".'),
        (r"\frac{1}", "Expected argument but reached end of input."),
        ("a & b", 'Found "&", which may only appear in a table-like environment.'),
        ("x^2^3", "Duplicate subscript or superscript."),
    ],
)
def test_a_formula_that_cannot_be_read_says_why_in_one_plain_line(latex: str, reason: str) -> None:
    with pytest.raises(ValueError, match=r"\A[^\x1b\n]*\Z") as error:
        formula(latex, display=False)
    assert str(error.value) == reason


def test_the_marks_around_a_formula_stay_with_it() -> None:
    span = '<span class="arithmatex">\\(x\\)</span>'
    page, _ = fill(f'see ({span}), or {span}-fold <em>{span}</em>.<div class="arithmatex">\\[x\\]</div>.')
    x = "<math><mi>x</mi></math>"
    held = f'see <span class="tx-held">({x}),</span> or <span class="tx-held">{x}-</span>fold <em>{x}</em>.'
    assert page == (
        f'{held}<div class="tx-maths" role="group" aria-label="formula" tabindex="0">'
        '<math display="block"><mi>x</mi></math></div>.'
    )


@pytest.mark.parametrize(
    ("latex", "count"),
    [
        (r"x = 1 \qquad y = 2", 2),
        (r"x \qquad\qquad y\qquad 1 \qquad", 3),
        (r"x \quad y", 1),
        (r"\left( x \qquad y \right)", 1),
        (r"\sqrt{a \qquad b}", 1),
        (r"\begin{aligned} x &= 1 \qquad y \\ z &= 2 \end{aligned} \qquad 1", 1),
    ],
)
def test_formulas_set_far_apart_may_wrap(latex: str, count: int) -> None:
    made = displayed(latex, str)
    assert made.count("<math") == count
    assert made.count('class="tx-maths"') == 1


def test_a_wrong_one_among_formulas_is_told_of() -> None:
    with pytest.raises(ValueError, match="Unknown command"):
        displayed(r"x \qquad \bad", str)


def test_the_complaint_takes_the_place_of_the_formula_and_others_stay() -> None:
    page, complaints = fill(
        '<span class="arithmatex">\\(\\bad TOKEN\\)</span>, <span class="arithmatex">\\(x\\)</span>,'
        ' <div class="arithmatex">\\[\\frac{&amp;}\\]</div>'
    )
    assert page == '[wrong], <span class="tx-held"><math><mi>x</mi></math>,</span> [wrong]'
    assert [latex for latex, _ in complaints] == ["\\bad TOKEN", "\\frac{&}"]


def test_a_page_without_formulas_is_left_alone() -> None:
    page = '<p>\\(x\\) <code>&lt;span class="arithmatex"&gt;\\(x\\)&lt;/span&gt;</code></p>'
    assert fill(page) == (page, [])


@given(st.text(alphabet=st.sampled_from("\\{}[]()^_&$%#~ab1 \n<>\"'é→\x00")) | st.text(), st.booleans())
def test_any_text_gives_mathml_or_a_reason(latex: str, display: bool) -> None:  # noqa: FBT001  drawn
    try:
        made = formula(latex, display=display)
    except ValueError as error:
        made = f"<math>{html.escape(str(error))}</math>"
    assert "\x1b" not in made.replace(latex, "")
    HTMLParser().feed(made)
    if not any(ord(letter) < 32 for letter in latex):
        assert ET.fromstring(made).tag == "math"  # noqa: S314  made here
