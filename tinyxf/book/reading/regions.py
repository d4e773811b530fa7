"""The parts of an inline text that are read in their own way."""

from __future__ import annotations

from typing import Literal, NamedTuple

# code: never expanded.  maths: a formula.  words: text that ends up in an attribute (an alternative, a title).
# attribute: an address, a tag, a label, an attribute list.
RegionKind = Literal["code", "maths", "words", "attribute"]


class Region(NamedTuple):
    """A part of an inline text; regions are sorted, and a later one may lie within an earlier one."""

    start: int
    end: int
    kind: RegionKind
