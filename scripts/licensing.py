"""What THIRD_PARTY.md lists, as HTML for a page of the site; kept between builds, since hardly any changes it."""

from __future__ import annotations

from pathlib import Path

from keeping import CACHE, ROOT, digest_of, kept_files, versions_of

FILE = ROOT / "THIRD_PARTY.md"


def licences(file: Path = FILE, cache: Path = CACHE) -> str:
    """Return the licences of the parts by others; the theme's template `licences.html` asks for them."""
    text = file.read_text(encoding="utf-8")
    kept = kept_files(cache / "licences.json", digest_of(text, versions_of("markdown")), lambda: {"": _html(text)})
    return kept[""]


def _html(text: str) -> str:
    import markdown

    return markdown.markdown(text, extensions=["tables"])
