"""Lists and definitions, and the indented blocks that belong to their last item.

Rules of the walk.  Most of what is indented without being code is decided here.
"""

from __future__ import annotations

import re

from tinyxf.book.reading.blocks import Block, Node, behind, loose_detab
from tinyxf.book.reading.source import TAB, Line
from tinyxf.book.reading.walk import Walk

_INDENT = " " * TAB
_ORDERED = re.compile(r" {0,3}\d+\. +")
_ITEM = re.compile(r" {0,3}(?:\d+\.|[*+-]) +")
_NESTED_ITEM = re.compile(r" {4,7}(?:\d+\.|[*+-]) +")
_DEFINITION = re.compile(r" {0,3}: {1,3}")
_UNINDENTED = re.compile(r" {0,3}[^ :]")
_LISTS = ("ul", "ol")


def content(walk: Walk, parent: Node, blocks: list[Block]) -> bool:
    """Go on in the last item of a list, or the last definition, with an indented block."""
    block = blocks[-1]
    if not block.first.startswith(_INDENT) or walk.is_in("detabbed"):
        return False
    for items, lists in ((("li",), _LISTS), (("li", "dd"), (*_LISTS, "dl"))):
        if parent.tag in items or (parent.last and parent.last.tag in lists):
            blocks.pop()
            level, sibling = _level(walk, parent, block.first, items, lists)
            walk.states.append("detabbed")
            _item_content(walk, parent, sibling, loose_detab(block.lines[block.low :], level), items)
            walk.states.pop()
            return True
    return False


def _item_content(walk: Walk, parent: Node, sibling: Node, lines: list[Line], items: tuple[str, ...]) -> None:
    lists = (*_LISTS, "dl") if "dd" in items else _LISTS
    if parent.tag in items:
        walk.block(parent.last if parent.last and parent.last.tag in lists else parent, lines)
    elif sibling.tag in items:
        walk.block(sibling, lines)
    elif sibling.last and sibling.last.tag in items:
        sibling.last.wrap_words()
        walk.chunk(sibling.last, lines)
    else:
        walk.block(sibling.add("dd" if "dd" in items else "li"), lines)


def _level(walk: Walk, parent: Node, first: str, items: tuple[str, ...], lists: tuple[str, ...]) -> tuple[int, Node]:
    """Go down the last children as far as the indentation reaches."""
    wanted = (len(first) - len(first.lstrip(" "))) // TAB
    level = int(walk.is_in("list"))  # a tight list has the right parent already
    while wanted > level:
        child = parent.last
        if child is None or child.tag not in (*items, *lists):
            break
        level += child.tag in lists
        parent = child
    return level, parent


# -- blocks


def items(walk: Walk, parent: Node, blocks: list[Block]) -> bool:
    """Open a list, or add to the one before: each item is a block of its own, in a tight list but for the first."""
    block = blocks[-1]
    if not _ITEM.match(block.first):
        return False
    blocks.pop()
    found = _items(block.lines[block.low :])
    last = parent.last
    if last and last.tag in _LISTS and last.last:
        previous = last.last
        previous.wrap_words()
        if previous.last and previous.last.tail:
            previous.add("p")
        kept = last
        walk.block(kept.add("li"), found.pop(0), "looselist")
    elif parent.tag in _LISTS:
        kept = parent
    else:
        kept = parent.add("ol" if _ORDERED.match(block.first) else "ul")
    walk.states.append("list")
    for item in found:
        indented = item[0].text.startswith(_INDENT) and kept.last
        walk.block(kept.last if indented and kept.last else kept.add("li"), item)
    walk.states.pop()
    return True


def _items(lines: list[Line]) -> list[list[Line]]:
    """Divide the lines of a list into its items; a nested item stays indented."""
    items: list[list[Line]] = []
    for line in lines:
        if _ITEM.match(line.text):
            items.append([behind(_ITEM, line)])
        elif _NESTED_ITEM.match(line.text) and not items[-1][0].text.startswith(_INDENT):
            items.append([line])
        else:
            items[-1].append(line)
    return items


def definition(walk: Walk, parent: Node, blocks: list[Block]) -> bool:
    """Read a definition, with the lines before it, or the paragraph before, as its terms."""
    block = blocks[-1]
    at = block.find("definition", _DEFINITION, ":")
    if at is None:
        return False
    terms = [line for line in block.before(at) if line.text.strip()]
    last = parent.last
    if not terms and last is None:
        return False
    state = "list"
    if not terms and last and last.tag == "p":
        state = "looselist"
        parent.children.pop()
        last = parent.last
        has_terms = True
    else:
        has_terms = bool(terms)
    if last and last.tag == "dl":
        kept = last
        if not has_terms and kept.last and kept.last.tag == "dd" and kept.last.children:
            state = "looselist"
    else:
        kept = parent.add("dl")
    for term in terms:
        kept.add("dt")
        walk.emit("title", [term])
    rest = block.rest(at + 1)
    if rest and _UNINDENTED.match(rest[0].first):
        body, end = block.lines[at + 1 :], len(block.lines)
    else:
        body, end = block.detab(at + 1)
    blocks[-1:] = block.rest(end)
    walk.block(kept.add("dd"), [behind(_DEFINITION, block.lines[at]), *body], state)
    return True
