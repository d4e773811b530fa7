"""Follow the links of a folder of HTML, as a reader who has only this folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

from tests.reading import parse_html

POINTERS = ("href", "src", "data-src", "poster", "xlink:href")
LOADED = ("script", "img", "iframe", "source", "audio", "video")


def dead_links(site: Path) -> list[str]:
    """Return each link of each page that leads to no file or no anchor of the folder."""
    return [
        f"{page.relative_to(site)}: {target}"
        for page in sorted(site.rglob("*.html"))
        for target in dict.fromkeys(_targets(page))
        if _is_dead(site, page, target)
    ]


def foreign_files(site: Path) -> list[str]:
    """Return what the pages would load from elsewhere."""
    return [
        f"{page.relative_to(site)}: {target}"
        for page in sorted(site.rglob("*.html"))
        for element in _parsed(page).iter()
        for target in [element.get("src") or (element.get("href") if element.tag == "link" else None) or ""]
        if (element.tag in LOADED or element.get("rel") in ("stylesheet", "preload", "icon", "preconnect"))
        if urlsplit(target).netloc
    ]


@cache
def _parsed(page: Path) -> Element:
    return parse_html(page.read_text(encoding="utf-8"))


@cache
def _ids(page: Path) -> frozenset[str]:
    return frozenset(name for element in _parsed(page).iter() for name in [element.get("id")] if name is not None)


def _targets(page: Path) -> list[str]:
    return [element.get(name) or "" for element in _parsed(page).iter() for name in POINTERS if element.get(name)]


def _is_dead(site: Path, page: Path, target: str) -> bool:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return False
    path = unquote(parts.path)
    file = (site / path.lstrip("/") if path.startswith("/") else page.parent / path) if path else page
    file = file / "index.html" if file.is_dir() else file
    if not file.is_file():
        return True
    anchor = parts.fragment.partition(":~:")[0]
    return (
        bool(anchor) and file.suffix == ".html" and not {anchor, unquote(anchor)} & (_ids(file) | {"__skip", "top"})
    )
