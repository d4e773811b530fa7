"""The book as a fork's Pages serve it, built for its address: what a reader meets who comes by a wrong one."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from policy import HEADER, policy

from tests.browser.serving import Server
from tests.browser.watching import watched


@pytest.mark.parametrize("path", ["nothing.html", "no/such/place/", "deep/er/and/deeper.html?x=1#y"])
def test_a_lost_reader_gets_a_whole_page_at_any_depth(
    browser: Browser, instant: Server, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(instant.headers, HEADER, policy(instant.folder))
    with watched(browser) as (context, watch):
        page = context.new_page()
        answer = page.goto(instant.at(path))
        assert answer
        assert answer.status == 404
        expect(page.get_by_role("heading", level=1)).to_have_text("There is no page here")
        assert page.locator("body").evaluate("own => getComputedStyle(own).getPropertyValue('--tx-measure')")
        page.get_by_role("textbox", name="Search").press_sequentially("tying")
        hit = page.locator('.md-search-result__link[href*="parameters.html"]').first
        expect(hit).to_be_visible(timeout=15_000)
        page.keyboard.press("Escape")
        page.get_by_role("article").get_by_role("link", name="Attention").click()
        page.wait_for_url(instant.at("attention.html"))
        expect(page.get_by_role("heading", level=1)).to_contain_text("Attention")
        assert len(watch.errors) == 1  # the address itself, which the browser reports; nothing else was missing
        assert "status of 404" in watch.errors.pop()
        assert [asked for asked in instant.asked if not asked.startswith("/a/book/")] == []
