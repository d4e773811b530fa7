"""Arithmetics: what the twelve elementary operations mean, for one kind of number.

First in the trace.  An arithmetic says how a leaf enters it and how each operation computes; a program can be run in
any of them.  Here stand float64, in which the stages themselves run, and 50-digit numbers; exact forms have a module
of their own.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from enum import StrEnum
from functools import reduce
from types import MappingProxyType
from typing import Any, Generic, TypeVar

V = TypeVar("V")

PROOF_DIGITS = 50


class Operation(StrEnum):
    """What a step of a program does.  The first three are leaves; `ADD` and `MAXIMUM` take any number of operands."""

    LEAF = "leaf"  # a named input: a weight, a position, a size
    CONSTANT = "constant"  # a plain number met on the way
    MASKED = "masked"  # what a mask hides: -inf before exp, 0 after it
    ADD = "add"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    DIVIDE = "divide"
    NEGATIVE = "negative"
    POWER = "power"
    EXP = "exp"
    LOG = "log"
    SQRT = "sqrt"
    SIN = "sin"
    COS = "cos"
    MAXIMUM = "maximum"


LEAVES = frozenset({Operation.LEAF, Operation.CONSTANT, Operation.MASKED})


@dataclass(frozen=True, slots=True)
class Arithmetic(Generic[V]):
    """One kind of number: `leaf` takes a float in, by its shortest decimal; `operations` compute."""

    leaf: Callable[[float | Decimal], V]
    operations: Mapping[Operation, Callable[..., V]]


def _power(base: float, exponent: float) -> float:
    if isinstance(base, int) and isinstance(exponent, int) and exponent >= 0:
        return int(base**exponent)
    return math.pow(base, exponent)


# What Python's own floats do, errors included (OverflowError, ZeroDivisionError, ValueError outside a domain).
# Whole numbers stay whole, so that counts of any size are exact.
FLOAT64: Arithmetic[float] = Arithmetic(
    leaf=lambda value: value if isinstance(value, int) else float(value),
    operations=MappingProxyType(
        {
            Operation.ADD: lambda *terms: sum(terms),
            Operation.SUBTRACT: operator.sub,
            Operation.MULTIPLY: operator.mul,
            Operation.DIVIDE: operator.truediv,
            Operation.NEGATIVE: operator.neg,
            Operation.POWER: _power,
            Operation.EXP: math.exp,
            Operation.LOG: math.log,
            Operation.SQRT: math.sqrt,
            Operation.SIN: math.sin,
            Operation.COS: math.cos,
            Operation.MAXIMUM: lambda *values: max(values),
        }
    ),
)


def fifty_digits() -> Arithmetic[Any]:
    """Return arithmetic with 50 digits (and ten to spare), in a context of its own.

    A leaf enters as the decimal that a reader would write: 1e-5 is 1/100000 here, not its binary neighbour.
    """
    from mpmath import MPContext  # noqa: PLC0415  it takes a tenth of a second, and only proofs need it

    context = MPContext()
    context.dps = PROOF_DIGITS + 10
    return Arithmetic(
        leaf=lambda value: context.mpf(str(value)),
        operations=MappingProxyType(
            {
                Operation.ADD: lambda *terms: reduce(operator.add, terms),
                Operation.SUBTRACT: operator.sub,
                Operation.MULTIPLY: operator.mul,
                Operation.DIVIDE: operator.truediv,
                Operation.NEGATIVE: operator.neg,
                Operation.POWER: context.power,
                Operation.EXP: context.exp,
                Operation.LOG: context.log,
                Operation.SQRT: context.sqrt,
                Operation.SIN: context.sin,
                Operation.COS: context.cos,
                Operation.MAXIMUM: lambda *values: max(values),
            }
        ),
    )


def proof_decimal(value: object) -> Decimal:
    """Return a number of `fifty_digits` as a decimal of 50 significant digits."""
    return Context(prec=PROOF_DIGITS).create_decimal(str(value))
