"""Let Lighthouse judge the pages of the built book, as a desk and as a phone would get them.

By hand and in `make soak`: a page takes it ten seconds, and its figures hang on how busy the machine is.  So the best
of a few runs counts, and only pages that fell short run again.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import chromium
from playwright.sync_api import sync_playwright
from swap import alone

from tinyxf.book.takeaway.paper import book_pages

ROOT = Path(__file__).parents[1]
PINNED = Path(__file__).with_name("lighthouse_npm")  # version and checksums of everything that npm brings
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
GOALS = {"desktop": (100, 100, 100, 100), "mobile": (95, 100, 100, 100)}
COMPRESSED = frozenset({".png", ".woff2", ".gz"})  # already
Scores = tuple[int, ...]
Judge = Callable[[str, str], Scores]  # the scores of an address on a device


class NoLighthouseError(Exception):
    """Lighthouse is not there, or did not answer; the message says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the pages; return 0 when all reach their goals."""
    parser = argparse.ArgumentParser(description="Let Lighthouse judge the built book.")
    parser.add_argument("--site", type=Path, default=ROOT / "site", help="the built book")
    parser.add_argument("--runs", type=int, default=3, help="how often a page may try")
    parser.add_argument(
        "pages", nargs="*", metavar="PAGE", help="pages by their paths in the site; all if none is given"
    )
    options = parser.parse_args(arguments)
    if not (options.site / "index.html").is_file():
        print(f"{options.site} holds no built book; run: make site", file=sys.stderr)
        return 1
    pages = options.pages or pages_of(options.site)
    try:
        with serving(options.site) as url:
            return judge_all(url, pages, partial(lighthouse, install(), browser()), options.runs)
    except (NoLighthouseError, chromium.NoBrowserError) as error:
        print(error, file=sys.stderr)
        return 1


def pages_of(site: Path) -> tuple[str, ...]:
    """Return the paths of the book's pages, in its order."""
    return book_pages({path.relative_to(site).as_posix(): path.read_text("utf-8") for path in site.rglob("*.html")})


def judge_all(url: str, pages: Sequence[str], judge: Judge, runs: int) -> int:
    """Print the best scores of each page on each device; return 1 when some goal was never reached."""
    wide = max(map(len, pages))
    print(f"{'page':{wide}}  {'device':7}  " + "  ".join(CATEGORIES))
    status = 0
    for page in pages:
        for device, goal in GOALS.items():
            best = best_of(functools.partial(judge, url + page, device), goal, runs)
            fell = any(own < wanted for own, wanted in zip(best, goal, strict=True))
            status |= fell
            cells = "  ".join(f"{score:>{len(name)}}" for name, score in zip(CATEGORIES, best, strict=True))
            print(f"{page:{wide}}  {device:7}  {cells}{'  too low' if fell else ''}", flush=True)
    return status


def best_of(judge: Callable[[], Scores], goal: Scores, runs: int) -> Scores:
    """Return each category's best score; stop once the goal is reached."""
    best = judge()
    for _ in range(runs - 1):
        if all(own >= wanted for own, wanted in zip(best, goal, strict=True)):
            break
        best = tuple(map(max, best, judge()))
    return best


# -- Lighthouse


def install(pinned: Path = PINNED, cache_folder: Path = ROOT / ".cache") -> Path:
    """Return the folder where npm put Lighthouse, with the versions and checksums of our lock file."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(pinned.glob("package*.json")))).hexdigest()
    home = cache_folder / f"lighthouse-{digest[:16]}"
    cache_folder.mkdir(parents=True, exist_ok=True)
    with alone(home.with_suffix(".lock")):
        if not (home / "done").exists():
            if not (npm := shutil.which("npm")):
                raise NoLighthouseError("npm was not found; install it: apt-get install -y nodejs npm")
            shutil.rmtree(home, ignore_errors=True)
            shutil.copytree(pinned, home)
            command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
            if done.returncode:
                raise NoLighthouseError(f"npm ci failed:\n{done.stderr}")
            (home / "done").touch()
    return home


def browser() -> Path:
    """Return the browser that the tests use."""
    with sync_playwright() as playwright:
        return chromium.find(playwright.chromium)


def lighthouse(home: Path, browser: Path, url: str, device: str) -> Scores:
    """Return the scores of one page, one a category, out of 100."""
    flags = [flag for flag in chromium.FLAGS if " " not in flag]
    command = ["node", str(home / "node_modules/lighthouse/cli/index.js"), url, "--quiet", "--output=json"]
    command += [f"--only-categories={','.join(CATEGORIES)}", f"--chrome-flags=--headless {' '.join(flags)}"]
    command += ["--disable-full-page-screenshot", "--no-enable-error-reporting"]
    command += ["--preset=desktop"] if device == "desktop" else []
    environment = os.environ | {"CHROME_PATH": str(browser)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoLighthouseError(f"Lighthouse failed at {url}:\n{done.stderr}")
    return scores(json.loads(done.stdout))


def scores(report: Mapping[str, Any]) -> Scores:
    """Return the scores in a report.  Raises NoLighthouseError where it has none, with its reason."""
    found = [report["categories"][name]["score"] for name in CATEGORIES]
    if None in found:
        reason = report.get("runtimeError", {}).get("message", "no reason given")
        raise NoLighthouseError(f"Lighthouse could not judge {report['finalDisplayedUrl']}: {reason}")
    return tuple(round(100 * score) for score in found)


# -- a server as a good host is one: compressed, and with leave to keep everything


@contextmanager
def serving(site: Path) -> Iterator[str]:
    """Serve the site on the loopback address; yield its address, with a slash at the end."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@cache
def _squeezed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".woff2": "font/woff2",
    }

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
        """Say nothing: the table is all that is printed."""

    def send_head(self) -> BytesIO | BinaryIO | None:
        """Answer with the file, compressed unless it already is."""
        path = Path(self.translate_path(self.path))
        if not path.is_file() or path.suffix in COMPRESSED:
            return super().send_head()
        body = _squeezed(path)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return BytesIO(body)

    def end_headers(self) -> None:
        """Let the browser keep what it got."""
        self.send_header("Cache-Control", "public, max-age=31536000, immutable")
        super().end_headers()


if __name__ == "__main__":
    sys.exit(main())
