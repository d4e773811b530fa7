"""What readers take away: every file is there, agrees with the catalog, and is linked."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from pathlib import Path

import bundling
import pytest

from tests.building import ROOT
from tests.reading import read_csv, read_json
from tests.second_chapter import catalog as tea_time
from tests.test_reference import expected
from tinyxf.book.history.ledger import read_ledger
from tinyxf.book.readback.downloads import download_problems
from tinyxf.book.takeaway.bundle import data_files, downloads
from tinyxf.book.takeaway.notebook import SOURCE
from tinyxf.book.takeaway.offered import (
    FOLDER,
    colab_address,
    file_names,
    finish_links,
    is_address,
    size,
    table_file,
    table_list,
)
from tinyxf.book.takeaway.script import read_sources
from tinyxf.chapter import catalog
from tinyxf.errors import BookError

PROSE = (ROOT / SOURCE).read_text(encoding="utf-8")
BOOK = catalog()
FILES = downloads(BOOK, PROSE, read_sources(), "https://example.org/book/")


def test_every_kind_of_download_is_there() -> None:
    assert list(FILES) == list(file_names(table.id for table in BOOK.tables))
    assert [path for path in FILES if path.count("/") == 1] == [
        "downloads/tiny_transformer.py",
        "downloads/tiny_transformer.ipynb",
        "downloads/numbers.csv",
        "downloads/tables.csv",
        "downloads/tables.json",
    ]
    assert {path for path in FILES if path.count("/") == 2} == {
        f"downloads/tables/{table.id}.{form}" for table in BOOK.tables for form in ("csv", "json")
    }


def test_no_file_disagrees_with_the_catalog() -> None:
    assert [problem for path, text in FILES.items() for problem in download_problems(BOOK, path, text, "site")] == []


@pytest.mark.parametrize(
    "path", ["numbers.csv", "tables.csv", "tables.json", "tables/loss.step.csv", "tables/loss.step.json"]
)
def test_a_number_that_was_changed_would_be_noticed(path: str) -> None:
    text = FILES[f"{FOLDER}/{path}"]
    before, number, after = text.rpartition("0.9119")
    assert number
    assert download_problems(BOOK, f"{FOLDER}/{path}", f"{before}0.9118{after}", "site")


def test_all_tables_hold_the_reference() -> None:
    for seen in (read_csv(FILES["downloads/tables.csv"]), read_json(FILES["downloads/tables.json"])):
        assert {name: seen[name] for name in expected()} == expected()
        assert list(seen) == [table.id for table in BOOK.tables]


def test_each_table_by_itself_is_what_readers_see() -> None:
    for name, table in expected().items():
        head, *rows = csv.reader(io.StringIO(FILES[table_file(name, "csv")]))
        assert (head, rows) == (table.columns, table.rows), name
        assert read_json(FILES[table_file(name, "json")]) == {name: table}


def test_the_ledger_is_the_committed_one() -> None:
    ledger = read_ledger(FILES["downloads/numbers.csv"])
    assert ledger.problems == ()
    assert [entry.address for entry in ledger.entries] == [number.address for number in BOOK.published()]


def test_files_are_plain_text() -> None:
    for path, text in FILES.items():
        assert text.endswith("\n"), path
        assert "\r" not in text, path
        if path.endswith((".json", ".ipynb")):
            json.loads(text)


def test_another_chapter_has_its_numbers_and_no_program(tmp_path: Path) -> None:
    tea = tea_time()
    made = bundling.make_downloads(tea, ["tests.second_chapter"], "code", "", tmp_path)
    assert made == data_files(tea)
    assert [problem for path, text in made.items() for problem in download_problems(tea, path, text, "site")] == []


# -- links -----------------------------------------------------------------------------------------------------------


def test_a_link_gets_its_size() -> None:
    files = {"downloads/numbers.csv": "1234567890" * 1234, "downloads/tables.csv": "1234567890" * 99}
    first, second = (
        'class="tx-download" href="downloads/numbers.csv"',
        'href="downloads/tables.csv" class="x tx-download"',
    )
    page = f"<a {first}>n</a>, <a {second}>t</a>"
    assert finish_links(page, BOOK, files, "https://example.org/") == (
        f'<a {first} download>n</a> <span class="tx-size">12 kB</span>, '
        f'<a {second} download>t</a> <span class="tx-size">1.0 kB</span>'
    )


@pytest.mark.parametrize(
    "page",
    [
        '<a href="downloads/numbers.csv">numbers</a>',
        '<a class="tx-download" href="elsewhere/numbers.csv">numbers</a>',
        '<a class="tx-download">numbers</a>',
        '<a class="not-tx-downloads" href="downloads/numbers.csv">numbers</a>',
    ],
)
def test_no_other_link_is_touched(page: str) -> None:
    assert finish_links(page, BOOK, {"downloads/numbers.csv": "x"}) == page


def test_size_counts_bytes() -> None:
    assert [size("x" * count) for count in (1, 949, 9_999, 10_000, 123_456)] == [
        "0.0 kB",
        "0.9 kB",
        "10.0 kB",
        "10 kB",
        "123 kB",
    ]
    assert size("ä" * 5_000) == "10 kB"


def test_the_notebook_opens_in_colab_where_the_book_has_an_address() -> None:
    link = '<a class="tx-download" href="downloads/tiny_transformer.ipynb">n</a>'
    address = (
        "https://colab.research.google.com/#fileId=https%3A//example.org/a/book/downloads/tiny_transformer.ipynb"
    )
    assert colab_address("https://example.org/a/book/") == colab_address("https://example.org/a/book") == address
    finished = finish_links(link, BOOK, FILES, "https://example.org/a/book/")
    assert finished.endswith(f' <a class="tx-colab" href="{address}">Open in Colab</a>')
    assert "olab" not in finish_links(link, BOOK, FILES, "")


def test_an_address_is_one_that_others_can_open() -> None:
    assert [is_address(site) for site in ("https://a.b/c/", "http://a.b", "", "/a/b/", "file:///a")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_the_list_names_every_table() -> None:
    listed = table_list(BOOK, FILES)
    rows = re.findall(r'<tr><td>(.*?)</td><th scope="row">(.*?)</th>', listed)
    assert rows == [(table.step, html.escape(table.title)) for table in BOOK.tables]
    assert re.findall(r'href="([^"]*)"', listed) == [path for path in FILES if path.startswith("downloads/tables/")]
    labels = re.findall(r'aria-label="([^"]*)"', listed)
    assert len(labels) == len(set(labels)) == 2 * len(BOOK.tables)
    assert 'class="tx-files" data-search-exclude' in listed
    assert finish_links('<p>a</p><div class="tx-files"></div>', BOOK, FILES) == f"<p>a</p>{listed}"


def test_the_page_links_every_file_that_is_no_single_table() -> None:
    text = (ROOT / "docs" / "downloads.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\((downloads/[^)]*)\)\{ \.tx-download \}", text)
    assert linked == [path for path in FILES if path.count("/") == 1]
    assert '<div class="tx-files"></div>' in text


# -- kept from build to build ----------------------------------------------------------------------------------------


def make(cache: Path, site: str = "https://example.org/book/", code: str = "one") -> dict[str, str]:
    return bundling.make_downloads(BOOK, ["tinyxf.chapter"], code, site, cache)


def test_what_is_kept_is_what_would_be_made(tmp_path: Path) -> None:
    cache = tmp_path / "new"
    assert make(cache) == FILES
    assert json.loads((cache / "programs.json").read_text())["files"].items() <= FILES.items()
    assert make(cache) == FILES
    assert sorted(path.name for path in cache.iterdir()) == ["data.json", "programs.json"]


def test_nothing_stale_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path)
    assert "https" not in make(tmp_path, "")["downloads/tiny_transformer.ipynb"].replace(colab_address(""), "")
    assert make(tmp_path, "file:///a") == make(tmp_path, "")
    programs = tmp_path / "programs.json"
    programs.write_text(programs.read_text().replace("one file", "my file"))
    assert "in my file" in make(tmp_path, "")["downloads/tiny_transformer.py"]
    assert "in one file" in make(tmp_path, "", "other code")["downloads/tiny_transformer.py"]
    programs.write_text(programs.read_text().replace("one file", "my file"))
    monkeypatch.setattr(bundling, "versions_of", lambda *libraries: ["another", *libraries])
    assert "in one file" in make(tmp_path, "", "other code")["downloads/tiny_transformer.py"]


def test_data_follow_the_catalog(tmp_path: Path) -> None:
    make(tmp_path)
    changed = bundling.make_downloads(BOOK.with_digits(2), ["tinyxf.chapter"], "one", "", tmp_path)
    assert changed.items() >= data_files(BOOK.with_digits(2)).items()


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"digest": 1}', "\x00"])
def test_a_damaged_file_is_made_anew(tmp_path: Path, text: str) -> None:
    for name in ("data.json", "programs.json"):
        (tmp_path / name).write_text(text)
    assert make(tmp_path) == FILES


def test_a_place_where_nothing_can_be_kept_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert make(tmp_path / "file") == FILES


def test_a_mistake_in_the_prose_is_a_problem() -> None:
    with pytest.raises(BookError, match=r'^templates/notebook\.md:1:1: .*"loss.befor"'):
        downloads(BOOK, '{{ n("loss.befor") }}', read_sources())
