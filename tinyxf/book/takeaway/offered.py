"""What a site offers beside its pages: the names of the files, and the links to them.

Before the bundle, which makes the files.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from urllib.parse import quote, urlsplit

from tinyxf.catalog import Catalog
from tinyxf.formatting import Format, format_number

FOLDER = "downloads"
SCRIPT = "tiny_transformer.py"
NOTEBOOK = "tiny_transformer.ipynb"
TABLES = f"{FOLDER}/tables"
FORMATS = ("csv", "json")
COLAB = "https://colab.research.google.com/#fileId="  # opens a notebook at any public address

_FILE_LINK = re.compile(r'<a ([^>]*\bclass="[^"]*\btx-download\b[^"]*"[^>]*)>(.*?)</a>', re.DOTALL)
_TARGET = re.compile(r'\bhref="([^"]*)"')
_LIST = re.compile(r'<div class="tx-files">\s*</div>')
_SMALL = 10_000  # bytes; below, a size has a decimal


def table_file(name: str, form: str) -> str:
    """Return the path of one table's file."""
    return f"{TABLES}/{name}.{form}"


def table_links(name: str, link: Callable[[str], str]) -> tuple[tuple[str, str], ...]:
    """Return one table's files, each by its format and where `link` finds it from a page."""
    return tuple((form.upper(), link(quote(table_file(name, form)))) for form in FORMATS)


def file_names(tables: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of all downloads of a catalog with these tables, without making them."""
    fixed = (SCRIPT, NOTEBOOK, "numbers.csv", "tables.csv", "tables.json")
    return (*(f"{FOLDER}/{name}" for name in fixed), *(table_file(name, form) for name in tables for form in FORMATS))


def finish_links(page: str, catalog: Catalog, files: Mapping[str, str], site: str = "") -> str:
    """Complete the links to downloads in a page of converted HTML at the top of the site.

    A link of the class `tx-download` gets its size, and that of the notebook a way into Colab where the book has an
    address; an empty `<div class="tx-files">` becomes the list of the tables' own files.
    """
    return _FILE_LINK.sub(partial(_finish_link, files, site), fill_list(page, catalog, files))


def fill_list(page: str, catalog: Catalog, files: Mapping[str, str]) -> str:
    """Put the list of the tables' own files into a page of Markdown, where one is asked for."""
    return _LIST.sub(lambda _: table_list(catalog, files), page)


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
    caption = "<caption>Each table by itself</caption>"  # a search finds the tables themselves, not their names here
    return f'<div class="tx-files" data-search-exclude>\n<table>\n{caption}\n{body}\n</table>\n</div>'
