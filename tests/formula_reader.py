"""A pocket calculator for formulas as they are printed: `((-0.6561) × (-1.7320) + 1.7265 × 0.5773) / 1.4142`.

It knows nothing of traces or notations, only the rules of arithmetic that a reader knows: powers and roots before
signs, signs before products, products before sums, from left to right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

FUNCTIONS: dict[str, Callable[..., float]] = {
    "exp": math.exp,
    "ln": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "max": lambda *values: max(values),
}
TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?%?|[a-z]+|[-+×/^²√(),])")


def calculate(text: str) -> float:
    """Return what a printed formula comes to.  Raises ValueError where it can't be read."""
    tokens: list[str] = []
    at = 0
    while at < len(text.rstrip()):
        match = TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"unreadable from {text[at:]!r}")
        tokens.append(match[1])
        at = match.end()
    reader = Reader(tokens)
    value = reader.sum()
    if reader.tokens:
        raise ValueError(f"left over: {reader.tokens}")
    return value


class Reader:
    """One formula, read token by token."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def take(self, *wanted: str) -> str:
        """Take the next token if it is one of `wanted`, else return nothing."""
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted else ""

    def need(self, wanted: str) -> None:
        if not self.take(wanted):
            raise ValueError(f"expected {wanted!r}, found {self.tokens[:3]}")

    def sum(self) -> float:
        value = -self.product() if self.take("-") else self.product()
        while sign := self.take("+", "-"):
            value = value + self.product() if sign == "+" else value - self.product()
        return value

    def product(self) -> float:
        value = self.power()
        while sign := self.take("×", "/"):
            value = value * self.power() if sign == "×" else value / self.power()
        return value

    def power(self) -> float:
        if self.take("√"):
            return math.sqrt(self.atom())
        value = self.atom()
        if self.take("²"):
            return value**2
        return value ** self.atom() if self.take("^") else value

    def atom(self) -> float:
        if self.take("("):
            value = self.sum()
            self.need(")")
            return value
        if not self.tokens:
            raise ValueError("the formula ends too soon")
        token = self.tokens.pop(0)
        if token in FUNCTIONS:
            self.need("(")
            values = [self.sum()]
            while self.take(","):
                values.append(self.sum())
            self.need(")")
            return FUNCTIONS[token](*values)
        return float(token[:-1]) / 100 if token.endswith("%") else float(token)
