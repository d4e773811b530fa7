"""The sentences that numbers stand in, as plain text, for whoever reviews what moved.

After expansion.  Markdown's marks go, placeholders show what readers see, a table's row is one sentence.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import groupby

from tinyxf.book.expand import Expanded, Placed, plain_text
from tinyxf.book.language.pieces import NumberPiece
from tinyxf.book.reading.scan import Leaf
from tinyxf.book.reading.source import split_lines

_HOLD = "\ue000"  # stands for a placeholder while sentences are told apart
# A sentence ends where a space follows its stop and then a capital, a digit or an opening mark, unless the stop
# belongs to an abbreviation.
_END = re.compile(rf"""[.!?]["')\]]*\s+(?=["'(\[]?[{_HOLD}A-Z0-9])""")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|al|etc|fig|eq|no|approx|resp|sec|ch)|\b[A-Z])\.$", re.IGNORECASE)
_MARKS = re.compile(r"\\([\W_])|\*+|(?<![^\W_])_+|_+(?![^\W_])|!?\[|\]")
_TEXT, _DROPPED, _CODE, _MATHS = range(4)


def sentences(expanded: Expanded) -> list[tuple[str, str]]:
    """Return (address, sentence) for every number of a page, in order; a calculated one gives its expression.

    A sentence that holds a number twice is given once.
    """
    found: dict[tuple[str, str], None] = {}
    for parts in spoken(expanded):
        words = "".join(part if isinstance(part, str) else plain_text(part.piece) for part in parts)
        for part in parts:
            if isinstance(part, Placed) and isinstance(part.piece, NumberPiece):
                found[part.piece.address or part.piece.expression, " ".join(words.split())] = None
    return list(found)


def spoken(expanded: Expanded) -> Iterator[tuple[str | Placed, ...]]:
    """Yield every sentence that holds placeholders: its words, and the placeholders between them."""
    placed = {own.placeholder.start: own for own in expanded.placed}
    for text, starts in _texts(expanded, dict.fromkeys(placed, _HOLD)):
        coming = iter(starts)
        for sentence in _split(" ".join(text.split())):
            words, *others = sentence.strip().split(_HOLD)
            parts: list[str | Placed] = [words]
            for other in others:
                parts += [placed[next(coming)], other]
            if others:
                yield tuple(part for part in parts if part)


def plain(leaf: Leaf, page: str, shown: Mapping[int, str], lengths: Mapping[int, int]) -> str:
    """Return a text as it is read: without marks, tags and links' addresses, `shown` in place of its placeholders.

    Both mappings go by the offset in the page where a placeholder starts; `lengths` says how long it is there.
    `shown` holds those of this text alone.
    """
    text = leaf.raw(page)
    kinds = bytearray(len(text))
    starts = sorted(shown)
    places = [leaf.at(start) for start in starts]
    for region in leaf.regions:
        if region.kind == "words" and kinds[region.start : region.start + 1] == bytes([_DROPPED]):
            first = bisect_left(places, region.start)
            if first == len(places) or places[first] >= region.end:
                continue  # a title matters for its number alone
        kind = {"attribute": _DROPPED, "code": _CODE, "maths": _MATHS, "words": _TEXT}[region.kind]
        kinds[region.start : region.end] = bytes([kind]) * (region.end - region.start)
    parts = []
    at = 0
    for start, begin in zip(starts, places, strict=True):
        parts += [_clean(text, kinds, at, begin), shown[start]]
        at = begin + lengths[start]
    parts.append(_clean(text, kinds, at, len(text)))
    return html.unescape("".join(parts))


def _clean(text: str, kinds: bytearray, start: int, end: int) -> str:
    parts = []
    for kind, group in groupby(range(start, end), key=kinds.__getitem__):
        run = list(group)
        part = text[run[0] : run[-1] + 1]
        if kind == _TEXT:
            part = _MARKS.sub(lambda found: found[1] or "", part)
        elif kind == _CODE:
            part = part.strip("`")
        elif kind == _DROPPED:
            part = " " if part.endswith(('"', "'")) else ""  # a title follows what it belongs to
        parts.append(part)
    return "".join(parts)


def _texts(expanded: Expanded, shown: Mapping[int, str]) -> Iterator[tuple[str, list[int]]]:
    """Yield each text of the page that holds placeholders, with their offsets in order."""
    source = expanded.scan.source
    lengths = {own.placeholder.start: len(own.placeholder.text) for own in expanded.placed}
    starts = sorted(shown)
    at = 0
    for line in split_lines(source.text[: source.front]):
        own = starts[bisect_left(starts, at) : bisect_left(starts, at + len(line))]
        text = line
        for start in reversed(own):
            text = text[: start - at] + shown[start] + text[start - at + lengths[start] :]
        if own:
            yield text, own
        at += len(line)
    for _, members in groupby(expanded.scan.leaves, key=lambda leaf: _row(expanded, leaf)):
        leaves = [(leaf, _within(leaf, starts)) for leaf in members]
        own = [start for _, within in leaves for start in within]
        if own:
            texts = (plain(leaf, source.text, {at: shown[at] for at in within}, lengths) for leaf, within in leaves)
            yield " | ".join(text.strip() for text in texts), own


def _within(leaf: Leaf, starts: list[int]) -> list[int]:
    """Return those of the sorted offsets that lie in a text."""
    return [
        start for low, high in leaf.spans for start in starts[bisect_left(starts, low) : bisect_left(starts, high)]
    ]


def _row(expanded: Expanded, leaf: Leaf) -> tuple[str, int]:
    """Cells of one line go together; every other text is for itself."""
    start = leaf.spans[0][0]
    return (leaf.kind, expanded.scan.source.place(start)[0] if leaf.kind == "cell" else start)


def _split(text: str) -> Iterator[str]:
    """Yield the sentences of a text."""
    begin = 0
    for match in _END.finditer(text):
        if not _ABBREVIATION.search(text, begin, match.start() + 1):
            yield text[begin : match.end()]
            begin = match.end()
    yield text[begin:]
