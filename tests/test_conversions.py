"""A server converts only what changed, and shows what a build from nothing would show."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from unittest.mock import patch

import markdown
import pytest
from conversions import PURE, Conversions
from mkdocs.commands.build import build
from mkdocs.config import load_config

from tests.building import ROOT
from tests.engine import build_project, write_project
from tinyxf.book.markdown import heading_slug

ALL = '{{ table("mix.words") }}\n\n{{ table("mix.losses") }}\n\n{{ table("mix.signs") }}\n'
PAGES = {
    "index.md": f"---\ntitle: Start\ndescription: d\n---\n# Start\n\n{ALL}\n[to b](b.md#part-two)\n",
    "b.md": '# Two\n\n## Part two\n\nIt is {{ n("mix.words", "a", "share") }},'
    ' $x = {{ n("mix.words", "a", "share") }}$.\n',
    "c.md": "# Three\n\n[home](index.md) and [b](b.md)\n",
}


class Server:
    """A project that is built again and again in one process, as `mkdocs serve` does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.converted: list[str] = []

    def edit(self, uri: str, old: str, new: str) -> None:
        path = self.folder / uri
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def build(self) -> dict[str, str]:
        """Build once more; return the pages and the index, and note what had to be converted."""
        convert = markdown.Markdown.convert
        self.converted = []

        def noting(own: markdown.Markdown, source: str) -> str:
            if source:
                self.converted.append(re.findall(r"^# (.*)", source, flags=re.MULTILINE)[0])
            return convert(own, source)

        site = self.folder / "served"
        config = load_config(str(self.folder / "mkdocs.yml"), site_dir=str(site))
        config.plugins.on_startup(command="serve", dirty=False)
        with patch.object(markdown.Markdown, "convert", noting), patch("fresh.forget"):
            build(config, serve_url="http://127.0.0.1:1/")
        return files_of(site)


def files_of(site: Path) -> dict[str, str]:
    wanted = (path for path in site.rglob("*") if path.suffix in (".html", ".json") and "downloads" not in path.parts)
    return {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in wanted}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    write_project(tmp_path, PAGES, exclude_docs="snippets/\n")
    (tmp_path / "docs" / "snippets").mkdir(exist_ok=True)
    yield Server(tmp_path)
    write_project(tmp_path, PAGES, exclude_docs="snippets/\n")
    build_project(tmp_path)  # and the hook knows that it serves no more


def from_nothing(folder: Path) -> dict[str, str]:
    """Return what a build shows that knows of no other."""
    assert not build_project(folder).said
    return files_of(folder / "site")


def test_nothing_changed_and_nothing_is_converted(server: Server) -> None:
    first = server.build()
    assert sorted(server.converted) == ["Start", "Three", "Two"]
    assert server.build() == first
    assert server.converted == []
    assert first == from_nothing(server.folder)


# The edit, and what must be converted for it; a page in which only numbers changed keeps its words.
EDITS: dict[str, tuple[Callable[[Server], None], set[str]]] = {
    "a sentence": (lambda own: own.edit("docs/b.md", "It is", "It was"), {"Two"}),
    "a number": (lambda own: own.edit("docs/b.md", '"a", "share") }},', '"b", "share") }},'), set()),
    "a number in a formula": (lambda own: own.edit("docs/b.md", '"share") }}$', '"share", digits=2) }}$'), set()),
    "a placeholder more": (
        lambda own: own.edit("docs/index.md", "# Start\n", '# Start\n\n{{ n("loss") }}\n'),
        {"Start"},
    ),
    "a title": (lambda own: own.edit("docs/index.md", "title: Start", "title: Begin"), {"Start"}),
    "a heading": (lambda own: own.edit("docs/c.md", "# Three", "# Third"), {"Third"}),
    "a heading that is linked to": (lambda own: relinked(own), {"Start", "Two"}),  # noqa: PLW0108  defined below
    "a page more": (lambda own: added(own), {"Four", "Start", "Three", "Two"}),  # noqa: PLW0108  defined below
    "an extension's option": (lambda own: permalinks(own), {"Start", "Three", "Two"}),  # noqa: PLW0108  defined below
}


def relinked(own: Server) -> None:
    own.edit("docs/b.md", "## Part two", "## Part three")
    own.edit("docs/index.md", "#part-two", "#part-three")


def added(own: Server) -> None:
    (own.folder / "docs" / "a.md").write_text("# Four\n\n[b](b.md)\n", encoding="utf-8")


def permalinks(own: Server) -> None:
    own.edit("mkdocs.yml", "permalink: true", "permalink: false")


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_shows_what_a_build_from_nothing_shows(server: Server, name: str) -> None:
    edit, converted = EDITS[name]
    before = server.build()
    edit(server)
    after = server.build()
    assert set(server.converted) == converted
    assert after != before
    assert after == from_nothing(server.folder)


def test_an_edited_stage_converts_nothing_and_edited_rules_all(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = {"tests": "1", "tinyxf": "1", "tinyxf.book": "1"}
    monkeypatch.setattr("loading.digest_of_sources", digests.__getitem__)
    first = server.build()
    digests["tinyxf"] = "2"
    monkeypatch.setattr("tinyxf.book.markdown.heading_slug", partial(heading_slug))  # as a module read anew has it
    assert server.build() == first
    assert server.converted == []
    digests["tinyxf.book"] = "2"
    assert server.build() == first
    assert sorted(server.converted) == ["Start", "Three", "Two"]


def test_a_page_that_includes_a_file_is_always_converted(server: Server) -> None:
    server.edit("docs/c.md", "and", '\n\n--8<-- "part.md"\n\nand')
    server.edit("mkdocs.yml", str(ROOT / "docs" / "snippets"), "docs/snippets")
    part = server.folder / "docs" / "snippets" / "part.md"
    part.write_text('Now {{ n("loss") }}.\n', encoding="utf-8")
    server.build()
    part.write_text('Then {{ n("mix.words", "b", "share") }}.\n', encoding="utf-8")
    assert ">Then" in server.build()["c.html"]
    assert server.converted == ["Three"]


def test_with_an_extension_that_may_read_anything_nothing_is_kept() -> None:
    class File:
        src_uri = "a.md"

    class Page:
        file = File()
        meta: dict[str, str] = {}  # noqa: RUF012  the engine's pages have one each

    kept = Conversions()
    for names in ((*sorted(PURE), "someone.elses"), ("pymdownx.b64",)):
        kept.begin(names, {}, ())
        for _ in range(2):
            assert kept.ask(Page(), "# A") == "# A"
            assert kept.answer(Page(), "<h1>A</h1>", str) == "<h1>A</h1>"
