"""Raw HTML between the blocks of a page: which text is left alone by Markdown, and which is not after all.

After fences, before blocks.  A block-level tag at the start of a line opens raw HTML up to its closing tag; with the
attribute `markdown` its content is Markdown again, a document of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from tinyxf.book.reading.source import Line

# What stands for raw HTML, and for an element whose content is a document of its own, with its tag.
RAW = "\x02html\x03"
ELEMENT = re.compile(r"\x02html:([a-z0-9]+)\x03")

_TAG = re.compile(
    r"""<(?P<close>/?)(?P<name>[a-zA-Z][^`\s/>"'<]*)(?P<attributes>(?:[^"'`<>]|"[^"]*"|'[^']*')*+)>"""
    r"""|(?P<other><!--|<\?|<![a-zA-Z\[])"""
)
_ENDS = {"<!--": re.compile(r"--!?>"), "<?": re.compile(r"\?>"), "<!": re.compile(r">")}
_MARKDOWN = re.compile(
    r"""(?:^|\s)markdown(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?(?=[\s/]|$)""", re.IGNORECASE
)
_STARTS = re.compile(r"(?:^|\n) {0,3}<")

# How the attribute `markdown` lets their content be read: as one run of text, never, or as blocks.
_SPANS = frozenset(
    ("address", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "legend", "li", "p", "summary", "td", "th"),
)
_OPAQUE = frozenset(("canvas", "math", "option", "pre", "script", "style", "textarea"))
_BLOCKS = frozenset(
    (
        *("article", "aside", "blockquote", "details", "div", "dl", "fieldset", "figcaption", "figure", "footer"),
        *("form", "header", "hgroup", "main", "menu", "nav", "ol", "section", "table", "ul", "colgroup", "body"),
        *("group", "html", "iframe", "map", "noscript", "output", "object", "progress", "tbody", "tfoot", "thead"),
        *("tr", "video", "center"),
    ),
)
CODE_TAGS = frozenset(("code", "pre", "script", "style"))  # their content is shown as typed, or run
BLOCK_TAGS = _BLOCKS | _SPANS | _OPAQUE | {"hr"}


@dataclass(slots=True)
class Markup:
    """What a page consists of: documents of Markdown, runs of text that are read inline only, and raw HTML."""

    documents: list[tuple[str, list[Line]]] = field(default_factory=list)  # (tag of the element around it, lines)
    runs: list[list[Line]] = field(default_factory=list)
    raw: list[list[Line]] = field(default_factory=list)


@dataclass(slots=True)
class _Element:
    """An open element whose content is Markdown (`block`, `span`) or is not (`off`)."""

    tag: str
    state: str
    lines: list[Line] = field(default_factory=list)
    fresh: bool = True  # nothing but tags has come yet


def split_markup(lines: list[Line]) -> Markup:
    """Take raw HTML out of the lines of a page, leaving a mark of its own in a line of its own."""
    text = "\n".join(line.text for line in lines)
    if not _STARTS.search(text):
        return Markup(documents=[("div", lines)])
    return _Splitter(lines, text).run()


