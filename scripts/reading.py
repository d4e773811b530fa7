"""Read the book's pages and what they include from the disk."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from configuration import Configuration

    from tinyxf.book.edition import Edition, Manuscript

SNIPPETS = "snippets"  # inside the pages' folder; `base_path` of the snippets extension


def read_text(path: Path) -> str:
    """Return a file's text, line ends as they are, whatever the locale."""
    return path.read_bytes().decode("utf-8-sig")


def read_snippets(docs: Path) -> list[Manuscript]:
    """Return the files that pages may include."""
    from tinyxf.book.edition import Manuscript

    folder = docs / SNIPPETS
    return [
        Manuscript(f"{docs.name}/{SNIPPETS}/{name}", name, read_text(path))
        for path in sorted(folder.rglob("*.md"))
        for name in [path.relative_to(folder).as_posix()]
    ]


def read_edition(configuration: Configuration) -> Edition:
    """Return the edition of the pages as they are now, for commands that need no MkDocs.

    Raises loading.BrokenError where the chapters cannot be run.
    """
    import loading

    catalog = loading.load_catalog(configuration.chapters)
    from tinyxf.book.edition import Edition, Manuscript
    from tinyxf.book.render import Renderer

    docs = configuration.docs
    pages = [Manuscript(f"{docs.name}/{uri}", uri, read_text(docs / uri)) for uri in configuration.pages]
    return Edition(catalog, pages, Renderer(catalog), _link, read_snippets(docs))


def _link(page: str, target: str) -> str:
    """Lead from one document to another as the site's files are named."""
    name, mark, anchor = target.partition("#")
    path = name.removesuffix(".md") + ".html" if name.endswith(".md") else name
    return posixpath.relpath(path, posixpath.dirname(page) or ".") + mark + anchor
