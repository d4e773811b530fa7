"""What a page costs: the bytes it fetches, what holds up its first line, and that nothing moves once it is drawn."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.browser.serving import Server, serving
from tests.browser.watching import watched

LIMIT = 150_000  # bytes of a page with all it asks for, compressed as a server would
FONT = 50_000
BLOCKING = 40_000  # all style sheets together; 23 of them are the theme's
A_LITTLE = 1_800
CHAPTER = (
    "embeddings.html", "attention.html", "feed-forward.html", "prediction.html", "loss.html", "parameters.html",
)  # fmt: skip
COMPRESSED = (".woff2", ".png")  # as they are

WATCH_SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      window.shifts.push([entry.value, ...entry.sources.map((own) => own.node?.outerHTML?.slice(0, 100) ?? "text")]);
    }
  }).observe({ type: "layout-shift", buffered: true });
}"""

# Each time that an address of a style sheet is written, it is read, and all of the page styled, once more.
WATCH_STYLES = """() => {
  window.again = [];
  new MutationObserver((changes) => {
    for (const { target } of changes) if (target.rel === "stylesheet") window.again.push(target.outerHTML);
  }).observe(document, { subtree: true, attributeFilter: ["href"] });
}"""

THROUGH = """async () => {
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo(0, y);
    await new Promise(requestAnimationFrame);
  }
  await document.fonts.ready;
  await new Promise((done) => setTimeout(done, 100));
}"""


@pytest.fixture(scope="module")
def own(built_site: Path) -> Iterator[Server]:
    with serving(built_site, under="/") as running:
        yield running


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with watched(browser, viewport={"width": 1280, "height": 900}) as (context, _):
        yield context


def size(folder: Path, path: str) -> int:
    """The bytes that a server sends for a path of the site."""
    file = folder / unquote(urlsplit(path).path).lstrip("/")
    body = file.read_bytes()
    return len(body) if file.suffix in COMPRESSED else len(gzip.compress(body, 6))


@pytest.mark.parametrize("name", CHAPTER)
def test_a_chapter_page_is_light(browser: Browser, built_site: Path, name: str) -> None:
    """All that it asks for, read to its end, before the search or a number's arithmetic is used."""
    with serving(built_site, under="/") as server, watched(browser) as (context, _):
        page = context.new_page()
        page.goto(server.at(name), wait_until="networkidle")
        page.evaluate(THROUGH)
        weights = {path: size(built_site, path) for path in server.asked}
        assert len(weights) == len(server.asked)  # nothing was fetched twice
    assert f"/{name}" in weights
    assert any(path.endswith("bundle.js") or "/bundle." in path for path in weights)
    assert sum(weight for path, weight in weights.items() if path.endswith(".woff2")) <= FONT
    assert sum(weights.values()) <= LIMIT, weights


def test_only_style_sheets_and_a_little_script_hold_up_the_first_line(
    context: BrowserContext, own: Server, built_site: Path
) -> None:
    page = context.new_page()
    page.goto(own.at("attention.html"), wait_until="networkidle")
    blocking = page.evaluate(
        "performance.getEntriesByType('resource').filter((one) => one.renderBlockingStatus === 'blocking')"
        ".map((one) => new URL(one.name).pathname)"
    )
    assert len(blocking) > 1
    scripts = {path: size(built_site, path) for path in blocking if not path.endswith(".css")}
    assert list(scripts) == ["/assets/javascripts/ahead.js"]
    assert sum(scripts.values()) <= A_LITTLE
    assert sum(size(built_site, path) for path in blocking) <= BLOCKING


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_while_a_page_loads(browser: Browser, own: Server, width: int) -> None:
    with watched(browser, viewport={"width": width, "height": 900}) as (context, _):
        page = context.new_page()
        page.add_init_script(f"({WATCH_SHIFTS})()")
        for name in CHAPTER:
            page.goto(own.at(name))
            page.evaluate(THROUGH)
            assert page.evaluate("window.shifts") == [], name
        # The measure itself: something that does move is noticed.
        page.evaluate("scrollTo(0, 0)")
        page.evaluate(
            "() => { const box = document.createElement('p'); box.textContent = 'new';"
            " document.querySelector('article').prepend(box); }"
        )
        page.wait_for_function("window.shifts.length > 0")


def test_the_page_is_styled_once(context: BrowserContext, own: Server) -> None:
    page = context.new_page()
    page.add_init_script(f"({WATCH_STYLES})()")
    page.goto(own.at("attention.html"), wait_until="networkidle")
    assert page.evaluate("window.again") == []
    assert page.locator("meta[name=color-scheme]").count() == 0  # the theme's would come late
    scheme = "() => getComputedStyle(document.documentElement).colorScheme"
    assert page.evaluate(scheme) == "light"
    page.get_by_title("Switch to dark").click()
    assert page.evaluate(scheme) == "dark"
    # The measure itself: the theme did reach for other addresses, and ours would be noticed.
    assert (page.locator("article a").first.get_attribute("href") or "").startswith(own.url)
    page.locator("[rel=stylesheet]").first.evaluate("own => own.setAttribute('href', own.href)")
    page.wait_for_function("window.again.length > 0")
    page.close()


def test_the_search_and_the_arithmetic_wait_until_they_are_asked_for(browser: Browser, built_site: Path) -> None:
    with serving(built_site, under="/") as server, watched(browser) as (context, _):
        page = context.new_page()
        page.goto(server.at("attention.html"), wait_until="networkidle")
        later = ("/search", "/assets/work/", "/downloads/")
        assert [path for path in server.asked if path.startswith(later) or "/workers/" in path] == []
        page.get_by_role("textbox", name="Search").click()
        page.wait_for_function(
            "performance.getEntriesByType('resource').some((one) => one.name.includes('/search/'))"
        )
        assert any(path.startswith("/search/") for path in server.asked)
