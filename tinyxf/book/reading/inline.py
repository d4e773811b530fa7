"""Inside a paragraph: code spans, formulas, links, tags and attribute lists, as regions of its text.

After the blocks, before placeholders are judged by where they stand.  The order is the engine's: code first, then
formulas between dollars that hug their content (so that "costs $10 here and $20 there" is prose), then the rest from
left to right.  What belongs to no region is plain text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping

from tinyxf.book.reading.regions import Region
from tinyxf.book.reading.tags import Tags

_TICKS = re.compile(r"`+")
_DOLLARS = re.compile(r"\$(?!\s)(?:\\.|[^\\$\x02])++(?<!\s)\$", re.DOTALL)
_ROUND = re.compile(r"\\\((?:\\[^)]|[^\\\x02])++\\\)", re.DOTALL)
_DISPLAY = re.compile(r"(?:^|(?<=\n))[ \t]*\$\$[ \t]*\n(?:[^\n]*\n)*?[ \t]*\$\$[ \t]*(?=\n|$)")
_TITLE = re.compile(r"""\s(?:"([^"]*)"|'([^']*)')\s*$""")
_ATTRIBUTES = re.compile(r"""\{:?[ ]*(?:[#.]?[\w:-]+(?:=(?:"[^"\n]*"|'[^'\n]*'|[^\s}"']+))?(?:[ ]+|(?=\})))+\}""")
_NOTABLE = re.compile(r"[\\\[\]<{!]")
_PARENTHESIS = re.compile(r"[()]")
_REACH = 1000  # how far a link's address may go on


def regions_of(text: str) -> list[Region]:
    """Return the regions of a paragraph, heading, title or cell."""
    code = list(_code_spans(text)) if "`" in text else []
    maths = list(_formulas(text, code)) if "$" in text or "\\(" in text else []
    taken = sorted([*code, *maths])
    return sorted([*taken, *_marks(text, taken)]) if _NOTABLE.search(text) else taken


def regions_of_html(text: str) -> list[Region]:
    """Return the regions of raw HTML, where nothing of Markdown counts."""
    return sorted(Tags(text).all())


def _code_spans(text: str) -> Iterator[Region]:
    """Yield the code spans: a run of backticks up to the next run of the same length, or else the longest shorter."""
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(text)]
    sizes: dict[int, list[int]] = {}
    for start, end in runs:
        sizes.setdefault(end - start, []).append(start)
    longest = [0] * (len(runs) + 1)  # longest[i]: the longest run from the i-th on
    for number in range(len(runs) - 1, -1, -1):
        longest[number] = max(longest[number + 1], runs[number][1] - runs[number][0])
    at = 0
    for number, (start, end) in enumerate(runs):
        begin = max(start, at) + _escaped(text, max(start, at))
        if begin >= end:
            continue
        size = end - begin
        close = _next(sizes.get(size, []), end)
        most = longest[number + 1]
        if close is None and most < size:
            size = most
            close = _next(sizes.get(size, []), end) if size else None
        if close is None:
            at = end + (end - begin)  # the engine looks on as far behind a run without a partner as the run is long
            continue
        at = close + size
        yield Region(begin, at, "code")


def _escaped(text: str, at: int) -> int:
    """Return 1 where an odd number of backslashes stands before `at`, else 0."""
    begin = at
    while begin and text[begin - 1] == "\\":
        begin -= 1
    return (at - begin) % 2


def _next(starts: list[int], at: int) -> int | None:
    number = bisect_left(starts, at)
    return starts[number] if number < len(starts) else None


def _formulas(text: str, code: list[Region]) -> Iterator[Region]:
    """Yield the formulas outside code: between dollars, in round TeX brackets, between lines of two dollars."""
    plain = _blank(text, code)
    display = [Region(match.start(), match.end(), "maths") for match in _DISPLAY.finditer(plain)]
    yield from display
    plain = _blank(plain, display)
    at = 0
    last_round = plain.rfind("\\)")
    while True:
        dollar, bracket = plain.find("$", at), plain.find("\\(", at) if at < last_round else -1
        begin = min((where for where in (dollar, bracket) if where >= 0), default=-1)
        if begin < 0:
            return
        match = None
        if not _escaped(plain, begin):
            match = (_DOLLARS if begin == dollar else _ROUND).match(plain, begin)
        if match:
            yield Region(begin, match.end(), "maths")
        at = match.end() if match else begin + 1


def _blank(text: str, regions: list[Region]) -> str:
    """Put marks in place of regions, which no formula may contain."""
    parts = []
    at = 0
    for region in regions:
        parts += [text[at : region.start], "\x02" * (region.end - region.start)]
        at = region.end
    return "".join([*parts, text[at:]])


def _marks(text: str, taken: list[Region]) -> Iterator[Region]:
    """Yield links' addresses, alternatives, tags and attribute lists, from left to right."""
    tags = Tags(text)
    closes = _closes(text) if "](" in text else {}
    starts = [region.start for region in taken]
    brackets: list[tuple[int, bool]] = []
    at = 0
    while match := _NOTABLE.search(text, at):
        at = match.start()
        around = bisect_left(starts, at + 1) - 1
        if around >= 0 and at < taken[around].end:
            at = taken[around].end
            continue
        match text[at]:
            case "\\":
                at += 2
                continue
            case "!" if text.startswith("[", at + 1):
                brackets.append((at + 2, True))
                at += 2
                continue
            case "[":
                brackets.append((at + 1, False))
                found = []
            case "]" if brackets:
                found = list(_link(text, at, *brackets.pop(), closes))
            case "<":
                found = list(tags.at(at))
            case "{" if (attributes := _ATTRIBUTES.match(text, at)) and set(attributes[0]) & set("#.="):
                found = [Region(at, attributes.end(), "attribute")]
            case _:
                found = []
        yield from found
        at = max(at + 1, *(region.end for region in found), 0)


def _closes(text: str) -> dict[int, int]:
    """Return where each opening parenthesis of a text is closed, by where it stands."""
    closes = {}
    opened = []
    for match in _PARENTHESIS.finditer(text):
        if match[0] == "(":
            opened.append(match.start())
        elif opened:
            closes[opened.pop()] = match.start()
    return closes


def _link(
    text: str,
    at: int,
    begin: int,
    image: bool,  # noqa: FBT001  as the stack holds it
    closes: Mapping[int, int],
) -> Iterator[Region]:
    """Yield what the bracket that closes at `at` makes of its content and of what follows it."""
    if image or text.startswith("^", begin):
        yield Region(begin, at, "words" if image else "attribute")
    end = _target(text, at + 1, closes)
    if not end:
        return
    yield Region(at + 1, end, "attribute")
    title = _TITLE.search(text[at + 2 : end - 1]) if text[at + 1] == "(" else None
    if title:
        group = 1 if title[1] is not None else 2
        yield Region(at + 2 + title.start(group), at + 2 + title.end(group), "words")


def _target(text: str, at: int, closes: Mapping[int, int]) -> int | None:
    """Return where the address or label behind a bracket ends."""
    if text.startswith("[", at):
        end = text.find("]", at, at + _REACH)
        return None if end < 0 else end + 1
    close = closes.get(at)
    return close + 1 if close is not None and close < at + _REACH else None
