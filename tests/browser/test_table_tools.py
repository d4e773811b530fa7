"""What a table offers beside its numbers, in a real browser: copying, files, shading, lit rows and columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.serving import Server
from tests.browser.watching import watched
from tinyxf.book.render import Renderer
from tinyxf.catalog import Catalog
from tinyxf.chapter import catalog
from tinyxf.data import table_csv

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
QKV = "attention.h1.qkv"
WEIGHTS = "attention.h1.weights"
WIDE = "attention.residual"


@pytest.fixture(scope="module")
def numbers() -> Catalog:
    return catalog()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with watched(browser, **CLIPBOARD) as (context, _):
        yield context


@pytest.fixture
def page(context: BrowserContext, server: Server) -> Page:
    page = context.new_page()
    page.goto(server.at("attention.html"))
    return page


def box(page: Page, name: str) -> Locator:
    return page.locator(f'.tx-table[data-table="{name}"]').first


def opened(page: Page, name: str) -> Locator:
    """Open the tools of a table as a reader does; return the table."""
    own = box(page, name)
    own.locator("summary").click()
    expect(own.get_by_role("button", name="Copy as CSV")).to_be_visible()
    return own


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def head(own: Locator, name: str, role: Any = "columnheader") -> Locator:
    return own.get_by_role(role, name=name, exact=True)


def lit(page: Page, kind: str) -> set[str]:
    """The tables that have a number lit."""
    found = page.locator(f".tx-table .{kind}").evaluate_all(
        "all => all.map((own) => own.closest('[data-table]').dataset.table)"
    )
    return set(found)


# -- taking a table along


COPY_ALL = """async () => {
  const copied = {};
  const keep = async (text) => { copied.last = text; };
  Object.defineProperty(navigator, "clipboard", { value: { writeText: keep }, configurable: true });
  for (const own of document.querySelectorAll(".tx-table")) {
    own.querySelector("details").open = true;
    await new Promise((done) => setTimeout(done)); // the event comes later
    copied[own.dataset.table] = [...own.querySelectorAll("button")].slice(0, 2).map((button) => {
      button.click();
      return copied.last;
    });
  }
  delete copied.last;
  return copied;
}"""


def test_what_is_copied_is_what_the_command_line_prints(page: Page, server: Server, numbers: Catalog) -> None:
    """Every table of the run, as Markdown and as CSV."""
    renderer = Renderer(numbers)
    page.goto(server.at("run.html"))
    copied = page.evaluate(COPY_ALL)
    assert len(copied) > 20
    for name, (markdown, commas) in copied.items():
        table = numbers.table(name)
        wanted = renderer.table(table, "md", addresses=False, note=False)
        assert lines_of(markdown) == lines_of(wanted)
        assert commas == table_csv(table)


def lines_of(markdown: str) -> list[str]:
    return [line for line in markdown.splitlines() if line]


def test_odd_words_are_copied_as_the_files_have_them(page: Page) -> None:
    words = ['a"b,c', "=1+1", "-5%", "*x*_y_", "a|b", "1st (c) 3/4 ...", "+1,000", "@me"]
    own = opened(page, QKV)
    own.locator("tbody").evaluate(
        """(body, words) => body.replaceChildren(...words.map((word) => {
          const row = document.createElement("tr");
          row.append(Object.assign(document.createElement("th"), { textContent: word }));
          return row;
        }))""",
        words,
    )
    own.get_by_role("button", name="Copy as CSV").click()
    expect(own.get_by_role("status")).to_have_text("Copied as CSV")
    lines = clipboard(page).splitlines()[1:]
    assert lines == ['"a""b,c"', "'=1+1", "-5%", "*x*_y_", "a|b", "1st (c) 3/4 ...", '"+1,000"', "'@me"]
    own.get_by_role("button", name="Copy as Markdown").click()
    expect(own.get_by_role("status")).to_have_text("Copied as Markdown")
    rows = [line[2:-2] for line in clipboard(page).splitlines()[4:]]
    escaped = "1&#115;t &#40;c) 3&#47;4 &#46;&#46;&#46;"
    assert rows == ["a&#34;b,c", "=1+1", "-5%", r"\*x\*\_y\_", r"a\|b", escaped, "+1,000", "@me"]


@pytest.mark.parametrize("broken", ["undefined", "{ writeText: () => Promise.reject(new Error('no')) }"])
def test_without_the_clipboards_interface_the_older_way_is_taken(
    context: BrowserContext, server: Server, broken: str
) -> None:
    page = context.new_page()
    page.add_init_script(f"Object.defineProperty(navigator, 'clipboard', {{ value: {broken}, configurable: true }})")
    page.goto(server.at("attention.html"))
    own = opened(page, WEIGHTS)
    button = own.get_by_role("button", name="Copy as CSV")
    button.click()
    expect(own.get_by_role("status")).to_have_text("Copied as CSV")
    expect(button).to_be_focused()
    page.evaluate("delete navigator.clipboard")
    assert clipboard(page).startswith("query \\ key,a,woodchuck")
    page.evaluate("document.execCommand = () => false")
    page.evaluate(f"Object.defineProperty(navigator, 'clipboard', {{ value: {broken}, configurable: true }})")
    button.click()
    expect(own.get_by_role("status")).to_have_text("The browser refuses to copy; take the file")


def test_it_copies_from_a_disk(context: BrowserContext, built_site: Path, numbers: Catalog) -> None:
    page = context.new_page()
    page.goto((built_site / "attention.html").as_uri())
    own = opened(page, WEIGHTS)
    own.get_by_role("button", name="Copy as CSV").click()
    expect(own.get_by_role("status")).to_have_text("Copied as CSV")
    assert clipboard(page) == table_csv(numbers.table(WEIGHTS))


@pytest.mark.parametrize("form", ["csv", "json"])
def test_the_files_are_there(page: Page, built_site: Path, form: str) -> None:
    own = opened(page, WEIGHTS)
    with page.expect_download() as taken:
        own.get_by_role("link", name=f"{WEIGHTS} as {form.upper()}").click()
    assert Path(taken.value.path()).read_bytes() == (built_site / f"downloads/tables/{WEIGHTS}.{form}").read_bytes()


def test_the_tools_are_one_stop_until_they_are_opened(page: Page) -> None:
    own = box(page, WEIGHTS)
    own.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(own.get_by_role("button", name="Copy as Markdown")).to_be_visible()
    for name in ("Copy as Markdown", "Copy as CSV", f"{WEIGHTS} as CSV", f"{WEIGHTS} as JSON", "Shade by value"):
        page.keyboard.press("Tab")
        focused = page.locator("*:focus")
        expect(focused).to_have_accessible_name(name)
    page.keyboard.press("Enter")
    expect(own.get_by_role("button", name="Shade by value")).to_have_attribute("aria-pressed", "true")


# -- shading

SHADES = """own => [...own.querySelectorAll("td > data")].map((number) => {
  const light = (text) => {
    const parts = text.match(/[\\d.]+/g).slice(0, 3).map((part) => text.startsWith("color") ? +part : part / 255);
    const [r, g, b] = parts.map((part) => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const [ink, paper] = [getComputedStyle(number).color, getComputedStyle(number.parentElement).backgroundColor];
  const [one, other] = [light(ink), light(paper)];
  return [+number.value, (Math.max(one, other) + .05) / (Math.min(one, other) + .05), paper];
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_shading_diverges_around_zero_and_keeps_contrast(browser: Browser, server: Server, scheme: str) -> None:
    with watched(browser, color_scheme=scheme) as (context, _):
        page = context.new_page()
        page.goto(server.at("attention.html"))
        own = opened(page, QKV)
        assert own.locator("td[style]").count() == 0  # off until it is asked for
        own.get_by_role("button", name="Shade by value").click()
        page.mouse.move(0, 0)
        shades = own.evaluate(SHADES)
        assert min(contrast for _, contrast, _ in shades) >= 4.5
        lowest, highest = min(shades), max(shades)
        middle = min(shades, key=lambda shade: abs(shade[0]))
        assert len({lowest[2], middle[2], highest[2]}) == 3
        distances = sorted((abs(value), -contrast) for value, contrast, _ in shades if value < 0)
        assert [contrast for _, contrast in distances] == sorted(contrast for _, contrast in distances)
        own.get_by_role("button", name="Shade by value").click()
        assert {paper for _, _, paper in own.evaluate(SHADES)} == {"rgba(0, 0, 0, 0)"}


def test_shading_is_remembered_for_each_table(page: Page, server: Server) -> None:
    opened(page, WEIGHTS).get_by_role("button", name="Shade by value").click()
    opened(page, QKV).get_by_role("button", name="Shade by value").click()
    box(page, QKV).get_by_role("button", name="Shade by value").click()
    for name in ("attention.html", "run.html"):
        page.goto(server.at(name))
        expect(page.locator(".tx-shaded")).to_have_count(1)
        expect(page.locator(".tx-shaded")).to_have_attribute("data-table", WEIGHTS)
    button = opened(page, WEIGHTS).get_by_role("button", name="Shade by value")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    page.reload()
    expect(page.locator(".tx-table").first).to_be_visible()
    expect(page.locator(".tx-shaded")).to_have_count(0)


def test_a_damaged_memory_is_no_memory(page: Page) -> None:
    page.evaluate("localStorage.setItem('tinyxf.shaded', '{')")
    page.reload()
    opened(page, WEIGHTS).get_by_role("button", name="Shade by value").click()
    assert page.evaluate("localStorage.getItem('tinyxf.shaded')") == f'["{WEIGHTS}"]'


def test_columns_of_one_kind_share_a_scale(page: Page, server: Server) -> None:
    page.goto(server.at("prediction.html"))
    own = opened(page, "logits.prediction")
    own.get_by_role("button", name="Shade by value").click()
    share = "own => Number(own.style.getPropertyValue('--share'))"
    first = own.locator("tbody tr").first.locator("td:has(data)")
    assert [first.nth(column).evaluate(share) for column in range(3)] == [1, 1, 1]  # logit, probability, percent


# -- rows and columns


def test_the_head_of_a_column_lights_what_it_feeds(page: Page) -> None:
    own = box(page, QKV)
    head(own, "q0").hover()
    expect(own.locator(".tx-line")).to_have_count(5)
    expect(own.locator(".tx-feeds")).to_have_text("q0 feeds attention.h1.scores")
    assert lit(page, "tx-fed") == {"attention.h1.scores"}
    expect(box(page, "attention.h1.scores").locator(".tx-fed")).to_have_count(16)
    head(own, "v1").hover()
    expect(own.locator(".tx-feeds")).to_have_text("v1 feeds attention.output")
    assert lit(page, "tx-fed") == {"attention.output"}
    page.mouse.move(0, 0)
    expect(page.locator(".tx-line, .tx-fed, .tx-feeds")).to_have_count(0)


def test_the_head_of_a_row_does_too(page: Page) -> None:
    own = box(page, "attention.h1.scores")
    head(own, "would", "rowheader").hover()
    expect(own.locator(".tx-line")).to_have_count(5)
    expect(own.locator(".tx-feeds")).to_have_text(
        "would feeds attention.h1.softmax, attention.h1.exp, attention.h1.masked"
    )
    fed = page.locator(".tx-table .tx-fed").evaluate_all("all => all.map(own => own.dataset.address.split('/')[1])")
    assert set(fed) == {"would"}


def test_arrow_keys_lead_from_the_numbers_to_the_heads(page: Page) -> None:
    own = box(page, WEIGHTS)
    own.locator('[data-address$="/would/a"]').focus()
    page.keyboard.press("ArrowLeft")
    expect(head(own, "would", "rowheader")).to_be_focused()
    expect(own.locator(".tx-feeds")).to_have_text("would feeds attention.output")
    expect(head(own, "would", "rowheader")).to_have_accessible_description("would feeds attention.output")
    page.keyboard.press("ArrowRight")
    expect(own.locator('[data-address$="/would/a"]')).to_be_focused()
    expect(page.locator(".tx-line")).to_have_count(0)
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    expect(head(own, "a")).to_be_focused()
    page.keyboard.press("Tab")
    expect(own.locator("summary")).to_be_focused()


def test_a_pointer_that_passes_by_loads_nothing(page: Page, server: Server) -> None:
    before = len(server.asked)
    for name in ("q0", "q1", "k0"):
        head(box(page, QKV), name).dispatch_event("pointerover")
    page.mouse.move(0, 0)
    page.locator("body").dispatch_event("pointerover")
    page.wait_for_timeout(300)
    assert [path for path in server.asked[before:] if "/work/" in path] == []
    expect(page.locator(".tx-fed")).to_have_count(0)


def test_an_arithmetic_that_is_missing_is_no_error(browser: Browser, server: Server) -> None:
    with watched(browser) as (context, watch):
        page = context.new_page()
        page.route("**/assets/work/*", lambda route: route.abort())
        page.goto(server.at("attention.html"))
        with page.expect_event("requestfailed"):
            head(box(page, QKV), "q0").hover()
        page.wait_for_timeout(100)
        expect(page.locator(".tx-line")).to_have_count(5)
        assert [error for error in watch.errors if not error.startswith("console: Failed to load resource")] == []
        watch.errors.clear()


# -- width


def test_a_wide_table_scrolls_in_place_with_its_first_column_in_sight(browser: Browser, server: Server) -> None:
    with watched(browser, viewport={"width": 390, "height": 844}) as (context, _):
        page = context.new_page()
        page.goto(server.at("attention.html"))
        region = box(page, WIDE).locator(".tx-scroll")
        assert region.evaluate("own => own.scrollWidth > own.clientWidth")
        expect(region).to_have_attribute("tabindex", "0")
        region.scroll_into_view_if_needed()
        region.evaluate("own => own.scrollLeft = 10000")
        left = region.bounding_box()
        assert left is not None
        for name, role in (("token", "columnheader"), ("chuck", "rowheader")):
            here = head(box(page, WIDE), name, role)
            place = here.bounding_box()
            assert place is not None
            assert abs(place["x"] - left["x"]) < 1
            assert here.evaluate("own => getComputedStyle(own).backgroundColor") != "rgba(0, 0, 0, 0)"
            assert here.evaluate(
                "own => { const box = own.getBoundingClientRect();"
                " return document.elementFromPoint(box.right - 2, box.top + box.height / 2) === own; }"
            )
        assert page.evaluate("document.scrollingElement.scrollWidth") == 390
        narrow = box(page, WEIGHTS).locator(".tx-scroll")
        assert narrow.get_attribute("tabindex") is None or narrow.evaluate("own => own.scrollWidth > own.clientWidth")


def test_code_that_scrolls_can_be_reached(browser: Browser, server: Server) -> None:
    with watched(browser, viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True) as (context, _):
        page = context.new_page()
        page.goto(server.at("making.html"))
        scrolling = page.locator("article pre").evaluate_all(
            "all => all.map(own => own.scrollWidth > own.clientWidth)"
        )
        assert True in scrolling
        reached = page.locator("article pre").evaluate_all("all => all.map(own => own.tabIndex === 0)")
        assert reached == scrolling
        assert page.locator("article pre > code").evaluate_all(
            "all => all.every(own => !own.hasAttribute('tabindex'))"
        )
