"""What a token becomes, by its place in a converted page."""

from __future__ import annotations

import pytest

from tinyxf.book.fill import (
    Filling,
    Held,
    fill_latex,
    fill_page,
    fill_plain,
    fill_stubs,
    fill_values,
    searched,
    stub,
    stubs_in,
    words_of,
)

NUMBER, WORDS, TABLE = "tx0n0x", "tx0n1x", "tx12n34x"
FILLINGS = {
    NUMBER: Filling("31.1%", '<data value="0.311">31.1%</data>', '{{ n("a", "b") }}', latex=r"31.1\%"),
    WORDS: Filling('a < "b"', 'a &lt; "b"', "{{ literal('a < \"b\"') }}"),
    TABLE: Filling("", "", '{{ table("t") }}', block=True, words="a < b 31.1%"),
}


def filled(page: str) -> str:
    return fill_page(page, FILLINGS, lambda token, _: f"<table>{token}</table>")


# -- numbers and words


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>x tx0n0x y</p>", '<p>x <data value="0.311">31.1%</data> y</p>'),
        ("tx0n0x", '<data value="0.311">31.1%</data>'),
        ("<p>atx0n0xb</p>", '<p>a<data value="0.311">31.1%</data>b</p>'),
        ("<td>tx0n1xtx0n0x</td>", '<td>a &lt; "b"<data value="0.311">31.1%</data></td>'),
        ('<a href="#tx0n0x">tx0n1x</a>', '<a href="#31.1%">a &lt; "b"</a>'),
        ('<img alt="tx0n1x" src="x.png">', '<img alt="a &lt; &quot;b&quot;" src="x.png">'),
        ('<img alt="1 > tx0n0x, tx0n1x">', '<img alt="1 > 31.1%, a &lt; &quot;b&quot;">'),
        ("<img alt='1 > \"tx0n0x'>tx0n1x", '<img alt=\'1 > "31.1%\'>a &lt; "b"'),
        ("<title>tx0n1x</title>", "<title>a &lt; &quot;b&quot;</title>"),
        ("<option value=tx0n0x>tx0n0x</option>", "<option value=31.1%>31.1%</option>"),
        ("<svg><text>tx0n0x</text></svg>", "<svg><text>31.1%</text></svg>"),
        ("<math><mn>tx0n0x</mn></math>tx0n1x", '<math><mn>31.1%</mn></math>a &lt; "b"'),
        ("a < tx0n1x > b", 'a < a &lt; "b" > b'),
    ],
)
def test_a_number_is_what_its_place_needs(page: str, expected: str) -> None:
    assert filled(page) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<code>tx0n0x</code>", '<code>{{ n("a", "b") }}</code>'),
        ('<code class="x">tx0n1x</code>', '<code class="x">{{ literal(\'a &lt; "b"\') }}</code>'),
        ("<PRE>\ntx12n34x\n\n<p></p></PRE >", '<PRE>\n{{ table("t") }}\n\n<p></p></PRE >'),
        ("<pre><code>tx0n0x</code>\ntx0n0x</pre>", '<pre><code>{{ n("a", "b") }}</code>\n{{ n("a", "b") }}</pre>'),
        ("<script>'tx0n0x'</script>", '<script>\'{{ n("a", "b") }}\'</script>'),
        ("<!-- tx0n1x -->", "<!-- {{ literal('a < \"b\"') }} -->"),
        ("<!-- <p> tx0n0x --><p>tx0n0x</p>", '<!-- <p> {{ n("a", "b") }} --><p><data value="0.311">31.1%</data></p>'),
    ],
)
def test_code_shows_what_was_typed(page: str, expected: str) -> None:
    assert filled(page) == expected


def test_what_is_no_token_stays() -> None:
    page = "<p></p>\n<p>tx9n9x and tx0n0, <code>tx9n9x</code></p>\n<P>\n</P>"
    assert filled(page) == page
    assert filled(page + NUMBER) == page + FILLINGS[NUMBER].html


def test_plain_text_gets_plain_numbers() -> None:
    assert fill_plain("tx0n0x of tx0n1x, tx9n9x", FILLINGS) == '31.1% of a < "b", tx9n9x'


def test_front_matter_is_filled_all_the_way_down() -> None:
    values = {"a": ["tx0n0x", {"b": "x tx0n1x"}], "c": 1, "d": None}
    assert fill_values(values, FILLINGS) == {"a": ["31.1%", {"b": 'x a < "b"'}], "c": 1, "d": None}


def test_formulas_get_what_latex_reads() -> None:
    assert fill_latex("x = tx0n0x + tx0n1x", FILLINGS) == 'x = 31.1\\% + a < "b"'


