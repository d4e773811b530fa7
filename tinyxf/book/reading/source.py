"""A page as text: its lines, its front matter, and where a placeholder could stand.

First of the scanner's modules; it knows nothing of Markdown.  Placeholders are found here by their looks alone and
masked by letters of equal length, so that what comes after reads the page as its engine will: with a plain word where
a placeholder is, whatever quotation marks, pipes or backticks stand inside it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

# From an opening to its end: texts in quotation marks are skipped, a line break is fine, a blank line is not, and no
# second brace, backtick or tilde may stand outside a text (they begin or end code).
_OPENING = re.compile(r"\{\{(?= )")
_BODY = re.compile(
    r"""(?:[^"'`~{}\r\n]|"(?:[^"\\\r\n]|\\.)*+"|'(?:[^'\\\r\n]|\\.)*+'"""
    r"""|(?:\r\n?|\n)(?![ \t>]*(?:[\r\n]|$))|\}(?!\}))*+"""
)
_NEWLINE = re.compile(r"\r\n?|\n")
# Between two lines of dashes at the very top, and its first line is a key: any other text there is a page that opens
# with a rule.
_FRONT = re.compile(
    r"""\ufeff?---[ \t]*(?:\r\n?|\n)
    (?=(?:[ \t]*(?:\#.*)?(?:\r\n?|\n))*["']?[A-Za-z_][\w .-]*["']?[ \t]*:(?:[ \t\r\n]))
    (?:.*(?:\r\n?|\n))+?(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)""",
    re.VERBOSE,
)

TAB = 4


class Opening(NamedTuple):
    """A place that looks like a placeholder: from `start` to `end`, with the expression inside, or what is wrong."""

    start: int
    end: int
    expression: str
    error: str = ""


class Line(NamedTuple):
    """A line without what its containers took off its front: `text` has tabs expanded and placeholders masked.

    `number` and `cut` are the line of the page and the column, both from 0, where `text` begins.
    """

    text: str
    number: int
    cut: int = 0

    def drop(self, columns: int) -> Line:
        """Return the line without its first columns."""
        return Line(self.text[columns:], self.number, self.cut + columns)


@dataclass(frozen=True)
class Source:
    """One page, or one snippet.  `front` is the length of its front matter, delimiters included."""

    text: str
    openings: tuple[Opening, ...] = field(init=False)
    masked: str = field(init=False, repr=False)
    front: int = field(init=False)
    _breaks: list[int] = field(init=False, repr=False)
    _starts: list[int] = field(init=False, repr=False)
    _ends: list[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        front = _FRONT.match(self.text)
        openings = tuple(find_openings(self.text))
        masked = mask(self.text, openings)
        starts, ends = [0], []
        for match in _NEWLINE.finditer(masked):
            ends.append(match.start())
            starts.append(match.end())
        ends.append(len(masked))
        broken = any(_NEWLINE.search(self.text, opening.start, opening.end) for opening in openings)
        breaks = [0, *(match.end() for match in _NEWLINE.finditer(self.text))] if broken else starts
        object.__setattr__(self, "openings", openings)
        object.__setattr__(self, "masked", masked)
        object.__setattr__(self, "front", front.end() if front else 0)
        object.__setattr__(self, "_breaks", breaks)
        object.__setattr__(self, "_starts", starts)
        object.__setattr__(self, "_ends", ends)

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, from 1, in characters; a byte-order mark is not counted."""
        line = bisect_right(self._breaks, offset)
        column = offset - self._breaks[line - 1] + 1
        return line, column - (line == 1 and self.text.startswith("\ufeff"))

    def lines(self) -> list[Line]:
        """Return the lines below the front matter, tabs expanded, white lines empty."""
        first = bisect_right(self._starts, self.front) - 1
        lines = []
        for number, (start, end) in enumerate(zip(self._starts[first:], self._ends[first:], strict=True), first):
            text = self.masked[max(start, self.front) : end].expandtabs(TAB)
            bom = number == 0 and text.startswith("\ufeff")
            lines.append(Line(text[bom:] if text.strip(" ") else "", number, int(bom)))
        return lines

    def span(self, line: Line) -> tuple[int, int]:
        """Return the part of the page that a line's text stands for, as offsets."""
        start = self._starts[line.number]
        end = self._ends[line.number]
        raw = self.masked[start:end]
        if "\t" not in raw:
            return start + line.cut, start + line.cut + len(line.text)
        columns = 0
        offsets = [start]
        for index, letter in enumerate(raw, start + 1):
            width = TAB - columns % TAB if letter == "\t" else 1
            columns += width
            offsets.extend([index] * width)
        return offsets[min(line.cut, columns)], offsets[min(line.cut + len(line.text), columns)]


def split_lines(text: str) -> list[str]:
    """Split into lines with their ends: at line feeds and carriage returns, and at nothing else."""
    return re.findall(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+", text)


def splice(text: str, edits: Iterable[tuple[int, int, str]], at: int = 0) -> str:
    """Return the text from `at` on with parts replaced: sorted (start, end, replacement) that do not overlap."""
    parts = []
    for start, end, replacement in edits:
        parts += [text[at:start], replacement]
        at = end
    return "".join([*parts, text[at:]])


def find_openings(text: str) -> list[Opening]:
    """Return every `{{ ` of a text with its end, in one pass.

    Whether it stands in code, where it means nothing, is for others to say.
    """
    found = []
    at = 0
    while match := _OPENING.search(text, at):
        start, body = match.start(), _BODY.match(text, match.end())
        end = body.end() if body else match.end()
        inner = text[match.end() : end]
        if text.startswith("}}", end):
            at = end + 2
            if inner.strip() and not inner[-1].isspace():
                found.append(Opening(start, at, inner, 'a placeholder ends with a space and two braces, " }}"'))
            else:
                found.append(Opening(start, at, inner.strip()))
        else:
            at = match.end()
            found.append(Opening(start, at, "", _unclosed(text, start)))
    return found


def _unclosed(text: str, start: int) -> str:
    line = _NEWLINE.split(text[start : start + 1000], maxsplit=1)[0]
    if "}}" not in line:
        return 'placeholder is never closed: expected " }}" in the same paragraph'
    inner = line[: line.index("}}")]
    if inner.count('"') % 2 or inner.count("'") % 2:
        return "placeholder is never closed: a quotation mark in it has no second one on its line"
    return 'placeholder is never closed: expected " }}" before the next brace, backtick or tilde'


def mask(text: str, openings: tuple[Opening, ...]) -> str:
    """Put letters in place of every closed placeholder, so that offsets stay."""
    parts = []
    at = 0
    for opening in openings:
        if opening.end - opening.start > len("{{"):
            parts += [text[at : opening.start], "x" * (opening.end - opening.start)]
            at = opening.end
    parts.append(text[at:])
    return "".join(parts)
