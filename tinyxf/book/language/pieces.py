"""What a placeholder turns into, before any engine writes it.

Between the expression language, which makes pieces, and the writers, which turn them into Markdown, HTML or tokens.
The union is closed: whoever matches on it says what becomes of each kind.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyxf.errors import Problem


@dataclass(frozen=True, slots=True)
class NumberPiece:
    """An inline number: as readers see it, with ten significant digits, and where it comes from.

    `address` is None for a number that was calculated in the page.  `derived` says that the page calculated it, or
    shows it in another way than its cell does; then its `expression` tells how.
    """

    display: str
    full: str
    address: str | None
    expression: str
    derived: bool = False


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Plain words: a number typed on purpose (`literal`), or what a condition chose."""

    text: str
    literal: bool = True


@dataclass(frozen=True, slots=True)
class TablePiece:
    """A whole table, by its id."""

    id: str


@dataclass(frozen=True, slots=True)
class FigurePiece:
    """A figure, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class WorkPiece:
    """The worked arithmetic of one number, by its address."""

    address: str


@dataclass(frozen=True, slots=True)
class ClaimPiece:
    """A sentence's condition, found true; it prints nothing."""

    expression: str


@dataclass(frozen=True, slots=True)
class ProblemPiece:
    """A placeholder that cannot be shown, and why."""

    problem: Problem


BlockPiece = TablePiece | FigurePiece | WorkPiece
Piece = NumberPiece | TextPiece | BlockPiece | ClaimPiece | ProblemPiece
