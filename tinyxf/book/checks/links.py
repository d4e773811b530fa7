"""Dead links and anchors, at their place in the author's page.

After the scan and the conversion, which alone knows a page's ids.  Nothing here asks the network: a link that leaves
the book is left alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote

from tinyxf.book.checks.targets import Target, labels_of, normal_label, targets_of
from tinyxf.book.reading.scan import Scan, snippet_names
from tinyxf.errors import Problem, nearest

KIND = "link"

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SCHEMES = frozenset({"data:", "doi:", "ftp:", "http:", "https:", "irc:", "mailto:", "sms:", "tel:", "xmpp:"})


@dataclass(frozen=True, slots=True)
class Site:
    """What links may point to.

    `ids` are those of each converted document, by its path in the documents' folder; `assets` are the other published
    files; `urls` is the file that each document becomes.
    """

    ids: Mapping[str, Collection[str]]
    assets: Collection[str]
    urls: Mapping[str, str]


class Text(Protocol):
    """A page, or a file that pages include."""

    @property
    def page(self) -> str:
        """The name that problems carry."""

    @property
    def text(self) -> str:
        """What its author wrote."""

    @property
    def scan(self) -> Scan:
        """What was found in it."""


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a page, or of a file that it includes: `path` as problems name that, `targets` with their places.

    `labels` are those that the page defines, what it includes counted in.
    """

    page: str
    path: str
    targets: tuple[tuple[Target, int, int], ...]
    labels: frozenset[str]


def read_links(page: str, whole: Text, snippets: Mapping[str, Text]) -> Iterator[Links]:
    """Yield the links of a page and of all that it includes.

    `page` is its path in the documents' folder, `snippets` are files by the name that pages include them with.
    """
    parts = [whole, *_included(whole.text, snippets)]
    labels = frozenset[str]().union(*(labels_of(part.scan) for part in parts))
    for part in parts:
        targets = targets_of(part.scan, labels)
        yield Links(page, part.page, tuple((own, *part.scan.source.place(own.start)) for own in targets), labels)


def dead_links(links: Iterable[Links], site: Site, documents: Collection[str]) -> tuple[Problem, ...]:
    """Report every one of these links that leads nowhere; `documents` are all pages of the book."""
    check = _Check(documents, site)
    return tuple(
        sorted(
            {
                Problem(own.path, line, column, fault, KIND)
                for own in links
                for target, line, column in own.targets
                for fault in [check.fault(own.page, target, own.labels)]
                if fault
            }
        )
    )


def _included(text: str, snippets: Mapping[str, Text]) -> list[Text]:
    """Return what a page includes, and what that includes; unknown names are for others to report."""
    found: dict[str, Text] = {}
    todo = [text]
    while todo:
        for snippet in snippet_names(todo.pop()):
            own = snippets.get(snippet.name)
            if own and not snippet.code and snippet.name not in found:
                found[snippet.name] = own
                todo.append(own.text)
    return list(found.values())


class _Check:
    """Knows everything that a link may point to."""

    def __init__(self, documents: Collection[str], site: Site) -> None:
        self.documents = frozenset(documents)
        self.assets = frozenset(site.assets)
        self.ids = {page: frozenset(ids) for page, ids in site.ids.items()}
        self.urls = dict(site.urls)
        self.sources = {url: page for page, url in site.urls.items()}

    def fault(self, page: str, target: Target, labels: frozenset[str]) -> str:
        """Return what is wrong with a target of a page, or of a part of it; or nothing."""
        return self._label(target, labels) if target.kind == "label" else self._fault(page, target)

    @staticmethod
    def _label(target: Target, labels: frozenset[str]) -> str:
        if normal_label(target.text) in labels:
            return ""
        advice = nearest(normal_label(target.text), labels)
        return f'dead link: nothing defines "[{target.text}]"{advice}'

    def _fault(self, page: str, target: Target) -> str:
        scheme = _SCHEME.match(target.text)
        if scheme:
            known = scheme[0].lower() in _SCHEMES
            return "" if known else f'dead link: unknown scheme "{scheme[0]}"{nearest(scheme[0], _SCHEMES)}'
        if target.text.startswith("//"):
            return ""
        if not target.text:
            return "dead link: it has no target"
        path, _, anchor = target.text.partition("#")
        path = unquote(path.partition("?")[0])
        if path.startswith("/"):
            return f'dead link: "{path}" starts at the root of a server, where few copies of the book lie'
        return self._published(page, path, anchor) if target.kind == "html" else self._document(page, path, anchor)

    def _document(self, page: str, path: str, anchor: str) -> str:
        """Follow a link of Markdown's, which names documents by their source."""
        base = posixpath.dirname(page)
        found = posixpath.normpath(posixpath.join(base, path)) if path else page
        if found in self.documents:
            return self._anchor(page, found, anchor, path, {})
        if found in self.assets:
            return ""
        source = self.sources.get(found) or self.sources.get(posixpath.join(found, "index.html"))
        if source:
            return f'dead link: "{path}" is published, write its source: "{posixpath.relpath(source, base or ".")}"'
        return self._missing(path, found, base, [*self.documents, *self.assets])

    def _published(self, page: str, path: str, anchor: str) -> str:
        """Follow a link of raw HTML, which the engine does not rewrite: it names files of the site."""
        url = self.urls.get(page, page)
        base = posixpath.dirname(url)
        found = posixpath.normpath(posixpath.join(base, path)) if path else url
        if found not in self.sources and (path.endswith("/") or path in (".", "..")):
            found = posixpath.normpath(posixpath.join(found, "index.html"))
        if found in self.sources:
            return self._anchor(page, self.sources[found], anchor, path, self.urls)
        if found in self.assets:
            return ""
        source = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if source in self.urls:
            right = posixpath.relpath(self.urls[source], base or ".")
            return f'dead link: raw HTML is published as it is; write "{right}"'
        return self._missing(path, found, base, [*self.sources, *self.assets])

    @staticmethod
    def _missing(path: str, found: str, base: str, known: Iterable[str]) -> str:
        if found.startswith("../"):
            return f'dead link: "{path}" leaves the documents\' folder'
        choices = [posixpath.relpath(name, base or ".") for name in known]
        return f'dead link: "{path}" is no page or file of the book{nearest(path, sorted(choices))}'

    def _anchor(self, page: str, found: str, anchor: str, path: str, names: Mapping[str, str]) -> str:
        """Follow an anchor; a page whose ids are unknown has every one.  `names` is what links call each document."""
        ids = self.ids.get(found)
        name = anchor.partition(":~:")[0]
        if ids is None or name.lower() in ("", "top") or name in ids or unquote(name) in ids:
            return ""
        dead = f'dead anchor: "{path}#{name}" does not exist'
        base = posixpath.dirname(names.get(page, page)) or "."
        for other, own in self.ids.items():
            if name in own:
                return f'{dead}; did you mean "{posixpath.relpath(names.get(other, other), base)}#{name}"?'
        return dead + re.sub(r'"([^"]*)"', lambda near: f'"{path}#{near[1]}"', nearest(name, sorted(ids)))
