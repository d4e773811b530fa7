"""Numbers typed by hand: found where readers see them, named where published, excused where everybody types them."""

from __future__ import annotations

import time
from decimal import Decimal
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.invented import mix
from tinyxf.book.checks.known import MOST, Known, Written
from tinyxf.book.checks.numerals import prose_numerals, tex_numerals
from tinyxf.book.checks.typed import typed_problems
from tinyxf.book.expand import expand
from tinyxf.book.language.expression import evaluate
from tinyxf.book.language.pieces import NumberPiece
from tinyxf.book.language.values import PlaceholderError
from tinyxf.catalog import Catalog
from tinyxf.chapter import catalog
from tinyxf.errors import Problem
from tinyxf.formatting import Format, format_number

CATALOG = mix()
KNOWN = Known(CATALOG)


@cache
def chapter() -> Catalog:
    return catalog()


@cache
def chapter_numbers() -> Known:
    return Known(chapter())


def found(page: str) -> list[Problem]:
    return typed_problems(expand("a.md", page, CATALOG), KNOWN)


# -- what is a number


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1.5 and .25", ["1.5", ".25"]),
        ("12, 123 and 1,234,567.", ["12", "123", "1,234,567"]),
        ("5%, 5 %, 5 percent, 5 per cent, 12.5%", ["5%", "5 %", "5 percent", "5 per cent", "12.5%"]),
        ("1e-5 and 2.5E3", ["1e-5", "2.5E3"]),
        ("124M, 1.5B, 3k, 12bn", ["124M", "1.5B", "3k", "12bn"]),
        ("-0.68 and \u22120.68 and 3-10", ["0.68", "0.68", "10"]),
        ("a 16-token prompt, 16/32, (16), 16: 16; 16. 16", ["16", "16", "32", "16", "16", "16", "16", "16"]),
        ("0 1 2 9 and 3 words", []),
        ("W12 h1_10 x86 float64 1st 22nd 10th v2.5 12th", []),
        ("GPT-2 GPT-3.5 UTF-8 top-10", []),
        ("3.11.5 and 1.2.3.4", []),
        ("2026-11-29 #12 &#8212; &frac12;", []),
        ("https://a.b/12.5 www.x.y/10 mailto:a10@b", []),
        ("arXiv:1607.06450 arXiv 1607.06450 doi:10.1000/182 RFC 2616", []),
        ("step 7, step 12, Step 8.1, steps 5-10, steps 5\u201310, steps 5 to 10, steps 10, 11 and 12", []),
        (
            "section 3.2, figure 10, Fig. 12, table 10, pages 10-12, line 42, equation 12, Python 3.11, version 2.0",
            [],
        ),
        ("In step 7, 12 tokens", ["12"]),
        ("12 steps", ["12"]),
        ("10. ten\n11) eleven\n  12. twelve", []),
        ("Vaswani et al. 2017, Wolf 2017, Xiong, 2020, Press & Wolf 2017a", []),
        ("(2019) [2019] (Ba 2016; Xiong 2020) [Ba et al. 2016] (see Ba, 2016, p. 3) Wolf (2017)", []),
        ("in 2017, In 2017, Since 1998, the 2019 edition", ["2017", "2017", "1998", "2019"]),
        ("3017 and 1799 (3017)", ["3017", "1799", "3017"]),
    ],
)
def test_numbers_of_prose(text: str, numbers: list[str]) -> None:
    assert [numeral.text for numeral in prose_numerals(text)] == numbers
    assert all(text[numeral.start : numeral.end] == numeral.text for numeral in prose_numerals(text))


