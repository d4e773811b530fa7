"""Worked arithmetic as text, Markdown and JSON.

After `work`, before the command line.  Pages lay the same records out through templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from tinyxf.trace.closure import LOST
from tinyxf.trace.notation import Piece, join_pieces
from tinyxf.trace.work import COPY, GIVEN, Mention, Work

Explained = Sequence[tuple[int, Work]]


def tell_text(explained: Explained) -> str:
    """Write works for a terminal, each indented by its level."""
    blocks = []
    for level, work in explained:
        lines = [
            f"{work.number.address} = {work.number.display}",
            _place(work),
            *(f"  {line}" for line in equation_lines(work)),
            *(f"  {remark}" for remark in remarks(work)),
            *_listed("made of", work.operands),
            *_listed("used by", work.used_by),
        ]
        blocks.append("\n".join(("  " * level + line).rstrip() for line in lines))
    return "\n\n".join(blocks) + "\n"


def tell_markdown(explained: Explained) -> str:
    """Write works as Markdown: formulas as code, operands as a list."""
    blocks = []
    for _, work in explained:
        parts = [f"**{_code(work.number.address)}** {work.number.display}", _escape(_place(work))]
        if equations := equation_lines(work):
            parts.append("\n".join(f"    {line}" for line in equations))
        parts += [_escape(remark) for remark in remarks(work)]
        for title, mentions in (("Made of", work.operands), ("Used by", work.used_by)):
            if mentions:
                items = (f"- {_code(each.symbol)} = {each.display} ({_code(each.address)})" for each in mentions)
                parts.append(f"{title}:\n\n" + "\n".join(items))
        blocks.append("\n\n".join(parts))
    return "\n\n---\n\n".join(blocks) + "\n"


def tell_data(work: Work) -> dict[str, Any]:
    """Return a work as plain data for JSON: a piece of a formula is [text] or [text, address]."""
    return {
        **_data(work.number),
        "step": work.step,
        "kind": work.kind,
        "formula": [_piece(piece) for piece in work.formula],
        "substituted": [_piece(piece) for piece in work.substituted],
        "full": work.full,
        "exact": work.exact,
        "pencil": work.pencil,
        "units": work.units,
        "operations": work.operations,
        "operands": [_data(each) for each in work.operands],
        "same_as": [_data(each) for each in work.same_as],
        "used_by": [_data(each) for each in work.used_by],
    }


def equation_lines(work: Work) -> tuple[str, ...]:
    """Return the formula, the same with numbers, and the result, one under the other; nothing for a given number."""
    if not work.formula:
        return ()
    symbol = work.number.symbol
    formula, substituted = join_pieces(work.formula), join_pieces(work.substituted)
    margin = " " * len(symbol)
    lines = [f"{symbol} = {formula}", f"{margin} = {substituted}"]
    if substituted != work.number.display:
        lines.append(f"{margin} = {work.number.display}")
    return tuple(lines)


def remarks(work: Work) -> tuple[str, ...]:
    """Return what is worth a sentence beside the equations: full value, closed form, drift, copies."""
    found = [f"in full {work.full}" + (f", exactly {work.exact}" if work.exact else "")]
    if work.kind == GIVEN:
        found = ["given, not computed"]
    if work.units == LOST:
        found.append("the printed numbers are too coarse to work it out")
    elif work.units:
        found.append(f"from the printed numbers {work.pencil}: {_count(work.units, 'unit')} in the last digit")
    if work.kind == COPY:
        found.append(f"the same number as {work.same_as[0].address}")
    elif work.same_as:
        found.append("also printed as " + ", ".join(f"{each.address} ({each.display})" for each in work.same_as))
    return tuple(found)


def _place(work: Work) -> str:
    return f"step {work.step}: {work.number.title}" if work.step else work.number.title


def _listed(title: str, mentions: Iterable[Mention]) -> list[str]:
    lines = [f"{each.symbol} = {each.display}  ({each.address})" for each in mentions]
    return [f"  {title if number == 0 else '':7}  {line}" for number, line in enumerate(lines)]


def _data(mention: Mention) -> dict[str, str]:
    return {
        "address": mention.address,
        "symbol": mention.symbol,
        "display": mention.display,
        "title": mention.title,
    }


def _piece(piece: Piece) -> list[str]:
    return [piece.text, piece.address] if piece.address else [piece.text]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"`{text}`"


def _escape(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|&$])", r"\\\1", text)
