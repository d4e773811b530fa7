"""The book as a fork publishes it: under its own address, from a machine without a network and full of secrets."""

from __future__ import annotations

import gzip
import os
import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree as ET

import pytest
from configuration import read_configuration

from tests.building import ROOT
from tests.project import NO_NETWORK, Project, book_project, git, tree
from tests.reading import parse_html, visible

SITE = "https://someone.example/a/book/"
EDIT = "https://code.example/someone/book/edit/main/docs/{path}"
BOOK = read_configuration()
PAGES = {uri.removesuffix(".md") + ".html": uri for uri in BOOK.pages}
SECRETS = {
    "GH_TOKEN": "canary-token",
    "AWS_SECRET_ACCESS_KEY": "canary-key",
    "HOME": "canary-home",
    "USER": "canary-user",
    "LOGNAME": "canary-user",
    "HOSTNAME": "canary-host",
    "GIT_AUTHOR_EMAIL": "canary@mail.example",
}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our book, committed on a known day by somebody, and built for an address, with nothing edited."""
    base = tmp_path_factory.mktemp("canary-folder")
    fork = book_project(base / "fork")
    fork.write(".gitignore", (ROOT / ".gitignore").read_text(encoding="utf-8"))
    git(fork.folder, "init", "--quiet")
    git(fork.folder, "add", ".")
    day = "2021-03-04T23:30:00-0500"  # the next day already where clocks are set by Greenwich
    git(fork.folder, "-c", "user.email=canary@mail.example", "commit", "--quiet", "-m", "x", day=day)
    lonely = Project(base / "lonely")
    lonely.write("sitecustomize.py", NO_NETWORK)
    path = os.pathsep.join([str(lonely.folder), fork.environment()["PYTHONPATH"]])
    given = {**SECRETS, "HOME": str(base / "canary-home"), "PYTHONPATH": path, "TZ": "Asia/Tokyo"}
    done = fork.build_py("build", TINYXF_SITE_URL=SITE, TINYXF_EDIT_URI=EDIT, **given)
    assert done.returncode == 0, done.stdout + done.stderr
    return fork.folder / "site"


def page(site: Path, name: str) -> ET.Element:
    return parse_html((site / name).read_text(encoding="utf-8"))


def links(page: ET.Element, rel: str) -> list[str]:
    return [own.get("href") or "" for own in page.iter() if rel in (own.get("rel") or "").split()]


def described(page: ET.Element) -> dict[str, str]:
    """What a page says about itself, by name or property."""
    found = ((own.get("name") or own.get("property") or "", own.get("content") or "") for own in page.iter("meta"))
    return {name: content for name, content in found if name}


# -- addresses


@pytest.mark.parametrize("name", [*PAGES, "licences.html"])
def test_a_page_knows_its_one_address(name: str, published: Path) -> None:
    assert links(page(published, name), "canonical") == [SITE + name]


def test_the_page_for_lost_readers_has_no_address_of_its_own(published: Path) -> None:
    lost = page(published, "404.html")
    assert links(lost, "canonical") == []
    assert "og:url" not in described(lost)


def test_the_site_map_names_every_page_with_the_day_of_the_commit(published: Path) -> None:
    text = (published / "sitemap.xml").read_bytes()
    names = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
    entries = ET.fromstring(text).findall("s:url", names)  # noqa: S314  our own
    assert sorted(entry.findtext("s:loc", "", names) for entry in entries) == sorted(SITE + name for name in PAGES)
    assert {entry.findtext("s:lastmod", None, names) for entry in entries} == {"2021-03-05"}
    packed = (published / "sitemap.xml.gz").read_bytes()
    assert gzip.decompress(packed) == text
    (packed_at,) = struct.unpack("<I", packed[4:8])
    assert datetime.fromtimestamp(packed_at, UTC).date().isoformat() == "2021-03-05"


def test_robots_are_led_to_the_site_map(published: Path, built_site: Path) -> None:
    lines = (published / "robots.txt").read_text(encoding="utf-8").split("\n")
    assert [line for line in lines if line] == ["User-agent: *", "Allow: /", f"Sitemap: {SITE}sitemap.xml"]
    nowhere = (built_site / "robots.txt").read_text(encoding="utf-8")
    assert "Sitemap" not in nowhere


def test_every_link_of_the_lost_page_holds_at_any_depth(published: Path) -> None:
    """It is shown for any address, so what it names must not hang on where it is shown."""
    found = [own.get(key) or "" for own in page(published, "404.html").iter() for key in ("href", "src")]
    inner = [target for target in found if target and not target.startswith("#") and not urlsplit(target).netloc]
    assert len(inner) > 20
    for target in inner:
        path = urlsplit(urljoin(SITE + "no/such/page.html", target)).path
        assert path.startswith("/a/book/"), target
        file = published / path.removeprefix("/a/book/")
        assert (file / "index.html" if file.is_dir() else file).is_file(), target


def test_every_page_works_below_any_path(published: Path) -> None:
    """But for the lost page, no page names the top of its host."""
    for name in [*PAGES, "licences.html"]:
        for own in page(published, name).iter():
            for key in ("href", "src", "data-src"):
                assert not (own.get(key) or "").startswith("/"), f"{name}: {own.get(key)}"


# -- what is shown of a page elsewhere


@pytest.mark.parametrize("name", [*PAGES, "licences.html", "404.html"])
def test_a_page_can_be_shown_in_few_words(name: str, published: Path) -> None:
    own = page(published, name)
    said = described(own)
    assert said["og:site_name"] == BOOK.title
    assert 5 < len(said["og:title"]) < 100
    assert said["og:description"] == said["description"]
    assert 40 < len(said["description"]) <= 160
    assert said["og:type"] == "article"
    assert said.get("og:url") == (SITE + name if name in PAGES else None)
    assert "{{" not in "".join(said.values())
    picture = said["og:image"]
    assert said["twitter:card"] == "summary_large_image"
    assert picture.startswith(SITE)
    data = (published / picture.removeprefix(SITE)).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    wide, high = struct.unpack(">II", data[16:24])
    assert (str(wide), str(high)) == (said["og:image:width"], said["og:image:height"])
    assert said["og:image:alt"]


def test_the_books_title_stands_once_in_each_page_title(published: Path) -> None:
    for name in [*PAGES, "licences.html", "404.html"]:
        (title,) = (visible(own) for own in page(published, name).find("head") or () if own.tag == "title")
        assert title.count(BOOK.title) == 1, title


def test_every_page_can_be_edited_where_the_configuration_says(published: Path, built_site: Path) -> None:
    for name, uri in PAGES.items():
        assert links(page(published, name), "edit") == [EDIT.replace("{path}", uri)]
        assert (ROOT / "docs" / uri).is_file()
        assert links(page(built_site, name), "edit") == []
    for name in ("404.html", "licences.html"):
        assert links(page(published, name), "edit") == []


# -- nothing that is nobody's business


def texts(site: Path) -> Iterator[tuple[str, bytes]]:
    for name, data in tree(site).items():
        yield name, gzip.decompress(data) if name.endswith(".gz") else data
        yield name, data


def test_no_secret_no_folder_and_no_name_of_the_building_machine_gets_out(published: Path) -> None:
    """Every value that the build was given, and the folder it ran in, has `canary` in it."""
    assert "canary" in str(published)
    assert [name for name, data in texts(published) if b"canary" in data] == []


def test_nobody_is_asked_for_anything_but_the_site(published: Path, built_site: Path) -> None:
    """The address changes what pages say of themselves, never what a browser fetches."""
    fetching = re.compile(
        rb"<(?:script|img|iframe|source)[^>]* src=\"(?:https?:)?//|<link rel=\"stylesheet\" href=\"http"
    )
    for site in (published, built_site):
        assert [name for name, data in texts(site) if name.endswith(".html") and fetching.search(data)] == []
