"""What the template of a worked number needs: its arithmetic, laid out for a page that runs no script.

After the workbook, before the renderer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tinyxf.book.maths import formula
from tinyxf.trace.notation import Piece, join_pieces
from tinyxf.trace.work import COPY, Work, Workbook

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
class ViewOperand:
    """A number that another is made of: its symbol as MathML, what its cell shows, and the step that made it."""

    symbol: str
    display: str
    step: str


@dataclass(frozen=True, slots=True)
class ViewWork:
    """A worked number: the record, a link to its cell, formula and closed form as MathML, the numbers, the operands.

    `formula` and `pieces` are empty for a given number, `formula` also for one that only repeats another.
    """

    work: Work
    target: str
    formula: str
    exact: str
    pieces: tuple[ViewPiece, ...]
    operands: tuple[ViewOperand, ...]


def view_work(workbook: Workbook, name: str, target: Target) -> ViewWork:
    """Lay out the work of an address or a scalar's name.  Raises UnknownNameError with the nearest right name."""
    work, latex = workbook.work(name), workbook.latex(name)
    shown = work.formula and work.kind != COPY
    pieces = (_view_piece(workbook, piece, target) for piece in work.substituted)
    return ViewWork(
        work=work,
        target=target(work.number.address),
        formula=formula(f"{latex.symbol} = {latex.formula}", display=True) if shown else "",
        exact=formula(latex.exact, display=False) if latex.exact else "",
        pieces=tuple(pieces),
        operands=tuple(_view_operand(workbook, own.address) for own in work.operands) if shown else (),
    )


def work_words(work: Work) -> str:
    """Return a work as plain words, for a search index."""
    formula, numbers = join_pieces(work.formula), join_pieces(work.substituted)
    return " = ".join(filter(None, (work.number.symbol, formula, numbers, work.number.display)))


def _view_piece(workbook: Workbook, piece: Piece, target: Target) -> ViewPiece:
    if not piece.address:
        return ViewPiece(piece.text.replace(" × ", "\u00a0×\u00a0"))  # a product stays on one line
    number = workbook.trace.by_address[piece.address]
    full = number.number.full if piece.text == number.number.display else ""
    return ViewPiece(piece.text, piece.address, number.symbol, target(piece.address), full)


def _view_operand(workbook: Workbook, address: str) -> ViewOperand:
    entry = workbook.trace.by_address[address]
    symbol = formula(workbook.latex(address).symbol, display=False)
    return ViewOperand(symbol, entry.number.display, entry.table.step if entry.table else "")
