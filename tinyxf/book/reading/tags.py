"""Tags, comments and automatic links within a text, and the elements whose content is code.

Beside inline; raw HTML is read by this alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tinyxf.book.reading.markup import CODE_TAGS
from tinyxf.book.reading.regions import Region

CLOSE = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in CODE_TAGS}

_TAG = re.compile(r"""</?(?P<name>[a-zA-Z][^\s"'<>/@]*)(?P<rest>(?:\s+|/|[^\s"'<>=/]+|=|"[^"]*"|'[^']*')*+)>""")
_AUTOLINK = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]*:|[^<> !]+@)[^<>]*>")
_SPOKEN = re.compile(
    r"""(?<![\w-])(?:alt|title|aria-label|content)\s*=\s*(?:"(?P<a>[^"]*)"|'(?P<b>[^']*)')""", re.IGNORECASE
)


class Tags:
    """The tags of one text.  Where something is not closed, that is found out once for all of them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._last_comment = text.rfind("-->")
        self._last_close: dict[str, int] = {}

    def at(self, at: int) -> Iterator[Region]:
        """Yield what the `<` at a place begins: a comment, a link, a tag, the content of an element of code."""
        if self.text.startswith("<!--", at):
            if at + 4 <= self._last_comment:
                yield Region(at, self.text.index("-->", at + 4) + 3, "code")
            return
        link = _AUTOLINK.match(self.text, at)
        if link:
            yield Region(at, link.end(), "attribute")
            return
        tag = _TAG.match(self.text, at)
        if not tag:
            return
        yield Region(at, tag.end(), "attribute")
        for spoken in _SPOKEN.finditer(tag["rest"]):
            group = "a" if spoken["a"] is not None else "b"
            yield Region(tag.start("rest") + spoken.start(group), tag.start("rest") + spoken.end(group), "words")
        close = self._close(tag["name"].lower(), tag.end()) if _opens_code(tag) else None
        if close is not None:
            yield Region(tag.end(), close, "code")

    def all(self) -> Iterator[Region]:
        """Yield what every tag of the text gives."""
        at = self.text.find("<")
        while at >= 0:
            found = list(self.at(at))
            yield from found
            at = self.text.find("<", max((region.end for region in found), default=at + 1))

    def _close(self, name: str, at: int) -> int | None:
        """Return where the next closing tag begins."""
        if name not in self._last_close:
            self._last_close[name] = max((match.start() for match in CLOSE[name].finditer(self.text)), default=-1)
        match = CLOSE[name].search(self.text, at) if at <= self._last_close[name] else None
        return match.start() if match else None


def _opens_code(tag: re.Match[str]) -> bool:
    return tag["name"].lower() in CLOSE and tag[0][1] != "/" and not tag["rest"].endswith("/")


def left_open(text: str, regions: Iterable[Region]) -> tuple[str, int] | None:
    """Return the name and end of the tag that opens an element of code in this text and is not closed in it."""
    code = sorted(region for region in regions if region.kind == "code")
    closed = {region.start for region in code}
    passed = 0
    for tag in _TAG.finditer(text):
        while passed < len(code) and code[passed].end <= tag.start():
            passed += 1
        shown = passed == len(code) or tag.start() < code[passed].start
        if shown and _opens_code(tag) and tag.end() not in closed:
            return tag["name"].lower(), tag.end()
    return None
