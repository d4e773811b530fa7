"""The book as a PDF, printed from the built site, read back as a reader and a screen reader would."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

import printing
import pytest
from playwright.sync_api import Browser
from pypdf import PdfReader

from tests.browser.serving import serving
from tests.building import ROOT
from tinyxf.book.takeaway.paper import book_facts, book_pages, print_view
from tinyxf.catalog import Catalog
from tinyxf.chapter import catalog

PAPER_WIDTH = 174  # mm: A4 without its margins
PIXELS = 96 / 25.4  # a millimetre in CSS


@pytest.fixture(scope="module")
def texts(built_site: Path) -> dict[str, str]:
    """The printed pages of the site, in order."""
    files = {path.relative_to(built_site).as_posix(): path.read_text("utf-8") for path in built_site.rglob("*.html")}
    return {name: files[name] for name in book_pages(files)}


@pytest.fixture(scope="module")
def release(built_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make downloads` makes of the site, by the same script."""
    dist = tmp_path_factory.mktemp("release") / "dist"
    command = [sys.executable, "scripts/pack.py", "--site", str(built_site), "--dist", str(dist)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1000000000"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "tinyxf-book.pdf" in done.stdout
    return dist


@pytest.fixture(scope="module")
def printed(release: Path) -> bytes:
    return (release / "tinyxf-book.pdf").read_bytes()


@pytest.fixture(scope="module")
def book(printed: bytes) -> PdfReader:
    return PdfReader(BytesIO(printed))


@pytest.fixture(scope="module")
def sheets(book: PdfReader) -> list[str]:
    """The words of each sheet of paper, as they can be searched and copied."""
    return [sheet.extract_text() for sheet in book.pages]


def kinds(node: Any) -> Counter[str]:
    """Count the elements of a PDF's structure by their kinds."""
    count: Counter[str] = Counter()
    todo = [node]
    while todo:
        match todo.pop().get_object():
            case list() as parts:
                todo += [part for part in parts if not isinstance(part, int)]
            case dict() as element:
                if "/S" in element:
                    count[element["/S"]] += 1
                if "/K" in element and not isinstance(element["/K"], int):
                    todo.append(element["/K"])
            case _:
                pass
    return count


def test_the_site_names_its_pages_in_the_order_of_the_navigation(texts: dict[str, str], built_site: Path) -> None:
    assert {"index.html", "embeddings.html", "loss.html", "run.html", "weights.html"} <= set(texts)
    assert set(texts) == {path.name for path in built_site.glob("*.html")} - {"404.html", "licences.html"}
    assert list(texts)[:3] == ["index.html", "embeddings.html", "attention.html"]


def test_says_what_it_is(book: PdfReader, texts: dict[str, str]) -> None:
    title, _, _ = book_facts(texts["index.html"])
    root: Any = book.trailer["/Root"]
    assert book.metadata is not None
    assert book.metadata.title == title == "A transformer you can check by hand"
    assert book.metadata.creator == "tinyxf"
    assert root["/Lang"] == "en"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert len(book.pages) > 30


def test_is_tagged(book: PdfReader, texts: dict[str, str]) -> None:
    """A screen reader finds headings, lists, and tables with their head cells."""
    root: Any = book.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    found = kinds(root["/StructTreeRoot"])
    files = re.compile(r'<div class="tx-files".*?</div>', re.DOTALL)  # not printed
    articles = "".join(files.sub("", text) for text in texts.values())
    assert found["/H1"] == articles.count("<h1") + 1  # and that of the contents
    assert found["/H2"] == articles.count("<h2")
    assert found["/Table"] == articles.count("<table")
    assert found["/Table"] > len(catalog().tables)
    assert found["/Caption"] == articles.count("<caption") + articles.count("<figcaption")
    assert found["/TH"] == len(re.findall(r"<th[ >]", articles))
    cells = re.findall(r"<td(?: [^>]*)?>(</td>)?", articles)
    assert cells.count("") <= found["/TD"] <= len(cells)  # an empty cell may have nothing to tag
    assert found["/Figure"] == articles.count("<figure") > 0


def test_the_outline_and_the_contents_lead_to_the_same_sheets(book: PdfReader, sheets: list[str]) -> None:
    outline: list[Any] = [entry for entry in book.outline if not isinstance(entry, list)]
    titles = [entry.title for entry in outline]
    assert titles[0] == "Contents"
    assert len(titles) > 8
    contents = " ".join("\n".join(sheets[1:4]).split())
    for entry in outline[1:]:
        number = (book.get_destination_page_number(entry) or 0) + 1
        assert f"{entry.title} {number} " in contents, entry.title
        assert " ".join(sheets[number - 1].split()).startswith(f"{number} {entry.title}"), entry.title


def test_every_link_leads_within_the_book_or_to_an_address(book: PdfReader) -> None:
    places = set(book.named_destinations)
    inner = 0
    for sheet in book.pages:
        for reference in sheet.get("/Annots", []):
            link: Any = reference.get_object()
            if "/Dest" in link:
                assert link["/Dest"] in places
                inner += 1
            elif link["/A"]["/S"] == "/GoTo":
                assert link["/A"]["/D"] in places
                inner += 1
            else:
                assert re.match(r"https?://(?!book\.invalid)", link["/A"]["/URI"]), link["/A"]["/URI"]
    assert inner > 60


def test_no_path_and_no_host_of_the_machine_gets_in(printed: bytes, built_site: Path) -> None:
    for word in (b"file:", b"book.invalid", b"localhost", b"127.0.0.1", str(built_site.parent).encode()):
        assert word not in printed


@pytest.mark.parametrize("table", catalog().tables, ids=lambda table: table.id)
def test_each_table_stands_whole_on_one_sheet(sheets: list[str], table: Any) -> None:
    """Some sheet has the table's id and every one of its numbers: no page break goes through it."""
    wanted = Counter(table.text(row, column) for row, column, _, _ in table.numbers())
    assert any(table.id in sheet.split() and not wanted - Counter(sheet.split()) for sheet in sheets)


def test_inline_numbers_are_there(sheets: list[str]) -> None:
    words = " ".join(" ".join(sheets).split())
    own: Catalog = catalog()
    assert f"with a probability of {own.lookup('logits.prediction', 'wood', 'percent').display}" in words
    assert f"puts a price on the answer, {own.lookup('loss.before').display}" in words
    assert "first" in words  # and no letters that are drawn as one, which a search would miss
    assert not re.search(r"tx\d+n\d+x", words)


def test_nothing_is_wider_than_the_paper(browser: Browser, built_site: Path, texts: dict[str, str]) -> None:
    view = print_view(texts, *book_facts(texts["index.html"]))
    wide = round(PAPER_WIDTH * PIXELS)
    with serving(built_site, under="/") as server:
        page = browser.new_page(viewport={"width": wide, "height": 1000})
        page.route("**/print.html", lambda route: route.fulfill(body=view, content_type="text/html; charset=utf-8"))
        page.emulate_media(media="print")
        page.goto(server.at("print.html"))
        too_wide = page.evaluate(
            """wide => [...document.querySelectorAll("body *")]
                 .filter(part => part.getBoundingClientRect().right > wide + 1)
                 .map(part => part.outerHTML.slice(0, 120))""",
            wide,
        )
        clipped = page.evaluate(
            """() => [...document.querySelectorAll(".tx-scroll, .tx-maths")]
                 .filter(part => part.scrollWidth > part.clientWidth + 1)
                 .map(part => part.outerHTML.slice(0, 120))"""
        )
        page.close()
    assert too_wide == []
    assert clipped == []


def test_the_date_is_the_one_asked_for(book: PdfReader) -> None:
    assert book.metadata is not None
    assert str(book.metadata.creation_date) == str(book.metadata.modification_date) == "2001-09-09 01:46:40+00:00"
    assert printing.dated(b"(D:20261129231917+00'00')", "") == b"(D:20261129231917+00'00')"
    assert printing.dated(b"/A (D:20261129231917+00'00')", "0") == b"/A (D:19700101000000+00'00')"


def test_the_ids_of_elements_are_counted_anew() -> None:
    printed = b"/ID (node00000192) /Headers [(node00000007) (node00000192)] (node)"
    assert printing.numbered(printed) == b"/ID (node00000001) /Headers [(node00000000) (node00000001)] (node)"


def test_the_same_site_prints_the_same_bytes(browser: Browser, built_site: Path, texts: dict[str, str]) -> None:
    view = print_view({"loss.html": texts["loss.html"]}, "T", "D")
    first, second = (printing.dated(printing.print_page(browser, built_site, view), "1") for _ in range(2))
    assert first == second


def test_what_the_site_lacks_is_named(browser: Browser, tmp_path: Path) -> None:
    view = '<link rel="stylesheet" href="gone.css"><img src="http://example.org/x.png"><p>t</p>'
    with pytest.raises(printing.PrintError) as caught:
        printing.print_page(browser, tmp_path, view)
    assert str(caught.value) == ("the pages ask for what the site does not hold: gone.css, http://example.org/x.png")


def test_a_release_holds_the_book_twice_and_the_downloads(release: Path, built_site: Path) -> None:
    names = {path.name for path in release.iterdir()}
    downloads = {path.name for path in (built_site / "downloads").glob("*") if path.is_file()}
    assert names == {"tinyxf-book.zip", "tinyxf-book.pdf", "SHA256SUMS"} | downloads
    with zipfile.ZipFile(release / "tinyxf-book.zip") as archive:
        assert archive.testzip() is None
        packed = {name.removeprefix("tinyxf-book/") for name in archive.namelist()}
    assert packed == {path.relative_to(built_site).as_posix() for path in built_site.rglob("*") if path.is_file()}
    assert not any("tinyxf-book.pdf" in name for name in packed)
