"""Reconciliation of small invented sites: one that is right, then everything that can happen to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

import pytest

from tests.altered import altered
from tests.second_chapter import catalog
from tinyxf.book.readback.reconcile import Shown, reconcile
from tinyxf.book.render import Renderer

TEA = catalog()
RENDERER = Renderer(TEA)
HOT, TOTAL = "cool.minutes/0/degrees", "brew.total"
HALF = 'n("brew.total") / 2'
FIGURE = f'<svg><title>Tea</title><text x="1" data-address="{HOT}">\n  <tspan>100.00</tspan>\n</text></svg>'


def table(name: str, *, ids: bool) -> str:
    return RENDERER.table(TEA.table(name), "html", ids=ids, note=False)


def page(*body: str) -> str:
    head = '<meta name="description" content="70.0 mg"><title>Of 20.0 degrees</title><link rel="x" href="y">'
    return "\n".join(["<!doctype html>", f"<html><head>{head}</head>", "<body>", *body, "</body></html>", ""])


BREW = page(
    "<h1 id='brew'>Brewing</h1>",
    table("brew.blend", ids=True),
    f'<p>All in all <data value="70" data-address="{TOTAL}">70.0</data> mg, and',
    f'<p>half is <data value="35" data-expression="{escape(HALF)}">35.0</data>,',
    f'or <data value="70" data-address="{TOTAL}" data-expression=\'n("brew.total", digits=0)\'>70</data>.',
    '<p><math><mn>70.0</mn><mo>/</mo><mn>3</mn></math> <code>{{ n("brew.total") }}</code> costs $10 {{x}}',
)
COOL = page(
    table("cool.minutes", ids=True),
    table("brew.blend", ids=False),
    FIGURE,
    '<img alt="at 20.0" src="x.svg"><nav>about <code>{{ n("brew.total") }}</code></nav>',
)
FILES = {
    "brew.html": BREW,
    "cool.html": COOL,
    "404.html": page('<a title=\'{{ n("brew.total") }}\'>no such page: {{ n("brew.total") }}</a>'),
}
SHOWN = (
    Shown(
        "brew.html",
        tables=("brew.blend",),
        numbers=(TOTAL, HALF, 'n("brew.total", digits=0)'),
        maths=("70.0", "3"),
        plain=("70.0",),
    ),
    Shown("cool.html", tables=("cool.minutes", "brew.blend"), plain=("20.0", "20.0"), blocks=(FIGURE,)),
)


def problems(files: Mapping[str, str] = FILES, shown: tuple[Shown, ...] = SHOWN) -> list[str]:
    found = reconcile(TEA, shown, files)
    assert {problem.kind for problem in found} <= {"reconcile"}
    return [str(problem) for problem in found]


def edited(path: str, old: str, new: str, count: int = 1) -> dict[str, str]:
    assert old in FILES[path]
    return {**FILES, path: FILES[path].replace(old, new, count)}


def place(path: str, mark: str) -> str:
    """Return where `mark` first stands in a file, as problems write it."""
    at = FILES[path].index(mark)
    return f"site/{path}:{FILES[path].count(chr(10), 0, at) + 1}:{at - FILES[path].rfind(chr(10), 0, at)}"


def test_a_site_as_built_has_no_problems() -> None:
    assert problems() == []


def test_a_minifier_may_take_what_html_does_not_need() -> None:
    small = {
        path: re.sub(r"</(?:p|td|th|tr|tbody|thead|body|html)>|\n", "", re.sub(r'="([\w.-]+)"', r"=\1", text))
        if path.endswith(".html")
        else text
        for path, text in FILES.items()
    }
    assert small["cool.html"] != FILES["cool.html"]
    assert problems(small) == []


# -- numbers that changed --------------------------------------------------------------------------------------------

INLINE = f'<data value="70" data-address="{TOTAL}">70.0'
CELL = '<data value="45" data-address="brew.blend/black%20%26%20strong/caffeine"'


@pytest.mark.parametrize(
    ("path", "old", "new", "mark", "message"),
    [
        ("brew.html", ">70.0</data>", ">70.1</data>", INLINE, 'brew.total shows "70.1", expected "70.0"'),
        ("brew.html", ">70.0</data>", ">70</data>", INLINE, 'brew.total shows "70", expected "70.0"'),
        ("brew.html", ">70.0</data>", ">7<b>1</b>.0</data>", INLINE, 'brew.total shows "71.0", expected "70.0"'),
        ("brew.html", ">70.0</data>", ">70 .0</data>", INLINE, 'brew.total shows "70 .0", expected "70.0"'),
        (
            "brew.html",
            f'value="70" data-address="{TOTAL}">',
            f'value="71" data-address="{TOTAL}">',
            INLINE,
            'brew.total has the value "71", expected "70"',
        ),
        (
            "brew.html",
            f'value="70" data-address="{TOTAL}">',
            f'data-address="{TOTAL}">',
            INLINE,
            'brew.total has the value "", expected "70"',
        ),
        ("brew.html", ">35.0<", ">35.5<", '<data value="35"', f'{HALF} shows "35.5", expected "35.0"'),
        ("brew.html", '"35"', '"36"', '<data value="35"', f'{HALF} has the value "36", expected "35"'),
        (
            "brew.html",
            "digits=0)'>70<",
            "digits=0)'>71<",
            f'<data value="70" data-address="{TOTAL}" data-expression',
            'n("brew.total", digits=0) shows "71", expected "70"',
        ),
        (
            "brew.html",
            f'data-address="{TOTAL}" data-expression',
            "data-expression",
            f'<data value="70" data-address="{TOTAL}" data-expression',
            'n("brew.total", digits=0) carries the address "", expected "brew.total"',
        ),
        (
            "brew.html",
            ">45.00<",
            ">54.00<",
            CELL,
            'brew.blend/black%20%26%20strong/caffeine shows "54.00", expected "45.00"',
        ),
        ("cool.html", "<tspan>100.00<", "<tspan>100<", '<text x="1"', f'{HOT} shows "100", expected "100.00"'),
        (
            "cool.html",
            '<text x="1" ',
            '<text x="1" value="99" ',
            '<text x="1"',
            f'{HOT} has the value "99", expected "100"',
        ),
    ],
)
def test_a_number_that_changed_is_found_where_it_is(path: str, old: str, new: str, mark: str, message: str) -> None:
    assert problems(edited(path, old, new)) == [f"{place(path, mark)}: {message}"]


# -- numbers that are lost -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "old", "new", "wanted"),
    [
        (
            "brew.html",
            f'<data value="70" data-address="{TOTAL}">70.0</data>',
            "70.0",
            [f'the number "{TOTAL}" is lost'],
        ),
        ("brew.html", f'<data value="70" data-address="{TOTAL}">70.0</data>', "", [f'the number "{TOTAL}" is lost']),
        (
            "brew.html",
            INLINE,
            f"<!--{INLINE}</data>-->70.0",
            [f'the number "{TOTAL}" is lost'],
        ),
        (
            "brew.html",
            f'<data value="35" data-expression="{escape(HALF)}">35.0</data>',
            "35.0",
            [f'the number "{HALF}" is lost'],
        ),
        ("cool.html", f' data-address="{HOT}">\n', ">\n", [f'the number "{HOT}" is lost']),
        ("brew.html", "<mn>70.0</mn>", "<mn>7</mn><mn>0.0</mn>", ['the number "70.0" is lost in formulas']),
        ("brew.html", "<mn>3</mn>", "", ['the number "3" is lost in formulas']),
        ("brew.html", "70.0 mg", "mg", ['the number "70.0" is lost in titles and attributes']),
        (
            "cool.html",
            "at 20.0",
            "at 20",
            ['the number "20.0" is lost in titles and attributes: expected 2 times, found 1'],
        ),
    ],
)
def test_a_number_that_is_lost_is_named(path: str, old: str, new: str, wanted: list[str]) -> None:
    assert problems(edited(path, old, new)) == [f"site/{path}:1:1: {message}" for message in wanted]


def test_a_number_that_stands_twice_must_do_so() -> None:
    shown = (Shown("brew.html", tables=("brew.blend",), numbers=(TOTAL, TOTAL)), SHOWN[1])
    assert problems(shown=shown) == [
        f'site/brew.html:1:1: the number "{TOTAL}" is lost: expected 2 times, found 1'
    ]  # fmt: skip


def test_a_cell_does_not_stand_for_a_number_in_a_sentence() -> None:
    shown = (SHOWN[0], Shown("cool.html", tables=SHOWN[1].tables, numbers=("cool.minutes/1/degrees",)))
    assert problems(shown=shown) == ['site/cool.html:1:1: the number "cool.minutes/1/degrees" is lost']


def test_a_cell_that_is_lost_is_named_at_its_table() -> None:
    cell = re.search(r'<data value="\S+" data-address="cool.minutes/2/degrees"[^>]*>', COOL)
    assert cell
    assert problems(edited("cool.html", cell[0], "<data>")) == [
        'site/cool.html:1:1: no element has the id "cool.minutes/2/degrees", so no link can open it',
        f'{place("cool.html", "<div class=")}: the table "cool.minutes" has lost the number "cool.minutes/2/degrees"',
    ]


def test_each_copy_of_a_table_needs_all_its_numbers() -> None:
    twice = edited("cool.html", FIGURE, FIGURE + table("brew.blend", ids=False))
    assert problems(twice) == []
    cell = '<td><data value="3" data-address="brew.blend/mint%7Choney/grams">3.0</data></td>'
    before, _, after = twice["cool.html"].rpartition(cell)
    found = problems({**twice, "cool.html": before + after})
    assert [message.split(": ", 1)[1] for message in found] == [
        'the table "brew.blend" has lost the number "brew.blend/mint%7Choney/grams"'
    ]


def test_a_table_that_is_lost_is_named() -> None:
    lost = {**FILES, "cool.html": COOL.replace(table("brew.blend", ids=False), "")}
    assert problems(lost) == ['site/cool.html:1:1: the table "brew.blend" is lost']


def test_a_page_that_is_lost_is_named() -> None:
    files = {path: text for path, text in FILES.items() if path != "cool.html"}
    assert problems(files) == ["site/cool.html:1:1: the page is missing in the site"]


# -- what should not be there ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (
            '<data value="57" data-address="cool.last">57.79</data>',
            'unknown address "cool.last"',
        ),
        (
            '<data value="1" data-expression="n(&quot;x&quot;)">1</data>',
            'n("x") cannot be calculated: unknown name "x".',
        ),
        ('<b data-expression="literal(&quot;1&quot;)">1</b>', 'literal("1") is no number'),
        ('<div data-table="brew.bland"></div>', 'unknown table "brew.bland"; did you mean "brew.blend"?'),
        ("tx3n14x", '"tx3n14x" was never filled in'),
        ("<b>tx3n14x</b>", None),
        ('{{ n("cool.last") }} it', '"{{ n("cool.last") }}" was never filled in'),
        ("{{ n(", '"{{ n(" was never filled in'),
        ('<img alt="tx3n14x" src="">', '"tx3n14x" was never filled in'),
        ("<a title='{{ 1 }}'>x</a>", '"{{ 1 }}" was never filled in'),
        ("<b id=b></b><b id=c></b><i id=b></i>", None),
    ],
)  # fmt: skip
def test_what_should_not_be_there_is_found(new: str, message: str | None) -> None:
    found = problems(edited("brew.html", "<p>half", f"{new}\n<p>half"))
    line = place("brew.html", "<p>half").rpartition(":")[0]
    if message is not None:
        assert found == [f"{line}:1: {message}"]
    elif new.startswith("<b>"):
        assert found == [f'{line}:4: "tx3n14x" was never filled in']
    else:
        number = line.rpartition(":")[2]
        assert found == [f'{line}:25: the id "b" stands twice in the page, first in line {number}']


def test_places_count_the_lines_within_a_text() -> None:
    found = problems(edited("brew.html", "<p>half", "<p>one &amp;\ntwo\n  tx1n2x half"))
    line = int(place("brew.html", "<p>half").split(":")[1])
    assert found == [f'site/brew.html:{line + 2}:3: "tx1n2x" was never filled in']


@pytest.mark.parametrize("tag", ["code", "pre", "script", "style", "kbd", "samp", "textarea"])
def test_code_may_show_what_it_likes(tag: str) -> None:
    assert problems(edited("brew.html", "<p>half", f"<{tag}>tx1n2x <b>{{{{ n( }}}}</b> {{{{ n(</{tag}><p>half")) == []


def test_a_title_may_repeat_the_code_of_a_heading() -> None:
    code = '<h2><code>{{ n("cool.last") }}</code></h2>'
    assert problems(edited("cool.html", "<nav>", f'{code}<nav><a>{{{{ n("cool.last") }}}}</a> ')) == []


# -- ids -------------------------------------------------------------------------------------------------------------


def test_an_id_belongs_to_the_first_page_of_its_table() -> None:
    first = 'id="brew.blend/green/grams"'
    cell = '<data value="2" data-address="brew.blend/green/grams"'
    files = edited("cool.html", cell, f"{cell} {first}")
    assert problems(files) == [
        f'{place("cool.html", cell)}: the id "brew.blend/green/grams" does not belong here: brew.html has it'
    ]
    files = edited("brew.html", f" {first}", "")
    assert problems(files) == [
        'site/brew.html:1:1: no element has the id "brew.blend/green/grams", so no link can open it'
    ]


def test_an_id_of_a_table_that_no_page_shows_is_found() -> None:
    shown = (SHOWN[0], Shown("cool.html", tables=("brew.blend",), blocks=(FIGURE,)))
    found = problems(shown=shown)
    assert (
        f'{place("cool.html", "<div")}: the id "cool.minutes" does not belong here: no page shows its table' in found
    )
    assert len(found) == 5


# -- anything at all -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["brew.html", "cool.html"])
def test_no_digit_of_a_number_can_change_unseen(path: str) -> None:
    text = FILES[path]
    spans = [match.span() for match in re.finditer(r"<data .*?</data>|<tspan>.*?</tspan>|<mn>.*?</mn>", text)]
    places = [at for start, end in spans for at in range(start, end) if text[at].isdigit()]
    assert len(places) > 100
    for at in places:
        other = str((int(text[at]) + 1) % 10)
        assert problems({**FILES, path: text[:at] + other + text[at + 1 :]}), f"{text[at - 40 : at + 9]!r} -> {other}"


def test_another_catalog_than_the_one_that_was_built_is_noticed() -> None:
    moved = altered(TEA, {"cool.minutes/1/degrees": 82.31})
    found = reconcile(moved, SHOWN, {path: FILES[path] for path in ("brew.html", "cool.html")})
    assert [problem.message for problem in found] == ['cool.minutes/1/degrees shows "82.30", expected "82.31"']
