"""The ways that the benchmark compares: one project folder each, with the same pages, theme, plugins and extensions.

prewritten  MkDocs and Material alone.  The pages hold what ours become, as an author would have typed it: pipe
            tables, plain numbers, LaTeX (which a script would set in the reader's browser), pasted SVG.
ours        Placeholders and our hook, as the book is built.
macros      mkdocs-macros: the same placeholders as macros that give pipe tables and numbers.
exec        markdown-exec: pipe tables come from Python blocks; it has nothing for a number in a sentence or a
            formula, so those are typed.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from configuration import ROOT, read_configuration

CHAPTER = "scripts.bench_chapter"
SECTION = 10  # pages in one section of the navigation

_DATA = re.compile(r"</?data\b[^>]*>|<span id=[^>]*></span>")
_NAV = re.compile(r"^nav:\n(?:[ -].*\n)+", re.MULTILINE)
_CHAPTERS = re.compile(r"(?<=chapters: )\[.*\]")


def typed_pages(pages: Mapping[str, str]) -> dict[str, str]:
    """Return pages of the benchmark's chapter with everything filled in, as an author would type it."""
    from bench_chapter import catalog

    from tinyxf.book.edition import Edition, Manuscript
    from tinyxf.book.portable import written_page
    from tinyxf.book.render import Renderer

    manuscripts = [Manuscript(uri, uri, text) for uri, text in pages.items()]
    edition = Edition(catalog(), manuscripts, Renderer(catalog()), lambda _, target: target)
    if edition.problems:
        raise SystemExit("\n".join(map(str, edition.problems)))
    return {uri: as_typed(written_page(edition, uri)) for uri in pages}


def as_typed(exported: str) -> str:
    """Return an exported page without what nobody would type: the elements around its numbers, and anchors."""
    return _DATA.sub("", exported)


def replicas(count: int) -> dict[str, str]:
    """Return the chapter's page so many times, each with a title of its own."""
    from bench_chapter import page

    text = page()
    names = ["index.md", *(f"chapter-{number}.md" for number in range(2, count + 1))]
    return {name: re.sub(r"^title: .*", f"title: {name[:-3]}", text, count=1, flags=re.MULTILINE) for name in names}


def write_way(way: str, folder: Path, count: int, root: Path = ROOT) -> None:
    """Write the project that builds `count` pages in one of the ways; `root` is the checkout that it uses."""
    pages = replicas(count)
    configuration = configure((root / "mkdocs.yml").read_text(encoding="utf-8"), list(pages), root)
    edited, prepared = WAYS[way](configuration, pages, root)
    write_project(folder, edited, prepared, root)


def write_book(folder: Path, root: Path, *, typed: bool) -> None:
    """Write a project of the book as it is, with placeholders or typed."""
    from reading import read_edition

    from tinyxf.book.portable import written_page

    edition = read_edition(read_configuration(root / "mkdocs.yml"))
    texts = {uri: own.text for uri, own in edition.manuscripts.items()}
    pages = {uri: as_typed(written_page(edition, uri)) for uri in texts} if typed else texts
    configuration = whole_paths((root / "mkdocs.yml").read_text(encoding="utf-8"), root)
    write_project(folder, without_hook(configuration) if typed else configuration, pages, root)


def write_project(folder: Path, configuration: str, pages: Mapping[str, str], root: Path = ROOT) -> None:
    """Write a project folder: configuration, pages, the book's stylesheets, scripts and fonts."""
    (folder / "docs" / "snippets").mkdir(parents=True)
    shutil.copytree(root / "docs" / "assets", folder / "docs" / "assets")
    (folder / "mkdocs.yml").write_text(configuration, encoding="utf-8")
    for uri, text in pages.items():
        (folder / "docs" / uri).write_text(text, encoding="utf-8")


def configure(configuration: str, pages: Sequence[str], root: Path) -> str:
    """Return the book's configuration for these pages, in sections of ten, in a folder of its own."""
    sections = [pages[start : start + SECTION] for start in range(0, len(pages), SECTION)]
    nav = "".join(f"  - Part {number}: [{', '.join(own)}]\n" for number, own in enumerate(sections, 1))
    return _CHAPTERS.sub(f"[{CHAPTER}]", whole_paths(_NAV.sub(f"nav:\n{nav}", configuration), root))


def whole_paths(configuration: str, root: Path) -> str:
    """Return a configuration that finds hook, theme and sources from any folder."""
    for name in ("scripts/hooks.py", "templates/theme"):
        configuration = configuration.replace(name, (root / name).as_posix())
    watch = f"watch: [{root / 'tinyxf'}, {root / 'templates'}]"
    return re.sub(r"^watch: .*", watch, configuration, flags=re.MULTILINE)


def without_hook(configuration: str) -> str:
    """Return a configuration for MkDocs alone."""
    return re.sub(r"^hooks: .*\n", "", configuration, flags=re.MULTILINE)


Project = tuple[str, dict[str, str]]  # configuration and pages


def _prewritten(configuration: str, pages: dict[str, str], root: Path) -> Project:  # noqa: ARG001  as all ways
    return without_hook(configuration), typed_pages(pages)


def _ours(configuration: str, pages: dict[str, str], root: Path) -> Project:  # noqa: ARG001  as all ways
    return configuration, pages


def _macros(configuration: str, pages: dict[str, str], root: Path) -> Project:
    # Its own marks for blocks and comments would be found in formulas and headings, so others are set.
    plugin = f"""  - macros:
      module_name: {(root / "scripts" / "bench_macros").as_posix()}
      on_error_fail: true
      j2_block_start_string: "[[%"
      j2_block_end_string: "%]]"
      j2_comment_start_string: "[[#"
      j2_comment_end_string: "#]]"
"""
    return re.sub(r"^(  - search\n)", rf"\g<1>{plugin}", without_hook(configuration), flags=re.MULTILINE), pages


def _exec(configuration: str, pages: dict[str, str], root: Path) -> Project:  # noqa: ARG001  as all ways
    from bench_chapter import catalog
    from bench_macros import table

    filled = typed_pages(pages)
    for own in catalog().tables:
        block = f'```python exec="true"\nfrom bench_macros import table\nprint(table("{own.id}"))\n```'
        filled = {uri: text.replace(table(own.id), block) for uri, text in filled.items()}
    return without_hook(configuration).replace("  - search\n", "  - search\n  - markdown-exec\n"), filled


WAYS: Mapping[str, Callable[[str, dict[str, str], Path], Project]] = {
    "prewritten": _prewritten,
    "ours": _ours,
    "macros": _macros,
    "exec": _exec,
}
_PACKAGES = {"macros": "mkdocs_macros", "exec": "markdown_exec"}


def installed(way: str) -> bool:
    """Say whether this environment has what a way needs."""
    return way not in _PACKAGES or find_spec(_PACKAGES[way]) is not None
