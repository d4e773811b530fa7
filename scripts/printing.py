"""Print the whole built book as a tagged PDF, through a Chromium that sees nothing but the site.

Twice: the first print tells on which sheet each part begins, the second has those numbers in its table of contents.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

import chromium
from playwright.sync_api import Browser, Route, sync_playwright
from pypdf import PdfReader

from tinyxf.book.takeaway.paper import book_facts, book_pages, print_view

ORIGIN = "http://book.invalid/"  # answered from the site's folder, so that no path of this machine gets into the PDF
VIEW = "print.html"
CREATOR = "tinyxf"

_NODE = re.compile(rb"\(node\d{8}\)")
_DATE = re.compile(rb"\(D:\d{14}\+00'00'\)")


class PrintError(Exception):
    """The book cannot be printed; the message says why."""


def print_book(site: Path, target: Path) -> None:
    """Print the site at `site` into the file `target`.

    Raises PrintError where the site's pages ask for a file that it does not hold, and chromium.NoBrowserError.
    """
    files = {path.relative_to(site).as_posix(): path for path in site.rglob("*.html")}
    texts = {name: path.read_text(encoding="utf-8") for name, path in sorted(files.items())}
    pages = {name: texts[name] for name in book_pages(texts)}
    title, description, address = book_facts(texts["index.html"])

    def view(numbers: Mapping[str, int]) -> str:
        return print_view(pages, title, description, address, numbers)

    with sync_playwright() as playwright:
        kind = playwright.chromium
        flags = [*chromium.FLAGS, f"--user-agent={CREATOR}"]  # what a PDF names as its creator
        browser = kind.launch(executable_path=chromium.find(kind), headless=True, args=flags)
        try:
            first = print_page(browser, site, view({}))
            second = print_page(browser, site, view(sheets(first)))
        finally:
            browser.close()
    target.write_bytes(dated(second, os.environ.get("SOURCE_DATE_EPOCH", "")))


def print_page(browser: Browser, site: Path, view: str) -> bytes:
    """Print one page of HTML that stands at the top of the site."""
    missing: list[str] = []

    def answer(route: Route) -> None:
        path = unquote(urlsplit(route.request.url).path).lstrip("/")
        if not route.request.url.startswith(ORIGIN) or not (path == VIEW or (site / path).is_file()):
            missing.append(route.request.url.removeprefix(ORIGIN))
            route.abort()
        elif path == VIEW:
            route.fulfill(body=view, content_type="text/html; charset=utf-8")
        else:
            route.fulfill(path=site / path)

    context = browser.new_context()
    try:
        context.route("**/*", answer)
        page = context.new_page()
        page.goto(ORIGIN + VIEW)
        page.evaluate("document.fonts.ready.then(() => true)")
        printed = numbered(page.pdf(prefer_css_page_size=True, print_background=True, tagged=True, outline=True))
    finally:
        context.close()
    if missing:
        raise PrintError(f"the pages ask for what the site does not hold: {', '.join(sorted(set(missing)))}")
    return printed


def sheets(printed: bytes) -> dict[str, int]:
    """Return the number of the sheet on which each id is found that some link leads to."""
    reader = PdfReader(BytesIO(printed))
    return {
        str(name).removeprefix("/"): (reader.get_destination_page_number(place) or 0) + 1
        for name, place in reader.named_destinations.items()
    }


def numbered(printed: bytes) -> bytes:
    """Return the PDF with the ids of its elements counted from 0: where a browser begins hangs on its haste."""
    found = sorted(set(_NODE.findall(printed)))
    anew = {own: b"(node%08d)" % place for place, own in enumerate(found)}
    return _NODE.sub(lambda own: anew[own[0]], printed)


def dated(printed: bytes, epoch: str) -> bytes:
    """Return the PDF with the date that SOURCE_DATE_EPOCH asks for, so that it can be made again byte for byte."""
    if not epoch:
        return printed
    date = time.strftime("(D:%Y%m%d%H%M%S+00'00')", time.gmtime(int(epoch))).encode()
    return _DATE.sub(lambda _: date, printed)
