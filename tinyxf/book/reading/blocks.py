"""What the walk over a page's blocks works with: the tree so far, blocks of lines, and indentation.

After the source, before the walk.  A block is what stands between two blank lines; many rules look at it, so it
remembers what was found in it, and what is left of it shares its lines: the walk stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tinyxf.book.reading.source import TAB, Line


@dataclass(slots=True)
class Node:
    """An element of the page, as far as later blocks ask: its tag, its children, and where it holds words."""

    tag: str
    children: list[Node] = field(default_factory=list)
    words: bool = False
    tail: bool = False

    @property
    def last(self) -> Node | None:
        """The last child."""
        return self.children[-1] if self.children else None

    def add(self, tag: str) -> Node:
        """Append a child of that tag."""
        self.children.append(Node(tag))
        return self.children[-1]

    def wrap_words(self) -> None:
        """Move the words of a list item into a paragraph before its other children."""
        if self.words:
            self.words = False
            self.children.insert(0, Node("p"))


@dataclass(slots=True)
class Block:
    """Lines without a blank one between them, from `low` on; `apart` says that more than one stands before them.

    `openings` are the signs that its lines open with, where they are known.
    """

    lines: list[Line]
    low: int = 0
    found: dict[str, int] = field(default_factory=dict)
    apart: bool = False
    openings: frozenset[str] | None = None

    @property
    def first(self) -> str:
        """The text of the first line."""
        return self.lines[self.low].text

    def before(self, high: int) -> list[Line]:
        """Return the lines up to a line."""
        return self.lines[self.low : high]

    def rest(self, low: int) -> list[Block]:
        """Return the block from a line on, or nothing where no line is left."""
        return [Block(self.lines, low, self.found, openings=self.openings)] if low < len(self.lines) else []

    def find(self, name: str, pattern: re.Pattern[str], signs: str = "") -> int | None:
        """Return the number of the first line that matches; where `signs` are given, such a line opens with one."""
        at = self.found.get(name, -1)
        if at < self.low:
            at = len(self.lines)
            hopeless = signs and self.openings is not None and self.openings.isdisjoint(signs)
            for number in () if hopeless else range(self.low, len(self.lines)):
                text = self.lines[number].text
                if (not signs or text.lstrip(" ")[:1] in signs) and pattern.match(text):
                    at = number
                    break
            self.found[name] = at
        return at if at < len(self.lines) else None

    def detab(self, low: int, width: int = TAB) -> tuple[list[Line], int]:
        """Take the indentation off the lines from `low` on that have it; return them, and where they stop."""
        taken: list[Line] = []
        for number in range(low, len(self.lines)):
            line = self.lines[number]
            if line.text.startswith(" " * width):
                taken.append(line.drop(width))
            elif not line.text.strip():
                taken.append(Line("", line.number, line.cut))
            else:
                break
        return taken, low + len(taken)


def split_blocks(lines: Iterable[Line]) -> list[Block]:
    """Split at blank lines; the first block comes last, so that it is popped first."""
    blocks: list[Block] = []
    current: list[Line] = []
    blank = 0
    for line in [*lines, Line("", 0)]:
        if line.text:
            current.append(line)
        elif current:
            openings = frozenset(own.text.lstrip(" ")[:1] for own in current)
            blocks.append(Block(current, apart=blank > 1, openings=openings))
            current = []
            blank = 1
        else:
            blank += 1
    return blocks[::-1]


def loose_detab(lines: list[Line], level: int = 1) -> list[Line]:
    """Take `level` indentations off every line that has them."""
    width = TAB * level
    return [line.drop(width) if line.text.startswith(" " * width) else line for line in lines]


def behind(pattern: re.Pattern[str], line: Line) -> Line:
    """Return what a line holds behind its mark, or the whole line where it has none."""
    match = pattern.match(line.text)
    return line.drop(match.end()) if match else line
