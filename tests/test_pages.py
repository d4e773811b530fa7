"""One case per file in `pages/`: a page in; the expanded page, or problems, or what the engine shows, out.

A case is YAML: `about` says what it proves; `page` is the page (or `pages`, by name).  Then at least one of
`unchanged: true` (not a byte of the page changes), `export` (the page as plain Markdown), `problems` (each as it is
printed), `typed` (what `check` finds typed by hand), `cells` (each table of the exported page, read back from HTML,
as rows of texts) and `html` (fragments of the page as the book's engine shows it; `no_html`: what must not be there).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import html5lib
import pytest
import yaml
from configuration import read_configuration
from markdown import Markdown

from tests.invented import mix
from tinyxf.book.checks.known import Known
from tinyxf.book.checks.typed import typed_problems
from tinyxf.book.edition import Edition, Manuscript
from tinyxf.book.expand import Expanded, Placed, expand
from tinyxf.book.export import export
from tinyxf.book.language.pieces import FigurePiece, TablePiece, WorkPiece
from tinyxf.book.markdown import Converter
from tinyxf.book.render import Renderer

CASES = {path.stem: path for path in sorted((Path(__file__).parent / "pages").glob("*.yml"))}
CATALOG = mix()
FIGURES = ("model",)
Case = dict[str, Any]


def load(path: Path) -> Case:
    with path.open(encoding="utf-8") as file:
        case: Case = yaml.safe_load(file)
    return case


def pages_of(case: Case) -> dict[str, str]:
    pages: dict[str, str] = case.get("pages") or {"page.md": case["page"]}
    return pages


def expanded(case: Case) -> list[Expanded]:
    return [expand(f"docs/{name}", text, CATALOG, FIGURES) for name, text in pages_of(case).items()]


def block(placed: Placed) -> str:
    """Stand for a table, figure or worked number in a few lines."""
    match placed.piece:
        case TablePiece(name):
            return f"| {name} | x |\n| --- | --- |\n| y | z |\n"
        case FigurePiece(name):
            return f"[figure {name}]"
        case WorkPiece(address):
            return f"[work {address}]"
        case _:
            raise AssertionError(placed)


def exported(page: Expanded) -> str:
    return export(page, block)


@cache
def renderer() -> Renderer:
    return Renderer(CATALOG)


def with_tables(page: Expanded) -> str:
    def table(placed: Placed) -> str:
        assert isinstance(placed.piece, TablePiece)
        return renderer().table(CATALOG.table(placed.piece.id), "md", addresses=True, note=False)

    return export(page, table)


def cells(page: str) -> list[list[list[str]]]:
    """Return the texts of all tables of a Markdown page, as plain Python-Markdown shows them."""
    extensions = ["admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables", "pymdownx.details"]
    html = Markdown(
        extensions=[*extensions, "pymdownx.superfences", "pymdownx.tabbed", "pymdownx.arithmatex"],
        extension_configs={"pymdownx.tabbed": {"alternate_style": True}},
    ).convert(page)
    tree = html5lib.parse(html, namespaceHTMLElements=False)
    return [
        [["".join(cell.itertext()).strip() for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
        for table in tree.iter("table")
    ]


def engine_html(case: Case) -> str:
    """Return the first page as the book's engine shows it, on one line."""
    book = read_configuration()
    manuscripts = [Manuscript(f"docs/{name}", name, text) for name, text in pages_of(case).items()]
    edition = Edition(CATALOG, manuscripts, renderer(), lambda _, target: target)
    extensions = [name for name in book.extensions if name != "pymdownx.snippets"]
    converter = Converter(extensions, book.options, edition.mark_included)
    uri = manuscripts[0].uri
    html = edition.finish(uri, edition.content(uri, converter.convert(edition.marked(uri))))
    return " ".join(html.split())


@pytest.mark.parametrize("name", CASES)
def test_problems(name: str) -> None:
    case = load(CASES[name])
    found = sorted(problem for page in expanded(case) for problem in page.problems)
    assert [str(problem) for problem in found] == case.get("problems", [])


@pytest.mark.parametrize("name", [name for name, path in CASES.items() if {"export", "unchanged"} & set(load(path))])
def test_export(name: str) -> None:
    case = load(CASES[name])
    (page,) = expanded(case)
    assert exported(page) == (page.text if case.get("unchanged") else case["export"])


@pytest.mark.parametrize("name", [name for name, path in CASES.items() if "cells" in load(path)])
def test_cells(name: str) -> None:
    case = load(CASES[name])
    (page,) = expanded(case)
    assert cells(with_tables(page)) == case["cells"]


@pytest.mark.parametrize("name", [name for name, path in CASES.items() if {"html", "no_html"} & set(load(path))])
def test_engine(name: str) -> None:
    case = load(CASES[name])
    html = engine_html(case)
    for fragment in case.get("html", []):
        assert " ".join(fragment.split()) in html
    for fragment in case.get("no_html", []):
        assert " ".join(fragment.split()) not in html


@pytest.mark.parametrize("name", [name for name, path in CASES.items() if "typed" in load(path)])
def test_typed(name: str) -> None:
    case = load(CASES[name])
    known = Known(CATALOG)
    assert [str(problem) for page in expanded(case) for problem in typed_problems(page, known)] == case["typed"]


@pytest.mark.parametrize("name", CASES)
def test_a_case_says_what_it_proves(name: str) -> None:
    case = load(CASES[name])
    known = {"about", "page", "pages", "unchanged", "export", "problems", "typed", "cells", "html", "no_html"}
    assert case["about"]
    assert set(case) <= known
    assert len(set(case) - {"about", "page", "pages"}) > 0


@pytest.mark.parametrize("name", CASES)
def test_line_ends_and_a_byte_order_mark_make_no_difference(name: str) -> None:
    """The same page with carriage returns and a byte-order mark gives the same, with them."""
    for page in expanded(load(CASES[name])):
        if "\r" in page.text or "\ufeff" in page.text:
            continue
        twin = expand(page.page, "\ufeff" + page.text.replace("\n", "\r\n"), CATALOG, FIGURES)
        assert twin.problems == page.problems
        assert exported(twin) == "\ufeff" + exported(page).replace("\n", "\r\n")
        assert [(own.piece, own.placeholder.context) for own in twin.placed] == [
            (own.piece, own.placeholder.context) for own in page.placed
        ]
