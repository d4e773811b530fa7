"""Follow the links of a folder of HTML, as a reader who has only this folder."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

from tests.reading import parse_html

POINTERS = ("href", "src", "data-src", "poster", "xlink:href")
LOADED = ("script", "img", "iframe", "source", "audio", "video", "link")


def dead_links(site: Path) -> list[str]:
    """Return each link of each page that leads to no file or no anchor of the folder."""
    return [
        f"{page.relative_to(site)}: {target}"
        for page in sorted(site.rglob("*.html"))
        for target in dict.fromkeys(_targets(page))
        if _is_dead(site, page, target)
    ]


def foreign_files(site: Path) -> list[str]:
    """Return what the pages would load from elsewhere; a canonical link or a licence is only named."""
    return [
        f"{page.relative_to(site)}: {target}"
        for page in sorted(site.rglob("*.html"))
        for element in _parsed(page).iter()
        if element.tag in LOADED and element.get("rel") not in ("canonical", "license")
        for target in [element.get("src") or element.get("href") or ""]
        if urlsplit(target).netloc
    ]


@cache
def _parsed(page: Path) -> Element:
    return parse_html(page.read_text(encoding="utf-8"))


@cache
def _ids(page: Path) -> frozenset[str]:
    return frozenset(name for element in _parsed(page).iter() for name in [element.get("id")] if name is not None)


def _targets(page: Path) -> Iterator[str]:
    for element in _parsed(page).iter():
        yield from (target for name in POINTERS if (target := element.get(name)))
        yield from (part.split()[0] for part in (element.get("srcset") or "").split(",") if part.strip())


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
