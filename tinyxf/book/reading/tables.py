"""The cells of a Markdown table, as the engine divides them.

Between blocks and the walk.  Pipes inside code or behind a backslash divide nothing.
"""

from __future__ import annotations

import re
from collections import deque

from tinyxf.book.reading.blocks import Block
from tinyxf.book.reading.source import Line

_MARKS = re.compile(r"(?:(\\\\)|(\\`+)|(`+)|(\\\|)|(\|))")
_END = re.compile(r"(?<!\\)(?:\\\\)*\|$")


def cells_of(block: Block) -> list[list[Line]] | None:
    """Return the cells of each row, header first, or None where the block is no table."""
    if "|" not in block.first or block.low + 1 >= len(block.lines):
        return None
    head, rule = _strip(block.lines[block.low]), _strip(block.lines[block.low + 1])
    bordered = head.text.startswith("|") or _END.search(head.text) is not None
    header = _split(head, bordered=bordered)
    if len(header) == 1:
        below = (_strip(line).text for line in block.lines[block.low + 1 :])
        if not bordered or not all(text.startswith("|") or _END.search(text) for text in below):
            return None
    dividers = _split(rule, bordered=bordered)
    if len(dividers) != len(header) or not set("".join(cell.text for cell in dividers)) <= set("|:- "):
        return None
    rows = [_split(_strip(line), bordered=bordered) for line in block.lines[block.low + 2 :]]
    return [header, *rows]


def _strip(line: Line) -> Line:
    left = len(line.text) - len(line.text.lstrip(" "))
    return Line(line.text.strip(" "), line.number, line.cut + left)


def _split(row: Line, *, bordered: bool) -> list[Line]:
    text, start = row.text, 0
    if bordered:
        start = int(text.startswith("|"))
        text = _END.sub("", text[start:])
    cells = []
    at = 0
    for pipe in [*_pipes(text), len(text)]:
        cells.append(_strip(Line(text[at:pipe], row.number, row.cut + start + at)))
        at = pipe + 1
    return cells


def _pipes(text: str) -> list[int]:
    """Return where the pipes are that divide cells: not escaped, and not between two equal runs of backticks."""
    runs: list[tuple[int, int, int]] = []  # start and end of each run of backticks, and whether its first is escaped
    closers: dict[int, deque[int]] = {}  # number of backticks -> runs of that length, from left to right
    pipes = []
    for match in _MARKS.finditer(text):
        if match[2] or match[3]:
            escaped = int(bool(match[2]))
            closers.setdefault(match.end() - match.start() - escaped, deque()).append(len(runs))
            runs.append((match.start(), match.end(), escaped))
        elif match[5]:
            pipes.append(match.start())
    dividing = []
    at = reached = 0
    for pipe in pipes:
        while at < len(runs) and runs[at][0] < pipe:
            start, end, escaped = runs[at]
            later = closers.get(end - start - 2 * escaped, deque())  # an escaped backtick belongs to no opening run
            while later and later[0] <= at:
                later.popleft()
            if later and end - start > 2 * escaped:
                at = later[0]
                reached = runs[at][1]
            at += 1
        if pipe >= reached:
            dividing.append(pipe)
    return dividing
