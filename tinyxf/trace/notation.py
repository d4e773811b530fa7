"""How a formula is written: as text that a parser can read back, or as LaTeX.

After expressions.  A notation is data: for each operation a pattern and how tightly it binds.  Written text comes in
pieces, so that whoever publishes it can make each number of it a link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType

from tinyxf.formatting import as_decimal
from tinyxf.trace.expression import Apply, Figure, Formula, Reference, Vector


@dataclass(frozen=True, slots=True)
class Piece:
    """Some characters of a formula; with an `address` they stand for that published number."""

    text: str
    address: str = ""


class Binding(IntEnum):
    """How tightly what was written holds together; what binds less than its place asks gets parentheses."""

    LOOSE = 0
    SUM = 1
    SIGN = 2
    PRODUCT = 3
    POWER = 4
    ATOM = 5


@dataclass(frozen=True, slots=True)
class Pattern:
    """`text` with `{}` for each operand and, for any number of operands, what stands between them in `joint`.

    `asks` says how tightly each operand must bind; the last one counts for all that follow.
    """

    text: str
    binding: Binding
    asks: tuple[Binding, ...] = (Binding.LOOSE,)
    joint: str = ""


@dataclass(frozen=True, slots=True)
class Notation:
    """One way to write formulas."""

    patterns: Mapping[str, Pattern]
    brackets: tuple[str, str]
    symbol: Callable[[str], str]


_B = Binding
_SYMBOL = re.compile(r"([A-Za-z]+?)('*)_?(\d*)('*)")
_FACTORS = (_B.PRODUCT, _B.POWER)
_WIDE = (_B.LOOSE, _B.LOOSE)


def _write_symbol(symbol: str) -> str:
    return symbol


def _write_latex_symbol(symbol: str) -> str:
    r"""Write `h1.q0[chuck]` as `\text{h1.}q_{0}[\text{chuck}]`; names of more than one letter stay upright."""
    head, bracket, places = symbol.partition("[")
    group, dot, name = head.rpartition(".")
    match = _SYMBOL.fullmatch(name)
    letters, primes, number = (match[1], match[2] + match[4], match[3]) if match else (name, "", "")
    text = rf"\text{{{_escape(group)}.}}" if dot else ""
    text += letters if len(letters) == 1 else rf"\text{{{_escape(letters)}}}"
    text += primes + (f"_{{{number}}}" if number else "")
    return text + (rf"[\text{{{_escape(places.removesuffix(']'))}}}]" if bracket else "")


def _escape(text: str) -> str:
    named = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
    return "".join(named.get(sign, "\\" + sign if sign in "{}$&#%_" else sign) for sign in text)


TEXT = Notation(
    MappingProxyType(
        {
            "add": Pattern("{}", _B.SUM, (_B.SUM, _B.PRODUCT), " + "),
            "subtract": Pattern("{} - {}", _B.SUM, (_B.SUM, _B.PRODUCT)),
            "multiply": Pattern("{} × {}", _B.PRODUCT, _FACTORS),
            "dot": Pattern("{} · {}", _B.PRODUCT, _FACTORS),
            "divide": Pattern("{} / {}", _B.PRODUCT, _FACTORS),
            "negative": Pattern("-{}", _B.SIGN, (_B.PRODUCT,)),
            "power": Pattern("{}^{}", _B.POWER, (_B.ATOM, _B.ATOM)),
            "square": Pattern("{}²", _B.POWER, (_B.ATOM,)),
            "sqrt": Pattern("√{}", _B.POWER, (_B.ATOM,)),
            "exp": Pattern("exp({})", _B.ATOM),
            "log": Pattern("ln({})", _B.ATOM),
            "sin": Pattern("sin({})", _B.ATOM),
            "cos": Pattern("cos({})", _B.ATOM),
            "mean": Pattern("mean({})", _B.ATOM),
            "sum": Pattern("sum({})", _B.ATOM),
            "maximum": Pattern("max({})", _B.ATOM, joint=", "),
        }
    ),
    ("(", ")"),
    _write_symbol,
)

LATEX = Notation(
    MappingProxyType(
        {
            **TEXT.patterns,
            "multiply": Pattern(r"{} \times {}", _B.PRODUCT, _FACTORS),
            "dot": Pattern(r"{} \cdot {}", _B.PRODUCT, _FACTORS),
            "divide": Pattern(r"\frac{{}}{{}}", _B.POWER, _WIDE),
            "power": Pattern("{}^{{}}", _B.POWER, (_B.ATOM, _B.LOOSE)),
            "square": Pattern("{}^2", _B.POWER, (_B.ATOM,)),
            "sqrt": Pattern(r"\sqrt{{}}", _B.ATOM),
            **{
                name: Pattern(rf"\{sign}\left({{}}\right)", _B.ATOM)
                for name, sign in (("exp", "exp"), ("log", "ln"), ("sin", "sin"), ("cos", "cos"))
            },
            "mean": Pattern(r"\operatorname{mean}\left({}\right)", _B.ATOM),
            "sum": Pattern(r"\operatorname{sum}\left({}\right)", _B.ATOM),
            "maximum": Pattern(r"\max\left({}\right)", _B.ATOM, joint=", "),
        }
    ),
    (r"\left(", r"\right)"),
    _write_latex_symbol,
)


def write_formula(formula: Formula, notation: Notation = TEXT, *, numbers: bool = False) -> tuple[Piece, ...]:
    """Write a formula in symbols or, with `numbers`, with what is printed for each."""
    pieces, _ = _write(formula, notation, numbers=numbers)
    return tuple(_merge(pieces))


def join_pieces(pieces: Iterable[Piece]) -> str:
    """Return the characters of the pieces."""
    return "".join(piece.text for piece in pieces)


def write_number(value: float) -> str:
    """Write a constant in full, without an exponent: `0.00001`, `10000`, `0.5`."""
    text = format(as_decimal(value or 0), "f")  # zero has no sign
    return text.rstrip("0").rstrip(".") if "." in text else text


def _write(formula: Formula, notation: Notation, *, numbers: bool) -> tuple[list[Piece], Binding]:
    match formula:
        case Figure(value):
            text = write_number(value)
            return [Piece(text)], _B.SIGN if value < 0 else _B.ATOM
        case Reference() if numbers:
            figure = formula.entry.figure
            shown = figure.replace("%", r"\%") if notation is LATEX else figure
            return [Piece(shown, formula.entry.address)], _B.SIGN if figure.startswith("-") else _B.ATOM
        case Reference():
            return [Piece(notation.symbol(formula.entry.symbol), formula.entry.address)], _B.ATOM
        case Vector():
            return [Piece(notation.symbol(formula.symbol))], _B.ATOM
        case Apply("power", (base, Figure(2))):
            return _apply_pattern(notation.patterns["square"], (base,), notation, numbers=numbers)
        case Apply(name, arguments):
            return _apply_pattern(notation.patterns[name], arguments, notation, numbers=numbers)


def _apply_pattern(
    pattern: Pattern, arguments: tuple[Formula, ...], notation: Notation, *, numbers: bool
) -> tuple[list[Piece], Binding]:
    written: list[list[Piece]] = []
    for place, argument in enumerate(arguments):
        pieces, binding = _write(argument, notation, numbers=numbers)
        if binding < pattern.asks[min(place, len(pattern.asks) - 1)]:
            left, right = notation.brackets
            pieces = [Piece(left), *pieces, Piece(right)]
        written.append(pieces)
    if pattern.joint:
        between = [Piece(pattern.joint)]
        written = [[piece for own in written for piece in (*between, *own)][1:]]
    texts = pattern.text.split("{}")
    pieces = [Piece(texts[0])]
    for own, text in zip(written, texts[1:], strict=True):
        pieces += [*own, Piece(text)]
    return pieces, pattern.binding


def _merge(pieces: Iterable[Piece]) -> Iterator[Piece]:
    text = ""
    for piece in pieces:
        if piece.address:
            if text:
                yield Piece(text)
            yield piece
            text = ""
        else:
            text += piece.text
    if text:
        yield Piece(text)