def test_a_heading_may_number_itself() -> None:
    assert prose_numerals(" 12 Attention", heading=True) == []
    assert prose_numerals(" 12.3: Attention", heading=True) == []
    assert [numeral.text for numeral in prose_numerals(" 12 Losses of 1.5", heading=True)] == ["1.5"]
    assert [numeral.text for numeral in prose_numerals("12 words")] == ["12"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("x = 0.5 + 12", ["0.5", "12"]),
        ("12d^2 + 13d", ["12", "13"]),
        (r"x_{12} 10^{-5} \frac{10}{2}", ["12", "10", "10"]),
        (r"31.1\% 1{,}234{,}567 1,234", [r"31.1\%", "1{,}234{,}567", "1,234"]),
        (r"x_1 + 2y, h_2, \frac12, a_10", []),
        (r"\hspace{10pt} \\[10pt] \tag{12} \begin{array}{10} 1.5em", ["10"]),
        (r"x-0.5", ["0.5"]),
    ],
)
def test_numbers_of_formulas(text: str, numbers: list[str]) -> None:
    assert [numeral.text for numeral in tex_numerals(text)] == numbers


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("12", Written(Decimal(12), 0)),
        ("1,234.50", Written(Decimal("1234.50"), 2)),
        ("-0.5", Written(Decimal("0.5"), 1, negative=True)),
        ("(-0.5", Written(Decimal("0.5"), 1, negative=True)),
        ("3-0.5", Written(Decimal("0.5"), 1)),
        ("5%", Written(Decimal(5), 0, Decimal("0.01"), percent=True)),
        ("1e-5", Written(Decimal("0.00001"), 5)),
        ("2.5e3", Written(Decimal(2500), 0)),
        ("124M", Written(Decimal(124), 0, Decimal(10**6))),
        ("1.5k", Written(Decimal("1.5"), 1, Decimal(1000))),
    ],
)
def test_what_a_number_says(text: str, written: Written) -> None:
    (numeral,) = prose_numerals(text)
    assert numeral.written == written


# -- which number it could be


@pytest.mark.parametrize(
    ("text", "candidates", "equal"),
    [
        ("1.1690", ['{{ n("loss") }}'], True),
        ("1.17", ['{{ n("loss", digits=2) }}'], True),
        ("1.168960112", ['{{ n("loss", digits=9) }}'], True),
        ("1.1691", ['{{ n("loss") }}'], False),
        ("1.1692", [], False),
        ("-1.1690", ['{{ n("loss") }}'], True),
        ("-0.6805", ['{{ n("mix.words", "b", "share") }}'], True),
        ("0.681", ['{{ n("mix.words", "b", "share", digits=3) }}'], True),
        ("31.1%", ['{{ n("mix.words", "a", "percent") }}', '{{ n("mix.words", "a", "share") | percent }}'], True),
        ("31.07%", ['{{ n("mix.words", "a", "share") | percent(2) }}'], True),
        ("10,000", ['{{ n("base") }}'], True),
        ("124M", ['{{ n("total") }}'], True),
        ("0.5", ['{{ n("rate") }}'], True),
        ("0.50", ['{{ n("rate", digits=2) }}'], True),
        ("25", [], False),
        ("1,234,567", ['{{ n("mix.words", "a", "count") }}'], True),
        ("1,234,568", ['{{ n("mix.words", "a", "count") }}'], False),
        ("12", ['{{ n("mix.words", "c", "count") }}', '{{ n("mix.signs/a%7Cb/number") }}'], True),
    ],
)
def test_a_published_number_is_named(text: str, candidates: list[str], equal: bool) -> None:  # noqa: FBT001  a case
    (numeral,) = prose_numerals(text)
    found_candidates, found_equal = KNOWN.candidates(numeral.written)
    assert found_candidates[: len(candidates)] == candidates
    assert bool(found_candidates) == bool(candidates)
    assert found_equal == equal
    assert len(found_candidates) <= MOST


def test_every_number_of_the_chapter_is_found_again_and_what_is_pasted_shows_it() -> None:
    """Type any published number as it is shown: the first placeholder shows the very same."""
    for number in chapter().published():
        text = number.display
        numerals = prose_numerals(text)
        if not numerals:
            assert len(text.lstrip("-")) == 1  # a single digit needs no placeholder
            continue
        candidates, equal = chapter_numbers().candidates(numerals[0].written)
        assert equal, text
        piece = evaluate(candidates[0].strip("{ }"), chapter())
        assert isinstance(piece, NumberPiece)
        assert piece.display == text


@settings(max_examples=200)
@given(st.data(), st.integers(1, 6), st.booleans())
def test_a_number_is_found_at_any_rounding(data: st.DataObject, digits: int, percent: bool) -> None:  # noqa: FBT001  drawn
    number = data.draw(st.sampled_from(list(chapter().published())))
    text = format_number(number.number.value, Format(digits=digits, percent=percent))
    (numeral,) = prose_numerals(text)
    candidates, equal = chapter_numbers().candidates(numeral.written)
    assert equal
    for candidate in candidates:
        try:
            piece = evaluate(candidate.strip("{ }"), chapter())
        except PlaceholderError as error:
            if error.kind != "tie":  # an approximation may stand on one at fewer digits
                raise
        else:
            assert isinstance(piece, NumberPiece)
            same = piece.display.replace(",", "").lstrip("-") == text.lstrip("-")
            assert same or number.format.percent or "percent" in candidate


# -- where it is looked for


