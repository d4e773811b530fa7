"""An edition's pages as Markdown that needs nothing of ours: what `build.py export` writes, for any engine.

After the edition.  Files that a page includes are written out, numbers carry their address, the cells of a table have
their ids on the first page that shows it, and formulas are MathML, which asks for no script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tinyxf.book.edition import Edition
from tinyxf.book.expand import Placed, expand
from tinyxf.book.export import export, heading_ids
from tinyxf.book.figures import FIGURES
from tinyxf.book.language.pieces import TablePiece
from tinyxf.book.maths import boxed, formula
from tinyxf.book.plates import firsts
from tinyxf.book.reading.scan import Leaf, scan
from tinyxf.book.reading.source import splice
from tinyxf.book.unfold import unfold

_LATEX = re.compile(r"\s*(?P<sign>\$\$?|\\\(|\\\[|(?=\\begin))(?P<latex>.*?)(?:\$\$?|\\\)|\\\])?\s*\Z", re.DOTALL)
_MARKS = re.compile(r"[\\`*_{}\[\]~^$|](?=[^<>]*<)")  # between tags, where Markdown would see its own


def written_page(edition: Edition, uri: str) -> str:
    """Return a page with its placeholders and the files that it includes written out, formulas as they were typed."""
    own = edition.manuscripts[uri]
    files = {name: file.text for name, file in edition.snippets.items()}
    page = expand(own.path, unfold(own.text, files), edition.catalog, FIGURES)
    is_first = firsts()

    def block(placed: Placed) -> str:
        piece = placed.piece
        first = is_first(piece)
        if isinstance(piece, TablePiece) and not placed.placeholder.html:
            return edition.plates.markdown(uri, piece, first=first)
        return edition.plates.html(uri, piece, first=first)

    return export(page, block)


def portable_page(edition: Edition, uri: str) -> str:
    """Return a page as any engine builds it."""
    return write_formulas(written_page(edition, uri))


def write_formulas(text: str) -> str:
    """Return a page of plain Markdown with MathML in place of its formulas.

    One that cannot be read stays as it was typed.  A heading keeps the anchor that its LaTeX gives it.
    """
    page = scan(text)
    ids = heading_ids(page, text, {}, lambda leaf: any(region.kind == "maths" for region in leaf.regions))
    return splice(text, sorted([*ids, *(edit for leaf in page.leaves for edit in _formulas(leaf, text))]))


def _formulas(leaf: Leaf, text: str) -> Iterator[tuple[int, int, str]]:
    if leaf.kind == "maths":
        start, end = leaf.spans[0][0], leaf.spans[-1][1]
        nested = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start].strip("\ufeff")
        yield from _edit(leaf.raw(text), start, end, block=not nested)
    elif leaf.kind in ("text", "heading", "title", "cell"):
        raw = leaf.raw(text)
        others = [region for region in leaf.regions if region.kind != "maths"]
        for region in leaf.regions:
            within = any(other.start <= region.start and region.end <= other.end for other in others)
            if region.kind == "maths" and not within:
                start, end = leaf.offset(region.start), leaf.offset(region.end - 1) + 1
                for low, high, mathml in _edit(raw[region.start : region.end], start, end):
                    yield low, high, mathml.replace('"', "'") if leaf.kind == "title" else mathml  # "in quotes"


def _edit(typed: str, start: int, end: int, *, block: bool = False) -> Iterator[tuple[int, int, str]]:
    found = _LATEX.fullmatch(typed)
    if found is None:
        return
    display = found["sign"] not in ("$", r"\(")
    try:
        mathml = formula(found["latex"].strip(), display=display)
    except ValueError:
        return
    written = _MARKS.sub(lambda mark: f"&#{ord(mark[0])};", mathml)
    yield start, end, boxed(written) if block else written
