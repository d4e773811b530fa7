"""The content security policy that a built site runs under: print it, and name whatever in a page it would refuse.

    python scripts/policy.py site

A host sends the line as a header.  It is as strict as the theme allows: the theme has a few inline scripts, which are
let in by their hashes; it draws its icons from `data:` addresses; and it writes HTML from scripts, so trusted types
cannot be asked for.  Nothing else that is inline, and nothing from another place, is let in.

The policy is no `<meta>` of the pages: that would also hold for the folder on a disk, where the search runs in a
frame whose inline script names the folder, so that no hash could let it in.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
HEADER = "Content-Security-Policy"
RULES = {
    "default-src": "'none'",  # what is not named below: frames, objects, media, manifests
    "script-src": "'self'",  # and the hashes
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",  # the index of the search, the site map, pages that replace one another
    "worker-src": "'self'",  # the search
    "base-uri": "'none'",
    "form-action": "'none'",  # the one form, the search, is answered in the page
    "frame-ancestors": "'none'",
}
LOADING = {"audio": "src", "embed": "src", "iframe": "src", "img": "src", "object": "data", "script": "src",
    "source": "src", "track": "src", "video": "src"}  # fmt: skip
NAMING = frozenset({"alternate", "author", "canonical", "edit", "license", "next", "prev"})  # links that load nothing


def policy(site: Path) -> str:
    """Return the policy of a built site: the value of the header."""
    inline = {script for page in pages(site) for script in read_page(page).scripts}
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()}'" for own in inline]
    return "; ".join(
        " ".join([name, value, *(sorted(hashes) if name == "script-src" else ())]) for name, value in RULES.items()
    )


def pages(site: Path) -> list[Path]:
    """Return the pages of a site, in order."""
    return sorted(site.rglob("*.html"))


def refusals(site: Path) -> Iterator[str]:
    """Yield what the policy would refuse in the pages, each with its place."""
    for page in pages(site):
        for line, column, what in read_page(page).refused:
            yield f"{site.name}/{page.relative_to(site).as_posix()}:{line}:{column}: the policy refuses {what}"


class Page(HTMLParser):
    """A page: its inline scripts, and what no policy of ours lets in, by line and column."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.scripts: list[str] = []
        self.refused: list[tuple[int, int, str]] = []
        self._inline = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at an element and its attributes."""
        given = {name: value or "" for name, value in attrs}
        self._inline = tag == "script" and "src" not in given and not given.get("type", "").endswith("json")
        if self._inline:
            self.scripts.append("")
        if tag == "style":
            self._refuse("a style sheet in the page")
        for name, value in given.items():
            if name == "style" or name.startswith("on"):
                self._refuse(f'the attribute {name}="{value}"')
            elif name in ("href", "action", "formaction") and re.match(r"\s*javascript:", value, re.IGNORECASE):
                self._refuse(f'the address "{value}"')
        loaded = given.get(LOADING.get(tag, ""), "")
        if tag == "link" and set(given.get("rel", "").split()) - NAMING:
            loaded = given.get("href", "")
        parts = urlsplit(loaded)
        if parts.netloc or (parts.scheme and not (tag == "img" and parts.scheme == "data")):
            self._refuse(f'what comes from "{loaded[:100]}"')

    def handle_data(self, data: str) -> None:
        """Keep the text of a script, which comes in pieces."""
        if self._inline:
            self.scripts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        """Close a script."""
        self._inline = self._inline and tag != "script"

    def _refuse(self, what: str) -> None:
        line, column = self.getpos()
        self.refused.append((line, column + 1, what))


def read_page(path: Path) -> Page:
    """Read one page."""
    page = Page()
    page.feed(path.read_bytes().decode("utf-8"))
    page.close()
    return page


def main(argv: Sequence[str] | None = None) -> int:
    """Print the header; return 0, or 1 where there is no site or a page holds what the policy refuses."""
    parser = argparse.ArgumentParser(prog="policy.py", description="Print the policy that a built site runs under.")
    parser.add_argument(
        "site", nargs="?", type=Path, default=ROOT / "site", help="the built site; site/ if not given"
    )
    site = parser.parse_args(argv).site
    if not (site / "index.html").is_file():
        print(f"{site.name} holds no built site; run: make site", file=sys.stderr)
        return 1
    print(f"{HEADER}: {policy(site)}")
    found = list(refusals(site))
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
