"""The blocks of a page: which lines are prose, headings, cells or formulas; what is left over is code.

After fences and raw HTML, before the inline scan.  Indentation means code only where no list, note, tab, footnote or
definition claims it, and that depends on what came before; so this walks the page as the book's engine does
(Python-Markdown with the extensions of `mkdocs.yml`), building the same tree without its content.  A test renders
random pages both ways and compares.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from tinyxf.book.blocks import Block, Node, loose_detab, split_blocks
from tinyxf.book.containers import KINDS, continued, find_start, open_container
from tinyxf.book.fences import FENCE
from tinyxf.book.markup import ELEMENT, RAW
from tinyxf.book.source import TAB, Line
from tinyxf.book.tables import cells_of

Kind = Literal["text", "heading", "title", "cell", "reference", "html", "maths"]
Emit = Callable[[Kind, list[Line]], None]

MAX_DEPTH = 50  # containers within containers; deeper ones are read as prose

_INDENT = " " * TAB
_INDENTED = re.compile(_INDENT)
_HEADING = re.compile(r"#{1,6}")
_UNDERLINE = re.compile(r"(?:=+|-+) *$")
_RULE = re.compile(r" {0,3}(?:(?:- {0,2}+){3,}|(?:_ {0,2}+){3,}|(?:\* {0,2}+){3,}) *$")
_ORDERED = re.compile(r" {0,3}\d+\. +")
_BULLET = re.compile(r" {0,3}[*+-] +")
_ITEM = re.compile(r" {0,3}(?:\d+\.|[*+-]) +")
_NESTED_ITEM = re.compile(r" {4,7}(?:\d+\.|[*+-]) +")
_DEFINITION = re.compile(r" {0,3}: {1,3}")
_UNINDENTED = re.compile(r" {0,3}[^ :]")
_QUOTE = re.compile(r" {0,3}> ?")
_FOOTNOTE = re.compile(r" {0,3}\[\^[^\]]*\]: *")
_REFERENCE_START = re.compile(r" {0,3}\[[^\[\]]*\]:")
_REFERENCE = re.compile(
    r" {0,3}\[[^\[\]]*\]: *(?:\n *)?[^\s]+ *(?:\n *)?(?:([\"']).*\1 *|\(.*\) *)?$",
    re.MULTILINE,
)
_LISTS = ("ul", "ol")


class Walk:
    """Walks the blocks of documents and hands every run of inline text to `emit`."""

    def __init__(self, emit: Emit) -> None:
        self.emit = emit
        self.state: list[str] = []
        self.depth = 0
        self.rules: tuple[Callable[[Node, list[Block]], bool], ...] = (  # in the engine's order
            self._element,
            self._container,
            self._content,
            self._code,
            self._formula,
            self._table,
            self._heading,
            self._underlined,
            self._rule,
            self._list,
            self._definition,
            self._quote,
            self._footnote,
            self._reference,
            self._paragraph,
        )

    def document(self, tag: str, lines: list[Line]) -> None:
        """Walk a whole document: the page, the content of an element, a footnote."""
        state, self.state = self.state, []
        self._chunk(Node(tag), lines)
        self.state = state

    def _chunk(self, parent: Node, lines: list[Line]) -> None:
        """Walk lines that may hold blank ones."""
        self._blocks(parent, split_blocks(lines))

    def _one(self, parent: Node, lines: list[Line], state: str = "") -> None:
        """Walk lines that are one block, in a state of the parser: tight or loose list, quote, detabbed."""
        low = next((number for number, line in enumerate(lines) if line.text), len(lines))
        if low == len(lines):
            return
        if state:
            self.state.append(state)
        self._blocks(parent, [Block(lines, low)])
        if state:
            self.state.pop()

    def _blocks(self, parent: Node, blocks: list[Block]) -> None:
        """Walk blocks, the first of which comes last."""
        self.depth += 1
        while blocks:
            if self.depth > MAX_DEPTH:
                self._paragraph(parent, blocks)
            else:
                any(rule(parent, blocks) for rule in self.rules)
        self.depth -= 1

    def _is(self, state: str) -> bool:
        return bool(self.state) and self.state[-1] == state

    # -- containers

    def _element(self, parent: Node, blocks: list[Block]) -> bool:
        """Step over an element of raw HTML whose content was Markdown: that is a document of its own."""
        block = blocks[-1]
        match = ELEMENT.match(block.first)
        if not match:
            return False
        parent.add(match[1])
        blocks[-1:] = block.rest(block.low + 1)
        return True

    def _container(self, parent: Node, blocks: list[Block]) -> bool:
        """Open a note, details or a tab, or go on in the last one with indented content."""
        block = blocks[-1]
        for kind in KINDS:
            start = find_start(kind, block)
            if start is not None:
                self._one(parent, block.before(start))
                box, title = open_container(kind, parent, block.lines[start])
                if title:
                    self.emit("title", [title])
                inner, end = block.detab(start + 1)
                break
            found = continued(kind, parent, block)
            if found:
                box, width = found
                inner, end = block.detab(block.low, width)
                break
        else:
            return False
        blocks[-1:] = block.rest(end)
        self._chunk(box, inner)
        return True

    def _content(self, parent: Node, blocks: list[Block]) -> bool:
        """Go on in the last item of a list, or the last definition, with an indented block."""
        block = blocks[-1]
        if not block.first.startswith(_INDENT) or self._is("detabbed"):
            return False
        for items, lists in ((("li",), _LISTS), (("li", "dd"), (*_LISTS, "dl"))):
            if parent.tag in items or (parent.last and parent.last.tag in lists):
                blocks.pop()
                level, sibling = self._level(parent, block.first, items, lists)
                self.state.append("detabbed")
                self._item_content(parent, sibling, loose_detab(block.lines[block.low :], level), items)
                self.state.pop()
                return True
        return False

    def _item_content(self, parent: Node, sibling: Node, lines: list[Line], items: tuple[str, ...]) -> None:
        lists = (*_LISTS, "dl") if "dd" in items else _LISTS
        if parent.tag in items:
            self._one(parent.last if parent.last and parent.last.tag in lists else parent, lines)
        elif sibling.tag in items:
            self._one(sibling, lines)
        elif sibling.last and sibling.last.tag in items:
            sibling.last.wrap_words()
            self._chunk(sibling.last, lines)
        else:
            self._one(sibling.add("dd" if "dd" in items else "li"), lines)

    def _level(self, parent: Node, first: str, items: tuple[str, ...], lists: tuple[str, ...]) -> tuple[int, Node]:
        """Go down the last children as far as the indentation reaches."""
        wanted = (len(first) - len(first.lstrip(" "))) // TAB
        level = int(self._is("list"))  # a tight list has the right parent already
        while wanted > level:
            child = parent.last
            if child is None or child.tag not in (*items, *lists):
                break
            level += child.tag in lists
            parent = child
        return level, parent

    # -- blocks

    def _code(self, parent: Node, blocks: list[Block]) -> bool:
        block = blocks[-1]
        if not block.first.startswith(_INDENT):
            return False
        if not (parent.last and parent.last.tag == "code"):
            parent.add("code")
        _, end = block.detab(block.low)
        blocks[-1:] = block.rest(end)
        return True

    def _formula(self, parent: Node, blocks: list[Block]) -> bool:
        block = blocks[-1]
        first, last = block.first, block.lines[-1].text.rstrip(" ")
        if first.startswith("$$"):
            body = last.removesuffix("$$")
            whole = last.endswith("$$") and (block.low + 1 < len(block.lines) or len(last) > len("$$$$"))
        elif first.startswith("\\["):
            body = last.removesuffix("\\]")
            closed = sum("\\]" in line.text for line in block.lines[block.low :]) if last.endswith("\\]") else 0
            whole = closed == 1
        elif first.startswith("\\begin{"):
            body = ""
            whole = last.endswith("\\end{" + first[len("\\begin{") :].split("}")[0] + "}")
        else:
            return False
        if not whole or (len(body) - len(body.rstrip("\\"))) % 2:
            return False
        parent.add("div")
        self.emit("maths", block.lines[block.low :])
        blocks.pop()
        return True

    def _table(self, parent: Node, blocks: list[Block]) -> bool:
        rows = cells_of(blocks[-1])
        if rows is None:
            return False
        parent.add("table")
        for row in rows:
            for cell in row:
                self.emit("cell", [cell])
        blocks.pop()
        return True

    def _heading(self, parent: Node, blocks: list[Block]) -> bool:
        block = blocks[-1]
        at = block.find("heading", _HEADING, "#")
        if at is None:
            return False
        self._one(parent, block.before(at))
        line = block.lines[at]
        parent.add("h1")
        level = min(len(line.text) - len(line.text.lstrip("#")), 6)
        self.emit("heading", [Line(line.text[level:].rstrip("#"), line.number, line.cut + level)])
        blocks[-1:] = block.rest(at + 1)
        if self._is("looselist") and block.rest(at + 1) and blocks[-1].find("indented", _INDENTED) is not None:
            blocks[-1] = Block(loose_detab(block.lines[at + 1 :]))
        return True

    def _underlined(self, parent: Node, blocks: list[Block]) -> bool:
        block = blocks[-1]
        below = block.low + 1
        if below >= len(block.lines) or not _UNDERLINE.match(block.lines[below].text):
            return False
        parent.add("h1")
        self.emit("heading", [block.lines[block.low]])
        blocks[-1:] = block.rest(below + 1)
        return True

    def _rule(self, parent: Node, blocks: list[Block]) -> bool:
        block = blocks[-1]
        at = block.find("rule", _RULE, "-_*")
        if at is None:
            return False
        self._one(parent, block.before(at))
        parent.add("hr")
        blocks[-1:] = block.rest(at + 1)
        return True

    def _list(self, parent: Node, blocks: list[Block]) -> bool:
        block = blocks[-1]
        if not _ITEM.match(block.first):
            return False
        blocks.pop()
        items = _items(block.lines[block.low :])
        last = parent.last
        if last and last.tag in _LISTS and last.last:
            previous = last.last
            previous.wrap_words()
            if previous.last and previous.last.tail:
                previous.last.tail = False
                previous.add("p")
            kept = last
            self._one(kept.add("li"), items.pop(0), "looselist")
        elif parent.tag in _LISTS:
            kept = parent
        else:
            kept = parent.add("ol" if _ORDERED.match(block.first) else "ul")
        self.state.append("list")
        for item in items:
            indented = item[0].text.startswith(_INDENT) and kept.last
            self._one(kept.last if indented and kept.last else kept.add("li"), item)
        self.state.pop()
        return True

    def _definition(self, parent: Node, blocks: list[Block]) -> bool:
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
            self.emit("title", [term])
        rest = block.rest(at + 1)
        if rest and _UNINDENTED.match(rest[0].first):
            body, end = block.lines[at + 1 :], len(block.lines)
        else:
            body, end = block.detab(at + 1)
        blocks[-1:] = block.rest(end)
        self._one(kept.add("dd"), [_behind(_DEFINITION, block.lines[at]), *body], state)
        return True

    def _quote(self, parent: Node, blocks: list[Block]) -> bool:
        block = blocks[-1]
        at = block.find("quote", _QUOTE, ">")
        if at is None:
            return False
        blocks.pop()
        self._one(parent, block.before(at))
        quote = parent.last if parent.last and parent.last.tag == "blockquote" else parent.add("blockquote")
        lines = [
            Line("", line.number, line.cut) if line.text.strip() == ">" else _behind(_QUOTE, line)
            for line in block.lines[at:]
        ]
        self.state.append("blockquote")
        self._chunk(quote, lines)
        self.state.pop()
        return True

    def _footnote(self, _: Node, blocks: list[Block]) -> bool:
        """Read a footnote, with the indented blocks behind it, as a document of its own."""
        block = blocks[-1]
        at = block.find("footnote", _FOOTNOTE, "[")
        if at is None:
            return False
        blocks.pop()
        lines = [_behind(_FOOTNOTE, block.lines[at])]
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
        self.document("div", lines)
        return True

    def _reference(self, _: Node, blocks: list[Block]) -> bool:
        """Take out definitions of link addresses."""
        block = blocks[-1]
        at = block.find("reference", _REFERENCE_START, "[")
        while at is not None:
            match = _REFERENCE.match("\n".join(line.text for line in block.lines[at : at + 3]))
            if match:
                end = at + 1 + match[0].count("\n")
                self.emit("reference", block.lines[at:end])
                blocks[-1:] = block.rest(end)
                if block.before(at):
                    blocks.append(Block(block.before(at)))
                return True
            at = Block(block.lines, at + 1).find("reference", _REFERENCE_START, "[")
        return False

    def _paragraph(self, parent: Node, blocks: list[Block]) -> bool:
        block = blocks.pop()
        lines = block.lines[block.low :]
        if self._is("list"):
            if parent.last:
                parent.last.tail = True
            else:
                parent.words = True
        else:
            parent.add("p")
        self._emit_text(lines)
        return True

    def _emit_text(self, lines: list[Line]) -> None:
        """Hand over the lines of a paragraph, without the marks for code and raw HTML among them."""
        low = 0
        for number, line in enumerate([*lines, Line(FENCE, 0)]):
            if FENCE in line.text or RAW in line.text:
                if number > low:
                    self.emit("text", lines[low:number])
                low = number + 1


def _behind(pattern: re.Pattern[str], line: Line) -> Line:
    """Return what a line holds behind its mark, or the whole line where it has none."""
    match = pattern.match(line.text)
    return line.drop(match.end()) if match else line


def _items(lines: list[Line]) -> list[list[Line]]:
    """Divide the lines of a list into its items; a nested item stays indented."""
    items: list[list[Line]] = []
    for line in lines:
        if _ITEM.match(line.text):
            items.append([_behind(_ITEM, line)])
        elif _NESTED_ITEM.match(line.text) and not items[-1][0].text.startswith(_INDENT):
            items.append([line])
        else:
            items[-1].append(line)
    return items