# -- blocks


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>tx12n34x</p>", "<table>tx12n34x</table>\n"),
        ("<p>\ntx12n34x\n</p>\n<p>x</p>", "<table>tx12n34x</table>\n\n<p>x</p>"),
        ("<p>a\ntx12n34x\nb</p>", "<p>a\n</p>\n<table>tx12n34x</table>\n<p>\nb</p>"),
        ("<p>a\ntx12n34x</p>\n<p></p>", "<p>a\n</p>\n<table>tx12n34x</table>\n\n<p></p>"),
        ("<p>tx12n34x\nb</p>", "<table>tx12n34x</table>\n<p>\nb</p>"),
        ("<p>tx12n34x\ntx12n34x</p>", "<table>tx12n34x</table>\n<table>tx12n34x</table>\n"),
        ("<li>a\ntx12n34x</li>", "<li>a\n<table>tx12n34x</table></li>"),
        ('<p class="c">a\ntx12n34x\nb</p>', '<p class="c">a\n</p>\n<table>tx12n34x</table>\n<p class="c">\nb</p>'),
        ('<p id="c">a\ntx12n34x\nb</p>', '<p id="c">a\n</p>\n<table>tx12n34x</table>\n<p>\nb</p>'),
        (
            '<p>a <b id="x">c\ntx12n34x\nd</b> <i>e</i></p>',
            '<p>a <b id="x">c\n</b></p>\n<table>tx12n34x</table>\n<p><b>\nd</b> <i>e</i></p>',
        ),
        ("<p><b>\ntx12n34x\n</b></p>", "<table>tx12n34x</table>\n"),
        ("<p><i>a</i>\ntx12n34x\n</p>", "<p><i>a</i>\n</p>\n<table>tx12n34x</table>\n"),
        ('<p><a name="x"></a>\ntx12n34x</p>', '<p><a name="x"></a>\n</p>\n<table>tx12n34x</table>\n'),
        (
            "<p><img src=x>\ntx12n34x\n<svg></svg></p>",
            "<p><img src=x>\n</p>\n<table>tx12n34x</table>\n<p>\n<svg></svg></p>",
        ),
        ("<li><em>a\ntx12n34x\nb</em></li>", "<li><em>a\n</em>\n<table>tx12n34x</table>\n<em>\nb</em></li>"),
        ("<p>a<div>tx12n34x</div>", "<p>a<div><table>tx12n34x</table></div>"),
        ("<ul><li><p>a</li><li>tx12n34x</ul>", "<ul><li><p>a</li><li><table>tx12n34x</table></ul>"),
        ("<p>tx0n0x</p>\n<p>tx12n34x</p>", '<p><data value="0.311">31.1%</data></p>\n<table>tx12n34x</table>\n'),
    ],
)  # fmt: skip
def test_a_block_stands_in_no_paragraph(page: str, expected: str) -> None:
    assert filled(page) == expected


def test_a_stub_holds_words_for_the_search_and_makes_room_for_the_block() -> None:
    page = fill_page("<p>tx12n34x</p>\n<p>x</p>", FILLINGS, stub)
    assert page == '<div data-stub="tx12n34x">a &lt; b 31.1%</div>\n\n<p>x</p>'
    assert fill_stubs(page, lambda token: f"[{token}]") == "[tx12n34x]\n\n<p>x</p>"
    assert fill_stubs("no stub", lambda token: f"[{token}]") == "no stub"


def test_numbers_and_formulas_leave_their_words_for_the_search() -> None:
    formula = '<math display="block"><mi title="a>b">x</mi><mo>&lt;</mo><mn>1.25</mn></math>'
    assert words_of(formula) == "x&lt;1.25"
    held = [Held(formula, words_of(formula)), Held('<data value="0.311">31.1%</data>', "31.1%")]
    page = f"<p>a {held[0].stub('formula', 0)} b {held[1].stub('number', 1)}.5</p>"
    assert page == "<p>a <!--tx:formula 0-->x&lt;1.25 b <!--tx:number 1-->31.1%.5</p>"
    assert searched(page) == "<p>a x&lt;1.25 b 31.1%.5</p>"
    assert searched('<p>a <span class="tx-held">(<!--tx:formula 0-->x)</span></p>') == "<p>a (x)</p>"
    assert searched(stub(TABLE, FILLINGS[TABLE])) == "a &lt; b 31.1%"
    assert searched('<div class="tx-maths" role="group"><b>x</b></div>').count("div") == 2
    assert searched("<p><em>a</em> <strong>b</strong> <embed></p>") == "<p>a b <embed></p>"
    assert fill_stubs(page, lambda token: token, held) == f"<p>a {formula} b {held[1].html}.5</p>"


def test_a_mark_that_somebody_typed_stays() -> None:
    held = [Held("<data>1</data>", "1")]
    for page in ("<!--tx:number 0-->2", "<!--tx:number 1-->1", "<!--tx:number x-->1"):
        assert fill_stubs(page, lambda token: token, held) == page


def test_the_stubs_of_a_page_are_known_in_order() -> None:
    table = stub("tx1n2x", Filling("", "", "", words="a"))
    page = f'{table}<!--tx:formula 0-->x<div data-stub="tx1n9x"></div>'
    assert stubs_in(page) == ["tx1n2x", "tx1n9x"]
