"""What a placeholder may call: the offered functions and filters, and how their arguments are bound.

Between the catalog and the expression language, which owns the syntax and hands over what it found.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tinyxf.book.language.pieces import BlockPiece, ClaimPiece, FigurePiece, TablePiece, WorkPiece
from tinyxf.book.language.values import MAX_DIGITS, PlaceholderError, Value, spell
from tinyxf.catalog import Catalog
from tinyxf.errors import UnknownNameError, nearest


@dataclass(frozen=True, slots=True)
class Text:
    """Words: an argument, a literal, or what a condition chose between."""

    text: str
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Truth:
    """Whether a condition holds, and the comparison that decided it, in words."""

    holds: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Block:
    """Something that is shown as a whole and that no operation takes."""

    piece: BlockPiece | ClaimPiece
    function: str


Result = Value | Text | Truth | Block


# What each function and filter takes: name -> (kinds, default); a default of ... must be given.
Parameters = Mapping[str, tuple[tuple[type, ...], Any]]
_KEY = ((str, int), None)
FUNCTIONS: Mapping[str, Parameters] = {
    "n": {"name": ((str,), ...), "row": _KEY, "column": _KEY, "digits": ((int,), None)},
    "table": {"id": ((str,), ...)},
    "figure": {"name": ((str,), ...)},
    "work": {"name": ((str,), ...), "row": _KEY, "column": _KEY},
    "literal": {"text": ((str,), ...)},
    "claim": {},  # takes a condition, which is no plain argument
}
FILTERS: Mapping[str, Parameters] = {
    "digits": {"digits": ((int,), ...)},
    "percent": {"digits": ((int,), 1)},
    "signed": {},
    "thousands": {},
    "words": {},
}
OFFER = f"Write {', '.join(f'{name}(...)' for name in FUNCTIONS)}."
_SAMPLES = {
    "n": 'n("loss.before")',
    "table": 'table("embed.tokens")',
    "figure": 'figure("model")',
    "work": 'work("attention.h1.scores", "chuck", "a")',
    "literal": 'literal("10000")',
    "digits": "digits(2)",
}


def bind(name: str, parameters: Parameters, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Bind the arguments of a call or filter, by place or by name.

    `fields` are those of Jinja's node.  Only plain texts and whole numbers are arguments, so nothing is evaluated.
    Raises PlaceholderError for anything else.
    """
    if fields["dyn_args"] or fields["dyn_kwargs"]:
        raise PlaceholderError(f"{name} takes plain arguments, found one with a star")
    names = list(parameters)
    if len(fields["args"]) > len(names):
        raise PlaceholderError(
            f"{name} takes {', '.join(names) or 'no argument'}, found {len(fields['args'])} arguments"
        )
    given = dict(zip(names, fields["args"], strict=False))
    for keyword in fields["kwargs"]:
        if keyword.key not in parameters:
            raise PlaceholderError(f'{name} has no argument "{keyword.key}"{nearest(keyword.key, names)}')
        if keyword.key in given:
            raise PlaceholderError(f'{name} got "{keyword.key}" twice')
        given[keyword.key] = keyword.value
    bound = {}
    for parameter, (kinds, default) in parameters.items():
        if parameter in given:
            bound[parameter] = _plain(given[parameter], kinds, parameter, name)
        elif default is ...:
            raise PlaceholderError(f'{name} needs "{parameter}", as in {_SAMPLES[name]}')
        else:
            bound[parameter] = default
    return bound


def _plain(node: Any, kinds: tuple[type, ...], parameter: str, name: str) -> str | int | None:  # noqa: ANN401  a node of Jinja's
    """Return the constant that an argument is."""
    if type(node).__name__ == "Const":
        value: str | int | None = node.value
        if type(value) in kinds or (value is None and int in kinds):
            return value
    words = " or ".join({str: "a text in quotation marks", int: "a whole number"}[kind] for kind in kinds)
    sample = f", as in {_SAMPLES[name]}" if str in kinds and name in _SAMPLES else ""
    raise PlaceholderError(f'"{parameter}" of {name} is {words}{sample}')


def call(name: str, given: Mapping[str, Any], catalog: Catalog, figures: Collection[str]) -> Result:
    """Return what the function `name` gives for bound arguments.

    Raises PlaceholderError, or UnknownNameError for a name that the catalog does not hold.
    """
    match name:
        case "n":
            return _number(catalog, **given)
        case "table":
            return Block(TablePiece(catalog.table(given["id"]).id), name)
        case "figure":
            if given["name"] not in figures:
                raise UnknownNameError(f'unknown figure "{given["name"]}"{nearest(given["name"], figures)}')
            return Block(FigurePiece(given["name"]), name)
        case "work":
            return Block(WorkPiece(catalog.lookup(**given).address), name)
        case _:  # literal
            text: str = given["text"]
            if not text.strip() or not text.isprintable():
                raise PlaceholderError('literal takes the text to show, as in literal("10000")')
            return Text(text, literal=True)


def _number(
    catalog: Catalog, name: str, row: str | int | None, column: str | int | None, digits: int | None
) -> Value:
    found = catalog.lookup(name, row, column)
    keys = [f'"{key}"' if isinstance(key, str) else str(key) for key in (name, row, column) if key is not None]
    form = found.format if digits is None else replace(found.format, digits=_digits(digits, "digits"))
    return Value(
        found.number.value,
        form,
        f"n({', '.join(keys)})",
        found.address,
        exact=found.number.exact,
        chosen=digits is not None,
    )


def apply(name: str, value: Value, given: Mapping[str, Any]) -> Value:
    """Return the value as the filter `name` shows it: its full value rounded afresh, never the display."""
    form = value.format
    match name:
        case "digits":
            value = replace(value, format=replace(form, digits=_digits(given["digits"], name)), chosen=True)
        case "percent":
            form = replace(form, percent=True, digits=_digits(given["digits"], name))
            value = replace(value, format=form, chosen=True)
        case "signed":
            value = replace(value, format=replace(form, signed=True))
        case "thousands":
            value = replace(value, format=replace(form, thousands=True))
        case _:  # words
            spell(value.number)
            value = replace(value, spelled=True)
    return replace(value, filter=name)


def _digits(digits: int | None, name: str) -> int:
    if digits is None or not 0 <= digits <= MAX_DIGITS:
        raise PlaceholderError(f"{name} takes a whole number from 0 to {MAX_DIGITS}, found {digits}")
    return digits
