"""Numbers typed by hand, where a placeholder should stand.

After expansion; `check` reports them.  Decimals, percentages and integers of two or more digits in prose, table
cells, formulas, alternatives, titles and descriptions are problems unless they are marked as literals; a mark around
what needs none is a problem too, since it would outlive its reason.  So is what touches a computed number.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from tinyxf.book.checks.joined import joined
from tinyxf.book.checks.known import Known
from tinyxf.book.checks.numerals import HIDDEN, Numeral, prose_numerals, tex_numerals
from tinyxf.book.expand import Expanded, Placed
from tinyxf.book.language.pieces import TextPiece
from tinyxf.book.reading.scan import Leaf
from tinyxf.book.reading.source import split_lines
from tinyxf.errors import Problem

_SPECIAL = frozenset("*_`<>{}[]\\|$&#~^")  # a literal may also show what Markdown would read
_KEY = re.compile(r"([\w-]+)[ \t]*:")
_SPOKEN = ("title", "description")
_PROSE, _MATHS, _UNREAD = range(3)


def typed_problems(expanded: Expanded, known: Known) -> list[Problem]:
    """Return a problem for each number typed by hand, with the placeholder to paste, and for each needless mark."""
    problems = []
    marks = {own.placeholder.start: own for own in expanded.placed if _is_mark(own)}
    for view in _views(expanded):
        typed = ((numeral.start, _message(numeral, known)) for numeral in view.typed())
        for at, message in (*typed, *view.joined()):
            line, column = expanded.scan.source.place(view.offset(at))
            problems.append(Problem(expanded.page, line, column, message, "typed"))
        for start in view.needed_marks():
            marks.pop(start, None)
    return sorted([*problems, *(_needless(expanded.page, own) for own in marks.values())])


def _is_mark(own: Placed) -> bool:
    return isinstance(own.piece, TextPiece) and own.piece.literal and not set(own.piece.text) & _SPECIAL


def _message(numeral: Numeral, known: Known) -> str:
    candidates, equal = known.candidates(numeral.written)
    escaped = numeral.text.replace("\\", "\\\\")
    literal = f'{{{{ literal("{escaped}") }}}} where it is meant'
    if not candidates:
        return f"{numeral.text} is typed by hand; write a placeholder, or {literal}"
    like = "equals a published number" if equal else "is nearly a published number"
    return f"{numeral.text} is typed by hand and {like}; write {' or '.join(candidates)}, or {literal}"


def _needless(page: str, own: Placed) -> Problem:
    place = own.placeholder
    message = f"{place.text} marks nothing that needs a mark; write the text itself"
    return Problem(page, place.line, place.column, message, "literal")


@dataclass(frozen=True, slots=True)
class _View:
    """A text of the page.  `kinds` says how each character is read; `placed` are its placeholders by position."""

    text: str
    kinds: bytearray
    placed: tuple[tuple[int, Placed], ...]
    begins: tuple[int, ...]  # where in the text its lines begin
    starts: tuple[int, ...]  # and where they stand in the page
    heading: bool = False

    def offset(self, at: int) -> int:
        """Return where a position of the text stands in the page."""
        line = bisect_left(self.begins, at + 1) - 1
        return self.starts[line] + at - self.begins[line]

    def typed(self) -> list[Numeral]:
        """Return the numbers that are typed in this text, outside its placeholders."""
        kinds = bytearray(self.kinds)
        for begin, own in self.placed:
            length = len(own.placeholder.text)
            kinds[begin : begin + length] = bytes([_UNREAD]) * length
        return _numerals(self.text, kinds, heading=self.heading)

    def joined(self) -> Iterator[tuple[int, str]]:
        """Yield the place of each computed number that something typed, or another one, touches."""
        return joined(self.text, [(begin, own) for begin, own in self.placed if self.kinds[begin] != _UNREAD])

    def needed_marks(self) -> Iterator[int]:
        """Yield where those literals start in the page that would be problems if they were typed plainly."""
        parts: list[str] = []
        kinds = bytearray()
        marks = []
        at = 0
        for begin, own in self.placed:
            marked = _is_mark(own) and isinstance(own.piece, TextPiece)
            shown = own.piece.text if marked and isinstance(own.piece, TextPiece) else HIDDEN
            parts += [self.text[at:begin], shown]
            kinds += self.kinds[at:begin]
            if marked:
                marks.append((len(kinds), len(kinds) + len(shown), own.placeholder.start))
            kinds += bytes([self.kinds[begin] if marked else _UNREAD]) * len(shown)
            at = begin + len(own.placeholder.text)
        if not marks:
            return
        found = _numerals("".join([*parts, self.text[at:]]), kinds + self.kinds[at:], heading=self.heading)
        ends = [numeral.end for numeral in found]
        for begin, end, start in marks:
            first = bisect_left(ends, begin + 1)
            if first < len(found) and found[first].start < end:
                yield start


def _numerals(text: str, kinds: bytearray, *, heading: bool) -> list[Numeral]:
    """Return the numbers of the parts that are read, in order."""
    if not re.search(r"\d", text):
        return []
    prose = "".join([letter if kind == _PROSE else HIDDEN for letter, kind in zip(text, kinds, strict=True)])
    found = prose_numerals(prose, heading=heading)
    if _MATHS in kinds:
        tex = "".join([letter if kind == _MATHS else HIDDEN for letter, kind in zip(text, kinds, strict=True)])
        found += tex_numerals(tex)
    return sorted(found, key=lambda numeral: numeral.start)


def _views(expanded: Expanded) -> Iterator[_View]:
    starts = [own.placeholder.start for own in expanded.placed]
    yield from _front_views(expanded, starts)
    for leaf in expanded.scan.leaves:
        if leaf.kind != "reference":
            yield _leaf_view(expanded, leaf, starts)


def _leaf_view(expanded: Expanded, leaf: Leaf, starts: list[int]) -> _View:
    kinds = bytearray(len(leaf.text))
    for region in leaf.regions:
        kind = {"maths": _MATHS, "words": _PROSE}.get(region.kind, _UNREAD)
        kinds[region.start : region.end] = bytes([kind]) * (region.end - region.start)
    placed = tuple(
        (leaf.at(own.placeholder.start), own)
        for start, end in leaf.spans
        for own in expanded.placed[bisect_left(starts, start) : bisect_left(starts, end)]
    )
    begins = tuple(leaf.at(start) for start, _ in leaf.spans)
    offsets = tuple(start for start, _ in leaf.spans)
    return _View(leaf.raw(expanded.text), kinds, placed, begins, offsets, heading=leaf.kind == "heading")


def _front_views(expanded: Expanded, starts: list[int]) -> Iterator[_View]:
    """Yield the lines of the front matter that readers see: title and description."""
    at = 0
    spoken = False
    for line in split_lines(expanded.text[: expanded.scan.source.front]):
        key = _KEY.match(line)
        if not line[:1].isspace():
            spoken = key is not None and key[1].lower() in _SPOKEN
        if spoken:
            begin = key.end() if key else 0
            own = expanded.placed[bisect_left(starts, at + begin) : bisect_left(starts, at + len(line))]
            placed = tuple((placed.placeholder.start - at - begin, placed) for placed in own)
            text = line[begin:]
            yield _View(text, bytearray(len(text)), placed, (0,), (at + begin,), heading=key is not None)
        at += len(line)
