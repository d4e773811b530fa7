"""The export of our own book in the hands of other engines: the same numbers, and no dead link.

Zensical, which is named as the successor of the theme's own generator, and Python-Markdown with nothing around it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from configuration import read_configuration
from exporting import export_book, plain_configuration
from loading import begin
from markdown import Markdown
from reading import read_edition

from tests.building import ROOT
from tests.following import dead_links, foreign_files
from tests.project import tree
from tinyxf.book.edition import Edition
from tinyxf.book.readback.expected import exported_pages
from tinyxf.book.readback.reconcile import reconcile

BOOK = read_configuration()
MOVING = (ROOT / "docs" / "moving.md").read_text(encoding="utf-8")
BARE = ("extra", "admonition", "meta", "toc")  # what comes with Python-Markdown
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<meta name="description" content="{description}">
<main>
{content}
</main>
</html>
"""


@pytest.fixture(scope="module")
def edition() -> Edition:
    return read_edition(BOOK)


@pytest.fixture(scope="module")
def exported(edition: Edition, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("engines") / "book"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fresh.install", lambda *_: None)  # other tests hold on to what is imported
        export_book(edition, BOOK, begin(BOOK.chapters), folder)
    return folder


@pytest.fixture(scope="module")
def zensical_site(exported: Path) -> Path:
    return build_with_zensical(exported)


@pytest.fixture(scope="module")
def bare_site(exported: Path) -> Path:
    return build_bare(exported / "docs", exported.parent / "bare")


def build_with_zensical(project: Path) -> Path:
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return project / "site"


def build_bare(docs: Path, site: Path) -> Path:
    """Convert each page by itself; what an engine does beside that is one line: links name the finished pages."""
    shutil.copytree(docs, site, ignore=shutil.ignore_patterns("*.md"))
    markdown = Markdown(extensions=list(BARE))
    for page in docs.glob("*.md"):
        content = markdown.reset().convert(page.read_text(encoding="utf-8"))
        content = re.sub(r'(<a href="[^":#]*)\.md(?=[#"])', r"\1.html", content)
        fields = {name: lines[0] for name, lines in vars(markdown)["Meta"].items()}
        (site / f"{page.stem}.html").write_text(PAGE.format(**fields, content=content), encoding="utf-8")
    return site


def problems(edition: Edition, site: Path) -> list[str]:
    files = {name: data.decode() for name, data in tree(site).items() if name.endswith((".html", ".csv", ".json"))}
    return [str(problem) for problem in reconcile(edition.catalog, exported_pages(edition), files)]


@pytest.fixture(params=["zensical_site", "bare_site"])
def site(request: pytest.FixtureRequest) -> Path:
    made = request.getfixturevalue(request.param)
    assert isinstance(made, Path)
    return made


def test_every_number_is_there_and_is_ours(site: Path, edition: Edition) -> None:
    assert {f"{uri.removesuffix('.md')}.html" for uri in BOOK.pages} <= {path.name for path in site.glob("*.html")}
    assert problems(edition, site) == []
    whole = "".join(path.read_text(encoding="utf-8") for path in site.glob("*.html"))
    found = set(re.findall(r'<data value="([^"]*)" data-address="([^"]*)" id="[^"]*">([^<]*)</data>', whole))
    cells = {table.address(*where[:2]) for table in edition.catalog.tables for where in table.numbers()}
    published = {(own.full, own.address, own.display) for own in edition.catalog.published() if own.address in cells}
    assert len(cells) > 900
    assert found == published


def test_every_link_is_alive_and_nothing_comes_from_elsewhere(site: Path) -> None:
    assert dead_links(site) == []
    assert foreign_files(site) == []


def test_nothing_is_left_of_our_syntax(exported: Path) -> None:
    for path in exported.joinpath("docs").glob("*.md"):
        text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"\{\{ |--8<--|\$", text), path.name


def test_an_altered_number_is_found(exported: Path, edition: Edition, tmp_path: Path) -> None:
    project = tmp_path / "altered"
    shutil.copytree(exported, project, ignore=shutil.ignore_patterns("site", ".cache"))
    page = project / "docs" / "loss.md"
    text = page.read_text(encoding="utf-8")
    assert ">1.1690</data>" in text
    page.write_text(text.replace(">1.1690</data>", ">1.1691</data>", 1), encoding="utf-8")
    for site in (build_with_zensical(project), build_bare(project / "docs", tmp_path / "bare")):
        (problem,) = problems(edition, site)
        assert problem.startswith("site/loss.html:")
        assert 'shows "1.1691", expected "1.1690"' in problem


def test_what_is_lost_or_dead_is_found(bare_site: Path, edition: Edition, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(bare_site, site)
    page = site / "attention.html"
    text = page.read_text(encoding="utf-8")
    cell = re.search(r'<td[^>]*><data [^>]*id="attention.norm/chuck/n3">[^<]*</data></td>', text)
    assert cell
    page.write_text(text.replace(cell[0], "<td></td>", 1), encoding="utf-8")
    assert [problem.partition(":1:1: ")[2] for problem in problems(edition, site)] == [
        'no element has the id "attention.norm/chuck/n3", so no link can open it',
        'the number "attention.norm/chuck/n3" is lost: expected 3 times, found 2',
    ]
    assert "attention.html: attention.html#attention.norm/chuck/n3" in dead_links(site)
    (site / "loss.html").unlink()
    assert "site/loss.html:1:1: the page is missing in the site" in problems(edition, site)


def test_licences_go_along_and_every_page_of_zensical_leads_there(zensical_site: Path) -> None:
    pages = sorted(zensical_site.glob("*.html"))
    assert "SIL Open Font License" in (zensical_site / "licences.html").read_text(encoding="utf-8")
    assert [page.name for page in pages if 'href="licences.html"' not in page.read_text(encoding="utf-8")] == []


def test_the_configuration_names_nothing_of_ours(exported: Path) -> None:
    plain = yaml.safe_load((exported / "mkdocs.yml").read_text(encoding="utf-8"))
    docs = exported / "docs"
    assert not {"hooks", "watch", "validation"} & set(plain)
    assert "custom_dir" not in plain["theme"]
    for listed in (*plain["extra_css"], *(own["path"] for own in plain["extra_javascript"])):
        assert (docs / listed).is_file()
    assert plain_configuration({"site_name": "x"}) == {
        "site_name": "x", "extra": {}, "markdown_extensions": [], "theme": {},
    }  # fmt: skip


# -- the page for maintainers


def test_it_names_each_event_of_the_hook() -> None:
    hook = (ROOT / "scripts" / "hooks.py").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(on_\w+)`", MOVING, re.MULTILINE) == re.findall(
        r"^(?:def )?(on_\w+)(?=\(| =)", hook, re.MULTILINE
    )


def test_its_program_runs() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", MOVING, re.DOTALL)
    program += "print(page, '<table' in html, '{{ ' in html, edition.problems)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "moving.md True False ()"


def test_its_last_command_reads_another_engines_site(zensical_site: Path, tmp_path: Path) -> None:
    (command,) = re.findall(r"(scripts/build\.py reconcile .*) plain/site$", MOVING, re.MULTILINE)
    words = [sys.executable, *command.split()]
    for site, status in ((zensical_site, 0), (tmp_path, 1)):
        done = subprocess.run([*words, str(site)], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (status, "")
        assert bool(done.stdout) == bool(status)
