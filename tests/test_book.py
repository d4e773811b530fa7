"""The book that is published: what its pages promise beyond what every book must keep."""

from __future__ import annotations

from pathlib import Path

from tinyxf.book.expand import expand
from tinyxf.book.figures import FIGURES
from tinyxf.chapter import catalog

DOCS = Path(__file__).resolve().parents[1] / "docs"


def tables_on(*pages: str) -> list[str]:
    texts = [(name, (DOCS / name).read_text(encoding="utf-8")) for name in pages]
    return [table for name, text in texts for table in expand(name, text, catalog(), FIGURES).tables]


def test_the_whole_run_shows_every_table_of_the_run_once() -> None:
    shown = tables_on("run.md")
    assert len(shown) == len(set(shown))
    assert set(shown) == {table.id for table in catalog().tables if table.stage != "weights"}


def test_the_whole_run_shows_the_main_tables_in_the_order_of_the_run() -> None:
    main = [table.id for table in catalog().tables if not table.companion]
    assert [table for table in tables_on("run.md") if table in main] == main


def test_every_weight_is_on_the_page_of_the_weights() -> None:
    assert set(tables_on("weights.md")) == {table.id for table in catalog().tables if table.stage == "weights"}


def test_each_figure_stands_in_the_book() -> None:
    pages = sorted(path.name for path in DOCS.glob("*.md"))
    text = "".join((DOCS / name).read_text(encoding="utf-8") for name in pages)
    assert [name for name in FIGURES if f'figure("{name}")' not in text] == []
