"""The walk over the blocks of a page: it tries each rule of the engine in turn and hands inline text over.

After blocks; the rules themselves are in containers, items and structure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from tinyxf.book.reading.blocks import Block, Node, split_blocks
from tinyxf.book.reading.fences import FENCE
from tinyxf.book.reading.markup import RAW
from tinyxf.book.reading.source import Line

Kind = Literal["text", "heading", "title", "cell", "reference", "html", "maths"]
Emit = Callable[[Kind, list[Line]], None]

MAX_DEPTH = 50  # containers within containers; deeper ones are read as prose


class Walk:
    """One walk: the tree so far is known to its rules, each of which takes what it knows off the blocks."""

    def __init__(self, emit: Emit, rules: Sequence[Rule], is_prose: Callable[[Block], bool]) -> None:
        self.emit = emit
        self.rules = rules
        self.is_prose = is_prose  # of a block that no rule would take, so that none need be asked
        self.states: list[str] = []
        self.depth = 0

    def document(self, tag: str, lines: list[Line]) -> None:
        """Walk a whole document: the page, the content of an element, a footnote."""
        states, self.states = self.states, []
        self.chunk(Node(tag), lines)
        self.states = states

    def chunk(self, parent: Node, lines: list[Line], state: str = "") -> None:
        """Walk lines that may hold blank ones."""
        self._within(state, parent, split_blocks(lines))

    def block(self, parent: Node, lines: list[Line], state: str = "") -> None:
        """Walk lines that are one block, whatever stands in them."""
        low = next((number for number, line in enumerate(lines) if line.text), len(lines))
        if low < len(lines):
            self._within(state, parent, [Block(lines, low)])

    def is_in(self, state: str) -> bool:
        """Say whether the innermost state is this: a tight or loose list, a quote, detabbed lines."""
        return bool(self.states) and self.states[-1] == state

    def _within(self, state: str, parent: Node, blocks: list[Block]) -> None:
        """Walk blocks, the first of which comes last, in a state of the parser."""
        if state:
            self.states.append(state)
        self.depth += 1
        while blocks:
            prose = self.depth > MAX_DEPTH or self.is_prose(blocks[-1])
            if prose or not any(rule(self, parent, blocks) for rule in self.rules):
                self._paragraph(parent, blocks.pop())
        self.depth -= 1
        if state:
            self.states.pop()

    def _paragraph(self, parent: Node, block: Block) -> None:
        lines = block.lines[block.low :]
        if not self.is_in("list"):
            parent.add("p")
        elif parent.last:
            parent.last.tail = True
        else:
            parent.words = True
        # A fence or raw HTML is no inline text; yet a run of backticks before it may pair with one behind it.
        opaque = [FENCE in line.text or RAW in line.text for line in lines]
        if not all(opaque):
            cleared = zip(lines, opaque, strict=True)
            self.emit("text", [Line("", line.number, line.cut) if folded else line for line, folded in cleared])


# A rule looks at the last of the blocks and says no; or it takes it off, puts back what is left of it, and says yes.
Rule = Callable[[Walk, Node, list[Block]], bool]
