"""The language between `{{ ` and ` }}`: an expression in, a piece of a page or a PlaceholderError out.

Jinja's parser gives the tree; nothing of Jinja compiles or runs it.  The small interpreter below is an allow-list by
construction: it knows the nodes that are written here and refuses every other one by name.  Whatever a page says, the
work is bounded by the length of the source, and nothing is reachable but the catalog.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Protocol

from tinyxf.book.language.functions import FILTERS, FUNCTIONS, OFFER, Block, Result, Text, Truth, apply, bind, call
from tinyxf.book.language.pieces import ClaimPiece, Piece, TextPiece
from tinyxf.book.language.values import PlaceholderError, Value, combine, compare, negative, shown, typed
from tinyxf.book.render import parse_expression
from tinyxf.catalog import Catalog
from tinyxf.errors import TinyxfError, UnknownNameError, nearest

MAX_SOURCE = 1000  # characters of one placeholder
MAX_DEPTH = 40  # brackets within brackets, operations within operations

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', re.DOTALL)
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)
_BREAK = re.compile(r"[ \t]*[\r\n]\s*")
_CURLY_QUOTES = frozenset("\u201c\u201d\u201e\u2018\u2019")


class Node(Protocol):
    """All that is asked of a node of Jinja's tree, beside the name of its class."""

    def iter_fields(self) -> Iterator[tuple[str, Any]]:
        """Yield the node's own fields as (name, value)."""


_parse = functools.lru_cache(maxsize=4096)(parse_expression)  # a tree follows from its source alone


def evaluate(source: str, catalog: Catalog, figures: Collection[str] = ()) -> Piece:
    """Return the piece that a placeholder's expression asks for.

    Raises PlaceholderError, and nothing else, for every other text: malformed, not offered, unknown, untrue or
    hostile.
    """
    _check_source(source)
    source = _BREAK.sub(" ", source).strip()
    try:
        result = _Interpreter(catalog, figures).value(_parse(source), 0)
    except RecursionError:
        raise PlaceholderError("malformed placeholder: too many operations within operations") from None
    except PlaceholderError:
        raise
    except UnknownNameError as error:
        raise PlaceholderError(str(error), "name") from error
    except TinyxfError as error:
        hint = "; names stand in straight quotation marks" if _CURLY_QUOTES & set(source) else ""
        raise PlaceholderError(f"malformed placeholder: {error}{hint}") from error
    return _piece(result, source)


def _piece(result: Result, source: str) -> Piece:
    match result:
        case Value():
            return shown(result, source)
        case Text(text, literal):
            if not literal and any(letter.isdigit() for letter in text):
                raise PlaceholderError(
                    f'the text "{text}" holds a number typed by hand; use n(...), or literal(...) where it is meant',
                    "literal",
                )
            return TextPiece(text, literal)
        case Truth():
            raise PlaceholderError(f"a condition prints nothing; write claim({source})")
        case Block(piece):
            return piece


def _check_source(source: str) -> None:
    """Refuse, before the parser sees it, what could only keep the parser busy."""
    if not source.strip():
        raise PlaceholderError('empty placeholder: expected a value such as {{ n("loss.before") }}')
    if len(source) > MAX_SOURCE:
        raise PlaceholderError(f"a placeholder may have {MAX_SOURCE} characters, found {len(source)}")
    if any(found[1] not in ("\\", '"', "'") for found in _ESCAPE.finditer(source)):
        raise PlaceholderError("a backslash in a text must be doubled, or stand before a quotation mark")
    if sum(map(source.count, "([{")) <= MAX_DEPTH:
        return
    depth = deepest = 0
    for letter in _STRING.sub("", source):
        depth += (letter in "([{") - (letter in ")]}")
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise PlaceholderError(f"brackets may nest {MAX_DEPTH} deep, found {deepest}")


