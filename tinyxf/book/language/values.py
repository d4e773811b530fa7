"""Numbers in a placeholder, and the arithmetic that a page may do with them.

Between the catalog and the expression language.  Everything here is bounded: a number stays below 1e15, so no chain
of operations can grow, and an operation that would say something untrue about digits is refused instead.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from tinyxf.book.language.pieces import NumberPiece
from tinyxf.errors import TinyxfError
from tinyxf.formatting import TIE_GATE, Format, as_decimal, format_number, full_value, rounded, tie_distance

MAX_DIGITS = 15
MAX_NUMBER = 10**15
SAME = Decimal("1e-12")  # computed numbers nearer than this count as equal: processors differ in the last bits

_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


class PlaceholderError(TinyxfError):
    """A placeholder that means nothing, or something untrue; `kind` is the slug of its Problem."""

    def __init__(self, message: str, kind: str = "placeholder") -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Value:
    """A number with the way it is shown and the expression that gave it.

    `published` is False for a number typed in the placeholder.  `chosen` says that its digits were asked for, so that
    a comparison means the number as printed; `filter` names the filter that it came through.
    """

    number: float
    format: Format
    expression: str
    address: str | None = None
    exact: bool = False
    published: bool = True
    chosen: bool = False
    filter: str = ""
    spelled: bool = False
    compound: bool = False  # its expression needs parentheses inside another one

    @property
    def display(self) -> str:
        """The number as readers see it."""
        return spell(self.number) if self.spelled else format_number(self.number, self.format)


def typed(number: float) -> Value:
    """Return a number that is typed in a placeholder, e.g. the 2 of `claim(n("loss.before") > 2)`."""
    _bounded(number, str(number))
    decimals = max(0, -int(as_decimal(number).normalize().as_tuple().exponent))
    if decimals > MAX_DIGITS:
        raise PlaceholderError(f"numbers may have {MAX_DIGITS} decimals, found {number!r}")
    form = Format(digits=decimals)
    return Value(number, form, format_number(number, form), exact=True, published=False)


def negative(value: Value) -> Value:
    """Return minus the value."""
    _unfiltered(value, "-...")
    return replace(value, number=-value.number, expression=f"-{_grouped(value)}", address=None)


_OPERATIONS: dict[str, tuple[Callable[[float, float], float], Callable[[Fraction, Fraction], Fraction]]] = {
    "+": (operator.add, operator.add),
    "-": (operator.sub, operator.sub),
    "*": (operator.mul, operator.mul),
    "/": (operator.truediv, operator.truediv),
    "//": (operator.floordiv, lambda a, b: Fraction(a // b)),
    "%": (operator.mod, operator.mod),
}


def combine(symbol: str, left: Value, right: Value) -> Value:
    """Return `left symbol right`, shown with the finest digits of the two.

    Exact operands are calculated as fractions, so that 0.1 + 0.2 is 0.3 and a whole quotient is whole.
    """
    for side in (left, right):
        _unfiltered(side, f"... {symbol} ...")
    if symbol in ("/", "//", "%") and not right.number:
        raise PlaceholderError(f"division by zero: {right.expression} is 0")
    expression = f"{_grouped(left)} {symbol} {_grouped(right)}"
    rough, fine = _OPERATIONS[symbol]
    exact = left.exact and right.exact
    if symbol in ("//", "%") and not exact:
        raise PlaceholderError(f"{symbol} takes exact numbers, found {expression}: rounding could move it by a whole")
    if exact:
        fraction = fine(Fraction(as_decimal(left.number)), Fraction(as_decimal(right.number)))
        _bounded(fraction, expression)
        number: float = fraction.numerator if fraction.denominator == 1 else float(fraction)
        exact = Fraction(as_decimal(number)) == fraction
    else:
        number = rough(left.number, right.number)
        _bounded(number, expression)
    return Value(
        number,
        _joint_format(symbol, left, right),
        expression,
        exact=exact,
        published=left.published or right.published,
        compound=True,
    )


def _joint_format(symbol: str, left: Value, right: Value) -> Format:
    """Choose how a result is shown: percentages add up to percentages, everything else becomes a plain number."""
    percent = symbol in ("+", "-") and left.format.percent and right.format.percent
    digits = max(side.format.digits + 2 * (side.format.percent and not percent) for side in (left, right))
    thousands = left.format.thousands or right.format.thousands
    return Format(digits=min(digits, MAX_DIGITS), percent=percent, thousands=thousands)


def _bounded(number: float | Fraction, expression: str) -> None:
    if not -MAX_NUMBER < number < MAX_NUMBER:  # refuses nan too
        raise PlaceholderError(f"numbers must stay below 1e15, found {expression}")


def _unfiltered(value: Value, sample: str) -> None:
    """Refuse a filtered operand: in `a - b | digits(2)` the filter binds to `b` alone and would change nothing."""
    if value.filter:
        raise PlaceholderError(
            f'the filter "{value.filter}" binds to {value.expression} alone, where it changes nothing; '
            f"put the calculation in parentheses: ({sample}) | {value.filter}"
        )


def _grouped(value: Value) -> str:
    return f"({value.expression})" if value.compound else value.expression


def _compared(value: Value) -> Decimal:
    """Return what a comparison sees: the full value, or the printed one where the digits were chosen."""
    if not value.chosen:
        return as_decimal(value.number)
    check_tie(value)
    shown = rounded(value.number, value.format)
    return shown / 100 if value.format.percent else shown


_WORDS = {"eq": "==", "ne": "!=", "gt": ">", "gteq": ">=", "lt": "<", "lteq": "<="}


def compare(name: str, left: Value, right: Value) -> tuple[bool, str]:
    """Return whether `left name right` holds (`name` as Jinja calls it: gt, lteq, ...), and that in words."""
    a, b = _compared(left), _compared(right)
    if not (left.exact and right.exact) and abs(a - b) <= SAME:
        a = b
    holds = bool(getattr(operator, {"gteq": "ge", "lteq": "le"}.get(name, name))(a, b))
    shown = [_described(left), _described(right)]
    if name in ("eq", "ne") or left.display == right.display:
        shown = [_described(left, full=True), _described(right, full=True)]
    return holds, f"{shown[0]} is {'' if holds else 'not '}{_WORDS[name]} {shown[1]}"


def _described(value: Value, *, full: bool = False) -> str:
    if not value.published:
        return value.expression
    return f"{value.expression} = {full_value(value.number) if full and not value.chosen else value.display}"


def check_tie(value: Value) -> None:
    """Raise PlaceholderError where the last printed digit could differ between processors."""
    if not value.exact and tie_distance(value.number, value.format) < TIE_GATE:
        raise PlaceholderError(
            f"{value.expression} = {full_value(value.number)} is on a rounding tie at {value.format.digits} digits, "
            "where processors may disagree; show more digits, or fewer",
            "tie",
        )


def spell(number: float) -> str:
    """Write a whole number from 0 to 99 in words."""
    if number != int(number) or not 0 <= number <= 99:  # noqa: PLR2004  longer words are hard to read
        raise PlaceholderError(f'the filter "words" takes whole numbers from 0 to 99, found {full_value(number)}')
    whole = int(number)
    if whole < len(_UNITS):
        return _UNITS[whole]
    tens, units = divmod(whole, 10)
    return _TENS[tens - 2] + (f"-{_UNITS[units]}" if units else "")


def shown(value: Value, source: str) -> NumberPiece:
    """Return the value as a piece of a page.

    Raises PlaceholderError on a rounding tie, and for a number that was only typed: pages mark those as literals.
    """
    if not value.published:
        raise PlaceholderError(
            f"{source} is typed by hand, not published; where it is meant, write "
            f'literal("{format_number(value.number, value.format)}")',
            "literal",
        )
    if value.compound and not value.chosen and not value.format.digits and value.number != int(value.number):
        raise PlaceholderError(
            f"{value.expression} is not whole: say how many digits, as in ({value.expression}) | digits(2)"
        )
    if not value.spelled:
        check_tie(value)
    derived = value.address is None or value.chosen or bool(value.filter)
    return NumberPiece(value.display, full_value(value.number), value.address, source, derived)
