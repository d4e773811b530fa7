"""The benchmark's chapter: the book's page on attention, and below it every table that the page names.

A chapter like any other, so that the generator needs no change for it; all stages run.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

from tinyxf.catalog import Catalog
from tinyxf.chapter import catalog as whole_book

SOURCE = Path(__file__).resolve().parents[1] / "docs" / "attention.md"

_WORK = re.compile(r"^\{\{ work\(.*\) \}\}\n", re.MULTILINE)  # nothing that we compare with has it
_LINK = re.compile(r"\]\([a-z-]+\.md(?:#[\w.-]*)?\)")


@cache
def catalog() -> Catalog:
    """Return what the page names of the whole book."""
    text = _text()
    book = whole_book()
    scalars = tuple(scalar for scalar in book.scalars if f'"{scalar.name}"' in text)
    named = {scalar.address.partition("/")[0] for scalar in scalars}
    named |= {table.id for table in book.tables if f'"{table.id}"' in text or f'"{table.id}/' in text}
    tables = tuple(replace(table, note="") for table in book.tables if table.id in named)
    return replace(book, tables=tables, scalars=scalars)


def page() -> str:
    """Return the page: links stay within it, and what it only names it also shows."""
    text = _text()
    hidden = [table.id for table in catalog().tables if f'{{{{ table("{table.id}") }}}}' not in text]
    return "\n\n".join([text, "## What it starts from", *(f'{{{{ table("{name}") }}}}' for name in hidden), ""])


def _text() -> str:
    return _WORK.sub("", _LINK.sub("](#step-8)", SOURCE.read_text(encoding="utf-8")))
