"""Fenced code, at any depth: the lines of each fence become one mark that the block parser steps over.

After the source, before blocks.  The rules are those of the fences that the book's engine reads: a fence may stand
behind any indentation and quote marks, its lines must keep them, and it ends at the same run of the same sign; a
fence that never ends, or that ends early for want of indentation, is no fence.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tinyxf.book.reading.source import Line

FENCE = "\x02code\x03"  # stands for a whole fence

_PREFIX = re.compile(r"[> ]*")
_START = re.compile(
    r"""(?P<fence>~{3,}|`{3,})
    (?:[ ]*\.?(?P<language>[\w\#.+-]+)(?=[ ]|$))?
    (?:[ ]*(?:\{[^\n]*\}) | (?P<options>(?:[ ]*[a-zA-Z][a-zA-Z0-9_]*(?:=(?P<quote>["']).*?(?P=quote))?(?=[ ]|$))+))?
    [ ]*$""",
    re.VERBOSE,
)
_OPTION = re.compile(r"""([a-zA-Z][a-zA-Z0-9_]*)(?:=(["'])(.*?)\2)?""")
_RANGES = r"\d+(?:-\d+)?(?: +\d+(?:-\d+)?)*"
_OPTIONS = {
    "hl_lines": re.compile(_RANGES + r"\Z"),
    "linenums": re.compile(r"\d+"),
    "title": re.compile(r""),
    "title_mode": re.compile(r""),
}


class _Fence(NamedTuple):
    """An open fence: where it began, the width of what stands before it, its quote level and its run of signs."""

    first: int
    width: int
    quotes: int
    run: str


def fold_fences(lines: list[Line]) -> list[Line]:
    """Return the lines with each fence folded into one line that holds FENCE."""
    folded: list[Line] = []
    fence: _Fence | None = None
    kept = blank = 0
    for number, line in enumerate(lines):
        folded.append(line)
        if fence is None:
            fence = _open(line, number)
            kept, blank = len(folded) - 1, 0
            continue
        verdict = _read(fence, line, blank)
        if verdict == "end":
            first = lines[fence.first]
            folded[kept:] = [Line(first.text[: fence.width] + FENCE, first.number, first.cut)]
            fence = None
        elif verdict == "broken":
            fence = None
        else:
            blank = blank + 1 if verdict == "blank" else 0
    return folded


def _open(line: Line, number: int) -> _Fence | None:
    if "```" not in line.text and "~~~" not in line.text:
        return None
    prefix = _PREFIX.match(line.text)
    width = prefix.end() if prefix else 0
    match = _START.match(line.text, width)
    if match is None:
        return None
    for name, _, value in _OPTION.findall(match["options"] or ""):
        if name not in _OPTIONS or not _OPTIONS[name].match(value):
            return None
    return _Fence(number, width, line.text.count(">", 0, width), match["fence"])


def _read(fence: _Fence, line: Line, blank: int) -> str:
    """Say what a line is to an open fence: its end, a blank or other line of it, or what breaks it."""
    width = 0
    while width < min(fence.width, len(line.text)) and line.text[width] in "> ":
        width += 1
    content = line.text[width:]
    quotes = line.text.count(">", 0, width)
    if fence.quotes:
        empty = not content
        broken = quotes > fence.quotes or (not empty and (width < fence.width or (blank and quotes < fence.quotes)))
    else:
        empty = not content.strip()
        broken = bool(quotes) or (not empty and width != fence.width)
    if broken:
        return "broken"
    if empty:
        return "blank"
    return "end" if content.rstrip(" ") == fence.run else "line"
