"""Write the book as a project that any engine of this family builds: plain Markdown, and a configuration without us.

Everything that the build would make is made here: downloads, the scripts with the arithmetic, and the statement of
what it was made from.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from bundling import make_arithmetic, make_downloads
from configuration import FILE, Configuration, read_raw
from licensing import FILE as LICENCES
from stating import write_statement

if TYPE_CHECKING:
    from tinyxf.book.edition import Edition

MADE = "# Made by `scripts/build.py export`; the next export replaces this file and the folder docs.\n"
ABOUT_LICENCES = """---
title: What is not ours
description: The parts of this book that others made, and their licences.
---
"""
# What only our hook, our theme or MkDocs itself understands.
_OURS = ("docs_dir", "site_dir", "hooks", "watch", "exclude_docs", "validation", "edit_uri_template", "repo_url")
_WRITTEN_OUT = ("pymdownx.snippets", "pymdownx.arithmatex")  # done by the export; they would read the pages once more
_OUR_THEME = ("custom_dir", "static_templates")
_NOT_ALONE = ("navigation.instant",)  # needs a script that only our theme loads early enough


class OtherFilesError(Exception):
    """The folder holds what no export wrote."""


def export_book(edition: Edition, configuration: Configuration, code: str, folder: Path) -> None:
    """Write pages, files and a configuration into a folder; it is new, empty, or holds an earlier export.

    Raises OtherFilesError where it holds anything else, since that would be lost.
    """
    from tinyxf.book.portable import portable_page
    from tinyxf.book.takeaway.offered import fill_list

    listing, docs = folder / FILE.name, folder / "docs"
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())) and not _is_export(listing):
        raise OtherFilesError(f"{folder.name} holds other files; name a folder that is new or empty")
    if docs.exists():
        shutil.rmtree(docs)
    downloads = make_downloads(edition.catalog, configuration.chapters, code, "")
    pages = {uri: fill_list(portable_page(edition, uri), edition.catalog, downloads) for uri in edition.pages}
    homes = {
        table: (f"{uri.removesuffix('.md')}.html", configuration.titles.get(uri, uri))
        for table, uri in edition.first_pages.items()
    }
    for uri, text in {**pages, **downloads, **make_arithmetic(edition, homes, code)}.items():
        path = docs / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    for uri in configuration.assets:
        path = docs / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(configuration.docs / uri, path)
    write_statement(docs, edition.catalog)
    plain = plain_configuration(read_raw())
    if "copyright" in plain:
        _write_licences(docs / plain["extra"]["licences"])
    written = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=100)
    listing.write_bytes(f"{MADE}{written}".encode())


def _write_licences(page: Path) -> None:
    """Write the licences of the parts by others, whose files go along, as the page that becomes this one."""
    page.with_suffix(".md").write_bytes((ABOUT_LICENCES + LICENCES.read_text(encoding="utf-8")).encode())


def _is_export(listing: Path) -> bool:
    return listing.is_file() and listing.read_bytes().startswith(MADE.encode())


def plain_configuration(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the book's configuration without what its own hook, theme and extensions do before the export."""
    plain = {key: value for key, value in raw.items() if key not in _OURS and value not in ("", None)}
    plain["extra"] = {key: value for key, value in raw.get("extra", {}).items() if key != "chapters"}
    plain["markdown_extensions"] = [
        entry
        for entry in raw.get("markdown_extensions", [])
        if not {entry if isinstance(entry, str) else next(iter(entry))} & set(_WRITTEN_OUT)
    ]
    theme = {key: value for key, value in raw.get("theme", {}).items() if key not in _OUR_THEME}
    if "features" in theme:
        theme["features"] = [name for name in theme["features"] if name not in _NOT_ALONE]
    plain["theme"] = theme
    if "licences" in plain["extra"]:
        words = raw.get("copyright") or "Text, figures and code: MIT licence."
        link = f'<a href="{plain["extra"]["licences"]}">Licences of the parts by others</a>'
        plain["copyright"] = f"{words} {link}"
    return plain
