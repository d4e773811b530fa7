"""What links can point to in converted pages, and which links of an edition point to nothing.

After the edition; every build asks, and `check` does.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator

from tinyxf.book.edition import Edition
from tinyxf.book.links import Included, Site, link_problems
from tinyxf.errors import Problem

_TAG = re.compile(r"""<(?:!--.*?-->|(?P<tag>[a-zA-Z][^\s<>]*)\s(?P<rest>(?:[^"'>]|"[^"]*"|'[^']*')*+)>)""", re.DOTALL)
_ATTRIBUTE = re.compile(r"""(?P<name>[^\s"'<>/=]+)(?:\s*=\s*(?:"(?P<a>[^"]*)"|'(?P<b>[^']*)'|(?P<c>[^\s"'>]+)))?""")


def dead_links(edition: Edition, pages: dict[str, str], assets: Collection[str]) -> tuple[Problem, ...]:
    """Return a problem for each link of the pages, given as converted HTML, that leads nowhere."""
    site = Site(
        ids={uri: set(ids_in(page)) for uri, page in pages.items()},
        assets=assets,
        urls={uri: f"{uri.removesuffix('.md')}.html" for uri in pages},
    )
    texts = {uri: own.text for uri, own in edition.manuscripts.items()}
    snippets = {uri: Included(own.path, own.text) for uri, own in edition.snippets.items()}
    scans = {own.text: own.scan for own in (*edition.pages.values(), *edition.included.values())}
    return link_problems(texts, site, snippets, read=scans.__getitem__)


def ids_in(page: str) -> Iterator[str]:
    """Yield what a fragment can point to in a page, as the browser reads it."""
    for tag in _TAG.finditer(page):
        for own in _ATTRIBUTE.finditer(tag["rest"] or ""):
            if own["name"].lower() == "id" or (own["name"].lower() == "name" and tag["tag"].lower() == "a"):
                yield html.unescape(own["a"] or own["b"] or own["c"] or "")
