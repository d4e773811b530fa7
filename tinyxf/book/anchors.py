"""What links can point to in converted pages, and which links of an edition point to nothing.

After the edition; every build asks, and `check` does.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator

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


def twice_given_ids(edition: Edition, pages: dict[str, str]) -> Iterator[Problem]:
    """Yield a problem for each id that two elements of a page share, at the second place where it is given."""
    for uri, page in pages.items():
        own = edition.manuscripts[uri]
        for name in sorted(name for name, count in Counter(_values(page, _is_id)).items() if count > 1):
            spelled = re.escape(name)
            given = [found.start() for found in re.finditer(rf"#{spelled}(?=[\s}}])|id=.?{spelled}\b", own.text)]
            start = given[min(1, len(given) - 1)] if given else 0
            line = own.text.count("\n", 0, start) + 1
            column = start - own.text.rfind("\n", 0, start)
            yield Problem(own.path, line, column, f'duplicate id "{name}": it stands in this page already', "link")


def ids_in(page: str) -> Iterator[str]:
    """Yield what a fragment can point to in a page, as the browser reads it."""
    return _values(page, lambda tag, name: _is_id(tag, name) or (name == "name" and tag == "a"))


def _is_id(_: str, name: str) -> bool:
    return name == "id"


def _values(page: str, wanted: Callable[[str, str], bool]) -> Iterator[str]:
    """Yield the values of the wanted attributes, told by tag and name in lower case."""
    for tag in _TAG.finditer(page):
        for own in _ATTRIBUTE.finditer(tag["rest"] or ""):
            if wanted(tag["tag"].lower(), own["name"].lower()):
                yield html.unescape(own["a"] or own["b"] or own["c"] or "")
