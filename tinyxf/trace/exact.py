"""Exact arithmetic: which numbers of a run have a closed form, and how to write the short ones.

Another arithmetic for programs.  A number is a sum of rational multiples of a few terms: 1, and square roots, sines,
cosines and exponentials of rationals.  What has no such form becomes a term of its own, an unknown; so `x - x` is
still 0, which is how the weight of exactly 1 is recognised that a first token gives itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import count
from types import MappingProxyType

from tinyxf.trace.arithmetic import FLOAT64, Arithmetic, Operation

_MOST_BITS = 512  # a fraction longer than this is no closed form that anyone wants
_MOST_FACTORED = 10**10  # larger numbers are not searched for square factors
_MOST_TERMS = 2
_MOST_NUMERATOR = 10**6
_MOST_DENOMINATOR = 1000
_DECIDED = 1e-9  # two numbers further apart than this are told apart by float64


@dataclass(frozen=True, slots=True)
class Term:
    """What a rational number may multiply: `kind` is one, root, sin, cos, exp or unknown, of `argument`."""

    kind: str
    argument: Fraction
    value: float


_ONE = Term("one", Fraction(1), 1.0)


@dataclass(frozen=True, slots=True)
class Exact:
    """A sum of terms, each with a coefficient that is not 0, in a fixed order."""

    parts: tuple[tuple[Term, Fraction], ...]

    def __float__(self) -> float:
        return math.fsum(float(factor) * term.value for term, factor in self.parts)

    @property
    def known(self) -> bool:
        """Whether this is a closed form."""
        return all(term.kind != "unknown" for term, _ in self.parts)

    @property
    def rational(self) -> Fraction | None:
        """The number as a fraction, if it is one."""
        match self.parts:
            case ():
                return Fraction(0)
            case ((Term(kind="one"), factor),):
                return factor
            case _:
                return None

    @property
    def short(self) -> bool:
        """Whether the form is short enough to stand beside a decimal: at most two terms, small numbers."""
        return len(self.parts) <= _MOST_TERMS and all(
            term.kind not in ("unknown", "exp")
            and abs(factor.numerator) < _MOST_NUMERATOR
            and factor.denominator <= _MOST_DENOMINATOR
            and term.argument.numerator <= _MOST_DENOMINATOR
            for term, factor in self.parts
        )


def _exact(parts: Iterable[tuple[Term, Fraction]]) -> Exact:
    total: dict[Term, Fraction] = {}
    for term, factor in parts:
        total[term] = total.get(term, Fraction(0)) + factor
    ordered = sorted(total.items(), key=lambda part: (part[0].kind != "one", part[0].kind, part[0].argument))
    return Exact(tuple((term, factor) for term, factor in ordered if factor))


def fraction(value: Fraction | int) -> Exact:
    """Return a rational number."""
    return _exact([(_ONE, Fraction(value))])


def _scale(x: Exact, factor: Fraction) -> Exact:
    return _exact((term, own * factor) for term, own in x.parts)


def _add(*terms: Exact) -> Exact:
    return _exact(part for x in terms for part in x.parts)


def _multiply(x: Exact, y: Exact) -> Exact | None:
    for one, other in ((x, y), (y, x)):
        if (factor := one.rational) is not None:
            return _scale(other, factor)
    match x.parts, y.parts:
        case ((Term(kind="root") as a, p),), ((Term(kind="root") as b, q),):
            root = _sqrt(fraction(a.argument * b.argument))
            return None if root is None else _scale(root, p * q)
        case _:
            return None


def _divide(x: Exact, y: Exact) -> Exact | None:
    match x.parts, y.parts:
        case (), _:
            return x
        case _, ((Term(kind="one"), q),):
            return _scale(x, 1 / q)
        case ((a, p),), ((b, q),) if a == b:
            return fraction(p / q)
        case _, ((Term(kind="root") as b, q),):
            return _multiply(x, _exact([(b, 1 / (q * b.argument))]))
        case _:
            return None


def _sqrt(x: Exact) -> Exact | None:
    number = x.rational
    if number is None or number < 0:
        return None
    inside = number.numerator * number.denominator
    whole = math.isqrt(inside)
    if whole * whole == inside:
        return fraction(Fraction(whole, number.denominator))
    if inside > _MOST_FACTORED:
        return None
    outside = max(n for n in range(1, math.isqrt(inside) + 1) if inside % (n * n) == 0)
    inside //= outside * outside
    return _exact([(Term("root", Fraction(inside), math.sqrt(inside)), Fraction(outside, number.denominator))])


def _power(x: Exact, y: Exact) -> Exact | None:
    base, exponent = x.rational, y.rational
    if exponent == 2:  # noqa: PLR2004  a square
        return _multiply(x, x)
    if exponent == Fraction(1, 2):
        return _sqrt(x)
    if base is None or exponent is None or exponent.denominator != 1 or abs(exponent) > _MOST_BITS:
        return None
    return fraction(base**exponent.numerator) if base or exponent >= 0 else None


def _wave(kind: str, function: Callable[[float], float]) -> Callable[[Exact], Exact | None]:
    def rule(x: Exact) -> Exact | None:
        argument = x.rational
        if argument is None:
            return None
        if argument == 0:
            return fraction(round(function(0.0)))
        return _exact([(Term(kind, argument, function(float(argument))), Fraction(1))])

    return rule


def _maximum(*values: Exact) -> Exact | None:
    first, *others = sorted(values, key=float, reverse=True)
    decided = all(float(first) - float(other) > _DECIDED or first == other for other in others)
    return first if decided else None


_RULES: dict[Operation, Callable[..., Exact | None]] = {
    Operation.ADD: _add,
    Operation.SUBTRACT: lambda x, y: _add(x, _scale(y, Fraction(-1))),
    Operation.MULTIPLY: _multiply,
    Operation.DIVIDE: _divide,
    Operation.NEGATIVE: lambda x: _scale(x, Fraction(-1)),
    Operation.POWER: _power,
    Operation.EXP: _wave("exp", math.exp),
    Operation.LOG: lambda x: fraction(0) if x.rational == 1 else None,
    Operation.SQRT: _sqrt,
    Operation.SIN: _wave("sin", math.sin),
    Operation.COS: _wave("cos", math.cos),
    Operation.MAXIMUM: _maximum,
}


def exact_forms() -> Arithmetic[Exact]:
    """Return exact arithmetic; each call has unknowns of its own.

    A leaf enters as its shortest decimal.
    """
    serial = count(1)

    def enter(value: float | Decimal) -> Exact:
        return unknown(value) if math.isinf(value) else fraction(Fraction(str(value)))

    def unknown(value: float | Decimal) -> Exact:
        return Exact(((Term("unknown", Fraction(next(serial)), float(value)), Fraction(1)),))

    def follow(operation: Operation, rule: Callable[..., Exact | None]) -> Callable[..., Exact]:
        def compute(*operands: Exact) -> Exact:
            result = rule(*operands)
            if result is None or any(
                max(factor.numerator.bit_length(), factor.denominator.bit_length()) > _MOST_BITS
                for _, factor in result.parts
            ):
                return unknown(FLOAT64.operations[operation](*map(float, operands)))
            return result

        return compute

    return Arithmetic(
        leaf=enter,
        operations=MappingProxyType({operation: follow(operation, rule) for operation, rule in _RULES.items()}),
    )


def write_exact(x: Exact, *, latex: bool = False) -> str:
    """Write a closed form: `3/4`, `-√2/2`, `1 + sin(1)`, `cos(1/100)`; or the same in LaTeX."""
    if not x.parts:
        return "0"
    text = ""
    for term, factor in x.parts:
        sign = "-" if factor < 0 else ""
        glue = (" - " if sign else " + ") if text else sign
        text += glue + _write_part(term, abs(factor), latex=latex)
    return text


def _write_part(term: Term, factor: Fraction, *, latex: bool) -> str:
    if term.kind == "one":
        return _write_fraction(str(factor.numerator), factor.denominator, latex=latex)
    argument = _write_fraction(str(term.argument.numerator), term.argument.denominator, latex=latex)
    if term.kind == "root":
        name = rf"\sqrt{{{argument}}}" if latex else f"√{argument}"
    else:
        name = rf"\{term.kind}\left({argument}\right)" if latex else f"{term.kind}({argument})"
    number = "" if factor.numerator == 1 else f"{factor.numerator}{'' if term.kind == 'root' else ' '}"
    return _write_fraction(number + name, factor.denominator, latex=latex)


def _write_fraction(top: str, bottom: int, *, latex: bool) -> str:
    if bottom == 1:
        return top
    return rf"\frac{{{top}}}{{{bottom}}}" if latex else f"{top}/{bottom}"
