"""A page with the files that it includes written out, line by line as `pymdownx.snippets` brings them in.

Before expansion, for pages that leave the book: an engine there may know no `--8<--`, or read it before code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tinyxf.book.reading.scan import split_part
from tinyxf.book.reading.source import TAB, Source

_NEWLINE = re.compile(r"\r\n?|\n")
_MARK = re.compile(
    r"""(?P<space>[ \t]*)(?P<escape>;*)-+8<-+(?:[ \t]+(?P<name>"(?:\\"|[^"])+?"|'(?:\\'|[^'])+?'))?""",
)
_SECTION = re.compile(
    r"(?P<before>.*?)(?<![;-])(?P<escape>;*)-+8<-+[ \t]+"
    r"\[[ \t]*(?P<edge>start|end)[ \t]*:[ \t]*(?P<name>[a-z][\w-]*)[ \t]*\]",
    re.IGNORECASE | re.ASCII,
)


def unfold(text: str, files: Mapping[str, str]) -> str:
    """Return a page in which each `--8<--` is replaced by what it includes, and escaped ones by what they show.

    `files` are texts by the name that pages include them with; one that is unknown, or that stands within itself, is
    left out.
    """
    front = Source(text).front
    if "8<" not in text[front:]:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    return text[:front] + newline.join(_unfold(_NEWLINE.split(text[front:]), files))


def _unfold(
    lines: Sequence[str], files: Mapping[str, str], above: tuple[str, ...] = (), *, section: bool = False
) -> Iterator[str]:
    """Yield the lines of a page, or of a file that stands in the files `above`; of one `section`, marks are text."""
    listing = False  # between two marks without a name: there each line names a file
    for line in lines:
        mark = _MARK.fullmatch(line)
        if mark and mark["escape"]:
            yield line.replace(";", "", 1)
        elif mark and mark["name"] is None:
            listing = not listing
        elif mark and not listing:
            yield from _included(mark["space"], mark["name"][1:-1].strip(), files, above)
        elif listing and not line.strip():
            yield ""
        elif listing and not mark:
            name = line.lstrip(" \t")
            yield from _included(line[: len(line) - len(name)], name.strip(), files, above)
        elif not listing and (section or not (edge := _SECTION.match(line))):
            yield line
        elif not listing and edge and edge["escape"]:
            yield _unescaped(line, edge)


def _included(space: str, name: str, files: Mapping[str, str], above: tuple[str, ...]) -> Iterator[str]:
    path, part = split_part(name)
    if path not in files or path in above:
        return
    lines = _NEWLINE.split(files[path]) if files[path] else []
    named = part[1:2].isalpha()
    if named:
        lines = list(_section(lines, part[1:]))
    elif part:
        lines = [line for span in part[1:].split(",") for line in _range(lines, span)]
    indent = space.expandtabs(TAB)
    for line in _unfold(lines, files, (*above, path), section=named):
        yield indent + line if line.strip() else ""


def _range(lines: Sequence[str], span: str) -> Sequence[str]:
    """Return the lines of a span such as 3:5, both counted from 1, or from the end where negative."""
    start, _, end = span.partition(":")
    first, last = int(start or 1), int(end) if end else len(lines)
    return lines[
        max(0, len(lines) + first if first < 0 else first - 1) : max(0, last + (last < 0) * (len(lines) + 1))
    ]


def _section(lines: Sequence[str], name: str) -> Iterator[str]:
    """Yield what stands between a section's marks; the marks of others in it are left out."""
    inside = False
    for line in lines:
        edge = _SECTION.match(line)
        if edge is None or edge["escape"]:
            if inside:
                yield _unescaped(line, edge) if edge else line
        elif edge["name"] == name:
            if edge["edge"].lower() == "end":
                return
            inside = True


def _unescaped(line: str, edge: re.Match[str]) -> str:
    at = edge.start("escape")
    return line[:at] + line[at + 1 :]
