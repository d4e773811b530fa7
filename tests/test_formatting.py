from __future__ import annotations

import math
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyxf.formatting import (
    COUNT,
    INTEGER,
    TIE_GATE,
    Format,
    as_decimal,
    format_number,
    full_value,
    rounded,
    tie_distance,
)

PERCENT = Format(1, percent=True)
SIGNED = Format(2, signed=True)


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        # digits as the column says: no zero lost, no exponent by surprise
        (0.10, Format(1), "0.1"),
        (0.10, Format(2), "0.10"),
        (0.0, Format(4), "0.0000"),
        (0.0, INTEGER, "0"),
        (1e-7, Format(4), "0.0000"),
        (1e-7, Format(7), "0.0000001"),
        (1e-7, Format(15), "0.000000100000000"),
        (1500000, INTEGER, "1500000"),
        (1500000.0, INTEGER, "1500000"),
        (1500000.0, Format(1), "1500000.0"),
        (1e22, INTEGER, "10000000000000000000000"),
        (1e22, Format(2), "10000000000000000000000.00"),
        (2**60 + 1, INTEGER, "1152921504606846977"),
        (sys.float_info.max, INTEGER, "17976931348623157" + "0" * 292),
        (5e-324, Format(15), "0.000000000000000"),
        # zero has no sign
        (-0.0, Format(4), "0.0000"),
        (-0.0, PERCENT, "0.0%"),
        (-0.00004, Format(4), "0.0000"),
        (-0.0004, PERCENT, "0.0%"),
        (-1e-300, INTEGER, "0"),
        # half away from zero, on the shortest decimal of the float
        (0.5, INTEGER, "1"),
        (1.5, INTEGER, "2"),
        (2.5, INTEGER, "3"),
        (-0.5, INTEGER, "-1"),
        (-2.5, INTEGER, "-3"),
        (0.00005, Format(4), "0.0001"),
        (-0.00005, Format(4), "-0.0001"),
        (1.005, Format(2), "1.01"),  # the float lies below 1.005, its name does not
        (2.675, Format(2), "2.68"),
        (-2.675, Format(2), "-2.68"),
        (9.99995, Format(4), "10.0000"),
        # one last bit apart, away from a tie
        (0.6806, Format(4), "0.6806"),
        (math.nextafter(0.6806, 0), Format(4), "0.6806"),
        (math.nextafter(0.6806, 1), Format(4), "0.6806"),
        # percent, thousands, sign
        (0.3107, PERCENT, "31.1%"),
        (0.0005, PERCENT, "0.1%"),
        (1, PERCENT, "100.0%"),
        (-0.125, Format(0, percent=True), "-13%"),
        (123578112, COUNT, "123,578,112"),
        (-1234.5, Format(2, thousands=True), "-1,234.50"),
        (999, COUNT, "999"),
        (12.345, Format(1, percent=True, thousands=True), "1,234.5%"),
        (0.25, SIGNED, "+0.25"),
        (-0.25, SIGNED, "-0.25"),
        (0.0, SIGNED, "0.00"),
        (0.004, SIGNED, "0.00"),
        (-0.004, SIGNED, "0.00"),
        (1234.5, Format(1, percent=True, thousands=True, signed=True), "+123,450.0%"),
        # numpy's scalars are numbers like any other
        (np.float64(0.1), Format(2), "0.10"),
        (np.float64("-0.0"), Format(1), "0.0"),
        (np.int64(1500000), INTEGER, "1500000"),
    ],
)
def test_a_number_as_its_column_shows_it(value: float, form: Format, text: str) -> None:
    assert format_number(value, form) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (0.1 + 0.2, "0.3"),
        (1 / 3, "0.3333333333"),
        (2 / 3, "0.6666666667"),
        (-2 / 3, "-0.6666666667"),
        (1e-7, "0.0000001"),
        (1.23456789012e-7, "0.00000012345679"),  # fourteen decimals, not ten digits: the rest is noise
        (1e-15, "0"),
        (-1e-15, "0"),
        (0.99999999999, "1"),
        (1.0, "1"),
        (100.0, "100"),
        (1500000.0, "1500000"),
        (31.25, "31.25"),
        (12345678901.0, "12345678900"),
        (1e22, "10000000000000000000000"),
        (174569631744, "174569631744"),  # whole numbers stay whole, however many digits
        (-172, "-172"),
        (np.float64(1 / 3), "0.3333333333"),
        (np.float64(172.0), "172"),
    ],
)
def test_a_full_value_has_ten_significant_digits(value: float, text: str) -> None:
    assert full_value(value) == text


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_what_is_not_finite_has_no_place_on_a_page(value: float) -> None:
    message = f"a published number must be finite, found {value!r}"
    for refuse in (as_decimal, full_value):
        with pytest.raises(ValueError, match="must be finite") as error:
            refuse(value)
        assert str(error.value) == message
    with pytest.raises(ValueError, match="must be finite"):
        format_number(value, Format())
    with pytest.raises(ValueError, match="must be finite"):
        tie_distance(value, Format())


