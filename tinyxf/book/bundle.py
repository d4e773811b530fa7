"""What readers can take away: the script, the notebook, and the numbers as data.

Beside the pages, from the same catalog.  Each file is named by its path in the site and is nothing but text, so that
whoever builds decides where it goes.  The numbers are those of the pages: `tinyxf.book.downloads` compares them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from functools import partial
from urllib.parse import quote, urlsplit

from tinyxf.book.ledger import write_ledger
from tinyxf.book.notebook import NAME as NOTEBOOK
from tinyxf.book.notebook import write_notebook
from tinyxf.book.script import FOOTER, assemble
from tinyxf.book.script import NAME as SCRIPT
from tinyxf.catalog import Catalog
from tinyxf.data import table_csv, tables_csv, tables_json
from tinyxf.formatting import Format, format_number

FOLDER = "downloads"
TABLES = f"{FOLDER}/tables"
FORMATS = ("csv", "json")
COLAB = "https://colab.research.google.com/#fileId="  # opens a notebook at any public address

_FILE_LINK = re.compile(r'<a ([^>]*\bclass="[^"]*\btx-download\b[^"]*"[^>]*)>(.*?)</a>', re.DOTALL)
_TARGET = re.compile(r'\bhref="([^"]*)"')
_LIST = re.compile(r'<div class="tx-files">\s*</div>')
_SMALL = 10_000  # bytes; below, a size has a decimal


def downloads(catalog: Catalog, prose: str, sources: Mapping[str, str], site: str = "") -> dict[str, str]:
    """Return the text of every file by its path in the site.

    `prose` is the text of `templates/notebook.md`, `sources` the package's modules, `site` the address where the book
    is published, or empty.  Raises BookError with what is wrong in either.
    """
    return program_files(prose, sources, site) | data_files(catalog)


def program_files(prose: str, sources: Mapping[str, str], site: str = "") -> dict[str, str]:
    """Return the script and the notebook, which run the chapter of `tinyxf.contents`."""
    program = assemble(sources)
    return {
        f"{FOLDER}/{SCRIPT}": program + FOOTER,
        f"{FOLDER}/{NOTEBOOK}": write_notebook(prose, program, site),
    }


def data_files(catalog: Catalog) -> dict[str, str]:
    """Return the ledger, all tables in one file of each format, and each table by itself."""
    files = {
        f"{FOLDER}/numbers.csv": write_ledger(catalog),
        f"{FOLDER}/tables.csv": tables_csv(catalog.tables),
        f"{FOLDER}/tables.json": tables_json(catalog, catalog.tables),
    }
    for table in catalog.tables:
        files[table_file(table.id, "csv")] = table_csv(table)
        files[table_file(table.id, "json")] = tables_json(catalog, [table])
    return files


def table_file(name: str, form: str) -> str:
    """Return the path of one table's file."""
    return f"{TABLES}/{name}.{form}"


def file_names(tables: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of all downloads of a catalog with these tables, without making them."""
    fixed = (SCRIPT, NOTEBOOK, "numbers.csv", "tables.csv", "tables.json")
    return (*(f"{FOLDER}/{name}" for name in fixed), *(table_file(name, form) for name in tables for form in FORMATS))


def finish_links(page: str, catalog: Catalog, files: Mapping[str, str], site: str = "") -> str:
    """Complete the links to downloads in a page of converted HTML at the top of the site.

    A link of the class `tx-download` gets its size, and that of the notebook a way into Colab where the book has an
    address; an empty `<div class="tx-files">` becomes the list of the tables' own files.
    """
    page = _LIST.sub(lambda _: table_list(catalog, files), page)
    return _FILE_LINK.sub(partial(_finish_link, files, site), page)


def _finish_link(files: Mapping[str, str], site: str, found: re.Match[str]) -> str:
    target = _TARGET.search(found[1])
    if not target or target[1] not in files:
        return found[0]
    link = f'<a {found[1]} download>{found[2]}</a> <span class="tx-size">{size(files[target[1]])}</span>'
    if target[1].endswith(NOTEBOOK) and site:
        link += f' <a class="tx-colab" href="{html.escape(colab_address(site))}">Open in Colab</a>'
    return link


def size(text: str) -> str:
    """Write the size of a file, as readers are used to see it."""
    count = len(text.encode())
    return f"{format_number(count / 1000, Format(digits=1 if count < _SMALL else 0))} kB"


def colab_address(site: str) -> str:
    """Return the address at which Colab opens the published notebook."""
    return COLAB + quote(f"{site.rstrip('/')}/{FOLDER}/{NOTEBOOK}", safe="/")


def is_address(site: str) -> bool:
    """Say whether a configured address is one that others can open."""
    return urlsplit(site).scheme in ("http", "https")


def table_list(catalog: Catalog, files: Mapping[str, str]) -> str:
    """Return the list of the tables' files as HTML."""
    rows = []
    for table in catalog.tables:
        links = "".join(
            f'<td><a href="{quote(path)}" aria-label="{html.escape(table.id)} as {form.upper()}" download>'
            f"{form.upper()}</a></td>"
            for form in FORMATS
            if (path := table_file(table.id, form)) in files
        )
        rows.append(
            f'<tr><td>{html.escape(table.step)}</td><th scope="row">{html.escape(table.title)}</th>{links}</tr>\n'
        )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Step", "Table", "CSV", "JSON"))
    body = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>"
    return f'<div class="tx-files">\n<table>\n<caption>Each table by itself</caption>\n{body}\n</table>\n</div>'
