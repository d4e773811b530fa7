"""Exact forms: which numbers have one, and how it is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.formula_reader import calculate
from tests.test_trace_program import follow, matrices, recipes
from tinyxf.chapter import catalog
from tinyxf.params import Array
from tinyxf.trace.exact import Exact, exact_forms, write_exact
from tinyxf.trace.program import freeze
from tinyxf.trace.published import read_trace
from tinyxf.trace.traced import lift, node_values


def exact_of(way: Callable[[Any], Any], *values: float) -> Exact:
    program, (place,) = freeze([way(lift(list(values), "x"))])
    return program.run(exact_forms())[place]


def minus_itself(x: Any) -> Any:
    return x - x


@pytest.mark.parametrize(
    ("way", "values", "text"),
    [
        (lambda x: x[0] + 0.2, (0.1,), "3/10"),
        (lambda x: x[0] / 3, (2.0,), "2/3"),
        (lambda x: -x[0] / 4, (3.0,), "-3/4"),
        (lambda x: x[0] * 1.0, (0.0,), "0"),
        (lambda x: x[0] ** -2, (2.0,), "1/4"),
        (lambda x: np.sqrt(x[0]), (2.0,), "√2"),
        (lambda x: np.sqrt(x[0]), (0.75,), "√3/2"),
        (lambda x: np.sqrt(x[0]), (12.0,), "2√3"),
        (lambda x: np.sqrt(x[0]), (2.25,), "3/2"),
        (lambda x: np.sqrt(x[0]) * np.sqrt(x[1]), (2.0, 6.0), "2√3"),
        (lambda x: np.sqrt(x[0]) ** 2, (5.0,), "5"),
        (lambda x: 1 / np.sqrt(x[0]), (2.0,), "√2/2"),
        (lambda x: -3 / np.sqrt(x[0]) / 4, (2.0,), "-3√2/8"),
        (lambda x: x[0] ** 0.5, (10000.0,), "100"),
        (lambda x: np.sin(x[0] / 100), (3.0,), "sin(3/100)"),
        (lambda x: 1 + np.sin(x[0]), (1.0,), "1 + sin(1)"),
        (lambda x: 0.5 - np.cos(x[0]) / 4, (2.0,), "1/2 - cos(2)/4"),
        (lambda x: 3 * np.cos(x[0]), (-1.0,), "3 cos(-1)"),
        (lambda x: np.sin(x[0]) / np.sin(x[0]), (1.0,), "1"),
        (lambda x: np.sin(x[0]) + np.cos(x[0]), (0.0,), "1"),
        (lambda x: np.exp(x[0]), (0.0,), "1"),
        (lambda x: np.log(x[0]), (1.0,), "0"),
        (lambda x: np.maximum(x[0], np.sqrt(x[1])), (1.0, 2.0), "√2"),
        (np.max, (0.5, 0.5), "1/2"),
        (lambda x: np.exp(minus_itself(np.log(x[0]))), (7.0,), "1"),
        (lambda x: (minus_itself(np.log(x[0])) + 2) * 0.25, (7.0,), "1/2"),
        (lambda x: np.log(x[0]) * 0.0, (7.0,), "0"),
    ],
)
def test_closed_forms(way: Callable[[Any], Any], values: tuple[float, ...], text: str) -> None:
    program, (place,) = freeze([way(lift(list(values), "x"))])
    exact = program.run(exact_forms())[place]
    assert exact.known
    assert write_exact(exact) == text
    assert float(exact) == pytest.approx(program.values()[place], rel=1e-14)
    spelled = re.sub(r"(\d) ?(√|[a-z])", r"\1 × \2", text)
    assert calculate(spelled) == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize(
    ("way", "values"),
    [
        (lambda x: np.log(x[0]), (2.0,)),
        (lambda x: np.sqrt(x[0] * 1e9 + 1), (1e9,)),
        (lambda x: np.sin(np.log(x[0])), (2.0,)),
        (lambda x: np.sin(x[0]) * np.cos(x[0]), (2.0,)),
        (lambda x: np.sqrt(x[0]) * np.sin(x[0]), (2.0,)),
        (lambda x: 1 / np.sin(x[0]), (2.0,)),
        (lambda x: x[0] ** 0.3, (2.0,)),
        (lambda x: np.maximum(np.sqrt(x[0]), x[1]), (2.0, 1.4142135623730951)),
    ],
)
def test_no_form_is_claimed_where_none_is_known(way: Callable[[Any], Any], values: tuple[float, ...]) -> None:
    exact = exact_of(way, *values)
    assert not exact.known
    assert not exact.short
    assert exact.rational is None
    assert float(exact) == pytest.approx(way(np.array(values)), rel=1e-12)


def test_fractions_do_not_grow_without_end() -> None:
    exact = exact_of(lambda x: ((((x[0] ** 2) ** 2) ** 2) ** 2) ** 2, 0.123456789)
    assert not exact.known


@pytest.mark.parametrize(
    ("way", "value", "short"),
    [
        (lambda x: x[0] * 1.0, 0.75, True),
        (lambda x: x[0] * 1.0, 0.12345, False),
        (lambda x: x[0] * 1.0, 1234567.0, False),
        (lambda x: np.sqrt(x[0]), 999.0, True),
        (lambda x: np.sqrt(x[0]), 1000003.0, False),
        (lambda x: 1 + np.sin(x[0]), 1.0, True),
        (lambda x: 1 + np.sin(x[0]) + np.cos(x[0]), 1.0, False),
        (lambda x: np.exp(x[0]), 1.0, False),
    ],
)
def test_short_is_what_fits_beside_a_decimal(*, way: Callable[[Any], Any], value: float, short: bool) -> None:
    exact = exact_of(way, value)
    assert exact.known
    assert exact.short is short


def test_latex() -> None:
    assert write_exact(exact_of(lambda x: -np.sqrt(x[0]) / 4 * 3, 2.0), latex=True) == r"-\frac{3\sqrt{2}}{4}"
    assert write_exact(exact_of(lambda x: 0.5 + np.cos(x[0] / 100), 3.0), latex=True) == (
        r"\frac{1}{2} + \cos\left(\frac{3}{100}\right)"
    )


@given(recipes, matrices, matrices)
def test_an_exact_run_never_strays_from_float64(recipe: list[tuple[str, int, int]], x: Array, y: Array) -> None:
    traced = follow(recipe, lift(x, "x"), lift(y, "y"))
    program, places = freeze(traced.flat)
    exact = program.run(exact_forms())
    values = node_values(traced).ravel()
    np.testing.assert_allclose([float(exact[place]) for place in places], values, rtol=1e-9, atol=1e-9)


def test_the_chapter_knows_its_exact_numbers() -> None:
    trace = read_trace(catalog())
    known = {
        address: trace.exact[trace.find(address).place]
        for address in (
            "embed.input/woodchuck/x3",
            "attention.norm_stats/a/mean",
            "attention.scale",
            "attention.h1.weights/a/a",
            "params.count/total/parameters",
            "ffn.hidden/a/u0",
        )
    }
    assert {address: write_exact(exact) for address, exact in known.items()} == {
        "embed.input/woodchuck/x3": "1/2 + cos(1/100)",
        "attention.norm_stats/a/mean": "3/4",
        "attention.scale": "√2",
        "attention.h1.weights/a/a": "1",
        "params.count/total/parameters": "172",
        "ffn.hidden/a/u0": "0",
    }
    assert known["params.count/total/parameters"].rational == Fraction(172)
    assert not trace.exact[trace.find("loss.before").place].known
