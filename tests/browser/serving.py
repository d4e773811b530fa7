"""A static server on the loopback address that behaves as Pages does: sub-path, index files, its own 404 page."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Server:
    """Where a folder is served, and what was asked of it."""

    url: str  # ends with a slash
    folder: Path
    asked: list[str]  # the path of every request, in order
    headers: dict[str, str]  # what is sent beside the usual; may be changed at any time

    def at(self, path: str) -> str:
        """Return the address of a page or file of the site, e.g. `at("attention/#scores")`."""
        return self.url + path.removeprefix("/")


@contextmanager
def serving(folder: Path, *, under: str = "/a/book/", headers: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Serve `folder` below the path `under`, with further response headers."""
    asked: list[str] = []
    own = dict(headers or {})
    handler = partial(_Handler, folder=folder, under=under, headers=own, asked=asked)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield Server(f"http://127.0.0.1:{http.server_port}{under}", folder, asked, own)
        finally:
            http.shutdown()
            thread.join()


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".csv": "text/csv; charset=utf-8",
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".woff2": "font/woff2",
    }

    def __init__(
        self, *arguments: Any, folder: Path, under: str, headers: dict[str, str], asked: list[str], **named: Any
    ) -> None:
        self.folder, self.under, self.extra, self.asked = folder, under, headers, asked
        super().__init__(*arguments, directory=str(folder), **named)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class names it so
        """Say nothing: the tests speak for the server."""

    def end_headers(self) -> None:
        for name, value in self.extra.items():
            self.send_header(name, value)
        super().end_headers()

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    def translate_path(self, path: str) -> str:
        """Map what stands below our sub-path into the folder, and all else to a file that is not there."""
        if not unquote(urlsplit(path).path).startswith(self.under):
            return str(self.folder / "outside the site")
        return super().translate_path("/" + path.removeprefix(self.under))

    def list_directory(self, path: Any) -> None:  # noqa: ARG002  the base class passes it
        """Answer that there is no page: Pages shows no listings."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = self.folder / "404.html"
        if code != HTTPStatus.NOT_FOUND or not page.is_file():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