@pytest.mark.parametrize("digits", [-1, 16, 2.0, True, None, "4"])
def test_digits_are_a_whole_number_from_0_to_15(digits: object) -> None:
    with pytest.raises(ValueError, match="digits must be") as error:
        Format(digits)  # type: ignore[arg-type]  # what a careless author passes
    assert str(error.value) == f"digits must be a whole number from 0 to 15, found {digits!r}"


def test_four_decimals_unless_told_otherwise() -> None:
    assert Format() == Format(digits=4, percent=False, thousands=False, signed=False)


@pytest.mark.parametrize(
    ("value", "form", "distance"),
    [
        (0.0, Format(4), "0.00005"),  # as far as it gets: half a unit
        (0.00005, Format(4), "0"),
        (-0.00015, Format(4), "0"),
        (0.6806, Format(4), "0.00005"),
        (0.25, INTEGER, "0.25"),
        (0.75, INTEGER, "0.25"),
        (-0.75, INTEGER, "0.25"),
        (7, INTEGER, "0.5"),
        (0.0005, PERCENT, "0"),
        (0.3107, PERCENT, "0.0002"),  # the tie is at 31.05 percent
        (0.9999500004166653, Format(4), "4.166653E-10"),  # cos 0.01, in steps 3 and 4: the nearest of the book
    ],
)
def test_the_distance_to_the_nearest_tie(value: float, form: Format, distance: str) -> None:
    assert tie_distance(value, form) == Decimal(distance)


def test_the_gate_stands_between_noise_and_the_nearest_number_of_the_book() -> None:
    assert Decimal("1e-12") == TIE_GATE
    assert tie_distance(math.cos(0.01), Format(4)) > TIE_GATE > tie_distance(math.nextafter(0.5, 1), INTEGER)


FLOATS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9)


@given(FLOATS, st.integers(0, 9), st.booleans())
def test_rounding_agrees_with_whole_number_arithmetic(value: float, digits: int, percent: bool) -> None:  # noqa: FBT001  drawn, not passed
    exact = Fraction(repr(value)) * (100 if percent else 1)
    units = math.floor(abs(exact) * 10**digits + Fraction(1, 2))  # half away from zero
    whole, rest = divmod(units, 10**digits)
    text = f"{whole}.{rest:0{digits}d}" if digits else str(whole)
    sign = "-" if exact < 0 and units else ""
    form = Format(digits, percent=percent)
    assert format_number(value, form) == sign + text + ("%" if percent else "")
    assert rounded(value, form) == Decimal(sign + text)


@given(FLOATS)
def test_a_full_value_is_short_and_near(value: float) -> None:
    text = full_value(value)
    assert len(text.replace("-", "").replace(".", "").strip("0")) <= 10
    assert "e" not in text.lower()
    assert text == "0" or text.strip("0") not in ("-", "")
    assert math.isclose(float(text), value, rel_tol=5e-10, abs_tol=5e-15)
    assert full_value(float(text)) == text


@given(FLOATS, st.integers(0, 6))
def test_values_as_near_as_the_gate_round_alike_unless_a_tie_is_near(value: float, digits: int) -> None:
    form = Format(digits)
    if tie_distance(value, form) > TIE_GATE:
        near = math.nextafter(value, math.inf)
        if near - value < float(TIE_GATE):
            assert format_number(value, form) == format_number(near, form)
