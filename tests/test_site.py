"""Our own book, built as users build it: titles, links, numbers, nothing of the machine, the same bytes again."""

from __future__ import annotations

import getpass
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import clock
import html5lib
import pytest
from configuration import read_configuration
from stating import tree_digest

from tests.building import ROOT
from tests.following import dead_links, foreign_files
from tests.project import Project, book_project, git, tree
from tests.reading import parse_html, visible
from tinyxf.chapter import catalog

BOOK = read_configuration()
PAGES = tuple(uri.removesuffix(".md") + ".html" for uri in BOOK.pages)
EVERY = (*PAGES, "404.html", "licences.html")


@cache
def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@cache
def parsed(page: Path) -> ET.Element:
    return parse_html(text(page))


# -- pages


def test_every_page_of_the_book_is_published_and_no_other(built_site: Path) -> None:
    found = {path.relative_to(built_site).as_posix() for path in built_site.rglob("*.html")}
    assert found == set(EVERY)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_a_title_and_a_description(page: str, built_site: Path) -> None:
    tree_ = parsed(built_site / page)
    (title,) = (
        visible(element) for element in tree_.iter("title") if element.get("id") is None and _in_head(tree_, element)
    )
    assert 5 < len(title) < 100
    (description,) = (own.get("content") or "" for own in tree_.iter("meta") if own.get("name") == "description")
    assert 40 < len(description) <= 160
    assert "{{" not in title + description
    assert len(list(tree_.iter("h1"))) == 1


def _in_head(tree_: ET.Element, element: ET.Element) -> bool:
    return element in list(next(tree_.iter("head")))


def test_titles_and_descriptions_differ(built_site: Path) -> None:
    for find in (r"<title>([^<]*)", r'<meta name="description" content="([^"]*)'):
        found = [re.findall(find, text(built_site / page))[0] for page in PAGES]
        assert len(set(found)) == len(PAGES)


@pytest.mark.parametrize("page", EVERY)
def test_a_page_is_valid_and_every_id_is_its_own(page: str, built_site: Path) -> None:
    html5lib.HTMLParser(strict=True).parse(text(built_site / page))
    ids = [name for element in parsed(built_site / page).iter() if (name := element.get("id")) is not None]
    assert [name for name in set(ids) if ids.count(name) > 1] == []
    paragraphs = [part for part in parsed(built_site / page).iter("p") if list(part.iter("table"))]
    assert paragraphs == []


def test_no_link_or_anchor_is_dead_and_nothing_comes_from_elsewhere(built_site: Path) -> None:
    assert dead_links(built_site) == []
    assert foreign_files(built_site) == []


# -- numbers


