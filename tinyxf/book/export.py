"""Expanded pages as Markdown that any engine builds: the same numbers, and no placeholder left.

After expansion.  Numbers in running text keep their address and full value in a `<data>` element; where no element
may stand they are plain.  What is shown as a whole comes from the caller, line by line as it would stand at the
margin; here it gets the indentation and quote marks of its place.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping

from markdown.extensions.toc import slugify, unique

from tinyxf.book.expand import Expanded, Placed, claim_edit, plain_text
from tinyxf.book.fillings import latex
from tinyxf.book.front import expand_front
from tinyxf.book.history.sentences import plain
from tinyxf.book.language.pieces import (
    ClaimPiece,
    FigurePiece,
    NumberPiece,
    ProblemPiece,
    TablePiece,
    TextPiece,
    WorkPiece,
)
from tinyxf.book.reading.scan import Leaf, Placeholder, Scan
from tinyxf.book.reading.source import splice
from tinyxf.book.render import escape_markdown

_UNSAFE = re.compile(r"[^\w./%@ (),=+-]", re.ASCII)
_OPENS_LIST = re.compile(r"[-+=:~\d]")
_ATTRIBUTES = re.compile(r"[ ](?P<list>\{:?[ ]*(?:[^{}\n]*#(?P<id>[\w.:-]+))?[^{}\n]*\})[ \t]*$")
_MINIMUM = 4  # how far the content of a list item is indented, for every engine


def export(expanded: Expanded, block: Callable[[Placed], str]) -> str:
    """Return the page with every placeholder written out.

    `block` gives the Markdown (or HTML, where `placeholder.html` says that it stands in raw HTML) of a table, figure
    or worked number.  A placeholder with a problem stays as typed.
    """
    edits = [_edit(expanded, own, block) for own in expanded.placed if own.placeholder.context != "front"]
    lengths = {own.placeholder.start: len(own.placeholder.text) for own in expanded.placed}
    edits += heading_ids(expanded.scan, expanded.text, lengths)
    front = {
        own.placeholder.start: plain_text(own.piece)
        for own in expanded.placed
        if own.placeholder.context == "front" and not isinstance(own.piece, ProblemPiece)
    }
    size = expanded.scan.source.front
    return expand_front(expanded.scan, front) + splice(expanded.text, sorted(edits), size)


def _edit(expanded: Expanded, own: Placed, block: Callable[[Placed], str]) -> tuple[int, int, str]:
    text, placeholder = expanded.text, own.placeholder
    match own.piece:
        case ClaimPiece():
            return claim_edit(text, placeholder)
        case NumberPiece() as number:
            return placeholder.start, placeholder.end, _number(number, placeholder)
        case TextPiece(words):
            return placeholder.start, placeholder.end, _words(words, placeholder, text)
        case ProblemPiece():
            return placeholder.start, placeholder.end, placeholder.text
        case TablePiece() | FigurePiece() | WorkPiece():
            return _block_edit(text, expanded.scan.source.front, placeholder, block(own))


def _number(number: NumberPiece, placeholder: Placeholder) -> str:
    if placeholder.context == "maths":
        return latex(number.display)
    if placeholder.context == "attribute":
        return number.display
    where = f' data-address="{_attribute(number.address)}"' if number.address is not None else ""
    how = f' data-expression="{_attribute(number.expression)}"' if number.derived else ""
    return f'<data value="{number.full}"{where}{how}>{number.display}</data>'


def _words(words: str, placeholder: Placeholder, text: str) -> str:
    """Write words so that nothing in them is read as markup, nor as the beginning of a list."""
    if placeholder.context == "maths":
        return words
    if placeholder.html or placeholder.context == "attribute":
        return html.escape(words)
    written = escape_markdown(words)
    line = max(text.rfind("\n", 0, placeholder.start), text.rfind("\r", 0, placeholder.start)) + 1
    if not text[line : placeholder.start].strip(" \t>\ufeff") and _OPENS_LIST.match(words):
        written = f"&#{ord(words[0])};{escape_markdown(words[1:])}"
    return written


def _attribute(value: str) -> str:
    return _UNSAFE.sub(lambda found: f"&#{ord(found[0])};", value)


_PREFIX = re.compile(r"[ \t>]*")


def _block_edit(text: str, body: int, placeholder: Placeholder, content: str) -> tuple[int, int, str]:
    """Give a block the indentation and quote marks of its place, and a blank line on either side."""
    start, end = placeholder.start, placeholder.end
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    newline = "\r\n" if "\r\n" in text else "\n"
    lead = text[line:start].lstrip("\ufeff")
    quoted = _PREFIX.match(lead)
    prefix = quoted[0] if quoted else ""
    marked = prefix != lead
    if marked:  # behind a list's mark: what follows is indented as the item's content
        prefix += " " * max(len(lead) - len(prefix), _MINIMUM)
    blank = prefix.rstrip(" \t")
    first, *rows = content.rstrip("\n").split("\n")
    written = newline.join([first, *(prefix + row if row.strip() else blank for row in rows)])
    after = "" if _BLANK_AFTER.match(text, end) else newline + blank
    if marked:
        return start, end, written + after
    opens = line <= body or _BLANK_BEFORE.search(text, max(0, line - 1000), line)
    return start - len(lead), end, ("" if opens else blank + newline) + prefix + written + after


_BLANK_BEFORE = re.compile(r"(?:\A|\r\n|(?<!\r)\n|\r(?!\n))[ \t>\ufeff]*(?:\r\n|\r|\n)\Z")
_BLANK_AFTER = re.compile(r"[ \t]*(?:\Z|(?:\r\n|\r(?!\n)|\n)[ \t>]*(?:\Z|\r|\n))")


def heading_ids(
    page: Scan, text: str, lengths: Mapping[int, int], also: Callable[[Leaf], bool] = lambda _: False
) -> Iterator[tuple[int, int, str]]:
    """Give each heading with a placeholder the id that it has without: an anchor does not move with a number.

    `lengths` says where placeholders start and how long they are; `also` asks for ids of other headings.
    """
    starts = sorted(lengths)
    headings = [leaf for leaf in page.leaves if leaf.kind == "heading"]
    lists = [_ATTRIBUTES.search(leaf.text) for leaf in headings]
    used = {found["id"] for found in lists if found and found["id"]}
    for leaf, found in zip(headings, lists, strict=True):
        if found and found["id"]:
            continue
        own = [start for low, high in leaf.spans for start in starts if low <= start < high]
        words = plain(leaf, text, dict.fromkeys(own, ""), lengths)
        slug = unique(slugify(" ".join(words.split()), "-"), used)
        if not (own or also(leaf)):
            continue
        if found:
            at = leaf.offset(found.end("list") - 1)
            yield at, at, f" #{slug}"
        else:
            at = leaf.offset(len(leaf.text.rstrip()))
            yield at, at, f" {{#{slug}}}"
