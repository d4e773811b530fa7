"""Where a page's Markdown and HTML point to, as typed, with the place of each target.

After the scan.  What is dead is for `links` to say.  One pass over each run of text: a bracket is looked at once, and
no search goes further than the target itself.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from tinyxf.book.reading.scan import Leaf, Scan

# link: Markdown's, which the engine rewrites for the site.  html: published as it is.  label: names a definition.
TargetKind = Literal["link", "html", "label"]


class Target(NamedTuple):
    """What a link points to: a path with an anchor, or a label; `start` is its offset in the page."""

    kind: TargetKind
    text: str
    start: int


_NOTABLE = re.compile(r"\\[\\`*_{}\[\]()>#+.!-]|!?\[|\]|<")
_PLAIN = re.compile(
    r"""\(\s*+(?:<(?P<angled>[^<>\n]*+)>|(?P<bare>[^\s()<>]*+(?:\([^\s()<>]*+\)[^\s()<>]*+)*+))"""
    r"""(?:\s++(?:"[^"]*+"|'[^']*+'))?+\s*+\)"""
)
_SPACED = re.compile(r"\((?P<bare>[^()<>\n]*+)\)")
_TITLE = re.compile(r"""\s(?:"[^"]*"|'[^']*')\s*$""")
_LABEL = re.compile(r"\[(?P<label>[^\[\]]*+)\]")
_DEFINITION = re.compile(r"[ \t>]*\[(?P<label>[^\[\]]*)\]:\s*(?:<(?P<angled>[^<>\n]*)>|(?P<bare>\S+))")
_TAG = re.compile(r"""<[a-zA-Z][\w-]*(?=[\s/>])(?:[^"'<>]|"[^"]*"|'[^']*')*+>""")
_POINTER = re.compile(
    r"""(?<=\s)(?:href|src)\s*=\s*(?:"(?P<a>[^"]*)"|'(?P<b>[^']*)'|(?P<c>[^\s"'<>]+))""", re.IGNORECASE
)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()>#+.!-])")


def targets_of(page: Scan, labels: Collection[str]) -> tuple[Target, ...]:
    """Return every target of a page in order; those that hold a placeholder are left out.

    `labels` are those that are defined, here or in what the page includes.
    """
    found: list[Target] = []
    for leaf in page.leaves:
        match leaf.kind:
            case "maths":
                continue
            case "reference":
                found += _definitions(leaf)
            case "html":
                found += _tags(leaf, _Covered(leaf))
            case _ if "[" in leaf.text or "<" in leaf.text:
                found += _inline(leaf, labels)
    starts = [placeholder.start for placeholder in page.placeholders]
    return tuple(
        target
        for target in sorted(found, key=lambda target: target.start)
        if bisect_right(starts, target.start + len(target.text)) == bisect_right(starts, target.start - 1)
    )


def labels_of(page: Scan) -> frozenset[str]:
    """Return the labels that a page defines, as the engine compares them."""
    return frozenset(
        normal_label(match["label"])
        for leaf in page.leaves
        if leaf.kind == "reference"
        for match in [_DEFINITION.match(leaf.text)]
        if match
    )


def normal_label(text: str) -> str:
    """Return a label as labels are compared: in small letters, runs of white space as one."""
    return " ".join(text.split()).lower()


class _Covered:
    """The parts of a run of text where nothing is a link: code and formulas."""

    def __init__(self, leaf: Leaf) -> None:
        self._regions = sorted(region for region in leaf.regions if region.kind in ("code", "maths"))
        self._starts = [region.start for region in self._regions]

    def end(self, at: int) -> int:
        """Return where the part around a position ends, or 0."""
        number = bisect_right(self._starts, at) - 1
        return self._regions[number].end if number >= 0 and at < self._regions[number].end else 0


def _inline(leaf: Leaf, labels: Collection[str]) -> Iterator[Target]:
    text, covered = leaf.text, _Covered(leaf)
    brackets: list[int] = []
    at = 0
    while match := _NOTABLE.search(text, at):
        at = match.end()
        begin = covered.end(match.start())
        if begin:
            at = begin
        elif match[0] in ("[", "!["):
            brackets.append(match.start())
        elif match[0] == "]" and brackets:
            opened = brackets.pop()
            target, at = _behind(leaf, opened, match.end(), labels)
            if target:
                yield target
        elif match[0] == "<" and (tag := _TAG.match(text, match.start())):
            yield from _pointers(leaf, tag)
            at = tag.end()


def _behind(leaf: Leaf, opened: int, at: int, labels: Collection[str]) -> tuple[Target | None, int]:
    """Return the target behind the bracket that closes just before `at`, and where to go on."""
    text = leaf.text
    if text.startswith("(", at):
        match = _PLAIN.match(text, at) or _SPACED.match(text, at)
        return (_link(leaf, match), match.end()) if match else (None, at)
    match = _LABEL.match(text, at)
    if match is None or text[opened - 1 : opened].isalnum():  # an index, as in x[i][j]
        return None, at
    label = match["label"] or text[opened:at].lstrip("!")[1:-1]
    defined = normal_label(label) in labels and text[opened] == "["
    if text.startswith("(", match.end()) and not defined:  # a link of its own, behind words in brackets
        return None, at
    if label.startswith("^") or not any(letter.isalpha() for letter in label):
        return None, at
    return Target("label", label, leaf.offset(match.start("label"))), match.end()


def _link(leaf: Leaf, match: re.Match[str]) -> Target:
    typed, start = (match["bare"], match.start("bare")) if match["bare"] is not None else _angled(match)
    typed = _TITLE.sub("", typed)
    return Target("link", _read(typed), leaf.offset(start + len(typed) - len(typed.lstrip())))


def _angled(match: re.Match[str]) -> tuple[str, int]:
    return match["angled"], match.start("angled")


def _definitions(leaf: Leaf) -> Iterator[Target]:
    match = _DEFINITION.match(leaf.text)
    if match:
        yield _link(leaf, match)


def _tags(leaf: Leaf, covered: _Covered) -> Iterator[Target]:
    for tag in _TAG.finditer(leaf.text):
        if not covered.end(tag.start()):
            yield from _pointers(leaf, tag)


def _pointers(leaf: Leaf, tag: re.Match[str]) -> Iterator[Target]:
    for pointer in _POINTER.finditer(leaf.text, tag.start(), tag.end()):
        group = next(name for name in "abc" if pointer[name] is not None)
        yield Target("html", html.unescape(pointer[group].strip()), leaf.offset(pointer.start(group)))


def _read(typed: str) -> str:
    """Return a target as the engine reads it: without escapes, entities as what they stand for."""
    return html.unescape(_ESCAPED.sub(r"\1", typed.strip()))