def test_the_site_is_the_catalogs_number_by_number(built_site: Path) -> None:
    done = subprocess.run(
        [sys.executable, "scripts/build.py", "reconcile", "--site", str(built_site)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_cell_can_be_linked_to_once(built_site: Path) -> None:
    homes: dict[str, list[str]] = {}
    for page in PAGES:
        for element in parsed(built_site / page).iter("data"):
            if element.get("id"):
                assert element.get("id") == element.get("data-address")
                homes.setdefault(element.get("id") or "", []).append(page)
    cells = {table.address(i, j) for table in catalog().tables for i, j, _, _ in table.numbers()}
    assert cells <= set(homes)
    assert [address for address, pages in homes.items() if len(pages) > 1] == []


def test_the_search_finds_the_words_and_numbers_of_tables(built_site: Path) -> None:
    index = text(built_site / "search" / "search_index.json")
    assert not re.search(r"tx\d+n\d+x|data-stub", index)
    entries = json.loads(index)["docs"]
    whole = " ".join(entry["text"] for entry in entries)
    shown = {number.display for number in catalog().published()}
    assert {display for display in shown if display not in whole} == set()
    assert any("woodchuck" in entry["text"] and "0.3107" in entry["text"] for entry in entries)
    loss = next(entry for entry in entries if entry["location"].startswith("loss.html") and "1.1690" in entry["text"])
    assert "{{" not in loss["text"]


# -- nothing of the machine


def test_nothing_of_the_building_machine_is_published(built_site: Path) -> None:
    names = [os.uname().nodename, getpass.getuser()]
    secrets = [str(ROOT), str(built_site), f"{Path.home()}/", *(name for name in names if len(name) > 5)]
    for name, data in tree(built_site).items():
        assert [secret for secret in secrets if secret.encode() in data] == [], name


def test_no_template_or_source_is_published(built_site: Path) -> None:
    suffixes = {Path(name).suffix for name in tree(built_site)}
    assert suffixes & {".jinja", ".md", ".pyc", ".yml", ".map"} <= {".map"}
    assert not [name for name in tree(built_site) if name.startswith("snippets/")]


# -- the same bytes, wherever and whenever

OTHER_CLOCK = """
import datetime, time
_now, _time = datetime.datetime, time.time
class datetime_(_now):
    @classmethod
    def now(cls, tz=None):
        return _now.now(tz) + datetime.timedelta(days=400, hours=5)
    @classmethod
    def utcnow(cls):
        return _now.utcnow() + datetime.timedelta(days=400, hours=5)
datetime.datetime = datetime_
time.time = lambda: _time() + 400 * 86400
"""


@pytest.fixture(scope="module")
def twin_sites(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same commit, built twice under conditions that differ in everything that a book must not depend on."""
    base = tmp_path_factory.mktemp("twins")
    one, two = book_project(base / "one"), Project(base / "ein Ordner für zwei")
    one.write(".gitignore", (ROOT / ".gitignore").read_text(encoding="utf-8"))
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "x"]):
        git(one.folder, *words)
    git(base, "clone", "--quiet", str(one.folder), str(two.folder))
    build(one, PYTHONHASHSEED="1", OPENBLAS_NUM_THREADS="1", TZ="UTC")
    for path in two.folder.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    others = Project(base / "others")
    others.write("sitecustomize.py", OTHER_CLOCK)
    first = os.pathsep.join([str(others.folder), two.environment()["PYTHONPATH"]])
    before = os.umask(0o077)
    try:
        build(
            two, PYTHONHASHSEED="2", OPENBLAS_NUM_THREADS="4", TZ="Pacific/Auckland", LC_ALL="C", PYTHONUTF8="0",
            PYTHONCOERCECLOCALE="0", PYTHONPATH=first, HOME=str(base), USER="another", PYTHONDONTWRITEBYTECODE="1",
        )  # fmt: skip
    finally:
        os.umask(before)
    return one.folder / "site", two.folder / "site"


def build(project: Project, **environment: str) -> None:
    done = project.build_py("build", **environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_same_source_gives_the_same_bytes(twin_sites: tuple[Path, Path]) -> None:
    one, two = map(tree, twin_sites)
    assert one.keys() == two.keys()
    assert [name for name in one if one[name] != two[name]] == []
    stated = json.loads(one["build.json"])
    assert stated["commit"] == git(twin_sites[0].parent, "rev-parse", "HEAD")
    assert stated["dirty"] is False  # a build leaves nothing behind that git would see


def other_pythons() -> list[str]:
    """The Pythons of other versions that can build the book: those in PYTHONS, or else those on the path."""
    named = os.environ.get("PYTHONS", "").split(os.pathsep)
    wanted = "import sys; print(sys.version_info >= (3, 11, 5) and sys.version_info[:2])"
    found = {f"{sys.version_info[:2]}": ""}
    for name in filter(None, named if any(named) else [f"python3.{minor}" for minor in range(11, 30)]):
        if path := shutil.which(name):
            done = subprocess.run([path, "-c", wanted], capture_output=True, text=True, check=False)
            if not done.returncode and done.stdout.startswith("("):
                found.setdefault(done.stdout.strip(), path)
    return list(filter(None, found.values()))


@pytest.mark.soak
def test_every_python_builds_the_same_bytes(tmp_path: Path) -> None:
    """The last commit, each time in a new environment with the libraries that the lock file has for that Python."""
    others = other_pythons()
    assert others, (
        "no other Python from 3.11.5 on was found on the path; name some: PYTHONS=/path/to/python make soak"
    )
    digests = {}
    for number, python in enumerate([sys._base_executable, *others]):  # type: ignore[attr-defined]  # typeshed lacks it
        folder = tmp_path / str(number)
        git(tmp_path, "clone", "--quiet", str(ROOT), str(folder))
        done = subprocess.run(["make", f"PYTHON={python}", "site"], cwd=folder, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        digests[python] = tree_digest(folder / "site")
    assert len(set(digests.values())) == 1, digests


def test_another_history_gives_the_books_own_pages(twin_sites: tuple[Path, Path], built_site: Path) -> None:
    one, book = tree(twin_sites[0]), tree(built_site)
    dated = {"sitemap.xml", "sitemap.xml.gz", "build.json"}
    assert [name for name in one.keys() | book.keys() if one.get(name) != book.get(name) and name not in dated] == []


def test_a_build_has_the_date_of_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(clock.VARIABLE, raising=False)
    assert clock.commit_date(tmp_path) == ""
    clock.keep_date(tmp_path)
    assert os.environ[clock.VARIABLE] == clock.NO_COMMIT
    clock.keep_date(ROOT)
    assert os.environ[clock.VARIABLE] == clock.NO_COMMIT  # what is given stays
    environment = {"GIT_COMMITTER_DATE": "1234567890 +0500", "GIT_AUTHOR_DATE": "1200000000 +0000", **os.environ}
    identity = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    for words in (["init", "--quiet"], ["commit", "--quiet", "--allow-empty", "--message", "x"]):
        subprocess.run(["git", *identity, *words], cwd=tmp_path, env=environment, check=True)
    monkeypatch.setenv(clock.VARIABLE, "")
    clock.keep_date(tmp_path)
    assert os.environ[clock.VARIABLE] == "1234567890"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert clock.commit_date(tmp_path) == ""