_MATHS = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "FloorDiv": "//", "Mod": "%"}
_COMPARISONS = frozenset({"eq", "ne", "gt", "gteq", "lt", "lteq"})
_REFUSED = {
    "Getitem": "a subscript",
    "Pow": "a power",
    "Concat": "joining texts",
    "Test": 'a test with "is"',
    "List": "a list",
    "Tuple": "a list",
    "Dict": "a dictionary",
}


class _Interpreter:
    """Walks one tree.  A node has a handler here or it is refused."""

    def __init__(self, catalog: Catalog, figures: Collection[str]) -> None:
        self.catalog = catalog
        self.figures = figures
        self.nodes: dict[str, Callable[[Mapping[str, Any], int], Result]] = {
            "Const": self._constant,
            "Name": self._name,
            "Getattr": self._attribute,
            "Call": self._call,
            "Filter": self._filter,
            "Compare": self._compare,
            "And": self._and,
            "Or": self._or,
            "Not": self._not,
            "CondExpr": self._choice,
            "Neg": self._negative,
            "Pos": lambda fields, depth: self._number(fields["node"], depth, "+"),
            **{kind: self._maths(symbol) for kind, symbol in _MATHS.items()},
        }

    def value(self, node: Node, depth: int) -> Result:
        kind = type(node).__name__
        if depth > MAX_DEPTH:
            raise PlaceholderError(f"operations may nest {MAX_DEPTH} deep")
        if kind not in self.nodes:
            raise PlaceholderError(f"{_REFUSED.get(kind, kind)} is not offered in a placeholder. {OFFER}")
        return self.nodes[kind](dict(node.iter_fields()), depth + 1)

    @staticmethod
    def _constant(fields: Mapping[str, Any], _: int) -> Result:
        match fields["value"]:
            case bool() as holds:
                return Truth(holds, str(holds).lower())
            case str() as text:
                return Text(text)
            case int() | float() as number:
                return typed(number)
            case _:
                raise PlaceholderError(f"none is nothing to show. {OFFER}")

    def _name(self, fields: Mapping[str, Any], _: int) -> Result:
        name = str(fields["name"])
        if name in FUNCTIONS:
            raise PlaceholderError(f'{name} is a function: write {name}("...")')
        self._suggest(name)
        raise PlaceholderError(f'unknown name "{name}"{nearest(name, FUNCTIONS)} {OFFER}')

    def _attribute(self, fields: Mapping[str, Any], _: int) -> Result:
        """Nothing has attributes; but whoever writes `loss.before` means a number."""
        parts = [str(fields["attr"])]
        node = fields["node"]
        while type(node).__name__ == "Getattr":
            parts.append(node.attr)
            node = node.node
        if type(node).__name__ == "Name":
            self._suggest(".".join([node.name, *reversed(parts)]))
        raise PlaceholderError(f"an attribute is not offered in a placeholder. {OFFER}")

    def _suggest(self, name: str) -> None:
        near = nearest(name, self.catalog.names(), most=1)
        if '"' in near:
            found = near.split('"')[1]
            raise PlaceholderError(f'"{name}" needs a function and quotation marks, as in n("{found}")', "name")

    def _call(self, fields: Mapping[str, Any], depth: int) -> Result:
        if type(fields["node"]).__name__ != "Name":
            raise PlaceholderError(f"only functions can be called. {OFFER}")
        name = str(fields["node"].name)
        if name not in FUNCTIONS:
            raise PlaceholderError(f'unknown function "{name}"{nearest(name, FUNCTIONS)} {OFFER}')
        if name == "claim":
            return self._claim(fields, depth)
        return call(name, bind(name, FUNCTIONS[name], fields), self.catalog, self.figures)

    def _claim(self, fields: Mapping[str, Any], depth: int) -> Result:
        if len(fields["args"]) != 1 or fields["kwargs"] or fields["dyn_args"] or fields["dyn_kwargs"]:
            raise PlaceholderError("claim takes one condition, as in claim(n(...) > 2)")
        truth = self._truth(fields["args"][0], depth, "claim")
        if not truth.holds:
            raise PlaceholderError(f"claim is false: {truth.reason}", "claim")
        return Block(ClaimPiece(truth.reason), "claim")

    def _filter(self, fields: Mapping[str, Any], depth: int) -> Result:
        name = str(fields["name"])
        if name not in FILTERS:
            raise PlaceholderError(f'unknown filter "{name}"{nearest(name, FILTERS)} Write {", ".join(FILTERS)}.')
        value = self._number(fields["node"], depth, f'the filter "{name}"')
        return apply(name, value, bind(name, FILTERS[name], fields))

    def _truth(self, node: Node, depth: int, place: str) -> Truth:
        result = self.value(node, depth)
        if isinstance(result, Truth):
            return result
        raise PlaceholderError(f"{place} takes a condition such as n(...) > 2, found {_named(result)}")

    def _compare(self, fields: Mapping[str, Any], depth: int) -> Result:
        """Compare a chain, `0 < a < 1`; every link is looked at, so no wrong name hides behind a false one."""
        left = self._number(fields["expr"], depth, "a comparison")
        links = []
        for operand in fields["ops"]:
            if operand.op not in _COMPARISONS:
                raise PlaceholderError(f'"{operand.op}" is not offered in a placeholder. {OFFER}')
            right = self._number(operand.expr, depth, "a comparison")
            links.append(Truth(*compare(operand.op, left, right)))
            left = right
        return _all(links)

    def _and(self, fields: Mapping[str, Any], depth: int) -> Result:
        return _all([self._truth(fields[side], depth, '"and"') for side in ("left", "right")])

    def _or(self, fields: Mapping[str, Any], depth: int) -> Result:
        sides = [self._truth(fields[side], depth, '"or"') for side in ("left", "right")]
        holds = any(side.holds for side in sides)
        return Truth(holds, " and ".join(side.reason for side in sides if side.holds == holds))

    def _not(self, fields: Mapping[str, Any], depth: int) -> Result:
        inner = self._truth(fields["node"], depth, '"not"')
        return Truth(not inner.holds, inner.reason)

    def _choice(self, fields: Mapping[str, Any], depth: int) -> Result:
        if fields["expr2"] is None:
            raise PlaceholderError('a choice needs both sides: "..." if condition else "..."')
        test = self._truth(fields["test"], depth, '"if"')
        sides = self.value(fields["expr1"], depth), self.value(fields["expr2"], depth)
        for side in sides:
            if isinstance(side, Truth | Block):
                raise PlaceholderError(f"a choice is between texts or numbers, found {_named(side)}")
        return sides[0] if test.holds else sides[1]

    def _number(self, node: Node, depth: int, place: str) -> Value:
        result = self.value(node, depth)
        if isinstance(result, Value):
            return result
        raise PlaceholderError(f"{place} takes numbers, found {_named(result)}")

    def _maths(self, symbol: str) -> Callable[[Mapping[str, Any], int], Result]:
        def run(fields: Mapping[str, Any], depth: int) -> Result:
            left, right = (self._number(fields[side], depth, f'"{symbol}"') for side in ("left", "right"))
            return combine(symbol, left, right)

        return run

    def _negative(self, fields: Mapping[str, Any], depth: int) -> Result:
        value = self._number(fields["node"], depth, '"-"')
        return negative(value) if value.published else typed(-value.number)


def _all(parts: list[Truth]) -> Truth:
    holds = all(part.holds for part in parts)
    return Truth(holds, " and ".join(part.reason for part in parts if part.holds == holds))


def _named(result: Result) -> str:
    match result:
        case Value():
            return f"the number {result.expression}"
        case Text(text):
            return f'the text "{text}"'
        case Truth():
            return "a condition"
        case Block():
            return f"{result.function}(...)"
