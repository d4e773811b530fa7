"""What the template of a worked number needs: its arithmetic, laid out for a page that runs no script.

After the workbook, before the renderer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tinyxf.book.maths import formula
from tinyxf.trace.notation import Piece, join_pieces
from tinyxf.trace.work import COPY, GIVEN, Work, Workbook

Target = Callable[[str], str]  # from an address to what a link to its cell says; empty where no page has the cell


@dataclass(frozen=True, slots=True)
class ViewPiece:
    """Some characters of a formula.

    A number has its `address`, `symbol` and `target`, and its `full` value where `text` is just what its cell shows.
    """

    text: str
    address: str = ""
    symbol: str = ""
    target: str = ""
    full: str = ""


@dataclass(frozen=True, slots=True)
class ViewOperands:
    """Numbers that another is made of and that stand together: where, and each one's symbol as MathML and display."""

    where: str
    numbers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ViewWork:
    """A worked number: the record, a link to its cell, formula and closed form as MathML, the numbers, the operands.

    `formula` and `operands` are empty for a given number and for one that only repeats another; `full` is empty where
    it says nothing new.
    """

    work: Work
    target: str
    full: str
    formula: str
    exact: str
    pieces: tuple[ViewPiece, ...]
    operands: tuple[ViewOperands, ...]


def view_work(workbook: Workbook, name: str, target: Target) -> ViewWork:
    """Lay out the work of an address or a scalar's name.  Raises UnknownNameError with the nearest right name."""
    work, latex = workbook.work(name), workbook.latex(name)
    shown = work.formula and work.kind != COPY
    return ViewWork(
        work=work,
        target=target(work.number.address),
        full=full_of(work),
        formula=formula(f"{latex.symbol} = {latex.formula}", display=True) if shown else "",
        exact=formula(latex.exact, display=False) if latex.exact else "",
        pieces=tuple(_view_piece(workbook, piece, target) for piece in work.substituted),
        operands=tuple(_view_operands(workbook, work)) if shown else (),
    )


def full_of(work: Work) -> str:
    """Return a number's full value where it says more than its display and its closed form."""
    known = (work.number.display.replace(",", ""), work.exact)
    return "" if work.kind == GIVEN or work.full in known else work.full


def work_words(work: Work) -> str:
    """Return a work as plain words, for a search index."""
    formula, numbers = join_pieces(work.formula), join_pieces(work.substituted)
    return " = ".join(filter(None, (work.number.symbol, formula, numbers, work.number.display)))


def _view_piece(workbook: Workbook, piece: Piece, target: Target) -> ViewPiece:
    if not piece.address:
        text = re.sub("-(?= |ln)", "\N{MINUS SIGN}", piece.text)
        return ViewPiece(re.sub(" ([×/]) ", "\u00a0\\1\u00a0", text))  # a product stays on one line
    entry = workbook.trace.by_address[piece.address]
    full = entry.number.full if piece.text == entry.number.display else ""
    return ViewPiece(piece.text, piece.address, entry.symbol, target(piece.address), full)


def _view_operands(workbook: Workbook, work: Work) -> Iterator[ViewOperands]:
    """Gather the operands by the step that made them, or by what they are."""
    gathered: dict[str, list[tuple[str, str]]] = {}
    for own in work.operands:
        table = workbook.trace.by_address[own.address].table
        where = "constants" if table is None else f"step {table.step}" if table.step else table.stage
        symbol = formula(workbook.latex(own.address).symbol, display=False)
        gathered.setdefault(where, []).append((symbol, own.display))
    for where, numbers in gathered.items():
        yield ViewOperands(where, tuple(numbers))
