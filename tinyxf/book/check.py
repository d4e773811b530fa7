"""Everything that can be wrong with the book, in one list.

Last of the pure modules: the edition's own problems, typed numbers, dead links, drift of the ledger, ties, and digits
that 50-digit arithmetic does not confirm.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterator

from tinyxf.book.edition import Edition
from tinyxf.book.gate import tie_problems
from tinyxf.book.known import Known
from tinyxf.book.ledger import LEDGER, ledger_problems
from tinyxf.book.links import Included, Site, link_problems
from tinyxf.book.typed import typed_problems
from tinyxf.catalog import Catalog
from tinyxf.errors import Problem
from tinyxf.trace.proof import prove_digits
from tinyxf.trace.published import read_trace

_TAG = re.compile(r"""<(?:!--.*?-->|(?P<tag>[a-zA-Z][^\s<>]*)\s(?P<rest>(?:[^"'>]|"[^"]*"|'[^']*')*+)>)""", re.DOTALL)
_ATTRIBUTE = re.compile(r"""(?P<name>[^\s"'<>/=]+)(?:\s*=\s*(?:"(?P<a>[^"]*)"|'(?P<b>[^']*)'|(?P<c>[^\s"'>]+)))?""")


def check_edition(
    edition: Edition, convert: Callable[[str], str], ledger: str | None, assets: Collection[str]
) -> tuple[Problem, ...]:
    """Return every problem of an edition, sorted by place.

    `convert` turns a marked page into HTML, `ledger` is the committed ledger or None, `assets` are the published
    files that are no pages, relative to the pages' folder.
    """
    pages = {uri: edition.finish(uri, edition.content(uri, convert(edition.marked(uri)))) for uri in edition.pages}
    found = {
        *edition.problems,
        *dead_links(edition, pages, assets),
        *typed_numbers(edition),
        *ledger_problems(ledger, edition.catalog),
        *tie_problems(edition.catalog),
        *unproved(edition.catalog),
    }
    return tuple(sorted(found))


def typed_numbers(edition: Edition) -> Iterator[Problem]:
    """Yield a problem for each number typed by hand, in pages and in what they include."""
    known = Known(edition.catalog)
    for expanded in (*edition.pages.values(), *edition.inclusions.shown_by(*edition.pages)):
        yield from typed_problems(expanded, known)


def dead_links(edition: Edition, pages: dict[str, str], assets: Collection[str]) -> tuple[Problem, ...]:
    """Return a problem for each link of the pages, given as converted HTML, that leads nowhere."""
    site = Site(
        ids={uri: set(ids_in(page)) for uri, page in pages.items()},
        assets=assets,
        urls={uri: f"{uri.removesuffix('.md')}.html" for uri in pages},
    )
    texts = {uri: own.text for uri, own in edition.manuscripts.items()}
    return link_problems(texts, site, {uri: Included(own.path, own.text) for uri, own in edition.snippets.items()})


def ids_in(page: str) -> Iterator[str]:
    """Yield what a fragment can point to in a page, as the browser reads it."""
    for tag in _TAG.finditer(page):
        for own in _ATTRIBUTE.finditer(tag["rest"] or ""):
            if own["name"].lower() == "id" or (own["name"].lower() == "name" and tag["tag"].lower() == "a"):
                yield html.unescape(own["a"] or own["b"] or own["c"] or "")


def unproved(catalog: Catalog) -> Iterator[Problem]:
    """Yield a problem for each number whose printed digits are not what 50-digit arithmetic gives."""
    if catalog.traced is None:
        return
    lines = {number.address: line for line, number in enumerate(catalog.published(), start=2)}
    for proof in prove_digits(read_trace(catalog)):
        if proof.fault:
            yield Problem(LEDGER, lines.get(proof.address, 1), 1, proof.fault, "digits")
