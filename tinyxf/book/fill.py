"""Put the computed pieces into a converted page.

Markdown sees a token, a word of letters and digits that it passes through untouched, wherever a placeholder stood.
Afterwards its place in the HTML says what belongs there: `<data>` in running text, plain text in an attribute or a
title, and the author's own characters inside code.  Pure: text in, text out.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

TOKEN = re.compile(r"tx(?P<page>\d+)n(?P<number>\d+)x")

# What a converted page is made of, as far as tokens care.  A quoted value may hold anything, a ">" too.
_REST = r"""\b(?:[^"'>]|"[^"]*"|'[^']*')*+>"""
_PARTS = re.compile(
    r"<!--.*?-->"
    rf"|<(?P<raw>pre|code|script|style|textarea|kbd){_REST}.*?</(?P=raw)\s*>"
    rf"|<(?P<words>title|option|button|svg|math){_REST}.*?</(?P=words)\s*>"
    r"|<p>(?P<alone>tx\d+n\d+x)</p>"
    rf"|<(?P<close>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9-]*){_REST}"
    r"|" + TOKEN.pattern,
    re.DOTALL | re.IGNORECASE,
)
_INLINE = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "cite", "del", "dfn", "em", "i", "ins", "mark", "q", "s", "samp", "small", "span",
    "strong", "sub", "sup", "u", "var",
})  # fmt: skip
_ENDS_PARAGRAPH = frozenset({  # where an author's own HTML leaves the end tag out
    "article", "aside", "blockquote", "body", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "section",
    "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
_EMPTY = re.compile(
    r"(?:\s|</?(?:p|" + "|".join(sorted(_INLINE)) + r")(?:\s+(?!id\b|name\b)[^\s<>]*)*>)*", re.IGNORECASE
)
_ID = re.compile(r"""\sid=(?:"[^"]*"|'[^']*')""")


def free_number(texts: Iterable[str]) -> int:
    """Return what to count pages from, so that no text already holds a token: 0, unless one writes about them."""
    return max((int(found["page"]) for text in texts for found in TOKEN.finditer(text)), default=-1) + 1


class Filling(NamedTuple):
    """What stands behind one token: as plain text, as HTML, and as the author typed it; `latex` where it differs.

    A `block` (table, figure) never stands inside a paragraph.  Until a page is finished, `words` stand for a block or
    a number: a search index reads nothing else of them, and takes long over elements.
    """

    plain: str
    html: str
    source: str
    block: bool = False
    words: str = ""
    latex: str = ""


Fillings = Mapping[str, Filling]


def fill_plain(text: str, fillings: Fillings) -> str:
    """Replace tokens in plain text: titles, names in the navigation, front matter."""
    return TOKEN.sub(lambda found: _known(found[0], fillings, lambda own: own.plain), text)


def fill_values(value: Any, fillings: Fillings) -> Any:  # noqa: ANN401  front matter is any YAML
    """Replace tokens in all texts of front matter."""
    match value:
        case str():
            return fill_plain(value, fillings)
        case list():
            return [fill_values(item, fillings) for item in value]
        case dict():
            return {key: fill_values(item, fillings) for key, item in value.items()}
        case _:
            return value


def fill_latex(text: str, fillings: Fillings) -> str:
    """Replace tokens in a formula."""
    return TOKEN.sub(lambda found: _known(found[0], fillings, lambda own: own.latex or own.plain), text)


def fill_page(page: str, fillings: Fillings, show: Callable[[str, Filling], str]) -> str:
    """Replace the tokens of a converted page by what their places need.

    `show` gives the HTML for a token that stands for a block, or that has words.  What is open around a block, a
    paragraph or bold text, is closed before and opened again behind, and left out where nothing stands in it.
    """
    if not TOKEN.search(page):
        return page

    def shown(token: str, filling: Filling) -> str:
        return show(token, filling) if filling.block or filling.words else filling.html

    tidy = _count_blocks(TOKEN, page, fillings) == _count_blocks(_ALONE, page, fillings)
    out = _Out()
    at = 0
    for match in _PARTS.finditer(page):
        out.add(page[at : match.start()])
        at = match.end()
        text, token = match[0], match["alone"] or match[0]
        if tidy and "tx" not in text:  # then nobody asks what is open
            out.add(text)
        elif token not in fillings:
            out.tag(match, _replace(match, fillings))
        elif match["alone"]:
            out.paragraph(shown(token, fillings[token]), block=fillings[token].block)
        elif fillings[token].block:
            out.block(shown(token, fillings[token]))
        else:
            out.add(shown(token, fillings[token]))
    out.add(page[at:])
    return "".join(out.parts)


_ALONE = re.compile(rf"(?<=<p>){TOKEN.pattern}(?=</p>)")


def _count_blocks(pattern: re.Pattern[str], page: str, fillings: Fillings) -> int:
    return sum(found[0] in fillings and fillings[found[0]].block for found in pattern.finditer(page))


class _Out:
    """What has been written, and which paragraph and inline elements are open at its end."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.open: list[tuple[str, str]] = []  # name and opening tag, the paragraph first
        self.since = 0  # the part where the outermost of them was opened, or opened again
        self.again = False

    def add(self, text: str) -> None:
        self.parts.append(text)

    def tag(self, match: re.Match[str], text: str) -> None:
        """Write what may be a tag, and note what it opens or closes."""
        name = (match["tag"] or "").lower()
        if match["close"] and any(name == own for own, _ in self.open):
            while self.open.pop()[0] != name:
                pass
            if not self.open and self.again and self._drop_empty():
                return
        elif not match["close"] and (name == "p" or name in _INLINE):
            if name == "p" or not self.open:
                self.open, self.since, self.again = [], len(self.parts), False
            self.open.append((name, text))
        elif name in _ENDS_PARAGRAPH:
            self.open = []
        self.add(text)

    def paragraph(self, text: str, *, block: bool) -> None:
        """Write what stands in a paragraph alone; a block stands there without one."""
        self.open = []
        self.add(text + "\n" if block else f"<p>{text}</p>")

    def _drop_empty(self) -> bool:
        """Take out what was opened last, if nothing but elements that show nothing stands in it."""
        if not _EMPTY.fullmatch("".join(self.parts[self.since :])):
            return False
        del self.parts[self.since :]
        return True

    def block(self, text: str) -> None:
        """Write a block, outside everything that cannot hold one."""
        if not self.open:
            self.add(text)
            return
        if not self._drop_empty():
            self.add("".join(f"</{name}>" for name, _ in reversed(self.open)) + "\n")
        self.add(text + "\n")
        self.since, self.again = len(self.parts), True
        self.open = [(name, _ID.sub("", tag)) for name, tag in self.open]
        self.add("".join(tag for _, tag in self.open))


def _replace(match: re.Match[str], fillings: Fillings) -> str:
    text = match[0]
    if "tx" not in text:
        return text
    if match["raw"]:
        return TOKEN.sub(
            lambda found: _known(found[0], fillings, lambda own: html.escape(own.source, quote=False)), text
        )
    if text.startswith("<!--"):
        return TOKEN.sub(lambda found: _known(found[0], fillings, lambda own: own.source), text)
    return TOKEN.sub(lambda found: _known(found[0], fillings, lambda own: html.escape(own.plain)), text)


def _known(token: str, fillings: Fillings, show: Callable[[Filling], str]) -> str:
    return show(fillings[token]) if token in fillings else token


def stub(token: str, filling: Filling) -> str:
    """Return a small stand-in that the search index reads instead of a table; `fill_stubs` puts the table there."""
    return f'<div data-stub="{token}">{html.escape(filling.words, quote=False)}</div>'


class Held(NamedTuple):
    """What stands in a page once it is finished, and the words that stand there until then, as HTML."""

    html: str
    words: str

    def stub(self, kind: str, number: int) -> str:
        """Return the words behind a comment, which says whose they are; `kind` is for whoever looks for formulas."""
        return f"<!--tx:{kind} {number}-->{self.words}"


_MARK = re.compile(r"<!--tx:[a-z]+ (?P<held>\d+)-->")
_UNSEARCHED = re.compile(_MARK.pattern + "|</?(?:em|strong)>")
_BOX = re.compile(r'<(div|span) (?:data-stub="[a-z0-9]+"|class="tx-(?:held|maths)"[^<>]*)>([^<]*)</\1>')
_STUB = re.compile(r'<div data-stub="(?P<block>[a-z0-9]+)">[^<]*</div>|' + _MARK.pattern)
_TAG = re.compile(rf"</?[a-zA-Z]{_REST[2:]}")


def words_of(formula: str) -> str:
    """Return the words of a formula."""
    return _TAG.sub("", formula)


def searched(page: str) -> str:
    """Return a page as a search index reads it.

    Marks, emphasis and boxes, of which it keeps nothing but the words, would take it long.
    """
    return _BOX.sub(r"\2", _UNSEARCHED.sub("", page))


def stubs_in(page: str) -> list[str]:
    """Return the tokens of the tables and figures of a page, in order."""
    return [found["block"] for found in _STUB.finditer(page) if found["block"]]


def fill_stubs(page: str, block: Callable[[str], str], held: Sequence[Held] = ()) -> str:
    """Replace the stand-ins of a finished page by the tables and figures that `block` gives, and by what is held."""
    out = []
    at = 0
    for found in _STUB.finditer(page):
        out.append(page[at : found.start()])
        at = found.end()
        if found["block"]:
            out.append(block(found["block"]))
            continue
        number = int(found["held"])
        if number < len(held) and page.startswith(held[number].words, at):
            out.append(held[number].html)
            at += len(held[number].words)
        else:  # a comment that somebody typed
            out.append(found[0])
    return "".join([*out, page[at:]])
