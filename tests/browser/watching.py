"""A browser context that notes what must not happen: requests to other hosts, script errors, console errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, Request

LOCAL_SCHEMES = ("about", "blob", "data", "file")
LOCAL_HOSTS = ("127.0.0.1", "localhost")


@dataclass
class Watch:  # without slots, since Playwright keeps its wrappers of our methods on the object
    """What a context did.  A test that provokes an error on purpose clears `errors` after it looked at them."""

    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def note_request(self, request: Request) -> None:
        """Note the request if it would leave this machine."""
        if is_foreign(request.url):
            self.foreign.append(request.url)

    def note_console(self, message: ConsoleMessage) -> None:
        """Note an error on the console; a violated content security policy is one."""
        if message.type == "error":
            self.errors.append(f"console: {message.text} ({message.location.get('url', '')})")

    def note_error(self, error: Error) -> None:
        """Note a script's uncaught error."""
        self.errors.append(f"script: {error}")

    def note_page(self, page: Page) -> None:
        """Watch a page that was just opened, by us or by another page."""
        page.on("pageerror", self.note_error)

    def check(self) -> None:
        """Fail if anything was noted."""
        assert not self.foreign, "requests left the machine:\n  " + "\n  ".join(self.foreign)
        assert not self.errors, "the page reported errors:\n  " + "\n  ".join(self.errors)


def is_foreign(url: str) -> bool:
    """Whether fetching `url` would leave this machine."""
    parts = urlsplit(url)
    return parts.scheme not in LOCAL_SCHEMES and parts.hostname not in LOCAL_HOSTS


@contextmanager
def watched(browser: Browser, **options: Any) -> Iterator[tuple[BrowserContext, Watch]]:
    """Open a context with Playwright's `new_context` options; on leaving it, fail if anything was noted."""
    watch = Watch()
    context = browser.new_context(**options)
    context.on("request", watch.note_request)
    context.on("console", watch.note_console)
    context.on("page", watch.note_page)
    try:
        yield context, watch
    finally:
        context.close()
    watch.check()
