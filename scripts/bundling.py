"""Make the files that stand beside the pages, and keep those that no change has touched.

Each kind is kept under the digest of all that it is made from; a build in which none of it changed reads it back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keeping import CACHE, ROOT, digest_of, kept_files, versions_of

if TYPE_CHECKING:
    from tinyxf.book.edition import Edition
    from tinyxf.catalog import Catalog
    from tinyxf.errors import Problem

CHAPTER = "tinyxf.chapter"  # the one that script and notebook run
LIBRARIES = ("jinja2", "markupsafe", "mpmath", "numpy", "pyyaml")


def make_downloads(
    catalog: Catalog, chapters: Sequence[str], code: str, site: str, cache: Path = CACHE
) -> dict[str, str]:
    """Return the text of every download by its path in the site.

    `chapters` are the modules that the catalog comes from, `code` the digest of their sources, `site` the address
    where the book is published, or empty.  Raises BookError with what is wrong in the notebook's prose, or in a
    module that the script cannot hold.
    """
    programs = _make_programs(code, site, cache) if CHAPTER in chapters else {}
    digest = digest_of(code, _shown(catalog), versions_of(*LIBRARIES))
    return programs | kept_files(cache / "data.json", digest, lambda: _data(catalog))


def try_downloads(
    catalog: Catalog, chapters: Sequence[str], code: str, site: str
) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """Return the downloads as `make_downloads` does, or their names with empty texts, and what is wrong with them."""
    from tinyxf.errors import BookError

    try:
        return make_downloads(catalog, chapters, code, site), ()
    except BookError as error:
        from tinyxf.book.takeaway.offered import file_names

        return dict.fromkeys(file_names(table.id for table in catalog.tables), ""), error.problems


def _make_programs(code: str, site: str, cache: Path) -> dict[str, str]:
    from tinyxf.book.takeaway.offered import is_address

    prose, site = (ROOT / "templates" / "notebook.md").read_text(encoding="utf-8"), site if is_address(site) else ""
    digest = digest_of(code, prose, site, versions_of(*LIBRARIES))
    return kept_files(cache / "programs.json", digest, lambda: _programs(prose, site))


def _programs(prose: str, site: str) -> dict[str, str]:
    from tinyxf.book.takeaway.bundle import program_files
    from tinyxf.book.takeaway.script import read_sources

    return program_files(prose, read_sources(), site)


def _data(catalog: Catalog) -> dict[str, str]:
    from tinyxf.book.takeaway.bundle import data_files

    return data_files(catalog)


def make_arithmetic(
    edition: Edition, homes: Mapping[str, tuple[str, str]], code: str, cache: Path = CACHE
) -> dict[str, str]:
    """Return the scripts from which a number's arithmetic is shown, by their path in the site.

    `homes` says where each table's cells can be linked to, by address and title of the page; `code` is the digest of
    the chapters' sources.
    """
    if edition.catalog.traced is None:
        return {}
    digest = digest_of(code, _shown(edition.catalog), homes, versions_of(*LIBRARIES))
    return kept_files(cache / "arithmetic.json", digest, lambda: _arithmetic(edition, homes))


def _arithmetic(edition: Edition, homes: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    from tinyxf.book.popover import Home, popover_files

    return popover_files(edition.plates.workbook, {table: Home(*home) for table, home in homes.items()})


def _shown(catalog: Catalog) -> str:
    """Return all that a catalog holds; a chapter's code may have read it from anywhere."""
    return repr((catalog.title, catalog.stages, catalog.header, catalog.tables, catalog.scalars))
