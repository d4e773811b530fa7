"""The tokens of an edition: for each placeholder a word that Markdown leaves alone, and what belongs in its place.

Between pieces and the edition.  What a placeholder becomes hangs on what was typed alone, so it is made once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyxf.book.expand import Placed
from tinyxf.book.fill import Filling
from tinyxf.book.fillings import filling
from tinyxf.book.language.pieces import Piece, ProblemPiece, WorkPiece
from tinyxf.book.plates import Plates
from tinyxf.errors import Problem, TinyxfError

if TYPE_CHECKING:
    from tinyxf.book.checks.formulas import Place


class Tokens:
    """What stands behind each token: `fillings` of all, `blocks` the pieces of tables, figures and worked numbers."""

    def __init__(self, plates: Plates) -> None:
        self.fillings: dict[str, Filling] = {}
        self.blocks: dict[str, Piece] = {}
        self.problems: set[Problem] = set()
        self._plates = plates
        self._made: dict[str, Filling] = {}  # by what was typed

    def keep(self, placed: Placed, page: int, index: int, place: Place) -> str:
        """Return the token of what stands at an index of a page, both by number; `place` is where it was typed."""
        piece, typed = placed.piece, placed.placeholder.text
        made = None if isinstance(piece, ProblemPiece) else self._made.get(typed)
        if made is None:
            piece, words = self._words(piece, place)
            made = filling(piece, typed, words)
            if isinstance(piece, ProblemPiece):
                self.problems.add(piece.problem)
            else:
                self._made[typed] = made
        token = f"tx{page}n{index}x"
        self.fillings[token] = made
        if made.block:
            self.blocks[token] = piece
        return token

    def source(self, token: str) -> str:
        """Return what was typed where a token stands; what only looks like one is itself."""
        return self.fillings[token].source if token in self.fillings else token

    def _words(self, piece: Piece, place: Place) -> tuple[Piece, str]:
        """Return a piece and its words, or what is wrong with it in its place."""
        if isinstance(piece, ProblemPiece):
            return ProblemPiece(Problem(*place, piece.problem.message, piece.problem.kind)), ""
        try:
            return piece, self._plates.words(piece)
        except TinyxfError as error:  # a figure of tables that this catalog does not have, or no arithmetic
            kind = "work" if isinstance(piece, WorkPiece) else "figure"
            return ProblemPiece(Problem(*place, str(error), kind)), ""
