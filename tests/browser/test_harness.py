"""The browser fixtures themselves: what they forbid, they must notice."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error

from tests.browser.serving import serving
from tests.browser.watching import watched


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text("<!doctype html><title>t</title><link rel=icon href=data:,><p>home")
    (tmp_path / "404.html").write_text("<!doctype html><title>lost</title>")
    return tmp_path


def test_serves_a_sub_path_like_pages(folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder.parent / "secret.txt").write_text("not for readers")
    with serving(folder, under="/x/y/", headers={"X-Test": "yes"}) as server:
        with urllib.request.urlopen(server.url) as answer:
            assert answer.status == 200
            assert answer.headers["X-Test"] == "yes"
            assert b"home" in answer.read()
        for path in ("missing", "missing/", "%2e%2e/secret.txt", "empty/"):
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(server.at(path))
            assert caught.value.code == 404
            assert b"lost" in caught.value.read()
        outside = server.url.replace("/x/y/", "/")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(outside)
        assert server.asked[0] == "/x/y/"


PAGE = "<!doctype html><title>t</title><link rel=icon href=data:,>"
POLICY = {"Content-Security-Policy": "script-src 'self'"}


@pytest.mark.parametrize(
    ("body", "headers", "message"),
    [
        ("<img src='http://example.org/a.png' alt=''>", {}, r"left the machine:\n  http://example\.org/a\.png"),
        ("<script>throw new Error('mine')</script>", {}, "script: .*mine"),
        ("<script>console.error('bad')</script>", {}, "console: bad"),
        ("<script>1</script>", POLICY, "Content Security Policy"),
    ],
)
def test_what_a_page_must_not_do_fails(
    browser: Browser, folder: Path, body: str, headers: dict[str, str], message: str
) -> None:
    (folder / "index.html").write_text(PAGE + body)
    with (
        serving(folder, headers=headers) as server,
        pytest.raises(AssertionError, match=message),
        watched(browser) as (context, _),
    ):
        context.new_page().goto(server.url)


def test_a_blameless_page_passes(browser: Browser, folder: Path) -> None:
    with serving(folder, headers=POLICY) as server, watched(browser) as (context, _):
        page = context.new_page()
        page.goto(server.url)
        assert page.inner_text("p") == "home"
        page.goto((folder / "index.html").as_uri())
        assert page.inner_text("p") == "home"


def test_no_other_host_is_reachable(browser: Browser) -> None:
    with watched(browser) as (context, watch):
        with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
            context.new_page().goto("http://example.org/")
        assert watch.foreign == ["http://example.org/"]
        watch.foreign.clear()
