"""Pages that a server has converted before, so that a save converts anew only what it changed.

An engine turns a page's text into HTML and finds its headings, its title, its anchors and its links.  All that hangs
on the text, the front matter, the extensions and the names of the other files; where none of these differs, neither
does what comes out.  Pages that include a file, and extensions that we do not know, are always converted.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

# Extensions that read nothing but the page.  One of ours is there in every build, as an object.
PURE = frozenset({
    "abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables", "toc", "fenced_code",
    "pymdownx.arithmatex", "pymdownx.details", "pymdownx.highlight", "pymdownx.inlinehilite", "pymdownx.snippets",
    "pymdownx.superfences", "pymdownx.tabbed",
})  # fmt: skip
INCLUDES = "8<"  # part of every mark with which a page includes a file

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Converted:
    """What the engine made of a page; `links` go by the path of the page that they lead to."""

    key: Key
    html: str
    title: str
    toc: Any
    anchors: set[str]
    links: dict[str, dict[str, str]]


class Conversions:
    """The conversions of the builds so far; what each hangs on is compared, not digested."""

    def __init__(self) -> None:
        self._known: dict[str, Converted] = {}
        self._shared: Key | None = None
        self._asked: dict[str, Key] = {}

    def begin(self, extensions: Iterable[object], options: object, names: object) -> None:
        """Begin a build with these extensions and their options, and with files of these names."""
        named = tuple(own for own in extensions if isinstance(own, str))
        self._shared = (named, copy.deepcopy(options), names) if set(named) <= PURE else None
        self._asked = {}

    def ask(self, page: Any, markdown: str) -> str:  # noqa: ANN401  the engine's page
        """Return what is to be converted: nothing for a page that has been."""
        uri = page.file.src_uri
        if self._shared is None or INCLUDES in markdown:
            self._known.pop(uri, None)
            return markdown
        self._asked[uri] = (markdown, copy.deepcopy(page.meta), vars(page).get("title"), self._shared)
        known = self._known.get(uri)
        return "" if known and known.key == self._asked[uri] else markdown

    def answer(self, page: Any, html: str, find: Callable[[str], Any]) -> str:  # noqa: ANN401  the engine's page
        """Return a page as HTML, converted now or before; `find` gives the engine's file by its path."""
        uri = page.file.src_uri
        key = self._asked.get(uri)
        if key is None:
            return html
        known = self._known.get(uri)
        if known and known.key == key:
            page.title, page.toc, page.present_anchor_ids = known.title, copy.deepcopy(known.toc), known.anchors
            page.links_to_anchors = {find(path): anchors for path, anchors in known.links.items()}
            return known.html
        links = {file.src_uri: anchors for file, anchors in (page.links_to_anchors or {}).items()}
        title, toc = str(page.title or ""), copy.deepcopy(page.toc)
        self._known[uri] = Converted(key, html, title, toc, page.present_anchor_ids or set(), links)
        return html
