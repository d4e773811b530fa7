"""The language of placeholders: what each says, what is refused, and that nothing hostile takes time or space."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.invented import mix
from tinyxf.book.language.expression import MAX_SOURCE, evaluate
from tinyxf.book.language.pieces import (
    ClaimPiece,
    FigurePiece,
    NumberPiece,
    Piece,
    TablePiece,
    TextPiece,
    WorkPiece,
)
from tinyxf.book.language.values import PlaceholderError

CATALOG = mix()
FIGURES = ("model", "heads")


def value(source: str) -> Piece:
    return evaluate(source, CATALOG, FIGURES)


def number(source: str) -> NumberPiece:
    piece = value(source)
    assert isinstance(piece, NumberPiece)
    return piece


def refusal(source: str) -> PlaceholderError:
    with pytest.raises(PlaceholderError) as caught:
        value(source)
    return caught.value


@pytest.mark.parametrize(
    ("source", "display"),
    [
        ('n("loss")', "1.1690"),
        ('n("mix.losses", "before")', "1.1690"),
        ('n("mix.losses/before")', "1.1690"),
        ('n("mix.words", "a", "share")', "0.3107"),
        ('n("mix.words", row="a", column="share")', "0.3107"),
        ('n("mix.words/a/share")', "0.3107"),
        ('n("mix.words", "a", "percent")', "31.1%"),
        ('n("mix.words", "a", "count")', "1,234,567"),
        ('n("loss", digits=2)', "1.17"),
        ('n("mix.words", "a", "percent", digits=0)', "31%"),
        ('n("loss") | digits(2)', "1.17"),
        ('n("loss", digits=2) | digits(3)', "1.169"),  # the full value, never the display
        ('n("mix.words", "a", "share") | percent', "31.1%"),
        ('n("mix.words", "a", "share") | percent(2)', "31.07%"),
        ('n("mix.words", "a", "share") | percent(digits=0)', "31%"),
        ('n("loss") | signed', "+1.1690"),
        ('n("base") | thousands', "10,000"),
        ('n("loss") | digits(1) | signed', "+1.2"),
        ('n("size") | words', "four"),
        ('(n("size") + 38) | words', "forty-two"),
        ('(n("size") * 5) | words', "twenty"),
        ('(n("size") + 11) | words', "fifteen"),
        ('(n("size") - 4) | words', "zero"),
        ('n("loss") - n("after")', "0.2570"),
        ('n("loss") - n("after", digits=2)', "0.2570"),  # the finest of both
        ('(n("loss") - n("after")) | digits(2)', "0.26"),
        ('-n("loss")', "-1.1690"),
        ('+n("loss")', "1.1690"),
        ('-n("zero")', "0.0000"),
        ('n("zero")', "0.0000"),
        ('n("size") * n("size") + 1', "17"),
        ('n("size") / 2', "2"),
        ('(n("size") / 3) | digits(3)', "1.333"),
        ('n("size") // 3', "1"),
        ('n("base") % 3', "1"),
        ('n("even") + 0.1', "0.225"),
        ('n("even") + n("loss")', "1.2940"),
        ('n("mix.words", "a", "percent") - n("mix.words", "b", "percent")', "30.9%"),
        ('n("mix.words", "a", "percent") * 2', "0.621"),
        ('n("mix.words", "a", "percent") / n("mix.words", "c", "percent")', "6.214"),
        ('n("total") + n("size")', "123,578,116"),
        ('n("loss") if n("loss") > n("after") else n("after")', "1.1690"),
        ('n("loss") if not n("loss") > n("after") else n("after")', "0.9119"),
        ('n("even", digits=2)', "0.13"),  # exact, so it may stand on a tie
        ("n('loss')", "1.1690"),
        ('n( "loss" )', "1.1690"),
        ('(n)("loss")', "1.1690"),
        ('n("los" "s")', "1.1690"),
        ('n("mix.signs", "a|b", "number")', "12"),
        ('n("mix.signs", "say \\"no\\"", "number")', "13"),
        ('n("mix.signs", "\\\\", "number")', "14"),
        ('n("mix.signs", "{{ n }}", "number")', "18"),
    ],
)
def test_numbers_are_shown(source: str, display: str) -> None:
    assert number(source).display == display


def test_a_number_knows_its_full_value_address_and_expression() -> None:
    assert number('n("loss", digits=2)') == NumberPiece(
        "1.17", "1.168960112", "mix.losses/before", 'n("loss", digits=2)', derived=True
    )
    assert number('n("loss")') == NumberPiece("1.1690", "1.168960112", "mix.losses/before", 'n("loss")')
    assert number(' n("loss") - 1 ') == NumberPiece("0.1690", "0.168960112", None, 'n("loss") - 1', derived=True)
    assert number('n("size") | words') == NumberPiece("four", "4", "size", 'n("size") | words', derived=True)


def test_exact_numbers_are_calculated_exactly() -> None:
    assert number('n("rate") - 0.4').full == "0.1"
    assert number('n("rate") * 3 * 0.1').full == "0.15"


@pytest.mark.parametrize(
    ("source", "piece"),
    [
        ('table("mix.words")', TablePiece("mix.words")),
        ('table(id="mix.words")', TablePiece("mix.words")),
        ('figure("model")', FigurePiece("model")),
        ('work("mix.words", "a", "share")', WorkPiece("mix.words/a/share")),
        ('work("mix.words/a/share")', WorkPiece("mix.words/a/share")),
        ('work("loss")', WorkPiece("mix.losses/before")),
        ('literal("10000")', TextPiece("10000")),
        ('literal("a \\"b\\"")', TextPiece('a "b"')),
        ('"rises" if n("loss") < n("after") else "falls"', TextPiece("falls", literal=False)),
        ('literal("12") if n("loss") > 0 else literal("13")', TextPiece("12")),
    ],
)
def test_other_pieces(source: str, piece: Piece) -> None:
    assert value(source) == piece


@pytest.mark.parametrize(
    "condition",
    [
        'n("loss") > 1',
        'n("loss") >= n("after")',
        'n("after") < n("loss") <= 2',
        '1 < n("loss") < 2 and n("size") == 4',
        'n("loss") > 2 or n("size") == 4',
        'not n("loss") > 2',
        'n("size") != 5',
        'n("loss", digits=2) == 1.17',  # as printed
        'n("loss") | digits(1) == 1.2',
        'n("mix.words", "a", "share") | percent == 0.311',
        'n("mix.words", "a", "percent") > 0.3',  # a percentage is a part of one
        'n("loss") - n("loss") == 0',
        'n("loss") == n("loss") + 0.0000000000001',  # nearer than processors agree
        'n("rate") + 0.1 == 0.6',
        "true",
    ],
)
def test_claims_that_hold(condition: str) -> None:
    assert isinstance(value(f"claim({condition})"), ClaimPiece)


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ('n("loss") > 2', 'n("loss") = 1.1690 is not > 2'),
        ('2 < n("loss")', '2 is not < n("loss") = 1.1690'),
        ('n("loss") == 1.169', 'n("loss") = 1.168960112 is not == 1.169'),
        ('n("loss") < n("after")', 'n("loss") = 1.1690 is not < n("after") = 0.9119'),
        ('n("size") < 4', 'n("size") = 4 is not < 4'),
        ('n("mix.words", "a", "share") > 0.5', 'n("mix.words", "a", "share") = 0.3107 is not > 0.5'),
        ('0 < n("loss") < 1', 'n("loss") = 1.1690 is not < 1'),
        ('n("size") == 4 and n("loss") > 2', 'n("loss") = 1.1690 is not > 2'),
        ('n("size") == 5 or n("loss") > 2', 'n("size") = 4 is not == 5 and n("loss") = 1.1690 is not > 2'),
        ('not n("loss") > 1', 'n("loss") = 1.1690 is > 1'),
        ('not (n("size") == 4 and n("loss") > 1)', 'n("size") = 4 is == 4 and n("loss") = 1.1690 is > 1'),
        ('n("loss") - n("after") > 1', 'n("loss") - n("after") = 0.2570 is not > 1'),
        ('(n("size") + 1) * 2 == 11', '(n("size") + 1) * 2 = 10 is not == 11'),
        ('n("loss", digits=2) == 1.18', 'n("loss") = 1.17 is not == 1.18'),
        ("false", "false"),
    ],
)
def test_a_false_claim_shows_what_it_compared(condition: str, reason: str) -> None:
    error = refusal(f"claim({condition})")
    assert (str(error), error.kind) == (f"claim is false: {reason}", "claim")


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        ('n("los")', "name", 'unknown name "los"; did you mean "loss"?'),
        ('n("mix.word", "a", "share")', "name", 'unknown table "mix.word"; did you mean "mix.words"'),
        ('n("mix.words", "a", "shares")', "name", 'has no column "shares"; did you mean "share"?'),
        ('n("mix.words", "z", "share")', "name", 'has no row "z"'),
        ('n("mix.words", "b", "count")', "name", '"mix.words/b/count" is masked'),
        ('n("mix.words", "b", "word")', "name", 'is the label "b", not a number'),
        ('n("mix.words")', "name", "is a table; name one of its cells"),
        ('table("mix.wrods")', "name", 'unknown table "mix.wrods"; did you mean "mix.words"'),
        ('table("loss")', "name", 'unknown table "loss"'),
        ('figure("modle")', "name", 'unknown figure "modle"; did you mean "model"?'),
        ('work("los")', "name", 'unknown name "los"'),
        ("loss", "name", '"loss" needs a function and quotation marks, as in n("loss")'),
        ("mix.words", "name", 'needs a function and quotation marks, as in n("mix.words")'),
        ("qqq", "placeholder", 'unknown name "qqq".'),
        ("n", "placeholder", 'n is a function: write n("...")'),
        ('tabel("mix.words")', "placeholder", 'unknown function "tabel"; did you mean "table"?'),
        ('n("loss") | digts(2)', "placeholder", 'unknown filter "digts"; did you mean "digits"?'),
        ('n("loss") | upper', "placeholder", 'unknown filter "upper". Write digits, percent, signed'),
        ('n("loss") | digits', "placeholder", 'digits needs "digits", as in digits(2)'),
        ('n("loss") | digits("2")', "placeholder", '"digits" of digits is a whole number'),
        ('n("loss") | digits(2.0)', "placeholder", '"digits" of digits is a whole number'),
        ('n("loss") | digits(16)', "placeholder", "a whole number from 0 to 15, found 16"),
        ('n("loss") | digits(none)', "placeholder", "a whole number from 0 to 15, found None"),
        ('n("loss") | signed(1)', "placeholder", "signed takes no argument, found 1 arguments"),
        ('n("loss", digits=true)', "placeholder", '"digits" of n is a whole number'),
        ('n("loss", digits=-1)', "placeholder", '"digits" of n is a whole number'),
        ('n("loss", digit=1)', "placeholder", 'n has no argument "digit"; did you mean "digits"?'),
        ('n("loss", name="x")', "placeholder", 'n got "name" twice'),
        ("n()", "placeholder", 'n needs "name", as in n("loss.before")'),
        ("n(5)", "placeholder", '"name" of n is a text in quotation marks'),
        ("n(loss)", "placeholder", '"name" of n is a text in quotation marks, as in n("loss.before")'),
        ('n("a", "b", "c", 1, 2)', "placeholder", "n takes name, row, column, digits, found 5 arguments"),
        ('n(*"ab")', "placeholder", "n takes plain arguments, found one with a star"),
        ('n(**"ab")', "placeholder", "n takes plain arguments, found one with a star"),
        ('n("loss") - n("after") | digits(2)', "placeholder", 'binds to n("after") alone'),
        ('-(n("after") | digits(2))', "placeholder", 'binds to n("after") alone'),
        ('n("size") / 3', "placeholder", 'say how many digits, as in (n("size") / 3) | digits(2)'),
        ('n("size") / 0', "placeholder", "division by zero: 0 is 0"),
        ('n("size") % (n("size") - 4)', "placeholder", 'division by zero: n("size") - 4 is 0'),
        ('n("loss") // 1', "placeholder", "// takes exact numbers"),
        ('n("rate") / n("tiny")', "placeholder", "numbers must stay below 1e15"),
        ('n("loss") / n("tiny")', "placeholder", "numbers must stay below 1e15"),
        ('n("total") * n("total")', "placeholder", "numbers must stay below 1e15"),
        ('n("loss") * 1e15', "placeholder", "numbers must stay below 1e15, found 1000000000000000.0"),
        ("claim(1e999 > 1)", "placeholder", "numbers must stay below 1e15"),
        ("claim(1e-16 > 1)", "placeholder", "numbers may have 15 decimals"),
        ('n("loss") + "1"', "placeholder", '"+" takes numbers, found the text "1"'),
        ('n("loss") + table("mix.words")', "placeholder", '"+" takes numbers, found table(...)'),
        ('"a" * 9', "placeholder", '"*" takes numbers, found the text "a"'),
        ('n("loss") + (1 > 2)', "placeholder", '"+" takes numbers, found a condition'),
        ('"a" < "b"', "placeholder", 'a comparison takes numbers, found the text "a"'),
        ('n("loss") in n("after")', "placeholder", '"in" is not offered'),
        ('not n("loss")', "placeholder", '"not" takes a condition such as n(...) > 2, found the number n("loss")'),
        ('claim(n("loss"))', "placeholder", 'claim takes a condition such as n(...) > 2, found the number n("loss")'),
        ("claim()", "placeholder", "claim takes one condition"),
        ("claim(true, false)", "placeholder", "claim takes one condition"),
        (
            'claim(claim(n("loss") > 1))',
            "placeholder",
            "claim takes a condition such as n(...) > 2, found claim(...)",
        ),
        ('n("loss") if true', "placeholder", "a choice needs both sides"),
        (
            'table("mix.words") if true else 1',
            "placeholder",
            "a choice is between texts or numbers, found table(...)",
        ),
        ('n("loss") > 1', "placeholder", 'a condition prints nothing; write claim(n("loss") > 1)'),
        ("none", "placeholder", "none is nothing to show"),
        ("5", "literal", '5 is typed by hand, not published; where it is meant, write literal("5")'),
        ("2 * 3.5", "literal", "2 * 3.5 is typed by hand"),
        ('"12 words"', "literal", 'the text "12 words" holds a number typed by hand'),
        ("literal(10)", "placeholder", '"text" of literal is a text in quotation marks'),
        ('literal(" ")', "placeholder", "literal takes the text to show"),
        (
            'n("loss") | words',
            "placeholder",
            'the filter "words" takes whole numbers from 0 to 99, found 1.168960112',
        ),
        ('n("base") | words', "placeholder", "takes whole numbers from 0 to 99, found 10000"),
        ('-n("size") | words', "placeholder", "takes whole numbers from 0 to 99, found -4"),
        ('n("tie", digits=4)', "tie", "0.12345 is on a rounding tie at 4 digits"),
        ('n("tie") | digits(4)', "tie", "is on a rounding tie at 4 digits"),
        ('n("tie") | percent(2)', "tie", "is on a rounding tie at 2 digits"),
        ('claim(n("tie", digits=4) == 0.1235)', "tie", "is on a rounding tie"),
        ("", "placeholder", "empty placeholder"),
        (" ", "placeholder", "empty placeholder"),
        ("<x>", "placeholder", "malformed placeholder"),
        ("n(", "placeholder", "malformed placeholder"),
        ("1 2", "placeholder", "malformed placeholder: expected the end"),
        ("1 }} {{ 2", "placeholder", "malformed placeholder: expected the end"),
        ("n(\u201closs\u201d)", "placeholder", "names stand in straight quotation marks"),
        ('"\\x41"', "placeholder", "a backslash in a text must be doubled"),
        ('n("loss")[0]', "placeholder", "a subscript is not offered"),
        ('n("loss") ** 2', "placeholder", "a power is not offered"),
        ('"a" ~ "b"', "placeholder", "joining texts is not offered"),
        ("1 is odd", "placeholder", 'a test with "is" is not offered'),
        ("[1]", "placeholder", "a list is not offered"),
        ("(1, 2)", "placeholder", "a list is not offered"),
        ("{}", "placeholder", "a dictionary is not offered"),
        ('n("loss").real', "placeholder", "an attribute is not offered"),
        ('n("loss")("x")', "placeholder", "only functions can be called"),
    ],
)
def test_refusals_say_what_is_wrong(source: str, kind: str, message: str) -> None:
    error = refusal(source)
    assert message in str(error)
    assert error.kind == kind


@pytest.mark.parametrize(
    "source",
    [
        "9**9**9**9",
        "(" * 500,
        "(" * 500 + "1" + ")" * 500,
        "-" * 999 + "1",
        "not " * 240 + "true",
        "+".join("1" * 500),
        "*".join(["999999999"] * 99),
        '"a" * 1000000000',
        "[0] * 1000000000",
        "range(1000000000)",
        '"%1000000000d" % 1',
        '"x"|center(1000000000)',
        '"x" ~ ("y" * 99999)',
        "1" * 999,
        "1e" + "9" * 900,
        "0x" + "f" * 900,
        "1" + "_1" * 490,
        "n(" * 300,
        "a." * 400 + "a",
        "a" + "[0]" * 300,
        "x if y else " * 80 + "z",
        "1 < " * 240 + "1",
        "{" * 900,
        "().__class__.__mro__[1].__subclasses__()",
        'n("loss").__class__.__init__.__globals__',
        "cycler.__init__.__globals__.os.popen('id')",
        "namespace(x=1)",
        "lipsum(n=1000000)",
        "self._TemplateReference__context",
        "config",
        "x|attr('__class__')",
        "n|map('list')",
        "a:" * 400,
        "\x00" * 900,
        "1 }}{% for a in range(10**9) %}{% endfor %}{{ 1",
        "#" * 900,
    ],
)
def test_a_hostile_expression_is_refused_at_once(source: str) -> None:
    start = time.process_time()
    error = refusal(source)
    assert time.process_time() - start < 0.5  # seconds of our own; a bad one would take minutes or never end
    assert len(str(error)) < MAX_SOURCE + 500


def test_a_long_one_is_refused_unread() -> None:
    assert "may have 1000 characters, found 1001" in str(refusal("1" * (MAX_SOURCE + 1)))


def test_a_sum_within_reason_is_fine() -> None:
    assert number('n("size")' + ' + n("size")' * 20).display == "84"


LEAVES = st.sampled_from(
    [
        *("1", "0.5", "1e14", "1e-9", "true", "none", '"a"', '"1"', "x", "n", "loop", "_", "__class__"),
        *('n("loss")', 'n("size")', 'n("tie")', 'n("tiny")', 'n("mix.words", "a", "percent")', 'n("q")', "n(1)"),
        *(
            'table("mix.words")',
            'figure("model")',
            'work("loss")',
            'literal("7")',
            "claim(true)",
            'n("loss", digits=3)',
        ),
    ]
)


def _grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    operators = st.sampled_from(
        [
            "+",
            "-",
            "*",
            "/",
            "//",
            "%",
            "**",
            "~",
            "<",
            "==",
            ">=",
            "!=",
            " and ",
            " or ",
            " in ",
            " is ",
            ",",
            "|",
            ".",
        ]
    )
    filters = st.sampled_from(
        ["digits(1)", "percent", "words", "signed", "thousands", "upper", "attr('x')", "digits(99)"]
    )
    return st.one_of(
        st.tuples(pair, operators).map(lambda drawn: f"{drawn[0][0]}{drawn[1]}{drawn[0][1]}"),
        st.tuples(pair, operators).map(lambda drawn: f"({drawn[0][0]}) {drawn[1]} ({drawn[0][1]})"),
        st.tuples(inner, filters).map(" | ".join),
        inner.map(lambda own: f"({own})"),
        inner.map(lambda own: f"-{own}"),
        inner.map(lambda own: f"not {own}"),
        inner.map(lambda own: f"claim({own})"),
        inner.map(lambda own: f"[{own}]"),
        inner.map(lambda own: f"{own}[{own}]"),
        inner.map(lambda own: f"{own}.x"),
        inner.map(lambda own: f"{own}({own}, digits={own})"),
        st.tuples(inner, inner, inner).map(lambda drawn: f"{drawn[0]} if {drawn[1]} else {drawn[2]}"),
    )


def check_any(source: str) -> None:
    """Whatever the source: a piece of bounded size or a PlaceholderError, and soon."""
    start = time.process_time()
    piece: Piece | None = None
    problem: PlaceholderError | None = None
    try:
        piece = value(source)
    except PlaceholderError as error:
        problem = error
    if problem:
        assert str(problem)
        assert problem.kind in {"placeholder", "name", "claim", "literal", "tie"}
    else:
        assert isinstance(piece, NumberPiece | TextPiece | TablePiece | FigurePiece | WorkPiece | ClaimPiece)
        assert len(repr(piece)) < 5 * MAX_SOURCE
    assert time.process_time() - start < 0.5


@settings(max_examples=400)
@given(st.recursive(LEAVES, _grow, max_leaves=12))
def test_any_grammatical_text_is_a_piece_or_a_problem(source: str) -> None:
    check_any(source)


@settings(max_examples=400)
@given(st.text(max_size=80))
@example("\ud800")
@example("{{")
@example("'")
@example("\\")
def test_any_text_is_a_piece_or_a_problem(source: str) -> None:
    check_any(source)


@settings(max_examples=200)
@given(st.text(alphabet="n(\"loss)|<>=+-*/%~[]{}.,_'1e#: \\\n", max_size=60))
def test_any_punctuation_is_a_piece_or_a_problem(source: str) -> None:
    check_any(source)
