"""The authors' commands in this process, on our own book: what each prints, writes and answers."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import build
import configuration
import fresh
import loading
import pytest
from build import main
from configuration import FILE, navigation_problems, read_configuration
from loading import BrokenError
from reading import read_manuscript, read_snippets

from tests.project import tree
from tinyxf.chapter import catalog
from tinyxf.errors import TinyxfError


@pytest.fixture(autouse=True)
def kept_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests hold on to what is imported; and a build's date is its own affair."""
    monkeypatch.setattr(fresh, "install", lambda *_: None)
    monkeypatch.setattr(fresh, "forget", lambda *_: None)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")


@pytest.fixture
def books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of our pages, for commands that write to them."""
    own = read_configuration()
    shutil.copytree(own.docs, tmp_path / "docs")
    copied = replace(own, docs=tmp_path / "docs", site=tmp_path / "site")
    monkeypatch.setattr(build, "read_configuration", lambda: copied)
    monkeypatch.setattr(build, "WORKSHOP", tmp_path / "work" / "build")
    return tmp_path


Captured = pytest.CaptureFixture[str]


def test_check_says_how_much_it_saw(capsys: Captured) -> None:
    assert main(["check"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("0 problems, ")
    assert main(["check", "--format", "json"]) == 0
    assert capsys.readouterr().out == "[]\n"


def test_names_are_listed(capsys: Captured) -> None:
    assert main(["names", "loss.before"]) == 0
    assert capsys.readouterr().out.split()[:3] == ["loss.before", "1.1690", "1.168960112"]
    assert main(["names", "loss.befor"]) == 0  # a part of a name
    assert main(["names", "loss.bfore"]) == 1


def test_a_snapshot_is_json(capsys: Captured) -> None:
    assert main(["snapshot"]) == 0
    numbers = json.loads(capsys.readouterr().out)["numbers"]
    assert len(numbers) >= len(list(catalog().published()))


def test_the_built_site_is_reconciled(built_site: Path, capsys: Captured) -> None:
    assert main(["reconcile", "--site", str(built_site)]) == 0
    assert main(["reconcile", "--site", str(built_site / "nowhere")]) == 1
    assert "nowhere: no such folder" in capsys.readouterr().err


def test_pages_are_exported_with_all_that_they_need(books: Path) -> None:
    out = books / "out" / "docs"
    (books / "docs" / "snippets" / "part.md").write_text('So {{ n("loss.before") }}.\n', encoding="utf-8")
    with (books / "docs" / "loss.md").open("a", encoding="utf-8") as page:
        page.write('\n--8<-- "part.md"\n')
    assert main(["export", str(books / "out")]) == 0
    pages = {path.name for path in (books / "docs").glob("*.md")}
    assert {path.name for path in out.glob("*.md")} == pages | {"licences.md"}
    assert (out / "assets" / "book.css").is_file()
    assert not (out / "snippets").exists()
    assert not (out / "numbers.csv").exists()
    assert "So <data value=" in (out / "loss.md").read_text(encoding="utf-8")
    assert not [
        path
        for path in out.rglob("*.md")
        if "{{ n(" in path.read_text(encoding="utf-8").replace("`", "") and path.name != "making.md"
    ]


def test_an_export_takes_the_place_of_an_earlier_one_and_of_nothing_else(books: Path, capsys: Captured) -> None:
    out = books / "out"
    assert main(["export", str(out)]) == 0
    (out / "docs" / "stale.md").touch()
    (out / "site").mkdir()
    assert main(["export", str(out)]) == 0
    assert not (out / "docs" / "stale.md").exists()
    (books / "mine").mkdir()
    (books / "mine" / "diary.md").touch()
    (books / "file").touch()
    before = tree(books / "docs")
    for folder in (books / "mine", books / "file", books):
        assert main(["export", str(folder)]) == 1
        assert f"not exported: {folder.name} holds other files" in capsys.readouterr().err
    assert tree(books / "docs") == before
    assert [path.name for path in (books / "mine").iterdir()] == ["diary.md"]


def test_accept_writes_the_ledger_and_refuses_a_wrong_book(books: Path, capsys: Captured) -> None:
    ledger = books / "docs" / "numbers.csv"
    good = ledger.read_text(encoding="utf-8")
    ledger.write_text(good.replace("loss_before,1.1690,1.168960112", "loss_before,1.1609,1.1609"), encoding="utf-8")
    assert main(["check"]) == 1
    assert "1.1609 -> 1.1690" in capsys.readouterr().out
    assert main(["accept"]) == 0
    said = capsys.readouterr().out
    assert "loss.step/loss_before: 1.1609 -> 1.1690" in said
    assert said.endswith("\npublished numbers that moved: 1\n")
    assert main(["accept"]) == 0
    assert capsys.readouterr().out == "published numbers that moved: none\n"
    assert ledger.read_text(encoding="utf-8") == good
    page = books / "docs" / "loss.md"
    page.write_text(page.read_text(encoding="utf-8") + '\n{{ n("nothing") }}\n', encoding="utf-8")
    for command in (["accept"], ["export", str(books / "out")], ["build"]):
        assert main(command) == 1
        assert 'unknown name "nothing"' in capsys.readouterr().out
    assert not (books / "out").exists()
    assert not (books / "site").exists()


def test_a_site_is_put_in_place_only_when_it_is_good(
    books: Path, built_site: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def copy(site: Path) -> int:
        shutil.copytree(built_site, site, dirs_exist_ok=True)
        return 0

    monkeypatch.setattr(build, "run_mkdocs", lambda _: 1)
    assert main(["build"]) == 1
    assert not (books / "site").exists()
    monkeypatch.setattr(build, "run_mkdocs", copy)
    assert main(["build"]) == 0
    assert (books / "site" / "loss.html").is_file()
    (books / "site" / "index.html").unlink()
    assert main(["build"]) == 1
    assert "not built: site holds other files" in capsys.readouterr().err
    assert main(["build", "--site", str(books / "docs" / "loss.md" / "x")]) == 1
    assert "cannot be put at x" in capsys.readouterr().err
    assert not (books / "work" / "build").exists()


def test_what_mkdocs_says_is_shown_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    done = subprocess.CompletedProcess([], 3, "so", " it is\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    assert build.run_mkdocs(tmp_path) == 3
    assert capsys.readouterr().out == "so it is\n"


def test_two_revisions_are_compared(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    assert main(["snapshot"]) == 0
    side = capsys.readouterr().out
    monkeypatch.setattr("revisions.snapshots_of", lambda _: (side, side))
    for form in ("text", "json", "md"):
        assert main(["diff", "--format", form]) == 0
    capsys.readouterr()

    def refuse(_: str) -> tuple[str, str]:
        raise TinyxfError("no such commit")

    monkeypatch.setattr("revisions.snapshots_of", refuse)
    assert main(["diff", "nowhere"]) == 1
    assert capsys.readouterr().err == "build.py diff: no such commit\n"


def test_code_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    def broken(*_: object) -> object:
        raise BrokenError("tinyxf/x.py", 3, "ValueError: no")

    monkeypatch.setattr(loading, "load_catalog", broken)
    assert main(["names"]) == 1
    assert capsys.readouterr().out == "tinyxf/x.py:3:1: ValueError: no\n"


# -- the configuration and the files


def test_the_configuration_is_read_as_mkdocs_reads_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "mkdocs.yml"
    (tmp_path / "pages" / "drafts").mkdir(parents=True)
    for name in ("a.md", "b.md", "drafts/c.md"):
        (tmp_path / "pages" / name).write_text("x", encoding="utf-8")
    file.write_text(
        "site_name: !ENV [TX_NAME, TX_OTHER, plain]\ndocs_dir: pages\nexclude_docs: |\n  drafts/\n"
        "extra: {chapters: [x], one: !ENV TX_NAME, none: !ENV {a: b}}\nnav: [{B: b.md}, c.md]\n"
        "markdown_extensions:\n  - tables\n  - toc: {permalink: true}\n"
        "  - pymdownx.emoji: {x: !!python/name:a.b ''}\n",
        encoding="utf-8",
    )
    own = read_configuration(file)
    assert (own.title, own.pages, own.site) == ("plain", ("b.md", "a.md"), tmp_path / "site")
    assert own.options == {"toc": {"permalink": True}, "pymdownx.emoji": {"x": "name:a.b"}}
    monkeypatch.setenv("TX_OTHER", "mine")
    assert read_configuration(file).title == "mine"
    found = [str(problem) for problem in navigation_problems(file)]
    assert found == [
        'mkdocs.yml:6:18: the navigation names "c.md", which is no page; did you mean "b.md" or "a.md"?',
        'pages/a.md:1:1: no entry of "nav" in mkdocs.yml leads to this page',
    ]


def test_a_book_without_a_navigation_misses_none(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("x", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text("site_name: x\nextra: {chapters: [x]}\n", encoding="utf-8")
    assert navigation_problems(tmp_path / "mkdocs.yml") == ()
    assert navigation_problems(FILE) == ()


def test_files_to_include_are_read_with_their_folders(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "snippets" / "deep").mkdir(parents=True)
    (docs / "snippets" / "deep" / "x.py").write_text("print(1)\n", encoding="utf-8")
    (own,) = read_snippets(docs)
    assert (own.path, own.uri, own.text) == ("docs/snippets/deep/x.py", "deep/x.py", "print(1)\n")
    (docs / "bad.md").write_bytes(b"# A\n\nx \xff\n")
    with pytest.raises(BrokenError, match=r"docs/bad\.md:3:1: the file is not UTF-8 \(byte 0xff\)"):
        read_manuscript(docs, "bad.md")


def test_the_folder_of_the_configuration_is_the_projects() -> None:
    assert configuration.ROOT == FILE.parent == loading.ROOT
