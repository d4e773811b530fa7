"""The site under the policy that we publish for it: everything works, and nothing that is not ours does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from policy import HEADER, policy

from tests.browser.serving import Server, serving
from tests.browser.watching import watched
from tinyxf.chapter import catalog
from tinyxf.data import table_csv

WEIGHTS = "attention.h1.weights"


@pytest.fixture(scope="module")
def strict(built_site: Path) -> Iterator[Server]:
    """The site at the top of a host that sends the policy."""
    with serving(built_site, under="/", headers={HEADER: policy(built_site)}) as running:
        yield running


def test_every_page_loads_without_a_refusal(browser: Browser, strict: Server) -> None:
    """`watched` fails on a request that would leave the machine, and on a refusal that the console tells."""
    names = sorted(path.relative_to(strict.folder).as_posix() for path in strict.folder.rglob("*.html"))
    assert "404.html" in names
    with watched(browser) as (context, _):
        page = context.new_page()
        for name in names:
            answer = page.goto(strict.at(name))
            assert answer
            assert "default-src 'none'" in answer.headers[HEADER.lower()]
            assert page.evaluate("getComputedStyle(document.body).getPropertyValue('--tx-measure')")


def test_the_search_works(page: Page, strict: Server) -> None:
    page.goto(strict.url)
    field = page.get_by_role("textbox", name="Search")
    field.click()
    field.press_sequentially("tying")
    expect(page.locator('.md-search-result__link[href*="parameters.html"]').first).to_be_visible(timeout=15_000)
    field.press("Enter")
    page.wait_for_url(re.compile(r"\?h=tying"), timeout=5000)
    assert page.locator("article mark").first.inner_text().lower() == "tying"


def test_the_colours_change_and_stay(page: Page, strict: Server) -> None:
    page.goto(strict.url)
    body = page.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", "default")
    page.get_by_title("Switch to dark").click()
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    page.goto(strict.at("loss.html"))
    expect(body).to_have_attribute("data-md-color-scheme", "slate")


def test_a_number_opens_its_arithmetic(page: Page, strict: Server) -> None:
    page.goto(strict.at("attention.html"))
    page.locator('.tx-table [data-address="attention.norm/chuck/n1"]').first.click()
    panel = page.locator("dialog.tx-pop")
    expect(panel.locator("h2")).to_contain_text(" = -0.6561")
    panel.get_by_role("link", name=re.compile(r"x1\[chuck\]$")).click()
    expect(panel.locator("h2")).to_contain_text(" = 0.0100")


def test_the_tools_of_a_table_work(browser: Browser, strict: Server) -> None:
    with watched(browser, permissions=["clipboard-read", "clipboard-write"]) as (context, _):
        page = context.new_page()
        page.goto(strict.at("attention.html"))
        table = page.locator(f'.tx-table[data-table="{WEIGHTS}"]').first
        table.locator("summary").click()
        table.get_by_role("button", name="Copy as CSV").click()
        expect(table.get_by_role("status")).to_have_text("Copied as CSV")
        assert page.evaluate("navigator.clipboard.readText()") == table_csv(catalog().table(WEIGHTS))
        plain = table.locator("td > data").first.evaluate(
            "own => getComputedStyle(own.parentElement).backgroundColor"
        )
        table.get_by_role("button", name="Shade by value").click()
        shade = table.locator("td > data").first.evaluate(
            "own => getComputedStyle(own.parentElement).backgroundColor"
        )
        assert shade != plain


def test_pages_replace_one_another_without_a_reload(
    page: Page, instant: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The theme runs a new page's inline scripts in the old one, so a page's policy must know those of all."""
    monkeypatch.setitem(instant.headers, HEADER, policy(instant.folder))
    page.goto(instant.at("attention.html"))
    page.evaluate("window.stays = true")
    for name in ("loss", "index"):
        page.locator(f'.md-nav__link[href$="/{name}.html"]').first.click()
        page.wait_for_url(instant.at(f"{name}.html"), timeout=5000)
    assert page.evaluate("window.stays")


WRONG = {
    "<script>window.bitten = true</script>": "script-src-elem",
    "<img src='data:,' onerror='window.bitten = true'>": "script-src-attr",
    "<script src='http://localhost:9/x.js'></script>": "script-src-elem",
    "<script src='data:text/javascript,window.bitten=true'></script>": "script-src-elem",
    "<style>body { --tx-measure: bitten }</style>": "style-src-elem",
    "<p style='color: red'>x</p>": "style-src-attr",
    "<img src='http://localhost:9/x.png' alt=x>": "img-src",
    "<iframe src='404.html'></iframe>": "frame-src",
    "<object data='assets/favicon.svg'></object>": "object-src",
    "<base href='http://localhost:9/'>": "base-uri",
}


def test_what_is_put_into_a_page_is_refused(browser: Browser, strict: Server) -> None:
    def spoil(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("</article>", "".join(WRONG) + "</article>"))

    with watched(browser) as (context, watch):
        page = context.new_page()
        page.add_init_script(
            "window.refused = [];"
            "addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));"
        )
        page.route("**/loss.html", spoil)
        page.goto(strict.at("loss.html"))
        wanted = sorted(set(WRONG.values()))
        page.wait_for_function("wanted => wanted.every((own) => refused.includes(own))", arg=wanted, timeout=5000)
        assert sorted(set(page.evaluate("refused"))) == wanted
        assert page.evaluate("window.bitten") is None
        assert "bitten" not in page.evaluate("getComputedStyle(document.body).getPropertyValue('--tx-measure')")
        assert [error for error in watch.errors if "Content Security Policy" not in error] == []
        watch.errors.clear()


def test_a_page_asks_nothing_of_others_and_stands_in_no_frame(browser: Browser, strict: Server) -> None:
    with watched(browser) as (context, watch):
        page = context.new_page()
        page.goto(strict.at("loss.html"))
        assert page.evaluate("fetch('http://localhost:9/').then(() => 'answered', () => 'refused')") == "refused"
        frame = f"<title>x</title><link rel=icon href='data:,'><iframe src='{strict.at('loss.html')}'></iframe>"
        page.route("**/framing.html", lambda route: route.fulfill(content_type="text/html", body=frame))
        with page.expect_event("console", lambda message: "frame-ancestors" in message.text):
            page.goto(strict.at("framing.html"))
        assert any("connect-src" in error for error in watch.errors)
        watch.errors.clear()
