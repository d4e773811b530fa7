"""The blocks of a page: which lines are prose, headings, cells or formulas; what is left over is code.

After fences and raw HTML, before the inline scan.  Indentation means code only where no list, note, tab, footnote or
definition claims it, and that depends on what came before; so this walks the page as the book's engine does
(Python-Markdown with the extensions of `mkdocs.yml`), building the same tree without its content.  A test renders
random pages both ways and compares.
"""

from __future__ import annotations

import re

from tinyxf.book.reading.blocks import Block, Node, behind, loose_detab
from tinyxf.book.reading.containers import container
from tinyxf.book.reading.items import content, definition, items
from tinyxf.book.reading.markup import ELEMENT
from tinyxf.book.reading.source import TAB, Line
from tinyxf.book.reading.tables import cells_of
from tinyxf.book.reading.walk import Emit, Rule, Walk

_INDENT = " " * TAB
_INDENTED = re.compile(_INDENT)
_HEADING = re.compile(r"#{1,6}")
_UNDERLINE = re.compile(r"(?:=+|-+) *$")
_RULE = re.compile(r" {0,3}(?:(?:- {0,2}+){3,}|(?:_ {0,2}+){3,}|(?:\* {0,2}+){3,}) *$")
_BRACKET = re.compile(r".*\\\]")
_QUOTE = re.compile(r" {0,3}> ?")
_FOOTNOTE = re.compile(r" {0,3}\[\^[^\]]*\]: *")
_ABBREVIATION = re.compile(r"\*\[[^\]]*\] ?:")
_REFERENCE_START = re.compile(r" {0,3}\[[^\[\]]*\]:")
_REFERENCE = re.compile(
    r" {0,3}\[[^\[\]]*\]: *(?:\n *)?[^\s]+ *(?:\n *)?(?:([\"']).*\1 *|\(.*\) *)?$",
    re.MULTILINE,
)


def walk_page(emit: Emit) -> Walk:
    """Return a walk with the rules of the book's engine; `emit` gets every run of inline text."""
    return Walk(emit, _RULES, _is_prose)


def _is_prose(block: Block) -> bool:
    """Say whether a block shows none of the signs by which a rule would know it."""
    if block.openings is None or not block.openings.isdisjoint(_SIGNS):
        return False
    first = block.first
    return not first.startswith(_INDENT) and "|" not in first


def _element(_: Walk, parent: Node, blocks: list[Block]) -> bool:
    """Step over an element of raw HTML whose content was Markdown: that is a document of its own."""
    block = blocks[-1]
    match = ELEMENT.match(block.first)
    if not match:
        return False
    parent.add(match[1])
    blocks[-1:] = block.rest(block.low + 1)
    return True


def _code(_: Walk, parent: Node, blocks: list[Block]) -> bool:
    block = blocks[-1]
    if not block.first.startswith(_INDENT):
        return False
    parent.add("code")
    end = block.detab(block.low)[1]
    blocks[-1:] = block.rest(end)
    return True


def _formula(walk: Walk, parent: Node, blocks: list[Block]) -> bool:
    block = blocks[-1]
    first, last = block.first, block.lines[-1].text.rstrip(" ")
    if first.startswith("$$"):
        body = last.removesuffix("$$")
        whole = last.endswith("$$") and (block.low + 1 < len(block.lines) or len(last) > len("$$$$"))
    elif first.startswith("\\["):
        body = last.removesuffix("\\]")
        only = block.find("bracket", _BRACKET) == len(block.lines) - 1 and last.count("\\]") == 1
        whole = last.endswith("\\]") and only
    elif first.startswith("\\begin{"):
        body = ""
        whole = last.endswith("\\end{" + first[len("\\begin{") :].split("}")[0] + "}")
    else:
        return False
    if not whole or (len(body) - len(body.rstrip("\\"))) % 2:
        return False
    parent.add("div")
    walk.emit("maths", block.lines[block.low :])
    blocks.pop()
    return True


def _table(walk: Walk, parent: Node, blocks: list[Block]) -> bool:
    rows = cells_of(blocks[-1])
    if rows is None:
        return False
    parent.add("table")
    for row in rows:
        for cell in row:
            walk.emit("cell", [cell])
    blocks.pop()
    return True