@pytest.mark.parametrize(
    ("page", "places"),
    [
        ("a 12", [(1, 3)]),
        ("a\nb 12 and\n  13", [(2, 3), (3, 3)]),
        ("\ufeff12", [(1, 1)]),
        ("a\r\nb 12", [(2, 3)]),
        ("---\ntitle: 12 A 13\ndescription: a 14\n  15\nkeywords: 16\n---\n17", [(2, 13), (3, 16), (4, 3), (7, 1)]),
        ("# 12 A 13", [(1, 8)]),
        ("A 13\n===", [(1, 3)]),
        ("| 12 | a |\n|---|---|\n| b | 13 |", [(1, 3), (3, 7)]),
        ('- 12\n    - 13\n\n> 14\n\n!!! note "15"\n    16', [(1, 3), (2, 7), (4, 3), (6, 11), (7, 5)]),
        ("a[^1]\n\n[^1]: 12", [(3, 7)]),
        ("term 12\n: 13", [(1, 6), (2, 3)]),
        ("$12$ and $$13$$ and \\(14\\)", [(1, 2), (1, 12), (1, 23)]),
        ("$$\nx = 12\n$$", [(2, 5)]),
        ('![a 12](b13.png "c 14")', [(1, 5), (1, 20)]),
        ('[a 12](b13.md "c 14") [d][15]', [(1, 4), (1, 18)]),
        ('<img alt="12" src="13.png" title="14" width="15"> <b>16</b>', [(1, 11), (1, 35), (1, 54)]),
        ("<div>\n12 <i>13</i> `14`\n</div>", [(2, 1), (2, 7), (2, 15)]),
        ("<div markdown>\n12 `13`\n</div>", [(2, 1)]),
        ("*12* **13** _14_ ~~15~~", [(1, 2), (1, 8), (1, 14), (1, 20)]),
        ('{{ n("loss") }} 12 {{ n("mix.words", "c", "count") }} 13', [(1, 17), (1, 55)]),
        ('x{{ n("loss") }} 12', [(1, 18)]),
        ('x{{ n("loss") }}12', [(1, 2), (1, 17)]),  # it also touches the number before it
        ("`12` ``13`` <code>14</code> <!-- 15 -->", []),
        ("```\n12\n```\n\n    13\n\n<pre>14</pre>", []),
        ('[a]: b12.md "13"\n*[b]: 14', []),
        ("a {: width=12 } [b](c){ .d12 }\n{: #e-13 }", []),
        ("{{ n(12) }} {{ 13", [(1, 16)]),
        ("", []),
    ],
)
def test_places(page: str, places: list[tuple[int, int]]) -> None:
    problems = [problem for problem in found(page) if problem.kind == "typed"]
    assert [(problem.line, problem.column) for problem in problems] == places


def test_the_message_holds_what_to_paste() -> None:
    (problem,) = found("It is 1.17.")
    assert str(problem) == (
        'a.md:1:7: 1.17 is typed by hand and equals a published number; write {{ n("loss", digits=2) }}, '
        'or {{ literal("1.17") }} where it is meant'
    )
    (problem,) = found("It is $77\\%$.")
    assert problem.message == (
        '77\\% is typed by hand; write a placeholder, or {{ literal("77\\\\%") }} where it is meant'
    )
    assert found('It is ${{ literal("77\\\\%") }}$.') == []


@pytest.mark.parametrize(
    ("page", "needless"),
    [
        ('{{ literal("10") }}', []),
        ('{{ literal("1") }}0', []),
        ('{{ literal("5") }}%', []),
        ('0.{{ literal("5") }}', []),
        ('${{ literal("10") }}$', []),
        ('| {{ literal("10") }} | a |\n|---|---|\n', []),
        ('![a {{ literal("10") }}](b.png)', []),
        ('---\ntitle: a {{ literal("10") }}\n---\n', []),
        ('{{ literal("*x*") }} {{ literal("{{ a }}") }}', []),
        ('{{ literal("7") }}', [1]),
        ('{{ literal("x") }}', [1]),
        ('step {{ literal("12") }}', [6]),
        ('(Ba {{ literal("2016") }})', [5]),
        ('# {{ literal("12") }} A', [3]),
        ('---\nkeywords: {{ literal("10") }}\n---\n', [11]),
        ('<b class="x{{ literal("10") }}">', [12]),
        ('{{ literal("10") }} and {{ literal("7") }} and {{ literal("11") }} and {{ literal("8") }}', [25, 72]),
        ('`{{ literal("7") }}`', []),
    ],
)
def test_a_needless_mark_is_a_problem(page: str, needless: list[int]) -> None:
    problems = [problem for problem in found(page) if problem.kind == "literal"]
    assert [problem.column for problem in problems] == needless
    for problem in problems:
        assert problem.message.endswith(" marks nothing that needs a mark; write the text itself")


