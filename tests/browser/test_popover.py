"""The panel behind every number, in a real browser: opened, followed, shared and left by every means readers have."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.serving import Server, serving
from tests.browser.watching import watched
from tests.building import ROOT
from tests.project import tea_project
from tinyxf.book.popover import FOLDER, group_of
from tinyxf.book.worked import full_of
from tinyxf.chapter import catalog
from tinyxf.trace.notation import join_pieces
from tinyxf.trace.work import Workbook, read_workbook

SCORE = "attention.h1.scores/chuck/a"
QUERY = "attention.h1.qkv/chuck/q0"
NORM = "attention.norm/chuck/n1"
INPUT = "embed.input/chuck/x1"
LOSS = "loss.step/loss_after"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def workbook() -> Workbook:
    return read_workbook(catalog())


@pytest.fixture(scope="module")
def tea(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of other numbers, with words that addresses must encode, in folders, without what our theme adds."""
    project = tea_project(tmp_path_factory.mktemp("tea"))
    for name in ("work.css", "javascripts/work.js"):
        project.write(f"docs/assets/{name}", (ROOT / "docs/assets" / name).read_text(encoding="utf-8"))
    project.replace("mkdocs.yml", "use_directory_urls: false\n", "")
    project.add("mkdocs.yml", "extra_css: [assets/work.css]\nextra_javascript: [assets/javascripts/work.js]\n")
    project.write(
        "docs/cups/all.md", '# Cups\n\n{{ n("brew.blend", "mint|honey", "caffeine") }} of {{ n("brew.total") }}\n'
    )
    done = project.mkdocs("build", "--strict")
    assert done.returncode == 0, done.stderr
    return project.folder / "site"


def cell(page: Page, address: str) -> Locator:
    """The number in its table."""
    return page.locator(f'.tx-table [data-address="{address}"]').first


def panel(page: Page) -> Locator:
    return page.locator("dialog.tx-pop")


def shows(page: Page, address: str, display: str) -> Locator:
    """Wait until the panel shows a number and has the focus; return it."""
    here = panel(page)
    expect(here).to_be_visible()
    expect(here.locator(".tx-pop-where code")).to_have_text(address)
    expect(here.locator("h2")).to_contain_text(f" = {display}")
    expect(here.locator("h2")).to_be_focused()
    return here


def lines(page: Page) -> list[str]:
    texts = panel(page).locator(".tx-pop-line").all_inner_texts()
    return [text.replace("\u00a0", " ").replace("−", "-").removeprefix("= ") for text in texts]


def fragment(page: Page) -> str:
    return page.url.partition("#")[2]


def history_length(page: Page) -> int:
    return int(page.evaluate("history.length"))


def has_focus(page: Page, address: str) -> None:
    """Wait until a number of this address has the focus."""
    page.wait_for_function("address => document.activeElement.dataset.address === address", arg=address, timeout=5000)


def outside(page: Page) -> None:
    """Click beside everything."""
    page.mouse.click(page.viewport_size["width"] - 30 if page.viewport_size else 0, 300)


# -- opening