def _heading(walk: Walk, parent: Node, blocks: list[Block]) -> bool:
    block = blocks[-1]
    at = block.find("heading", _HEADING, "#")
    if at is None:
        return False
    walk.block(parent, block.before(at))
    line = block.lines[at]
    parent.add("h1")
    level = min(len(line.text) - len(line.text.lstrip("#")), 6)
    walk.emit("heading", [Line(line.text[level:].rstrip("#"), line.number, line.cut + level)])
    blocks[-1:] = block.rest(at + 1)
    if walk.is_in("looselist") and block.rest(at + 1) and blocks[-1].find("indented", _INDENTED) is not None:
        blocks[-1] = Block(loose_detab(block.lines[at + 1 :]))
    return True


def _underlined(walk: Walk, parent: Node, blocks: list[Block]) -> bool:
    block = blocks[-1]
    below = block.low + 1
    if below >= len(block.lines) or not _UNDERLINE.match(block.lines[below].text):
        return False
    parent.add("h1")
    walk.emit("heading", [block.lines[block.low]])
    blocks[-1:] = block.rest(below + 1)
    return True


def _rule(walk: Walk, parent: Node, blocks: list[Block]) -> bool:
    block = blocks[-1]
    at = block.find("rule", _RULE, "-_*")
    if at is None:
        return False
    walk.block(parent, block.before(at))
    parent.add("hr")
    blocks[-1:] = block.rest(at + 1)
    return True


def _quote(walk: Walk, parent: Node, blocks: list[Block]) -> bool:
    block = blocks[-1]
    at = block.find("quote", _QUOTE, ">")
    if at is None:
        return False
    blocks.pop()
    walk.block(parent, block.before(at))
    quote = parent.last if parent.last and parent.last.tag == "blockquote" else parent.add("blockquote")
    lines = [
        Line("", line.number, line.cut) if line.text.strip() == ">" else behind(_QUOTE, line)
        for line in block.lines[at:]
    ]
    walk.chunk(quote, lines, "blockquote")
    return True


def _footnote(walk: Walk, _: Node, blocks: list[Block]) -> bool:
    """Read a footnote, with the indented blocks behind it, as a document of its own."""
    block = blocks[-1]
    at = block.find("footnote", _FOOTNOTE, "[")
    if at is None:
        return False
    blocks.pop()
    lines = [behind(_FOOTNOTE, block.lines[at])]
    following = Block(block.lines, at + 1).find("footnote", _FOOTNOTE, "[")
    end = len(block.lines) if following is None else following
    lines += loose_detab(block.lines[at + 1 : end])
    if following is not None:
        blocks += block.rest(following)
    else:
        while blocks and not blocks[-1].apart and blocks[-1].first.startswith(_INDENT):
            more = blocks.pop()
            stop = more.find("footnote", _FOOTNOTE, "[")
            high = len(more.lines) if stop is None else stop
            lines += [Line("", lines[-1].number), *loose_detab(more.before(high))]
            if stop is not None:
                blocks += more.rest(stop)
                break
    if block.before(at):
        blocks.append(Block(block.before(at)))
    walk.document("div", lines)
    return True


def _abbreviation(walk: Walk, _: Node, blocks: list[Block]) -> bool:
    """Take out what an abbreviation stands for: it becomes a title."""
    block = blocks[-1]
    at = block.find("abbreviation", _ABBREVIATION, "*")
    if at is None:
        return False
    walk.emit("reference", [block.lines[at]])
    blocks[-1:] = block.rest(at + 1)
    if block.before(at):
        blocks.append(Block(block.before(at)))
    return True


def _reference(walk: Walk, _: Node, blocks: list[Block]) -> bool:
    """Take out definitions of link addresses."""
    block = blocks[-1]
    at = block.find("reference", _REFERENCE_START, "[")
    while at is not None:
        match = _REFERENCE.match("\n".join(line.text for line in block.lines[at : at + 3]))
        if match:
            end = at + 1 + match[0].count("\n")
            walk.emit("reference", block.lines[at:end])
            blocks[-1:] = block.rest(end)
            if block.before(at):
                blocks.append(Block(block.before(at)))
            return True
        at = Block(block.lines, at + 1).find("reference", _REFERENCE_START, "[")
    return False


# What a line that matters to a rule below opens with; only cells and indentation are known by something else.
_SIGNS = frozenset("!?=#-_*+:>[$\\0123456789\x02")

_RULES: tuple[Rule, ...] = (  # in the engine's order
    _element,
    container,
    content,
    _code,
    _formula,
    _table,
    _heading,
    _underlined,
    _rule,
    items,
    definition,
    _quote,
    _footnote,
    _abbreviation,
    _reference,
)
