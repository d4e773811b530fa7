"""Where the formulas of a page were typed, to say which one cannot be read.

Beside the edition, which learns only from the converted page that a formula is wrong.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from tinyxf.book.expand import Expanded
from tinyxf.book.reading.scan import Leaf

Place = tuple[str, int, int]  # page, line, column

_SIGNS = re.compile(r"\A(?:\$\$?|\\\(|\\\[)|(?:\$\$?|\\\)|\\\])\Z")


class FormulaPlaces:
    """The places of all formulas of some texts: a page, then what it includes."""

    def __init__(self, texts: Iterable[Expanded]) -> None:
        self._places: defaultdict[str, list[Place]] = defaultdict(list)
        self._page = ""
        for text in texts:
            self._page = self._page or text.page
            for leaf in text.scan.leaves:
                for typed, start in _formulas(leaf, text.text):
                    self._places[_normal(typed)].append((text.page, *text.scan.source.place(start)))

    def next(self, typed: str) -> Place:
        """Return the place of a formula, of the next one where several read the same; the page's top if none does."""
        places = self._places[_normal(typed)]
        if not places:
            return self._page, 1, 1
        return places.pop(0) if len(places) > 1 else places[0]


def _formulas(leaf: Leaf, page: str) -> Iterator[tuple[str, int]]:
    raw = leaf.raw(page)
    if leaf.kind == "maths":
        yield raw, leaf.spans[0][0]
        return
    for region in leaf.regions:
        if region.kind == "maths":
            yield raw[region.start : region.end], leaf.offset(region.start)


def _normal(typed: str) -> str:
    """Return a formula without its signs and blanks, in which source and converted page differ."""
    return "".join(_SIGNS.sub("", typed.strip()).split())
