"""Fixtures for tests that look at the built site in a real browser.

`page` is what most tests want.  For other conditions (no script, a phone, dark colours) open a context of your own:
`with watched(browser, java_script_enabled=False) as (context, watch): ...`; for other headers or another sub-path,
`with serving(built_site, headers={...}) as server: ...`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.serving import Server, serving
from tests.browser.watching import watched
from tests.building import ROOT


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium, one for all tests of a process."""
    with sync_playwright() as playwright:
        kind = playwright.chromium
        running = kind.launch(executable_path=chromium.find(kind), headless=True, args=list(chromium.FLAGS))
        yield running
        running.close()


@pytest.fixture(scope="session")
def server(built_site: Path) -> Iterator[Server]:
    """The built site, served from a sub-path as a fork's Pages would."""
    with serving(built_site) as running:
        yield running


@pytest.fixture(scope="session")
def instant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The book built for the very address that serves it: only then does the theme replace pages without a reload."""
    folder = tmp_path_factory.mktemp("instant")
    with serving(folder) as running:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
        environment = os.environ | {"TINYXF_SITE_URL": running.url}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page; the test fails if it asks another host for anything or reports an error."""
    with watched(browser) as (context, _):
        yield context.new_page()
