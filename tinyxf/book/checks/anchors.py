"""What links can point to in converted pages, and which links of an edition point to nothing.

After the edition; every build asks, and `check` does.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from tinyxf.book.checks.links import Site, dead_links
from tinyxf.book.edition import Edition, Manuscript
from tinyxf.errors import Problem

_TAG = re.compile(r"""<(?:!--.*?-->|(?P<tag>[a-zA-Z][^\s<>]*)\s(?P<rest>(?:[^"'>]|"[^"]*"|'[^']*')*+)>)""", re.DOTALL)
_ATTRIBUTE = re.compile(r"""(?P<name>[^\s"'<>/=]+)(?:\s*=\s*(?:"(?P<a>[^"]*)"|'(?P<b>[^']*)'|(?P<c>[^\s"'>]+)))?""")


def anchor_problems(edition: Edition, contents: Mapping[str, str], assets: Collection[str]) -> tuple[Problem, ...]:
    """Return a problem for each link that leads nowhere, and for each id that two elements of a page share.

    `contents` are the pages as `edition.content` gives them, `assets` the published files that are no pages.
    """
    anchors = {uri: list(_anchors(edition, uri, content)) for uri, content in contents.items()}
    site = Site(
        ids={uri: {name for name, _ in own} for uri, own in anchors.items()},
        assets=assets,
        urls={uri: f"{uri.removesuffix('.md')}.html" for uri in contents},
    )
    dead = dead_links(edition.links, site, edition.pages)
    twice = (own for uri in anchors for own in _twice_given(edition.manuscripts[uri], anchors[uri]))
    return tuple(sorted({*dead, *twice}))


def _anchors(edition: Edition, uri: str, content: str) -> Iterator[tuple[str, bool]]:
    """Yield what a fragment can point to in a page, and whether it is an id."""
    for part in edition.finisher.parts(uri, content):
        yield from anchors_in(part)


def _twice_given(page: Manuscript, anchors: Iterable[tuple[str, bool]]) -> Iterator[Problem]:
    """Yield a problem for each id that is given twice, at the second place where it is."""
    counts = Counter(name for name, is_id in anchors if is_id)
    for name in sorted(name for name, count in counts.items() if count > 1):
        spelled = re.escape(name)
        given = [found.start() for found in re.finditer(rf"#{spelled}(?=[\s}}])|id=.?{spelled}\b", page.text)]
        start = given[min(1, len(given) - 1)] if given else 0
        line = page.text.count("\n", 0, start) + 1
        column = start - page.text.rfind("\n", 0, start)
        yield Problem(page.path, line, column, f'duplicate id "{name}": it stands in this page already', "link")


@lru_cache(maxsize=1024)  # a plate stands on more than one page
def anchors_in(part: str) -> tuple[tuple[str, bool], ...]:
    """Return what a fragment can point to in a piece of HTML, as the browser reads it, and whether it is an id."""
    return tuple(
        (html.unescape(own["a"] or own["b"] or own["c"] or ""), name == "id")
        for tag in _TAG.finditer(part)
        for own in _ATTRIBUTE.finditer(tag["rest"] or "")
        for name in [own["name"].lower()]
        if name == "id" or (name == "name" and tag["tag"].lower() == "a")
    )
