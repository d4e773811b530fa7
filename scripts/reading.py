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


def read_manuscript(docs: Path, uri: str, folder: str = "") -> Manuscript:
    """Return a page, or a file in a folder of such that pages include.

    Raises loading.BrokenError with the line that is no text.
    """
    from tinyxf.book.edition import Manuscript

    path = posixpath.join(docs.name, folder, uri)
    try:
        return Manuscript(path, uri, read_text(docs / folder / uri))
    except UnicodeDecodeError as error:
        import loading

        line = error.object.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{error.object[error.start]:02x}"
        raise loading.BrokenError(path, line, f"the file is not UTF-8 ({byte}); save it as UTF-8") from error


def read_snippets(docs: Path) -> list[Manuscript]:
    """Return the files that pages may include, programs that they show as code among them."""
    folder = docs / SNIPPETS
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return [read_manuscript(docs, name, SNIPPETS) for name in names]


def read_edition(configuration: Configuration) -> Edition:
    """Return the edition of the pages as they are now, for commands that need no MkDocs.

    Raises loading.BrokenError where the chapters cannot be run.
    """
    import loading

    catalog = loading.load_catalog(configuration.chapters)
    from tinyxf.book.edition import Edition
    from tinyxf.book.render import Renderer

    docs = configuration.docs
    pages = [read_manuscript(docs, uri) for uri in configuration.pages]
    return Edition(catalog, pages, Renderer(catalog), _link, read_snippets(docs))


def _link(page: str, target: str) -> str:
    """Lead from one document to another as the site's files are named."""
    name, mark, anchor = target.partition("#")
    path = name.removesuffix(".md") + ".html" if name.endswith(".md") else name
    return posixpath.relpath(path, posixpath.dirname(page) or ".") + mark + anchor
