"""A page and a catalog in, pieces or problems out: the one pure function that every engine's adapter calls.

After scan and expression.  `expand` says what each placeholder becomes, `write` puts a writer's text in its place;
what is not a placeholder stays byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from tinyxf.book.front import front_problems
from tinyxf.book.language.expression import evaluate
from tinyxf.book.language.pieces import (
    ClaimPiece,
    FigurePiece,
    NumberPiece,
    Piece,
    ProblemPiece,
    TablePiece,
    TextPiece,
    WorkPiece,
)
from tinyxf.book.language.values import PlaceholderError
from tinyxf.book.reading.scan import Context, Placeholder, Scan, scan
from tinyxf.book.reading.source import splice
from tinyxf.catalog import Catalog
from tinyxf.errors import Problem


class Placed(NamedTuple):
    """A placeholder and what it becomes."""

    placeholder: Placeholder
    piece: Piece


@dataclass(frozen=True, slots=True)
class Expanded:
    """A page with the piece of each of its placeholders, in order, and its problems, sorted."""

    page: str
    text: str
    read: Scan | None
    placed: tuple[Placed, ...]
    problems: tuple[Problem, ...]

    @property
    def scan(self) -> Scan:
        """What was found in the page."""
        return scan(self.text) if self.read is None else self.read

    def without_scan(self) -> Expanded:
        """Return the same, less large: the page is scanned again when someone asks."""
        return replace(self, read=None)

    @property
    def tables(self) -> tuple[str, ...]:
        """The ids of the tables that the page shows, each once, in order."""
        return tuple(dict.fromkeys(placed.piece.id for placed in self.placed if isinstance(placed.piece, TablePiece)))

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses of the numbers that stand in the page's text, each once, in order."""
        numbers = (placed.piece for placed in self.placed if isinstance(placed.piece, NumberPiece))
        return tuple(dict.fromkeys(number.address for number in numbers if number.address is not None))


def expand(page: str, text: str, catalog: Catalog, figures: Collection[str] = ()) -> Expanded:
    """Return what every placeholder of a page becomes.  `page` is the name that problems carry.

    Nothing is raised for a mistake of an author: each becomes a Problem, and a ProblemPiece in its place.
    """
    return expand_with(partial(evaluate, catalog=catalog, figures=figures), page, text)


def expand_with(work_out: Callable[[str], Piece], page: str, text: str) -> Expanded:
    """Expand a page; `work_out` gives the piece of an expression or raises PlaceholderError."""
    read = scan(text)
    placed = tuple(Placed(own, _piece(page, own, work_out)) for own in read.placeholders)
    problems = {own.piece.problem for own in placed if isinstance(own.piece, ProblemPiece)}
    if read.source.front:
        plain = {own.placeholder.start: plain_text(own.piece) for own in placed}
        problems |= set(front_problems(page, read, plain))
    return Expanded(page, text, read, placed, tuple(sorted(problems)))


def _piece(page: str, placeholder: Placeholder, work_out: Callable[[str], Piece]) -> Piece:
    message, kind = placeholder.error, "placeholder"
    if not message:
        try:
            piece = work_out(placeholder.expression)
        except PlaceholderError as error:
            message, kind = str(error), error.kind
        else:
            if not isinstance(piece, TablePiece | FigurePiece | WorkPiece) or placeholder.context == "block":
                return piece
            message = f"{placeholder.text} must stand alone on its line, found it {_PLACES[placeholder.context]}"
    return ProblemPiece(Problem(page, placeholder.line, placeholder.column, message, kind))


_PLACES: dict[Context, str] = {
    "block": "alone",
    "inline": "within a line",
    "heading": "in a heading",
    "maths": "in a formula",
    "attribute": "in a link, tag or alternative",
    "front": "in the front matter",
}


def plain_text(piece: Piece) -> str:
    """Return what a piece shows where no element may stand: in titles, alternatives, formulas."""
    match piece:
        case NumberPiece(display):
            return display
        case TextPiece(text):
            return text
        case _:
            return ""


def write(text: str, placed: Iterable[Placed], writer: Callable[[Placed], str]) -> str:
    """Return the page with each placeholder replaced by what `writer` makes of it.

    Claims vanish: with their whole line, where they stand alone on one, so that no paragraph is split.
    """
    edits = []
    for own in placed:
        if isinstance(own.piece, ClaimPiece):
            edits.append(claim_edit(text, own.placeholder))
        else:
            edits.append((own.placeholder.start, own.placeholder.end, writer(own)))
    return splice(text, edits)


_REST = re.compile(r"[ \t]*(\r\n?|\n|\Z)")
_NEXT = re.compile(r"(?:[ \t>]*(?:\r\n?|\n))*([ \t>]*)\S")
_MARKER = re.compile(r"[ \t>]*(?:[-*+:]|\d+\.|\[\^[^\]]*\]:)[ \t]*\Z")


def claim_edit(text: str, placeholder: Placeholder) -> tuple[int, int, str]:
    """Return the edit (start, end, replacement) that takes a claim out of a page."""
    start, end = placeholder.start, placeholder.end
    line = _line_start(text, start)
    before, rest = text[line:start], _REST.match(text, end)
    if not rest:
        # Within a line: of the two spaces around it, one goes too.
        return start, end + (before[-1:] in ("", " ") and text[end : end + 1] == " "), ""
    if before.strip(" \t>\ufeff"):
        # Behind a sentence, the space before it goes too; a list's mark needs its own.
        return start if _MARKER.match(before) else line + len(before.rstrip(" \t")), end, ""
    following = _NEXT.match(text, rest.end())
    if following and len(following[1]) > len(before) and _opens(text, line):
        return start, end, "<!-- -->"  # or what is indented below would join what stands above
    return line + before.startswith("\ufeff"), rest.end(), ""


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _opens(text: str, line: int) -> bool:
    """Say whether the line before the one at `line` is blank."""
    end = line - 1 - text.startswith("\r\n", line - 2) if line > 1 else 0
    return not text[_line_start(text, end) : end].strip(" \t>\ufeff")
