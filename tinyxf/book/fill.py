"""Put the computed pieces into a converted page.

Markdown sees a token, a word of letters and digits that it passes through untouched, wherever a placeholder stood.
Afterwards its place in the HTML says what belongs there: `<data>` in running text, plain text in an attribute or a
title, and the author's own characters inside code.  Pure: text in, text out.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

TOKEN = re.compile(r"tx(?P<page>\d+)n(?P<number>\d+)x")

# What a converted page is made of, as far as tokens care.
_PARTS = re.compile(
    r"<!--.*?-->"
    r"|<(?P<raw>pre|code|script|style|textarea|kbd)\b[^>]*>.*?</(?P=raw)>"
    r"|<(?P<words>title|option|button)\b[^>]*>.*?</(?P=words)>"
    r"|<(?P<close>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9-]*)\b[^>]*>"
    r"|" + TOKEN.pattern,
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Filling:
    """What stands behind one token: as plain text, as HTML, and as the author typed it; `latex` where it differs.

    A `block` (table, figure) never stands inside a paragraph; `words` is its text for the search index.
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


def fill_latex(text: str, fillings: Fillings) -> str:
    """Replace tokens in a formula."""
    return TOKEN.sub(lambda found: _known(found[0], fillings, lambda own: own.latex or own.plain), text)


def fill_page(page: str, fillings: Fillings, block: Callable[[str, Filling], str]) -> str:
    """Replace the tokens of a converted page by what their places need.

    `block` gives the HTML for a token that stands for a table or figure; the paragraph around it is closed before
    and opened again behind, and dropped where nothing is left of it.
    """
    if not TOKEN.search(page):
        return page
    out: list[str] = []
    paragraph = ""  # the opening tag of the paragraph that we are in
    at = 0
    for match in _PARTS.finditer(page):
        out.append(page[at : match.start()])
        at = match.end()
        text = match[0]
        filling = fillings.get(text)
        if match["tag"] == "p":
            paragraph = "" if match["close"] else text
        if filling is None:
            out.append(_replace(match, fillings))
        elif not filling.block:
            out.append(filling.html)
        elif paragraph:
            out.append(f"</p>\n{block(text, filling)}\n{paragraph}")
        else:
            out.append(block(text, filling))
    out.append(page[at:])
    return re.sub(r"<p>\s*</p>\n?", "", "".join(out))


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


_STUB = re.compile(r'<div data-stub="([a-z0-9]+)">[^<]*</div>')


def fill_stubs(page: str, block: Callable[[str], str]) -> str:
    """Replace the stand-ins of a finished page by the tables and figures that `block` gives for their tokens."""
    return _STUB.sub(lambda found: block(found[1]), page) if "data-stub" in page else page
