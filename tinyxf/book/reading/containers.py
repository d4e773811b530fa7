"""Notes, details and tabs: blocks whose indented content may go on after blank lines.

One of the rules of the walk.  Each kind has a first line of its own (`!!! note`, `??? note`, `=== "Label"`); later
blocks belong to the last one of their kind as long as they are indented, or to a list within it when more so.
"""

from __future__ import annotations

import re

from tinyxf.book.reading.blocks import Block, Node
from tinyxf.book.reading.source import TAB, Line
from tinyxf.book.reading.walk import Walk

_KINDS = ("admonition", "details", "tabs")  # in the engine's order

_STARTS = {
    "admonition": re.compile(r'!!! ?([\w\-]+(?: +[\w\-]+)*)(?: +"(?P<title>.*?)")? *$'),
    "details": re.compile(
        r'\?{3}\+? ?(?:(?:[\w\-]+(?: +[\w\-]+)*?)?(?: +"(?P<title>.*?)")|[\w\-]+(?: +[\w\-]+)*?) *$'
    ),
    "tabs": re.compile(r'={3}(?P<special>\+|\+!|!\+|!)? +"(?P<title>.*?)" *$'),
}
_SIGNS = {"admonition": "!", "details": "?", "tabs": "="}
_LISTS = ("ul", "ol", "dl")


def container(walk: Walk, parent: Node, blocks: list[Block]) -> bool:
    """Open a note, details or a tab, or go on in the last one with indented content."""
    block = blocks[-1]
    for kind in _KINDS:
        start = _find_start(kind, block)
        if start is not None:
            walk.block(parent, block.before(start))
            box, title = _open(kind, parent, block.lines[start])
            if title:
                walk.emit("title", [title])
            inner, end = block.detab(start + 1)
            break
        found = _continued(kind, parent, block)
        if found:
            box, width = found
            inner, end = block.detab(block.low, width)
            break
    else:
        return False
    blocks[-1:] = block.rest(end)
    walk.chunk(box, inner)
    return True


def _find_start(kind: str, block: Block) -> int | None:
    """Return the number of the line that opens a container of that kind."""
    return block.find(kind, _STARTS[kind], _SIGNS[kind])


def _open(kind: str, parent: Node, line: Line) -> tuple[Node, Line | None]:
    """Add the container that `line` opens; return the element for its content, and its title as a line."""
    match = _STARTS[kind].match(line.text)
    titled = match is not None and match["title"] is not None
    title = Line(match["title"], line.number, line.cut + match.start("title")) if match and titled else None
    if kind != "tabs":
        return parent.add(kind), title
    last = parent.last
    joins = last is not None and last.tag == kind and match is not None and "!" not in (match["special"] or "")
    tabs = last if last is not None and joins else parent.add(kind)
    return tabs.add("tab"), title


def _continued(kind: str, parent: Node, block: Block) -> tuple[Node, int] | None:
    """Return the element that an indented block belongs to, and how wide the indentation is.

    None where the block is no content of a container of that kind.
    """
    box = parent.last
    if box is None or box.tag != kind:
        return None
    spaces = len(block.first) - len(block.first.lstrip(" "))
    within: Node | None = box
    last = box.last
    width = 0
    while last is not None and within is not None and spaces - width >= 2 * TAB:
        if last.tag == "tab":
            inner = last.last
            if inner is None or inner.tag not in _LISTS:
                break
            last = inner
        if last.tag not in _LISTS:
            break
        within = last.last
        last = within.last if within is not None else None
        width += TAB
    if within is None or spaces - width < TAB:
        return None
    if within.tag == "tabs":
        within = within.last or within
    elif within.tag in ("li", "dd") and within.words:
        within.words = False
        within.add("p")
    return within, width + TAB
