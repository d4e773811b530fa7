"""What readers can take away: the script, the notebook, and the numbers as data.

Beside the pages, from the same catalog.  Each file is named by its path in the site and is nothing but text, so that
whoever builds decides where it goes.  The numbers are those of the pages: `tinyxf.book.readback.downloads` compares
them.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinyxf.book.history.ledger import write_ledger
from tinyxf.book.takeaway.notebook import write_notebook
from tinyxf.book.takeaway.offered import FOLDER, NOTEBOOK, SCRIPT, table_file
from tinyxf.book.takeaway.script import FOOTER, assemble
from tinyxf.catalog import Catalog
from tinyxf.data import table_csv, tables_csv, tables_json


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
