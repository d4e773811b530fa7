"""Find a published number by a part of its name, or by its digits.

After the catalog.  Authors ask this before they write a placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import unquote

from tinyxf.catalog import Catalog, Published
from tinyxf.errors import nearest

_GLOB = re.compile(r"[*?]|\[[^\]]+\]")


@dataclass(frozen=True, slots=True)
class Named:
    """A number by a name that `n(...)` takes: as readers see it, with ten significant digits, and what it is."""

    address: str
    display: str
    full: str
    title: str


def names(catalog: Catalog, pattern: str = "") -> tuple[Named, ...]:
    """Return every cell and scalar whose name fits, in the catalog's order, scalars last.

    A pattern with `*`, `?` or `[...]` must fit the whole name; any other fits as a part of it, whatever the case.  A
    pattern that is a number also finds what displays exactly that.
    """
    return tuple(named for named in _all_named(catalog) if _fits(named, pattern))


def names_text(found: Sequence[Named]) -> str:
    """Return the names as aligned columns, one a line."""
    rows = [(named.address, named.display, named.full, named.title) for named in found]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    return "".join(
        f"{address:<{widths[0]}}  {display:>{widths[1]}}  {full:<{widths[2]}}  {title}".rstrip() + "\n"
        for address, display, full, title in rows
    )


def no_names(catalog: Catalog, pattern: str) -> str:
    """Return what to say where no name fits a pattern."""
    known = (*catalog.names(), *(named.address for named in _all_named(catalog)))
    return f'no name fits "{pattern}"{nearest(pattern, known)}'


def _all_named(catalog: Catalog) -> Iterator[Named]:
    scalars = {scalar.name for scalar in catalog.scalars}
    for number in catalog.published():
        if number.address not in scalars:
            yield _named(number.address, number)
    for scalar in catalog.scalars:
        yield _named(scalar.name, catalog.lookup(scalar.name))


def _named(name: str, number: Published) -> Named:
    return Named(name, number.display, number.full, number.title)


def _fits(named: Named, pattern: str) -> bool:
    spellings = (named.address, unquote(named.address))
    if _GLOB.search(pattern):
        return any(fnmatchcase(name.casefold(), pattern.casefold()) for name in spellings)
    if any(pattern.casefold() in name.casefold() for name in spellings):
        return True
    return pattern.strip() == named.display
