"""The one place where a number becomes text.

Every output (terminal, Markdown, HTML, LaTeX, CSV, JSON, inline numbers, the ledger) calls these functions, so two
pages cannot round one value in two ways.  The model itself never rounds.

The rule, which a reader with a pencil can follow: take the shortest decimal that names the float (`repr`), then
round half away from zero at the wanted digit.  Zero has no sign.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

_CONTEXT = Context(prec=400, rounding=ROUND_HALF_UP)
FULL_DIGITS = 10  # significant digits of a published full value
FULL_DECIMALS = 14  # nothing below 1e-14 is more than the noise of float64
MOST_DIGITS = 15  # float64 has no more decimals to show
TIE_GATE = Decimal("1e-12")  # nearer to a rounding tie than this, processors may disagree about the last digit


@dataclass(frozen=True, slots=True)
class Format:
    """How a column shows its numbers.

    `digits` counts decimals.  `percent` multiplies by 100 and appends the sign, `thousands` groups by commas,
    `signed` writes a plus before positive numbers.
    """

    digits: int = 4
    percent: bool = False
    thousands: bool = False
    signed: bool = False

    def __post_init__(self) -> None:
        if type(self.digits) is not int or not 0 <= self.digits <= MOST_DIGITS:
            raise ValueError(f"digits must be a whole number from 0 to {MOST_DIGITS}, found {self.digits!r}")


INTEGER = Format(digits=0)
COUNT = Format(digits=0, thousands=True)


def as_decimal(value: float | Decimal) -> Decimal:
    """Return a decimal as it is, the exact decimal of an `int`, or the shortest decimal that names a `float`.

    Raises ValueError for nan and infinities: they have no place on a page.
    """
    if isinstance(value, int):
        return Decimal(value)
    if not math.isfinite(value):
        raise ValueError(f"a published number must be finite, found {value!r}")
    return value if isinstance(value, Decimal) else Decimal(repr(float(value)))


def rounded(value: float | Decimal, form: Format) -> Decimal:
    """Round `value` as `form` shows it: percentages already times 100, zero without a sign."""
    number = as_decimal(value)
    if form.percent:
        number = _CONTEXT.multiply(number, Decimal(100))
    result = number.quantize(Decimal(1).scaleb(-form.digits), context=_CONTEXT)
    return abs(result) if result.is_zero() else result


def format_number(value: float | Decimal, form: Format) -> str:
    """Write `value` as `form` asks, e.g. `-0.6806`, `31.1%`, `123,578,112`."""
    number = rounded(value, form)
    text = format(number, ",f" if form.thousands else "f")
    if form.signed and number > 0:
        text = "+" + text
    return text + "%" if form.percent else text


def full_value(value: float) -> str:
    """Write the published full value: 10 significant digits, integers whole, never an exponent.

    The last bits of exp, sin and matrix products differ between processors, so raw floats are never published.
    """
    if isinstance(value, int):
        return str(value)
    number = as_decimal(value)
    if number.is_zero():
        return "0"
    decimals = min(FULL_DIGITS - 1 - number.adjusted(), FULL_DECIMALS)
    number = number.quantize(Decimal(1).scaleb(-decimals), context=_CONTEXT)
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def tie_distance(value: float | Decimal, form: Format) -> Decimal:
    """Return how far `value` lies from the nearest rounding tie of `form`, in units of the value itself."""
    number = as_decimal(value)
    unit = Decimal(1).scaleb(-form.digits - (2 if form.percent else 0))
    steps = _CONTEXT.divide(abs(number), unit)
    return _CONTEXT.multiply(abs(steps - int(steps) - Decimal("0.5")), unit)