def test_a_click_shows_the_arithmetic(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    cell(page, SCORE).click()
    here = shows(page, SCORE, "1.5083")
    assert lines(page) == [
        "h1.q[chuck] · h1.k[a] / scale",
        "((-0.6561) × (-1.7320) + 1.7265 × 0.5773) / 1.4142",
        "1.5083",
    ]
    expect(here).to_contain_text("Step 7.1 · scaled dot product")
    expect(here).to_contain_text("In full 1.508303222.")
    expect(here).to_contain_text("Same as attention.h1.masked/chuck/a")
    expect(here).to_contain_text("Used by 3 numbers")
    assert fragment(page) == SCORE


def test_the_cell_around_a_number_counts_as_the_number(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    page.locator(f'.tx td:has(> [data-address="{SCORE}"])').click(position={"x": 3, "y": 3})
    shows(page, SCORE, "1.5083")


@pytest.mark.parametrize(
    ("name", "place"),
    [("attention", "p"), ("attention", ".tx-figure svg"), ("attention", ".tx-work"), ("index", "p")],
)
def test_numbers_anywhere_open(page: Page, server: Server, name: str, place: str) -> None:
    page.goto(server.at(f"{name}.html"))
    number = page.locator(f".md-content {place} [data-address]").first
    address = number.get_attribute("data-address")
    assert address
    number.click()
    expect(panel(page).locator(".tx-pop-where code")).to_have_text(address)
    expect(number).to_have_class(re.compile("tx-now"))


def test_a_tap_opens_a_sheet_that_leaves_the_number_in_sight(browser: Browser, server: Server) -> None:
    with watched(browser, **PHONE) as (context, _):
        page = context.new_page()
        page.goto(server.at("attention.html"))
        number = cell(page, SCORE)
        number.evaluate("own => own.scrollIntoView({block: 'end'})")
        number.tap()
        box = shows(page, SCORE, "1.5083").bounding_box()
        there = number.bounding_box()
        assert box is not None
        assert there is not None
        assert (box["x"], box["width"]) == (0, 390)
        assert box["y"] + box["height"] == pytest.approx(844, abs=1)
        assert 0 < there["y"] + there["height"] <= box["y"]
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        panel(page).get_by_role("link", name="-0.6561, h1.q0[chuck]").tap()
        shows(page, QUERY, "-0.6561")
        panel(page).get_by_role("button", name="Close").tap()
        expect(panel(page)).to_be_hidden()


def test_the_panel_keeps_inside_the_window(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    for address in ("attention.h1.scores/a/chuck", SCORE, "attention.residual/a/r3", "attention.norm_stats/a/mean"):
        for block in ("start", "center", "end"):
            cell(page, address).evaluate("(own, block) => own.scrollIntoView({block})", block)
            cell(page, address).evaluate("own => own.dispatchEvent(new MouseEvent('click', {bubbles: true}))")
            expect(panel(page).locator(".tx-pop-where code")).to_have_text(address)
            box = panel(page).bounding_box()
            number = cell(page, address).bounding_box()
            assert box is not None
            assert number is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 1280
            assert box["y"] + box["height"] <= 721
            assert box["y"] >= number["y"] + number["height"] or box["y"] + box["height"] <= number["y"]
            page.keyboard.press("Escape")
            expect(panel(page)).to_be_hidden()


def test_a_selection_is_no_question(page: Page, server: Server) -> None:
    page.goto(server.at("index.html"))
    number = page.locator(".md-content p > [data-address]").first
    number.evaluate("own => getSelection().selectAllChildren(own.parentElement)")
    number.dispatch_event("click")
    assert panel(page).count() == 0


def test_other_buttons_and_keys_are_left_alone(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    for modifier in ("Control", "Shift", "Alt", "Meta"):
        cell(page, SCORE).evaluate(
            "(own, key) => own.dispatchEvent(new MouseEvent('click', {bubbles: true, [key]: true}))",
            {"Control": "ctrlKey", "Shift": "shiftKey", "Alt": "altKey", "Meta": "metaKey"}[modifier],
        )
    assert panel(page).count() == 0


# -- what it says


def test_it_says_what_the_workbook_says(page: Page, server: Server, workbook: Workbook) -> None:
    """One number a column of each table, through the address bar."""
    page.goto(server.at("run.html"))
    kinds = {}
    for work in workbook.works():
        kinds[work.number.address.rpartition("/")[0].partition("/")[0], work.kind, bool(work.units)] = work
    for work in kinds.values():
        page.evaluate("address => { location.hash = address }", work.number.address)
        expect(panel(page).locator(".tx-pop-where code")).to_have_text(work.number.address)
        expect(panel(page).locator("h2")).to_have_text(f"{work.number.symbol} = {work.number.display}")
        wanted = [join_pieces(work.formula)] if work.kind not in ("copy", "given") else []
        wanted += [join_pieces(work.substituted), work.number.display] if work.substituted else []
        assert lines(page) == wanted
        assert panel(page).locator("li").count() == len(work.used_by)
        told = panel(page).inner_text()
        assert f"Exactly {work.exact}." in told or not work.exact
        assert f"A pencil gets {work.pencil} " in told or not work.units
        assert f"In full {full_of(work)}." in told or not full_of(work)


def test_the_operands_are_lit_while_it_is_open(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    cell(page, SCORE).click()
    shows(page, SCORE, "1.5083")
    expect(cell(page, SCORE)).to_have_class("tx-now")
    expect(cell(page, QUERY)).to_have_class("tx-from")
    panel(page).get_by_role("link", name="-0.6561, h1.q0[chuck]").hover()
    expect(cell(page, QUERY)).to_have_class("tx-from tx-hot")
    page.keyboard.press("Escape")
    expect(page.locator(".tx-now, .tx-from, .tx-hot")).to_have_count(0)


# -- travelling


def test_operands_lead_upstream_and_back(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    before = history_length(page)
    cell(page, SCORE).click()
    shows(page, SCORE, "1.5083").get_by_role("link", name="-0.6561, h1.q0[chuck]").click()
    shows(page, QUERY, "-0.6561").get_by_role("link", name=re.compile(r"n1\[chuck\]$")).click()
    shows(page, NORM, "-0.6561").get_by_role("link", name=re.compile(r"x1\[chuck\]$")).click()
    here = shows(page, INPUT, "0.0100")  # at home on another page, shown here without leaving this one
    expect(here).to_contain_text("on the page “1 Embeddings”")
    assert page.url == server.at(f"attention.html#{INPUT}")
    for address, display in ((NORM, "-0.6561"), (QUERY, "-0.6561"), (SCORE, "1.5083")):
        here.get_by_role("button", name="Back").click()
        shows(page, address, display)
        assert fragment(page) == address
    assert here.get_by_role("button", name="Back").count() == 0
    here.get_by_role("button", name="Close").click()
    expect(here).to_be_hidden()
    page.wait_for_url(server.at("attention.html"))
    assert history_length(page) <= before + 4
    has_focus(page, SCORE)


def test_the_used_by_list_leads_downstream(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    cell(page, SCORE).click()
    here = shows(page, SCORE, "1.5083")
    expect(here.locator("li").first).to_be_hidden()
    here.locator("summary").click()
    here.get_by_role("link", name="X1[chuck, a]").click()
    shows(page, "attention.h1.exp/chuck/a", "0.4464")


def test_a_number_of_this_page_can_be_gone_to(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    cell(page, "attention.residual/a/r3").click()
    panel(page).locator(".tx-pop-line [data-to]").first.click()
    page.locator(".tx-pop-where code", has_text="attention.residual/a/in3").wait_for()
    panel(page).locator(".tx-pop-line [data-to]").first.click()
    here = shows(page, "embed.input/a/x3", "1.0000")
    page.goto(server.at("run.html"))
    cell(page, "attention.norm/a/n3").click()
    panel(page).locator(".tx-pop-line [data-to]").first.click()
    shows(page, "embed.input/a/x3", "1.0000")
    expect(here).to_contain_text("on this page")
    here.locator(".tx-pop-where a").click()
    expect(cell(page, "embed.input/a/x3")).to_be_in_viewport()


def test_a_link_to_another_page_opens_it_there(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    cell(page, NORM).click()
    panel(page).get_by_role("link", name=re.compile(r"x1\[chuck\]$")).click()
    shows(page, INPUT, "0.0100").locator(".tx-pop-where a").click()
    page.wait_for_url(server.at(f"embeddings.html#{INPUT}"))
    shows(page, INPUT, "0.0100")
    expect(cell(page, INPUT)).to_be_in_viewport()


def test_a_worked_example_opens_its_operands_in_place(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    link = page.locator(".tx-work-line a[data-to]").first
    address = link.get_attribute("data-to")
    assert address
    link.click()
    expect(panel(page).locator(".tx-pop-where code")).to_have_text(address)
    assert page.url == server.at(f"attention.html#{address}")


# -- leaving


def test_escape_a_click_beside_and_the_browsers_back_close_it(page: Page, server: Server) -> None:
    page.goto(server.at("index.html"))
    page.goto(server.at("attention.html#step-7"))
    for leave in (lambda: page.keyboard.press("Escape"), lambda: outside(page), page.go_back):
        cell(page, SCORE).click()
        panel(page).get_by_role("link", name="-0.6561, h1.q0[chuck]").click()
        shows(page, QUERY, "-0.6561")
        if leave == page.go_back:
            page.go_back()
            shows(page, SCORE, "1.5083")
        leave()
        expect(panel(page)).to_be_hidden()
        page.wait_for_url(server.at("attention.html#step-7"))
        has_focus(page, SCORE)
    page.go_back()
    page.wait_for_url(server.at("index.html"))


def test_closing_and_opening_at_once_loses_nothing(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    cell(page, SCORE).click()
    shows(page, SCORE, "1.5083")
    page.evaluate(
        """([one, other]) => {
            document.querySelector(".tx-pop [aria-label=Close]").click();
            document.querySelector(`.tx-table [data-address="${other}"]`).click();
        }""",
        [SCORE, QUERY],
    )
    shows(page, QUERY, "-0.6561")
    assert fragment(page) == QUERY
    page.keyboard.press("Escape")
    page.wait_for_url(server.at("attention.html"))


def test_another_number_takes_its_place(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    cell(page, SCORE).click()
    shows(page, SCORE, "1.5083")
    cell(page, "attention.h1.scores/a/chuck").click()
    shows(page, "attention.h1.scores/a/chuck", "0.5226")
    page.keyboard.press("Escape")
    expect(panel(page)).to_be_hidden()
    has_focus(page, "attention.h1.scores/a/chuck")
    page.wait_for_url(server.at("attention.html"))


# -- links to a number


@pytest.mark.parametrize("encoded", [SCORE, SCORE.replace("/", "%2F"), SCORE.replace("chuck", "%63huck")])
@pytest.mark.parametrize("on_disk", [False, True])
def test_a_link_opens_the_number(
    page: Page, server: Server, built_site: Path, encoded: str, *, on_disk: bool
) -> None:
    base = (built_site / "attention.html").as_uri() if on_disk else server.at("attention.html")
    page.goto(f"{base}#{encoded}")
    shows(page, SCORE, "1.5083")
    expect(cell(page, SCORE)).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(panel(page)).to_be_hidden()
    assert page.url == base
    has_focus(page, SCORE)


def test_a_link_on_the_wrong_page_leads_to_the_right_one(page: Page, server: Server) -> None:
    page.goto(server.at(f"loss.html#{SCORE}"))
    here = shows(page, SCORE, "1.5083")
    expect(here).to_contain_text("on the page “2 Attention”")
    here.locator(".tx-pop-where a").click()
    page.wait_for_url(server.at(f"attention.html#{SCORE}"))
    shows(page, SCORE, "1.5083")


def test_a_link_to_no_number_says_so(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html#attention.h1.scores/chuck/nobody"))
    expect(panel(page)).to_contain_text("No arithmetic was found for it.")


@pytest.mark.parametrize("anchor", ["step-7", "attention.h1.scores", "fn:1", "%E0%A4%A", ""])
def test_other_anchors_open_nothing(page: Page, server: Server, anchor: str) -> None:
    page.goto(server.at(f"attention.html#{anchor}"))
    page.wait_for_timeout(150)
    assert panel(page).count() == 0


def test_a_link_within_the_page_opens_the_number(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    head = page.locator(".tx-work-head a").first
    address = head.inner_text()
    head.click()
    expect(panel(page).locator(".tx-pop-where code")).to_have_text(address)
    assert fragment(page) == address
    page.go_back()
    expect(panel(page)).to_be_hidden()


TEA = "brew.blend/black%20%26%20strong/caffeine"


@pytest.mark.parametrize("encoded", [TEA, quote(TEA), quote(TEA, safe="")])
def test_encoded_words_in_a_book_of_folders(browser: Browser, tea: Path, encoded: str) -> None:
    with serving(tea) as running, watched(browser) as (context, _):
        page = context.new_page()
        page.goto(running.at(f"#{encoded}"))
        shows(page, TEA, cell(page, TEA).inner_text())
        expect(panel(page).locator("h2")).to_contain_text("c[black & strong]")
        expect(panel(page)).to_have_attribute("aria-label", "brew.blend, black & strong, caffeine")
        page.goto(running.at(f"cups/all/#{encoded}"))  # shown from a page that does not have it
        here = shows(page, TEA, panel(page).locator("h2 b").inner_text())
        here.locator(".tx-pop-where a").click()
        page.wait_for_url(running.at(f"#{TEA}"))
        shows(page, TEA, cell(page, TEA).inner_text())


def test_a_theme_of_another_kind_goes_back_too(browser: Browser, tea: Path) -> None:
    with serving(tea) as running, watched(browser) as (context, _):
        page = context.new_page()
        page.goto(running.at("cups/all/"))
        page.locator("p [data-address]").first.click()
        here = shows(page, "brew.blend/mint%7Choney/caffeine", page.locator("p [data-address]").first.inner_text())
        here.locator(".tx-pop-line a").first.click()
        expect(here.get_by_role("button", name="Back")).to_be_visible()
        page.go_back()
        shows(page, "brew.blend/mint%7Choney/caffeine", page.locator("p [data-address]").first.inner_text())
        page.keyboard.press("Escape")
        page.wait_for_url(running.at("cups/all/"))
        has_focus(page, "brew.blend/mint%7Choney/caffeine")


# -- keyboard and screen reader


def test_the_keyboard_reaches_every_number(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    table = page.locator('[data-table="attention.h1.scores"] table')
    assert table.locator("[tabindex='0']").count() == 1
    table.locator("[tabindex='0']").focus()
    for key, place in (
        ("ArrowRight", "a/woodchuck"),
        ("ArrowDown", "woodchuck/woodchuck"),
        ("ArrowDown", "would/woodchuck"),
        ("ArrowRight", "would/would"),
        ("ArrowUp", "woodchuck/would"),
    ):
        page.keyboard.press(key)
        has_focus(page, f"attention.h1.scores/{place}")
    assert table.locator("[tabindex='0']").count() == 1
    for key in ("Enter", " "):
        page.keyboard.press(key)
        shows(page, "attention.h1.scores/woodchuck/would", "0.1867")
        page.keyboard.press("Escape")
        expect(panel(page)).to_be_hidden()
        has_focus(page, "attention.h1.scores/woodchuck/would")
    page.keyboard.press("Tab")
    assert not table.evaluate("table => table.contains(document.activeElement)")
    page.keyboard.press("Shift+Tab")
    has_focus(page, "attention.h1.scores/woodchuck/would")


def test_arrows_go_through_a_sentence_and_a_figure(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    sentence = page.locator(".md-content p:has(> [data-address] ~ [data-address])").first
    numbers = [own.get_attribute("data-address") or "" for own in sentence.locator("[data-address]").all()]
    sentence.locator("[data-address]").first.focus()
    page.keyboard.press("ArrowRight")
    has_focus(page, numbers[1])
    page.keyboard.press("ArrowLeft")
    has_focus(page, numbers[0])
    figure = page.locator('[data-figure="attention-h1"]')
    assert figure.locator("[tabindex='0']").count() == 1
    figure.locator("[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    has_focus(page, "attention.h1.weights/woodchuck/a")
    page.keyboard.press("Enter")
    shows(page, "attention.h1.weights/woodchuck/a", cell(page, "attention.h1.weights/woodchuck/a").inner_text())
    page.keyboard.press("Escape")
    has_focus(page, "attention.h1.weights/woodchuck/a")


def test_tab_goes_round_in_the_panel(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    cell(page, SCORE).click()
    here = shows(page, SCORE, "1.5083")
    stops = here.locator("button, .tx-pop-line a, p:not(.tx-pop-line) a, summary").count()
    page.keyboard.press("Shift+Tab")
    expect(here.locator(".tx-pop-where a")).to_be_focused()
    for _ in range(stops):
        page.keyboard.press("Tab")
        assert here.evaluate("own => own.contains(document.activeElement)")
    expect(here.locator(".tx-pop-where a")).to_be_focused()
    page.keyboard.press("Tab")
    expect(here.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Enter")
    expect(here).to_be_hidden()


def accessible(page: Page) -> list[dict[str, Any]]:
    """The accessibility tree as a screen reader gets it."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    return [node for node in nodes if not node["ignored"]]


def value(node: dict[str, Any], field: str) -> str:
    return str(node.get(field, {}).get("value", ""))


def properties(node: dict[str, Any]) -> dict[str, Any]:
    return {own["name"]: own["value"].get("value") for own in node.get("properties", [])}


def test_a_screen_reader_hears_what_a_number_is(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    buttons = {value(node, "name"): node for node in accessible(page) if value(node, "role") == "button"}
    name = "0.2462, attention.h1.weights, chuck, a: show how it was computed"
    assert properties(buttons[name])["hasPopup"] == "dialog"
    missing = [
        own
        for own in page.evaluate(
            """() => [...document.querySelectorAll(".tx-table td > data")].map(own =>
                `${own.textContent}, ${own.dataset.address.split("/").join(", ")}: show how it was computed`)"""
        )
        if own not in buttons
    ]
    assert missing == []
    sentence = page.locator(".md-content p > [data-address]").first  # is read out as it stands
    node = buttons[sentence.inner_text()]
    assert value(node, "description").endswith(": show how it was computed")


def test_a_screen_reader_hears_that_the_panel_opened(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    cell(page, SCORE).click()
    shows(page, SCORE, "1.5083")
    nodes = accessible(page)
    (dialog,) = (node for node in nodes if value(node, "role") == "dialog" and "attention" in value(node, "name"))
    assert value(dialog, "name") == "attention.h1.scores, chuck, a"
    heading = next(node for node in nodes if properties(node).get("focused") and value(node, "role") == "heading")
    assert value(heading, "name") == "S1[chuck, a] = 1.5083"
    names = {value(node, "name") for node in nodes if value(node, "role") == "link"}
    assert {"-0.6561, h1.q0[chuck]", "1.4142, scale", "attention.h1.masked/chuck/a", SCORE} <= names


# -- wherever the book is read


def test_instant_navigation_there_and_back(browser: Browser, instant: Server) -> None:
    with watched(browser) as (context, _):
        page = context.new_page()
        page.goto(instant.at("attention.html"))
        page.evaluate("window.same = true")
        cell(page, SCORE).click()
        shows(page, SCORE, "1.5083")
        page.locator(".md-nav a", has_text="5 Loss and one step").first.click()
        page.wait_for_url(instant.at("loss.html"))
        expect(panel(page)).to_be_hidden()
        cell(page, LOSS).click()
        here = shows(page, LOSS, "0.9119")
        here.locator(".tx-pop-line [data-to]").first.click()
        shows(page, "loss.gradient/wood/p_after", "0.4017")
        here.get_by_role("button", name="Back").click()
        shows(page, LOSS, "0.9119")
        page.keyboard.press("Escape")
        expect(here).to_be_hidden()
        page.wait_for_url(instant.at("loss.html"))
        has_focus(page, LOSS)
        page.go_back()  # to where the reader was: a number's panel on the page before
        page.wait_for_url(instant.at(f"attention.html#{SCORE}"))
        shows(page, SCORE, "1.5083")
        expect(cell(page, SCORE)).to_have_class("tx-now")
        cell(page, NORM).click()
        panel(page).get_by_role("link", name=re.compile(r"x1\[chuck\]$")).click()
        shows(page, INPUT, "0.0100").locator(".tx-pop-where a").click()
        page.wait_for_url(instant.at(f"embeddings.html#{INPUT}"))
        shows(page, INPUT, "0.0100")
        expect(cell(page, INPUT)).to_be_in_viewport()
        page.go_back()
        page.wait_for_url(instant.at(f"attention.html#{INPUT}"))
        shows(page, INPUT, "0.0100")
        assert page.evaluate("window.same") is True


def test_instant_navigation_keeps_the_page_when_a_panel_closes(browser: Browser, instant: Server) -> None:
    """The theme takes the first way back in a page for a new page, unless told better."""
    with watched(browser) as (context, _):
        page = context.new_page()
        page.goto(instant.at("attention.html"))
        cell(page, SCORE).evaluate("own => { own.same = true; own.scrollIntoView({block: 'end'}) }")
        at = page.evaluate("scrollY")
        cell(page, SCORE).click()
        shows(page, SCORE, "1.5083")
        page.mouse.wheel(0, 120)
        page.wait_for_function("at => scrollY > at", arg=at)
        at = page.evaluate("scrollY")
        panel(page).get_by_role("link", name="-0.6561, h1.q0[chuck]").click()
        shows(page, QUERY, "-0.6561")
        page.go_back()
        shows(page, SCORE, "1.5083")
        page.keyboard.press("Escape")
        page.wait_for_url(instant.at("attention.html"))
        page.wait_for_timeout(200)
        assert cell(page, SCORE).evaluate("own => own.same") is True
        assert page.evaluate("scrollY") == at
        has_focus(page, SCORE)


def test_from_a_disk(browser: Browser, built_site: Path) -> None:
    with watched(browser, offline=True) as (context, _):
        page = context.new_page()
        page.goto((built_site / "attention.html").as_uri())
        cell(page, NORM).click()
        panel(page).get_by_role("link", name=re.compile(r"x1\[chuck\]$")).click()
        here = shows(page, INPUT, "0.0100")
        here.get_by_role("button", name="Back").click()
        shows(page, NORM, "-0.6561")
        panel(page).get_by_role("link", name=re.compile(r"x1\[chuck\]$")).click()
        shows(page, INPUT, "0.0100").locator(".tx-pop-where a").click()
        page.wait_for_url((built_site / "embeddings.html").as_uri() + f"#{INPUT}")
        shows(page, INPUT, "0.0100")
        page.keyboard.press("Escape")
        expect(here).to_be_hidden()
        has_focus(page, INPUT)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(browser: Browser, server: Server, scheme: str, width: int) -> None:
    with watched(browser, color_scheme=scheme, viewport={"width": width, "height": 844}) as (context, _):
        page = context.new_page()
        page.goto(server.at("loss.html"))  # with tables, sentences, figures and worked examples, and not too long
        expect(page.locator("body")).to_have_attribute("data-md-color-scheme", re.compile("default|slate"))
        cell(page, LOSS).click()
        shows(page, LOSS, "0.9119").locator("summary").click()
        expect(panel(page).locator("li").last).to_be_visible()
        found = Axe().run(page)
        mine = [
            (violation["id"], node["html"])
            for violation in found.response["violations"]
            for node in violation["nodes"]
            if re.search("tx-pop|data-address|data-to|<svg|tx-work", node["html"])
        ]
        assert mine == []


def test_without_script_numbers_are_plain(browser: Browser, server: Server) -> None:
    with watched(browser, java_script_enabled=False) as (context, _):
        page = context.new_page()
        page.goto(server.at("attention.html"))
        assert page.locator("data[role], data[tabindex]").count() == 0
        link = page.locator('.tx-work-line a[data-to="attention.h1.qkv/chuck/q0"]').first
        link.click()
        assert fragment(page) == QUERY
        expect(cell(page, QUERY)).to_be_in_viewport()


def test_it_is_not_printed(page: Page, server: Server) -> None:
    page.goto(server.at("attention.html"))
    cell(page, SCORE).click()
    shows(page, SCORE, "1.5083")
    page.emulate_media(media="print")
    expect(panel(page)).to_be_hidden()
    assert cell(page, SCORE).evaluate("own => getComputedStyle(own).backgroundColor") == "rgba(0, 0, 0, 0)"
    expect(page.locator(".tx-work").first).to_be_visible()


def test_forced_colours_and_reduced_motion(browser: Browser, server: Server) -> None:
    with watched(browser, forced_colors="active", reduced_motion="reduce") as (context, _):
        page = context.new_page()
        page.goto(server.at("attention.html"))
        cell(page, SCORE).click()
        here = shows(page, SCORE, "1.5083")
        assert here.evaluate("own => parseFloat(getComputedStyle(own).borderTopWidth)") > 0
        assert cell(page, QUERY).evaluate("own => getComputedStyle(own).outlineStyle") == "solid"
        moving = here.evaluate("own => own.getAnimations({subtree: true}).length")
        assert moving == 0


def test_a_file_that_is_missing_is_said(browser: Browser, server: Server) -> None:
    with watched(browser) as (context, watch):
        page = context.new_page()
        page.route(f"**/{FOLDER}/attention.js", lambda route: route.abort())
        page.goto(server.at("attention.html"))
        cell(page, SCORE).click()
        expect(panel(page)).to_contain_text("No arithmetic was found for it.")
        page.unroute(f"**/{FOLDER}/attention.js")
        page.keyboard.press("Escape")
        cell(page, SCORE).click()
        shows(page, SCORE, "1.5083")
        assert len(watch.errors) == 1
        watch.errors.clear()


# -- what it costs


def test_nothing_is_loaded_before_the_first_question(browser: Browser, built_site: Path) -> None:
    with serving(built_site) as own, watched(browser) as (context, _):
        page = context.new_page()
        page.goto(own.at("attention.html"), wait_until="networkidle")
        assert [path for path in own.asked if f"{FOLDER}/" in path] == []
        cell(page, SCORE).click()
        shows(page, SCORE, "1.5083")
        assert [path.rpartition("/")[2] for path in own.asked if f"{FOLDER}/" in path] == ["attention.js"]


def test_the_data_of_a_page_stay_small(built_site: Path) -> None:
    """All that the numbers of one page can ask for, compressed as a server sends it."""
    sizes = {file.stem: len(gzip.compress(file.read_bytes(), mtime=0)) for file in (built_site / FOLDER).glob("*.js")}
    for page in built_site.glob("*.html"):
        addresses = re.findall(r'data-address="([^"]+)"', page.read_text(encoding="utf-8"))
        assert sum(sizes[name] for name in {group_of(address) for address in addresses}) < 60_000
    script = (built_site / "assets/javascripts/work.js").read_bytes()
    assert len(gzip.compress(script, mtime=0)) < 6_000