@settings(max_examples=200)
@given(st.text(alphabet="0123456789.,%eE-+kM ()[]{}$\\#&;:/'x\nAs", max_size=60))
def test_any_text_is_read(text: str) -> None:
    page = expand("a.md", f"{text}\n\n${text}$", CATALOG)
    for problem in typed_problems(page, KNOWN):
        line = page.text.split("\n")[problem.line - 1]
        assert line[problem.column - 1] in "0123456789."


@pytest.mark.parametrize(
    "shape",
    [
        "12 ",
        "1",
        "1,",
        "1.",
        "step 1, ",
        "steps 1, ",
        "[",
        "[2017",
        "A 2017 ",
        "a-",
        "https://",
        "&#1",
        "$1$ ",
        "10e",
        "1{,}",
    ],
)
def test_time_grows_with_the_page(shape: str) -> None:
    def seconds(size: int) -> float:
        page = expand("a.md", shape * (size // len(shape)), CATALOG)
        start = time.process_time()
        typed_problems(page, KNOWN)
        return time.process_time() - start

    ratios = []
    for _ in range(4):  # a busy machine may disturb one of them
        small = max(seconds(2000), 0.001)
        ratios.append(seconds(16000) / small)
        if ratios[-1] < 20:
            return
    pytest.fail(f"eight times the page took {min(ratios):.0f} times as long")


# -- what touches a computed number

LOSS, WORD = '{{ n("loss") }}', '{{ n("mix.words", "a", "count") }}'


@pytest.mark.parametrize(
    ("text", "touches"),
    [
        (f"d 1{LOSS}", "1"),
        (f"h 0.{LOSS}", "0."),
        (f"a 5*{LOSS}*", "5"),
        (f"a 1e-{LOSS}", "1e-"),
        (f"e -{LOSS}", "-"),
        (f"(\u2212**{LOSS}**)", "\u2212"),
        (f"{LOSS}5 a", "5"),
        (f"{LOSS}.5 a", ".5"),
        (f"{LOSS}e5 a", "e5"),
        (f"*{LOSS}*7", "7"),
        (f"f {LOSS}%", "%"),
        (f"$2{LOSS}$", "2"),
        (f"$0.{LOSS}$", "0."),
        (f"| a | b |\n|---|---|\n| 3{LOSS} | x |", "3"),
        (f"---\ntitle: Now 4{LOSS}\ndescription: x\n---\n", "4"),
    ],
)
def test_what_reads_as_part_of_a_number_is_a_problem(text: str, touches: str) -> None:
    (problem, *more) = [own for own in found(text) if "touches" in own.message]
    assert not more
    assert problem.message.startswith(f'"{touches}" touches {LOSS} and reads as part of the number; ')
    line, column = text.count("\n", 0, text.index(LOSS)) + 1, text.index(LOSS) - text.rfind("\n", 0, text.index(LOSS))
    assert (problem.line, problem.column) == (line, column)


@pytest.mark.parametrize("between", ["", ".", ",", "**", "*,*"])
def test_two_numbers_that_read_as_one_are_a_problem(between: str) -> None:
    (problem,) = found(f"a {LOSS}{between}{WORD} b")
    assert problem.message == f"{LOSS} and {WORD} read as one number; leave a space between them"


@pytest.mark.parametrize(
    "text",
    [
        f"GPT-{LOSS}, ({LOSS}), {LOSS}. {LOSS}, {LOSS}; x={LOSS}",
        f"from {LOSS}-{WORD}, {LOSS}\u2013{WORD}, {LOSS}/{WORD}, {LOSS}:{WORD}",
        f"{LOSS}[^1] and {LOSS}th and h{LOSS}\n\n[^1]: x",
        f"- {LOSS}\n- **{LOSS}**, *x*\n\n1. {LOSS}",
        f"$-{LOSS}$ and $x_1{LOSS}$ and $({LOSS},{WORD})$ and ${LOSS}^2$",
        f'{LOSS}{{{{ claim(n("loss") > 0) }}}}',
        f"`1{LOSS}` and [x](a{LOSS}5.html)",
    ],
)
def test_what_only_stands_beside_a_number_is_none(text: str) -> None:
    assert found(text) == []