class _Splitter:
    """One pass over the tags of a page."""

    def __init__(self, lines: list[Line], text: str) -> None:
        self.source = lines
        self.text = text
        self.found = Markup()
        self.open = [_Element("div", "block")]
        self.stack: list[str] = []  # tags open within raw HTML
        self.counts: Counter[str] = Counter()
        self.tail = False  # behind a raw block, on its last line
        self.at = 0  # what lies before is dealt with
        self.line = 0  # index of the line around `at`, and its offset
        self.line_at = 0
        self.no_end: dict[str, int] = {}

    def run(self) -> Markup:
        at = raw_from = 0
        while match := _TAG.search(self.text, at):
            start, at = match.start(), match.end()
            if match["other"]:
                at = self._other(match, raw=bool(self.stack))
                continue
            tag = match["name"].lower()
            if self.stack:
                if self._inside(tag, match):
                    self._raw(raw_from, at)
                    self.tail = True
            elif match["close"]:
                self._close(tag, start, at)
            elif tag in BLOCK_TAGS and (self._first(start) or self._tail(start) or self._fresh(start)):
                raw_from = start
                self._start(tag, match)
            if tag in ("script", "style") and not match["close"] and tag in (self.stack or [self.open[-1].tag])[-1:]:
                end = re.compile(rf"</{tag}\s*>", re.IGNORECASE).search(self.text, at)
                at = end.start() if end else len(self.text)
        if self.stack:
            self._raw(raw_from, len(self.text))
        self._text(len(self.text))
        while len(self.open) > 1:
            self._leave()
        self.found.documents.insert(0, ("div", self.open[0].lines))
        return self.found

    # -- tags

    def _start(self, tag: str, match: re.Match[str]) -> None:
        state = _state(tag, match["attributes"], self.open[-1].state if len(self.open) > 1 else "")
        if tag == "hr" or match["attributes"].rstrip().endswith("/"):
            self._raw(match.start(), match.end())
            self.tail = True
        elif len(self.open) == 1 and (state == "off" or self.text[match.start() - 1 : match.start()] == " "):
            # An indented element is raw whatever its attribute says: so the engine reads it.
            self.stack.append(tag)
            self.counts[tag] += 1
        else:
            self._raw(match.start(), match.end())
            self.open.append(_Element(tag, state))

    def _inside(self, tag: str, match: re.Match[str]) -> bool:
        """Follow a tag within raw HTML; say whether it closes the block."""
        if not match["close"]:
            if not match["attributes"].endswith("/"):
                self.stack.append(tag)
                self.counts[tag] += 1
        elif self.counts[tag]:
            while True:
                last = self.stack.pop()
                self.counts[last] -= 1
                if last == tag:
                    break
        return not self.stack

    def _close(self, tag: str, start: int, end: int) -> None:
        """Close the element of that tag, if one is open whose content is Markdown."""
        if not any(element.tag == tag for element in self.open[1:]):
            return
        self._text(start)
        while self._leave() != tag:
            pass
        self._raw(start, end, f"\x02html:{tag}\x03")
        self.tail = len(self.open) == 1

    def _leave(self) -> str:
        element = self.open.pop()
        if element.state == "block":
            self.found.documents.append((element.tag, element.lines))
        elif element.state == "span":
            self.found.runs.append(element.lines)
        elif element.tag not in CODE_TAGS:
            self.found.raw.append(element.lines)
        return element.tag

    def _other(self, match: re.Match[str], *, raw: bool) -> int:
        """Step over a comment, a processing instruction or a declaration; return where it ends."""
        start = match.start()
        kind = "<!--" if match["other"] == "<!--" else match["other"][:2]
        if kind != "<!--" and not (raw or self._first(start) or self._tail(start) or len(self.open) > 1):
            return match.end()
        if start >= self.no_end.get(kind, len(self.text) + 1):
            return match.end()
        end = _ENDS[kind].search(self.text, match.end())
        if end is None:
            self.no_end[kind] = start
            return match.end()
        if not raw and (self._first(start) or self._tail(start)):
            self._raw(start, end.end())
            self.tail = True
        return end.end()

    # -- where we are

    def _first(self, start: int) -> bool:
        begin = self.text.rfind("\n", max(0, start - 4), start) + 1
        if not begin and start > 3:  # noqa: PLR2004  a tag may be indented by three spaces
            return False
        return start - begin <= 3 and not self.text[begin:start].strip()  # noqa: PLR2004  the same

    def _tail(self, start: int) -> bool:
        return self.tail and "\n" not in self.text[self.at : start]

    def _fresh(self, start: int) -> bool:
        return len(self.open) > 1 and self.open[-1].fresh and self.at == start

    # -- taking text

    def _raw(self, start: int, end: int, sign: str = RAW) -> None:
        """Take raw HTML: what came before is text, and a mark on a line of its own stands for it."""
        self._text(start)
        lines = self._take(end)
        self.found.raw.append(lines)
        mark = lines[0]
        self.open[-1].lines += [Line("", mark.number), Line(sign, mark.number, mark.cut), Line("", mark.number)]

    def _text(self, end: int) -> None:
        if end > self.at:
            element = self.open[-1]
            element.lines += self._take(end)
            element.fresh = False
            self.tail = False

    def _take(self, end: int) -> list[Line]:
        """Return the text from where we are to `end` as lines, the first and last perhaps in part."""
        taken = []
        while True:
            line = self.source[self.line]
            begin, stop = self.at - self.line_at, min(len(line.text), end - self.line_at)
            text = line.text[begin:stop]
            taken.append(Line(text if text.strip(" ") else "", line.number, line.cut + begin))
            if end <= self.line_at + len(line.text):
                self.at = end
                return taken
            self.line_at += len(line.text) + 1
            self.line += 1
            self.at = self.line_at
            if end == self.at:
                return taken


def _state(tag: str, attributes: str, around: str) -> str:
    """Say how the content of an element is read: `block`, `span`, or `off` for not at all."""
    match = _MARKDOWN.search(attributes)
    wanted = "0" if match is None else match[1] or match[2] or match[3] or "1"
    if wanted == "markdown":
        wanted = "1"
    if around == "off" or (around == "span" and wanted != "0"):
        wanted = around
    if (wanted == "1" and tag in _BLOCKS) or (wanted == "block" and tag in _BLOCKS | _SPANS):
        return "block"
    if (wanted == "1" and tag in _SPANS) or (wanted == "span" and tag in _BLOCKS | _SPANS):
        return "span"
    return "off"
