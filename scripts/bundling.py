"""Make the files that readers can take away, and keep those that no change has touched.

Script and notebook hang on the package's sources and on nothing of the pages, so they are kept under the digest of
all that they are made from; a build in which none of it changed reads them back.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tinyxf.catalog import Catalog

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "programs.json"
CHAPTER = "tinyxf.chapter"  # the one that script and notebook run
LIBRARIES = ("jinja2", "numpy", "pyyaml")


def make_downloads(catalog: Catalog, chapters: Sequence[str], site: str, cache: Path = CACHE) -> dict[str, str]:
    """Return the text of every download by its path in the site.

    `chapters` are the modules that the catalog comes from, `site` the address where the book is published, or empty.
    Raises BookError with what is wrong in the notebook's prose, or in a module that the script cannot hold.
    """
    from tinyxf.book.bundle import data_files, is_address

    programs = _programs(site if is_address(site) else "", cache) if CHAPTER in chapters else {}
    return programs | data_files(catalog)


def _programs(site: str, cache: Path) -> dict[str, str]:
    from tinyxf.book.bundle import program_files
    from tinyxf.book.notebook import SOURCE
    from tinyxf.book.script import read_sources

    prose, sources = (ROOT / SOURCE).read_text(encoding="utf-8"), read_sources()
    digest = _digest(prose, sources, site)
    kept = _kept(cache, digest)
    if kept is None:
        kept = program_files(prose, sources, site)
        _keep(cache, json.dumps({"digest": digest, "files": kept}))
    return kept


def _digest(prose: str, sources: Mapping[str, str], site: str) -> str:
    versions = [sys.version, *(version(library) for library in LIBRARIES)]
    made_from = json.dumps([prose, sorted(sources.items()), site, versions])
    return hashlib.sha256(made_from.encode()).hexdigest()


def _kept(cache: Path, digest: str) -> dict[str, str] | None:
    try:
        kept: Any = json.loads(cache.read_text(encoding="utf-8"))
        return dict(kept["files"]) if kept["digest"] == digest else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(cache: Path, text: str) -> None:
    """Write the file whole or not at all; a read-only folder is no error."""
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=cache.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(name).replace(cache)
    except OSError:
        return
