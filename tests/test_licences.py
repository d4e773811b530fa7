"""What is not ours: all of it is listed, each with its licence, and each page of the site leads to the list."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import material
import pytest
from licensing import licences

from tests.building import ROOT
from tests.project import tree
from tests.reading import parse_html, visible

LISTED = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in LISTED.splitlines() if line.startswith("| ")
]
PARTS = [row for row in ROWS if row[0] not in ("file", "part")]
ICONS = Path(material.__file__).parent / "templates" / ".icons"
SETS = {
    "material": "Material Design Icons",
    "octicons": "Octicons",
    "fontawesome": "Font Awesome Free icons",
    "simple": "Simple Icons",
}
DRAWN = re.compile(r"""\bd=["']([^"']{20,})["']""")


def test_every_part_has_a_licence_whose_text_or_address_stands_below() -> None:
    assert len(PARTS) >= 12
    below = LISTED[LISTED.index("## The licences") :]
    for part, _, whose, licence in PARTS:
        name = licence.removeprefix("Apache ")
        assert re.search(rf"^(### .*{re.escape(name)}$|- {re.escape(licence)}: <https://)", below, re.MULTILINE), part
        assert whose


# -- what is in the site


def test_every_file_that_is_not_ours_is_listed(built_site: Path) -> None:
    """Ours are the pages' assets, but for those that are listed, and what the hook makes."""
    ours = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs" / "assets").rglob("*")}
    copied = {row[0].strip("`").removeprefix("docs/") for row in PARTS if row[0].startswith("`docs/")}
    assert copied <= ours
    foreign = {
        name for name in tree(built_site) if name.startswith("assets/") and not name.startswith("assets/work/")
    }
    patterns = {found for row in PARTS for found in re.findall(r"`(assets/[^`]+)`", row[1])}
    assert len(patterns) >= 4
    unlisted = [
        name
        for name in sorted(foreign - ours)
        if not any(fnmatch(name, pattern) or name.startswith(f"{pattern}/") for pattern in patterns)
    ]
    assert unlisted == []
    unlike_ours = {name for name in ours if Path(name).suffix in {".woff2", ".woff", ".ttf"} or ".min." in name}
    assert unlike_ours <= copied
    first = {name: (ROOT / "docs" / name).read_bytes()[:200].lower() for name in ours if name.endswith(".js")}
    assert {name for name, text in first.items() if b"copyright" in text} <= copied


def test_every_package_that_the_themes_bundles_hold_is_listed(built_site: Path) -> None:
    bundles = [path for kind in ("js", "css") for path in built_site.rglob(f"*.min.{kind}")]
    assert len(bundles) >= 3
    packages = set()
    for bundle in bundles:
        sources = json.loads(bundle.with_name(bundle.name + ".map").read_bytes())["sources"]
        packages |= {
            found[1] for source in sources if (found := re.search(r"node_modules/((?:@[^/]+/)?[^/]+)", source))
        }
    assert {"rxjs", "lunr", "clipboard"} <= packages
    names = [row[0].lower().split()[0] for row in PARTS]
    assert [package for package in packages if not any(name.startswith(package) for name in names)] == []


@cache
def icons() -> dict[str, str]:
    """The set of each icon that the theme could draw, by its outline."""
    files = ((path, path.read_text(encoding="utf-8")) for path in ICONS.rglob("*.svg"))
    return {drawn: path.relative_to(ICONS).parts[0] for path, text in files for drawn in DRAWN.findall(text)}


def test_every_set_of_icons_that_is_drawn_from_is_listed(built_site: Path) -> None:
    used = {
        icons()[drawn]
        for path in built_site.rglob("*")
        if path.suffix in {".html", ".css", ".js"}
        for drawn in DRAWN.findall(unquote(path.read_text(encoding="utf-8")))
        if drawn in icons()
    }
    assert "material" in used
    assert {SETS[name] for name in used} == {row[0] for row in PARTS} & set(SETS.values())


def test_nothing_is_published_that_no_reader_needs(built_site: Path) -> None:
    """The searches of other languages, a megabyte under three further licences."""
    assert not (built_site / "assets" / "javascripts" / "lunr").exists()


# -- the page of the site


def test_every_page_leads_to_the_licences(built_site: Path) -> None:
    pages = sorted(built_site.rglob("*.html"))
    for page in pages:
        (link,) = (
            own for own in parse_html(page.read_text(encoding="utf-8")).iter("a")
            if visible(own) == "Licences of the parts by others"
        )  # fmt: skip
        target = urlsplit(link.get("href") or "")
        assert (target.scheme, target.netloc) == ("", "")
        assert (page.parent / target.path.lstrip("/")).resolve() == built_site.resolve() / "licences.html"


def test_the_page_shows_the_whole_list(built_site: Path) -> None:
    page = parse_html((built_site / "licences.html").read_text(encoding="utf-8"))
    (title,) = (visible(own) for own in page.iter("title") if own.get("id") is None)
    assert title == "What is not ours - A transformer you can check by hand"
    shown = [[visible(cell) for cell in row] for table in page.iter("table") for row in table.findall("tbody/tr")]
    assert shown == [[re.sub(r"[`<>]", "", cell) for cell in row] for row in PARTS]
    words = " ".join(" ".join(page.itertext()).split())
    for own in ("Permission is hereby granted", "SIL OPEN FONT LICENSE", "2. Grant of Copyright License."):
        assert own.lower() in words.lower()


def test_a_changed_list_is_shown_at_once(tmp_path: Path) -> None:
    file, kept = tmp_path / "list.md", tmp_path / "kept"
    file.write_text("# Others\n\n| part |\n|---|\n| x |\n", encoding="utf-8")
    assert "<td>x</td>" in licences(file, kept)
    file.write_text("# Others\n\nNothing.\n", encoding="utf-8")
    assert licences(file, kept) == "<h1>Others</h1>\n<p>Nothing.</p>"
    assert licences(file, kept) == "<h1>Others</h1>\n<p>Nothing.</p>"
    with pytest.raises(FileNotFoundError):
        licences(tmp_path / "none.md", kept)
