"""What each piece becomes in a page of HTML.

Between pieces and `fill`, which puts it in its place.
"""

from __future__ import annotations

import html

from tinyxf.book.fill import Filling
from tinyxf.book.language.pieces import ClaimPiece, NumberPiece, Piece, ProblemPiece, TextPiece
from tinyxf.book.plates import problem_box


def filling(piece: Piece, source: str, words: str) -> Filling:
    """Return what stands behind the token of a piece: its `source`, and for a plate its `words`."""
    match piece:
        case NumberPiece() as number:
            words = html.escape(number.display)
            return Filling(number.display, _data(number, words), source, words=words, latex=latex(number.display))
        case TextPiece(text):
            return Filling(text, html.escape(text, quote=False), source)
        case ClaimPiece():
            return Filling("", "", source)
        case ProblemPiece(problem):
            return Filling(source, problem_box(problem, "span"), source)
        case _:
            return Filling("", "", source, block=True, words=words)


def latex(display: str) -> str:
    """Write a number as LaTeX reads it: a percent sign begins no comment, a comma groups thousands."""
    return display.replace("%", r"\%").replace(",", "{,}")


def _data(number: NumberPiece, words: str) -> str:
    where = f' data-address="{html.escape(number.address)}"' if number.address else ""
    own = f' data-expression="{html.escape(number.expression)}"' if number.derived else ""
    return f'<data value="{number.full}"{where}{own}>{words}</data>'
