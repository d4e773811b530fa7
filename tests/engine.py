"""Send pages through MkDocs itself, with our hook and the book's own Markdown extensions, in a bare theme."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml
from configuration import read_configuration
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from tests.building import ROOT

CHAPTERS = ("tests.mixed_chapter",)
THEME = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{ page.title }}</title>
{% if page.meta.description %}<meta name="description" content="{{ page.meta.description | e }}">{% endif %}</head>
<body>
<nav>{% for item in nav.pages %}<a href="{{ item.url | url }}">{{ item.title }}</a>
{% endfor %}</nav>
<div id="toc">
{% macro listed(items) %}{% if items %}<ul>{% for item in items %}<li><a href="{{ item.url }}">{{ item.title }}</a>
{{- listed(item.children) }}</li>{% endfor %}</ul>{% endif %}{% endmacro %}
{{ listed(page.toc) }}
</div>
<main>
{{ page.content }}
</main>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Built:
    """What a build made: files by their path in the site, or the lines that it failed with."""

    files: Mapping[str, str]
    said: tuple[str, ...] = ()

    def main(self, uri: str = "index.md") -> str:
        """Return what a page holds between navigation and end."""
        return self.files[uri.removesuffix(".md") + ".html"].partition("<main>\n")[2].partition("\n</main>")[0]

    @property
    def index(self) -> list[dict[str, str]]:
        """The entries of the search index."""
        entries: list[dict[str, str]] = json.loads(self.files["search/search_index.json"])["docs"]
        return entries


def write_project(
    folder: Path, pages: Mapping[str, str | bytes], *, chapters: tuple[str, ...] = CHAPTERS, **more: Any
) -> None:
    """Lay out a project: `pages` by their path in the documents' folder, more of the configuration by its key."""
    own = read_configuration()
    configuration = {
        "site_name": "Cases",
        "use_directory_urls": False,
        "hooks": [str(ROOT / "scripts" / "hooks.py")],
        "extra": {"chapters": list(chapters)},
        "theme": {"name": None, "custom_dir": "theme"},
        "plugins": ["search"],
        "validation": own_validation(),
        "markdown_extensions": [{name: own.options.get(name, {})} for name in own.extensions],
        **more,
    }
    (folder / "theme").mkdir(parents=True, exist_ok=True)
    (folder / "theme" / "main.html").write_text(THEME, encoding="utf-8")
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(configuration, sort_keys=False), encoding="utf-8")
    for uri, text in pages.items():
        path = folder / "docs" / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def own_validation() -> Any:
    """Return what the book's configuration leaves to MkDocs."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    return yaml.safe_load(text[text.index("\nvalidation:") :].partition("\n\n")[0])["validation"]


class _Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said += record.getMessage().splitlines()


@contextmanager
def _listening() -> Iterator[list[str]]:
    listener = _Listener()
    logger = logging.getLogger("mkdocs")
    logger.addHandler(listener)
    try:
        yield listener.said
    finally:
        logger.removeHandler(listener)


def build_project(folder: Path) -> Built:
    """Build a project as `mkdocs build --strict` does, in this process."""
    site = folder / "site"
    finders = list(sys.meta_path)
    try:
        with _listening() as said, patch("fresh.forget"):  # other tests hold on to what is imported
            config = load_config(str(folder / "mkdocs.yml"), site_dir=str(site), strict=True)
            config.plugins.on_startup(command="build", dirty=False)
            try:
                build(config)
            except Abort:
                return Built({}, tuple(said))
    finally:
        sys.meta_path[:] = finders
    texts = [path for path in site.rglob("*") if path.suffix in (".html", ".json", ".xml")]
    return Built({path.relative_to(site).as_posix(): path.read_bytes().decode() for path in texts}, tuple(said))
