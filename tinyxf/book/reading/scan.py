"""Find the placeholders of a page, and what each of them stands in.

The scanner's last module: source, fences, markup, structure and inline come together here.  Pure, and linear in the
size of the page.  Everything that is no placeholder is left alone; a placeholder in code is none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tinyxf.book.reading.fences import fold_fences
from tinyxf.book.reading.inline import regions_of, regions_of_html
from tinyxf.book.reading.markup import split_markup
from tinyxf.book.reading.regions import Region, RegionKind
from tinyxf.book.reading.source import Line, Opening, Source
from tinyxf.book.reading.structure import walk_page
from tinyxf.book.reading.tags import CLOSE, left_open
from tinyxf.book.reading.walk import Kind

# front: front matter.  block: alone on its line.  maths: in a formula.  attribute: where no element may stand.
Context = Literal["front", "block", "inline", "maths", "attribute", "heading"]


class Placeholder(NamedTuple):
    """A placeholder: `text` as typed with its braces, `expression` within them, or an `error` that says why not.

    `start` and `end` are offsets in the page; `line` and `column` count from 1.  `html` says that it stands in raw
    HTML, where Markdown means nothing.
    """

    start: int
    end: int
    line: int
    column: int
    text: str
    expression: str
    context: Context
    error: str = ""
    html: bool = False


class Leaf(NamedTuple):
    """A run of inline text: `text` is its lines, joined, with placeholders masked; `spans` are the lines' offsets.

    `begins` are the positions in the text at which they begin.
    """

    kind: Kind
    text: str
    spans: tuple[tuple[int, int], ...]
    regions: tuple[Region, ...]
    begins: tuple[int, ...]

    def offset(self, at: int) -> int:
        """Return where a position of the text stands in the page."""
        number = bisect_left(self.begins, at + 1) - 1
        return self.spans[number][0] + at - self.begins[number]

    def raw(self, page: str) -> str:
        """Return the text with what the author typed in place of the masks."""
        return "\n".join(page[start:end] for start, end in self.spans)

    def at(self, offset: int) -> int:
        """Return the position in the text of an offset in the page."""
        number = bisect_left(self.spans, (offset + 1,)) - 1
        return self.begins[number] + offset - self.spans[number][0]


@dataclass(frozen=True, slots=True)
class Scan:
    """What is in a page: its placeholders in order, and its runs of inline text (everything else is code)."""

    source: Source
    placeholders: tuple[Placeholder, ...]
    leaves: tuple[Leaf, ...]


class Snippet(NamedTuple):
    """A file that a page includes; `code` says that it does so within code.

    `part` is what of the file is wanted, as typed: `:3:7` or `:section`; nothing for all of it.
    """

    name: str
    line: int
    column: int
    code: bool
    part: str = ""


def scan(text: str) -> Scan:
    """Return the placeholders and inline texts of a page."""
    source = Source(text)
    leaves = _leaves(source)
    found: dict[int, Placeholder] = {}
    for opening in source.openings:
        if opening.start < source.front:
            found[opening.start] = _front(source, opening)
    starts = [opening.start for opening in source.openings]
    for leaf in leaves if starts else ():
        own: list[tuple[int, Opening, bool]] = []
        for (start, end), begin in zip(leaf.spans, leaf.begins, strict=True):
            low = bisect_left(starts, start)
            if low == len(starts) or starts[low] >= end:
                continue
            alone = text[start:end].strip()
            own += [
                (begin + opening.start - start, opening, alone == text[opening.start : opening.end])
                for opening in source.openings[low : bisect_left(starts, end, low)]
            ]
        if not own:
            continue
        for (_, opening, alone_), kinds in zip(own, _kinds(leaf.regions, [at for at, _, _ in own]), strict=True):
            context = _context(leaf.kind, kinds, alone=alone_)
            if context:
                found[opening.start] = _placed(source, opening, context, html=leaf.kind == "html")
    return Scan(source, tuple(found[start] for start in sorted(found)), tuple(leaves))


def _leaves(source: Source) -> list[Leaf]:
    leaves: list[Leaf] = []

    def emit(kind: Kind, lines: list[Line]) -> None:
        spans = tuple(source.span(line) for line in lines)
        parts = [source.masked[start:end] for start, end in spans]
        begins = [0]
        for part in parts:
            begins.append(begins[-1] + len(part) + 1)
        text = "\n".join(parts)
        leaves.append(Leaf(kind, text, spans, tuple(_regions(kind, text)), tuple(begins[:-1])))

    walk = walk_page(emit)
    markup = split_markup(fold_fences(source.lines()))
    for tag, lines in markup.documents:
        walk.document(tag, lines)
    for lines in markup.runs:
        emit("text", lines)
    for lines in markup.raw:
        emit("html", lines)
    return list(_carried(sorted(leaves, key=lambda leaf: leaf.spans)))


def _carried(leaves: list[Leaf]) -> Iterator[Leaf]:
    """Carry an element of code that is opened in one text and closed in a later one, as `<pre>` in a list may be."""
    waiting: list[Leaf] = []
    name, start = "", 0
    for leaf in leaves:
        close = CLOSE[name].search(leaf.text) if name else None
        if close:
            yield waiting[0]._replace(regions=(*waiting[0].regions, Region(start, len(waiting[0].text), "code")))
            for between in waiting[1:]:
                yield between._replace(regions=(*between.regions, Region(0, len(between.text), "code")))
            yield leaf._replace(regions=(*leaf.regions, Region(0, close.start(), "code")))
            waiting, name = [], ""
            continue
        if not name and "<" in leaf.text and leaf.kind != "html":
            name, start = left_open(leaf.text, leaf.regions) or ("", 0)
        if name:
            waiting.append(leaf)
        else:
            yield leaf
    yield from waiting


def _regions(kind: Kind, text: str) -> list[Region]:
    match kind:
        case "maths":
            return [Region(0, len(text), "maths")]
        case "reference":
            return [Region(0, len(text), "attribute")]
        case "html":
            return regions_of_html(text)
        case _:
            return regions_of(text)


def _kinds(regions: Sequence[Region], places: list[int]) -> Iterator[set[RegionKind]]:
    """Yield, for each of the sorted places, the kinds of the regions around it."""
    edges = [(region.start, 1, region.kind) for region in regions]
    edges += [(region.end, -1, region.kind) for region in regions]
    edges.sort(reverse=True)
    around: Counter[RegionKind] = Counter()
    for place in places:
        while edges and edges[-1][0] <= place:
            _, step, kind = edges.pop()
            around[kind] += step
        yield {kind for kind, count in around.items() if count}


def _context(kind: Kind, kinds: set[RegionKind], *, alone: bool) -> Context | None:
    """Say what a placeholder stands in; None for code."""
    if "code" in kinds:
        return None
    if "maths" in kinds:
        return "maths"
    if kinds:
        return "attribute"
    if kind == "heading":
        return "heading"
    return "block" if alone and kind in ("text", "html") else "inline"


def _front(source: Source, opening: Opening) -> Placeholder:
    placed = _placed(source, opening, "front", html=False)
    if placed.error or not set(placed.text) & {"\n", "\r"}:
        return placed
    return _placed(source, opening, "front", html=False, error="in front matter a placeholder stands on one line")


def _placed(source: Source, opening: Opening, context: Context, *, html: bool, error: str = "") -> Placeholder:
    line, column = source.place(opening.start)
    text = source.text[opening.start : opening.end]
    return Placeholder(
        opening.start,
        opening.end,
        line,
        column,
        text,
        opening.expression,
        context,
        error or opening.error,
        html,
    )


_SNIPPET = re.compile(r"""[ \t]*(?P<escape>;*)-+8<-+(?:[ \t]+(?P<quote>["'])(?P<name>.+?)(?P=quote))?[ \t\r]*$""")
_SECTION = re.compile(r":(?:-?\d*(?::-?\d*)?(?:,[-\d:]+)*|[A-Za-z][\w-]*)$")


def snippet_names(text: str) -> list[Snippet]:
    """Return the files that a page includes with `--8<--`, each with its place."""
    if "8<" not in text:
        return []
    read = scan(text)
    shown = sorted(span for leaf in read.leaves for span in leaf.spans)
    found = []
    listing = False
    at = 0
    for line in text.split("\n"):
        match = _SNIPPET.match(line)
        name = ""
        if match and not match["escape"]:
            listing = listing != (match["name"] is None)
            name = match["name"] or ""
        elif listing and not line.lstrip().startswith(";"):
            name = line.strip()
        if name and "://" not in name:
            start = at + line.index(name)
            around = bisect_left(shown, (start + 1,)) - 1
            code = around < 0 or not shown[around][0] <= start < shown[around][1]
            path, part = split_part(name)
            found.append(Snippet(path, *read.source.place(start), code, part))
        at += len(line) + 1
    return found


def split_part(name: str) -> tuple[str, str]:
    """Split what includes a file into its name, and the part with its colon: a section, or lines; or nothing."""
    part = _SECTION.search(name)
    at = part.start() if part else len(name)
    return name[:at], name[at:]
