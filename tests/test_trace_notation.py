"""Formulas as text and as LaTeX: what is written means what was meant."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable

import math_core
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formula_reader import calculate
from tests.strategies import ODD_WORDS
from tinyxf.trace.expression import Apply, Figure, Formula, Vector
from tinyxf.trace.notation import LATEX, Piece, join_pieces, write_formula, write_number

MEANINGS: dict[str, Callable[..., float]] = {
    "add": lambda *terms: math.fsum(terms),
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / (y or 1.0),
    "negative": lambda x: -x,
    "power": lambda x, y: x**y,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "maximum": lambda *values: max(values),
}
figures = st.floats(-9, 9).map(lambda x: round(x, 3)).map(Figure)
counts = st.integers(0, 3).map(lambda n: Figure(float(n)))


def square(x: Formula) -> Formula:
    return Apply("power", (x, Figure(2.0)))


def positive(x: Formula) -> Formula:
    return Apply("add", (square(x), Figure(0.5)))


def small(x: Formula) -> Formula:
    return Apply("sin", (x,))


def grow(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        st.lists(inner, min_size=1, max_size=4).map(lambda own: Apply("add", tuple(own))),
        st.lists(inner, min_size=1, max_size=4).map(lambda own: Apply("maximum", tuple(own))),
        pairs.map(lambda own: Apply("subtract", own)),
        pairs.map(lambda own: Apply("multiply", own)),
        pairs.map(lambda own: Apply("divide", (own[0], positive(own[1])))),
        pairs.map(
            lambda own: Apply("divide", (Apply("multiply", own), Apply("multiply", (Figure(3), Figure(-0.5)))))
        ),
        inner.map(lambda own: Apply("negative", (own,))),
        inner.map(square),
        st.tuples(inner, counts).map(lambda own: Apply("power", own)),
        inner.map(lambda own: Apply("sqrt", (positive(own),))),
        inner.map(lambda own: Apply("log", (positive(own),))),
        inner.map(lambda own: Apply("exp", (small(own),))),
        inner.map(lambda own: Apply("cos", (own,))),
    )


formulas = st.recursive(figures, grow, max_leaves=12)


def mean_of(formula: Formula) -> float:
    match formula:
        case Figure(value):
            return value
        case Apply(name, arguments):
            return MEANINGS[name](*map(mean_of, arguments))
        case _:
            raise AssertionError(formula)


@given(formulas)
def test_a_calculator_reads_what_is_written(formula: Formula) -> None:
    """Parentheses stand wherever the rules of arithmetic would otherwise read something else."""
    text = join_pieces(write_formula(formula, numbers=True))
    assert calculate(text) == pytest.approx(mean_of(formula), rel=1e-9, abs=1e-9), text


@given(formulas)
def test_latex_is_latex(formula: Formula) -> None:
    text = join_pieces(write_formula(formula, LATEX, numbers=True))
    assert "<math" in math_core.LatexToMathML().convert_with_local_state(text, displaystyle=True)
    assert text.count("{") == text.count("}")


F = Figure


@pytest.mark.parametrize(
    ("formula", "text", "latex"),
    [
        (Apply("add", (F(-1), F(-2), F(3))), "-1 + (-2) + 3", r"-1 + \left(-2\right) + 3"),
        (Apply("subtract", (F(1), F(-2))), "1 - (-2)", r"1 - \left(-2\right)"),
        (
            Apply("subtract", (F(1), Apply("subtract", (F(2), F(3))))),
            "1 - (2 - 3)",
            r"1 - \left(2 - 3\right)",
        ),
        (
            Apply("divide", (Apply("add", (F(1), F(2))), Apply("multiply", (F(3), F(4))))),
            "(1 + 2) / (3 × 4)",
            r"\frac{1 + 2}{3 \times 4}",
        ),
        (Apply("multiply", (F(-0.5), F(2))), "(-0.5) × 2", r"\left(-0.5\right) \times 2"),
        (Apply("power", (F(-0.5), F(2))), "(-0.5)²", r"\left(-0.5\right)^2"),
        (Apply("power", (F(10000), F(0.5))), "10000^0.5", "10000^{0.5}"),
        (Apply("power", (F(2), F(-1))), "2^(-1)", "2^{-1}"),
        (Apply("power", (Apply("sqrt", (F(2),)), F(3))), "(√2)^3", r"\sqrt{2}^{3}"),
        (Apply("sqrt", (Apply("add", (F(0.1875), F(1e-5))),)), "√(0.1875 + 0.00001)", r"\sqrt{0.1875 + 0.00001}"),
        (Apply("negative", (Apply("log", (F(0.25),)),)), "-ln(0.25)", r"-\ln\left(0.25\right)"),
        (Apply("maximum", (F(-1.5), F(0))), "max(-1.5, 0)", r"\max\left(-1.5, 0\right)"),
        (Apply("exp", (Apply("subtract", (F(1), F(2))),)), "exp(1 - 2)", r"\exp\left(1 - 2\right)"),
    ],
)
def test_formulas_are_written_as_a_person_would(formula: Formula, text: str, latex: str) -> None:
    assert write_formula(formula) == (Piece(text),)
    assert join_pieces(write_formula(formula, LATEX)) == latex


@pytest.mark.parametrize(
    ("symbol", "latex"),
    [
        ("x", "x"),
        ("q0[chuck]", r"q_{0}[\text{chuck}]"),
        ("h1.q0[a]", r"\text{h1.}q_{0}[\text{a}]"),
        ("WQ1[:, q0]", r"\text{WQ}_{1}[\text{:, q0}]"),
        ("n'0[a]", r"n'_{0}[\text{a}]"),
        ("logit'[.]", r"\text{logit}'[\text{.}]"),
        ("p after[50%_{}]", r"\text{p after}[\text{50\%\_\{\}}]"),
        ("h1_0[^~\\$&#]", r"\text{h1\_0}[\text{\textasciicircum{}\textasciitilde{}\textbackslash{}\$\&\#}]"),
    ],
)
def test_symbols_in_latex(symbol: str, latex: str) -> None:
    assert LATEX.symbol(symbol) == latex


@pytest.mark.parametrize("word", [*ODD_WORDS, "^", "~", "<&>"])
def test_any_word_can_stand_in_latex(word: str) -> None:
    mathml = math_core.LatexToMathML().convert_with_local_state(LATEX.symbol(f"x[{word}]"), displaystyle=False)
    (text,) = re.findall("<mtext>(.*?)</mtext>", mathml)
    signs = str.maketrans("`'\"^~\xa0", "‘’”ˆ˜ ")  # as typesetters have them
    assert html.unescape(text).translate(signs) == word.translate(signs)


def test_a_vector_is_called_by_its_name() -> None:
    formula = Apply("dot", (Vector((), "n[chuck]", whole=True), Vector((), "WQ1[:, q0]", whole=True)))
    assert write_formula(formula) == (Piece("n[chuck] · WQ1[:, q0]"),)
    assert write_formula(Apply("mean", (Vector((), "x[a]", whole=True),))) == (Piece("mean(x[a])"),)


@pytest.mark.parametrize(
    ("value", "text"), [(1e-5, "0.00001"), (10000.0, "10000"), (0.5, "0.5"), (-2, "-2"), (1e22, "1" + "0" * 22)]
)
def test_constants_are_written_in_full(value: float, text: str) -> None:
    assert write_number(value) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 × 3", 7.0),
        ("-2²", -4.0),
        ("(-2)²", 4.0),
        ("8 / 2 / 2", 2.0),
        ("8 - 2 - 2", 4.0),
        ("√(9 + 16)", 5.0),
        ("2^3 × 2", 16.0),
        ("max(-1, 0, 3) + 50%", 3.5),
        ("-ln(exp(2))", -2.0),
    ],
)
def test_the_calculator_of_these_tests_is_right(text: str, value: float) -> None:
    assert calculate(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "1 +", "(1", "1 2", "max(1", "1,234", "x", "1 + + 2", "2 × -3"])
def test_the_calculator_of_these_tests_refuses_what_is_no_formula(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        calculate(text)
