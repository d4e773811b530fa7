"""The whole site under every condition a reader may bring: width, colours, keyboard, no script, no network, paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader

from tests.browser.serving import Server, serving
from tests.browser.watching import watched
from tinyxf.catalog import Catalog
from tinyxf.chapter import catalog

DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SMALL: dict[str, Any] = PHONE | {"viewport": {"width": 360, "height": 640}}
SHEET = {"width": round((210 - 2 * 16) * 96 / 25.4), "height": 990}  # A4 without the margins of our style sheet

AXE = """async ([only, names]) => {
  const rules = only ? { runOnly: names } : {};
  const { violations } = await axe.run(document, { resultTypes: ["violations"], ...rules });
  return violations.flatMap((own) => own.nodes.map((node) => `${own.id}: ${node.html.slice(0, 160)}`));
}"""
COLOURED = ["color-contrast", "link-in-text-block"]  # the rules that another scheme can break

PAST_THE_EDGE = """() => {
  const root = document.scrollingElement;
  root.scrollLeft = 1000;
  return [root.scrollLeft, innerWidth, root.scrollWidth];
}"""

# What is cut off, in the boxes that scroll on a screen and must not on paper.
CLIPPED = """wide => [...document.querySelectorAll("article :is(.tx-scroll, .tx-work, .tx-maths, pre, figure)")]
  .filter((own) => own.scrollWidth > own.clientWidth + 1 || own.getBoundingClientRect().right > wide + 1)
  .map((own) => own.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def root(built_site: Path) -> Iterator[Server]:
    """The site at the top of a host, where its 404 page finds its style."""
    with serving(built_site, under="/") as running:
        yield running


@pytest.fixture(scope="module")
def names(built_site: Path) -> list[str]:
    """The pages, 404 among them."""
    found = sorted(path.relative_to(built_site).as_posix() for path in built_site.rglob("*.html"))
    assert len(found) > 10
    assert "404.html" in found
    return found


@pytest.fixture(scope="module")
def numbers() -> Catalog:
    return catalog()


def set_scheme(page: Page, scheme: str) -> None:
    """Change the colours as the theme's button does, without loading the page again."""
    page.evaluate("scheme => document.body.setAttribute('data-md-color-scheme', scheme)", scheme)


# -- accessibility rules


@pytest.mark.parametrize("device", [DESK, PHONE], ids=["1280", "390"])
def test_axe_finds_nothing(browser: Browser, root: Server, names: list[str], device: dict[str, Any]) -> None:
    wrong = {}
    with watched(browser, reduced_motion="reduce", **device) as (context, watch):
        page = context.new_page()
        for name in names:
            page.goto(root.at(name))
            page.evaluate(AXE_SCRIPT)
            for scheme, only in (("default", False), ("slate", True)):
                set_scheme(page, scheme)
                if found := page.evaluate(AXE, [only, COLOURED]):
                    wrong[name, scheme] = found
        watch.errors.clear()  # the rules ask for what a page does not have
    assert wrong == {}


def test_a_dark_system_gets_dark_pages(browser: Browser, root: Server) -> None:
    for scheme, name in (("dark", "slate"), ("light", "default")):
        with watched(browser, color_scheme=scheme) as (context, _):
            page = context.new_page()
            page.goto(root.url)
            expect(page.locator("body")).to_have_attribute("data-md-color-scheme", name)


# -- keyboard

# The element with the focus, as one would have to see it: is there a ring, and is it in sight, under nothing else?
FOCUSED = """() => {
  const own = document.activeElement;
  if (own === document.body) return null;
  const style = getComputedStyle(own);
  const rings = [own, own.matches("input") ? own.parentElement : own].map((part) => getComputedStyle(part));
  const ring = rings.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1);
  const box = own.getClientRects()[0] ?? new DOMRect();
  const x = Math.max(box.left + 1, Math.min(box.left + box.width / 2, innerWidth - 2));
  const y = box.top + Math.min(box.height / 2, 12);
  const top = document.elementFromPoint(x, y);
  const before = window.last && (window.last.compareDocumentPosition(own) & Node.DOCUMENT_POSITION_FOLLOWING);
  const order = window.last ? Boolean(before) : true;
  window.last = own;
  const seen = Boolean(top && (own.contains(top) || top.contains(own)));
  return { what: own.outerHTML.slice(0, 120), ring, seen, order, stops: own.matches("[href], button, summary, input"),
    number: own.matches("data"), main: Boolean(own.closest("article")), foot: Boolean(own.closest("footer")) };
}"""


def test_the_keyboard_goes_through_a_whole_chapter(browser: Browser, root: Server) -> None:
    with watched(browser, reduced_motion="reduce", **DESK) as (context, _):
        page = context.new_page()
        page.goto(root.at("attention.html"))
        walk: list[dict[str, Any]] = []
        while len(walk) < 600:
            page.keyboard.press("Tab")
            at = page.evaluate(FOCUSED)
            if at is None or (walk and at["what"] == walk[0]["what"]):
                break
            walk.append(at)
        assert len(walk) < 600, "the focus never leaves the page"
        assert "md-skip" in walk[0]["what"]
        assert [at["what"] for at in walk if not at["ring"]] == []
        assert [at["what"] for at in walk if not at["seen"]] == []
        assert [at["what"] for at in walk if not at["order"]] == []
        places = ["main" if at["main"] else "foot" if at["foot"] else "head" for at in walk]
        assert re.fullmatch("(head )+(main )+(foot )+", " ".join(places) + " ")
        assert sum(at["number"] for at in walk) > 30
        # Every link, button and disclosure of the article was reached, but for those where the arrow keys lead.
        shown = page.locator("article :is(a[href]:not([tabindex='-1']), button, summary):visible").count()
        assert sum(at["stops"] and at["main"] for at in walk) == shown
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(FOCUSED)["foot"]


def test_a_map_is_one_stop_and_arrow_keys_go_through_it(page: Page, root: Server) -> None:
    page.goto(root.at("attention.html"))
    maps = page.locator("ol.tx-map")
    stops = maps.evaluate_all("all => all.map((map) => map.querySelectorAll('a:not([tabindex=\"-1\"])').length)")
    assert set(stops) == {1}
    here = maps.nth(1).locator("[aria-current]")
    here.focus()
    page.keyboard.press("ArrowRight")
    expect(maps.nth(1).get_by_role("link", name="step 7")).to_be_focused()
    expect(here).to_have_attribute("tabindex", "-1")
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    expect(maps.nth(1).locator("a").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/embeddings.html#step-1")


def test_the_skip_link_leads_past_the_navigation(page: Page, root: Server) -> None:
    page.goto(root.at("embeddings.html"))
    page.keyboard.press("Tab")
    expect(page.locator(".md-skip")).to_be_focused()
    expect(page.locator(".md-skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.wait_for_url("**/embeddings.html#*")
    page.keyboard.press("Tab")
    assert page.evaluate("Boolean(document.activeElement.closest('article'))")


# -- width


def test_no_page_scrolls_sideways(browser: Browser, root: Server, names: list[str]) -> None:
    found = {}
    with watched(browser, **SMALL) as (context, _):
        page = context.new_page()
        for name in names:
            page.goto(root.at(name))
            found[name] = page.evaluate(PAST_THE_EDGE)
    assert {name: place for name, place in found.items() if place != [0, 360, 360]} == {}


# What goes on beyond its edge, and whether the edge says so: by a shade, or by a line where colours are the system's.
EDGES = """() => [...document.querySelectorAll("article :is(.tx-scroll, .tx-maths, pre)")]
  .filter((own) => own.scrollWidth > own.clientWidth)
  .map((own) => getComputedStyle(own))
  .map((own) => own.backgroundImage.includes("gradient") || own.borderRightStyle === "double")"""


@pytest.mark.parametrize("colours", ["none", "active"])
def test_what_is_too_wide_for_a_phone_says_so(browser: Browser, root: Server, colours: Any) -> None:
    with watched(browser, forced_colors=colours, **SMALL) as (context, _):
        page = context.new_page()
        for name in ("attention.html", "making.html"):
            page.goto(root.at(name))
            page.wait_for_function("document.querySelector('pre[tabindex], .tx-maths:not([tabindex])')")
            edges = page.evaluate(EDGES)
            assert len(edges) > 2
            assert all(edges), name


# -- nothing but the site


@pytest.mark.parametrize(("word", "where"), [("tying", "parameters.html"), ("0.7588", "attention.html")])
@pytest.mark.parametrize("place", ["disk", "sub-path"])
def test_the_search_finds_words_and_numbers(
    browser: Browser, built_site: Path, server: Server, place: str, word: str, where: str
) -> None:
    with watched(browser) as (context, _):
        page = context.new_page()
        page.goto(server.url if place == "sub-path" else (built_site / "index.html").as_uri())
        field = page.get_by_role("textbox", name="Search")
        field.click()
        field.press_sequentially(word)
        hit = page.locator(f'.md-search-result__link[href*="{where}"]', has_text=word).first
        expect(hit).to_be_visible(timeout=15_000)
        hit.click()
        page.wait_for_url(f"**/{where}*")
        shown = page.locator(
            "article mark" if place == "sub-path" else "article"
        )  # from a disk, the theme marks nothing
        assert word in shown.first.inner_text()


def test_every_page_opens_from_a_disk(browser: Browser, built_site: Path, names: list[str]) -> None:
    with watched(browser) as (context, _):
        page = context.new_page()
        failed: list[str] = []
        page.on("requestfailed", lambda request: failed.append(request.url))
        for name in names:
            if name == "404.html":
                continue  # answers for any address, so it asks from the top of a host; a disk never shows it
            page.goto((built_site / name).as_uri())
            assert page.locator("body").evaluate("own => getComputedStyle(own).getPropertyValue('--tx-measure')")
        assert failed == []


# -- without a script


def test_without_script_everything_is_there(browser: Browser, root: Server, numbers: Catalog) -> None:
    with watched(browser, java_script_enabled=False, **DESK) as (context, _):
        page = context.new_page()
        page.goto(root.at("attention.html"))
        shown = page.locator(".tx-table").evaluate_all("all => all.map((own) => own.dataset.table)")
        assert sorted(shown) == sorted(table.id for table in numbers.tables if table.stage == "attention")
        table = page.locator('.tx-table[data-table="attention.h1.weights"]')
        expect(table.locator("data")).to_have_count(10)
        for part in ("table", ".tx-work", "figure svg", "math"):
            expect(page.locator(f"article {part}").first).to_be_visible()
        assert page.locator("article math").first.evaluate("own => own.getBoundingClientRect().height") > 8
        table.locator("summary").click()
        link = table.get_by_role("link", name="attention.h1.weights as CSV")
        with page.expect_download() as taken:
            link.click()
        assert taken.value.suggested_filename == "attention.h1.weights.csv"
        assert table.get_by_role("button").count() == 0


# -- what a system asks for

MOVING = """() => [...document.querySelectorAll("*")].filter((own) => {
  const style = getComputedStyle(own);
  const moves = (kind, what) => style[kind + what] !== "none" && /[1-9]/.test(style[kind + "Duration"]);
  return moves("transition", "Property") || moves("animation", "Name");
}).length"""


def test_reduced_motion(browser: Browser, root: Server) -> None:
    for motion, moving in (("reduce", False), ("no-preference", True)):
        with watched(browser, reduced_motion=motion, **DESK) as (context, _):
            page = context.new_page()
            page.goto(root.at("attention.html"))
            assert bool(page.evaluate(MOVING)) == moving
            assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


CONTRAST = """selector => {
  const light = (text) => {
    const parts = text.match(/[\\d.]+/g).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const behind = (own) => {
    const colour = getComputedStyle(own).backgroundColor;
    return colour.startsWith("rgba") && own.parentElement ? behind(own.parentElement) : colour;
  };
  return Math.min(...[...document.querySelectorAll(selector)].map((own) => {
    const [one, other] = [light(getComputedStyle(own).color), light(behind(own))];
    return (Math.max(one, other) + .05) / (Math.min(one, other) + .05);
  }));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forced_colours(browser: Browser, root: Server, scheme: str) -> None:
    """The system's colours, whichever of ours the reader chose before."""
    with watched(browser, forced_colors="active", color_scheme=scheme, **DESK) as (context, _):
        page = context.new_page()
        page.goto(root.at("attention.html"))
        assert page.evaluate("matchMedia('(forced-colors: active)').matches")
        for ours in ("default", "slate"):
            set_scheme(page, ours)
            for part in (".tx data", ".tx th", ".tx-blank span:first-child", "article p", ".tx-map a", ".tx-work p"):
                assert page.evaluate(CONTRAST, part) > 7, (ours, part)
        assert page.locator(".tx").first.evaluate("own => parseFloat(getComputedStyle(own).borderTopWidth)") > 0
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUSED)["ring"]


# -- paper


def test_nothing_is_cut_off_on_paper(browser: Browser, root: Server, names: list[str]) -> None:
    cut = {}
    with watched(browser, viewport=SHEET, color_scheme="dark") as (context, _):
        page = context.new_page()
        page.emulate_media(media="print", color_scheme="dark")
        for name in names:
            page.goto(root.at(name))
            if found := page.evaluate(CLIPPED, SHEET["width"]):
                cut[name] = found
            ink, paper = page.evaluate(
                "[getComputedStyle(document.querySelector('.md-typeset')).color,"
                " getComputedStyle(document.body).backgroundColor]"
            )
            assert (ink, paper) == ("rgb(0, 0, 0)", "rgb(255, 255, 255)")
            assert page.locator(".md-header:visible, .md-sidebar:visible, .tx-tools:visible").count() == 0
    assert cut == {}


def test_a_chapter_prints_with_its_widest_table_whole(page: Page, root: Server, numbers: Catalog) -> None:
    page.goto(root.at("attention.html"))
    page.emulate_media(media="print")
    rules = "own => { const style = getComputedStyle(own); return [style.breakInside, style.breakAfter]; }"
    assert page.locator(".tx-table").first.evaluate(rules)[0] == "avoid"
    assert page.locator("article h2").first.evaluate(rules)[1] == "avoid"
    sheets = [sheet.extract_text() for sheet in PdfReader(BytesIO(page.pdf(format="A4"))).pages]
    widest = numbers.table("attention.residual")
    wanted = [column.label for column in widest.columns]
    (whole,) = [sheet for sheet in sheets if widest.id in sheet.split()]
    words = " ".join(whole.split())
    assert " ".join(wanted) in words
    for row in range(len(widest.rows)):
        assert " ".join(widest.text(row, column) for column in range(len(wanted))) in words


# -- what a screen reader is told


def test_a_table_reads_as_one(page: Page, root: Server, numbers: Catalog) -> None:
    page.goto(root.at("attention.html"))
    table = numbers.table("attention.h1.weights")
    box = page.locator(f'.tx-table[data-table="{table.id}"]')
    expect(box.get_by_role("table")).to_have_accessible_name(f"Step {table.step} {table.title} {table.id}")
    assert box.get_by_role("columnheader").all_inner_texts() == [column.label for column in table.columns]
    assert box.get_by_role("rowheader").all_inner_texts() == [table.text(row, 0) for row in range(len(table.rows))]
    assert box.get_by_role("cell", name="masked", exact=True).count() == 6
    assert box.aria_snapshot().count('cell "masked"') == 6
