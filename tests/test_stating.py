"""What a site states about itself: the commit, or why there is none; versions; the ledger; and that it is true."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import stating
from packaging.requirements import Requirement
from stating import commit_of, main, statement_problems, tree_digest, versions, write_statement

from tests.building import ROOT
from tests.project import git, tree
from tests.second_chapter import catalog
from tinyxf.book.history.ledger import write_ledger

TEA = catalog()
LEDGER = write_ledger(TEA)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit, of one file and of what is ignored."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "page.md").write_text("A page.\n")
    (folder / ".gitignore").write_text("/site/\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "x")
    return folder


# -- the commit


def test_a_clean_work_tree_is_its_commit(repository: Path) -> None:
    (repository / "site").mkdir()
    (repository / "site" / "index.html").touch()  # what a build leaves is no change
    before = tree(repository)
    assert commit_of(repository) == (git(repository, "rev-parse", "HEAD"), False)
    assert tree(repository) == before  # nothing is written, not even the index


@pytest.mark.parametrize("name", ["page.md", "untracked.md", "deep/untracked.md"])
def test_a_change_that_is_not_committed_is_said(repository: Path, name: str) -> None:
    git(repository, "config", "status.showUntrackedFiles", "no")
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_text("Another page.\n")
    head = git(repository, "rev-parse", "HEAD")
    assert commit_of(repository) == (head, True)
    git(repository, "add", ".")
    assert commit_of(repository) == (head, True)
    git(repository, "commit", "--quiet", "--message", "y")
    assert commit_of(repository) == (git(repository, "rev-parse", "HEAD"), False)
    (repository / name).unlink()
    assert commit_of(repository)[1]


def test_where_nobody_can_say_nothing_is_said(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = repository / "copy"  # inside a repository that knows nothing of it
    copy.mkdir()
    assert commit_of(copy) == (None, None)
    git(copy, "init", "--quiet")
    assert commit_of(copy) == (None, None)  # no commit yet
    (copy / ".git" / "HEAD").write_text("nonsense")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository))
    assert commit_of(copy) == (None, None)
    monkeypatch.setenv("PATH", str(copy))
    assert commit_of(repository) == (None, None)  # no git


# -- versions


def test_every_library_that_the_project_asks_for_is_named() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = versions(ROOT)
    assert list(found)[:2] == ["tinyxf", "python"]
    assert (found["tinyxf"], found["python"]) == (project["version"], project["requires-python"])
    assert set(found) - {"tinyxf", "python"} == {Requirement(line).name for line in project["dependencies"]}
    assert all(
        re.fullmatch(r"\d[\w.]*( or \d[\w.]*)*", version) for name, version in found.items() if name != "python"
    )


def test_a_version_for_each_python_is_named_if_one_of_them_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stating, "version", lambda name: "2.4" if name == "numpy" else "0.9")
    assert versions(tmp_path)["numpy"] == "2.4"  # no lock file
    lock = "numpy==2.4 ; python_full_version < '3.12' \\\n    --hash=x\nnumpy==2.5 ; python_full_version >= '3.12'\n"
    (tmp_path / "requirements.txt").write_text(lock + "jinja2==3.1 \\\n    --hash=y\n")
    assert versions(tmp_path)["numpy"] == "2.4 or 2.5"
    assert versions(tmp_path)["jinja2"] == "0.9"  # not what is locked


# -- what is written, and read back


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """A site's statement and ledger, as they are read back."""
    write_statement(tmp_path, TEA, tmp_path)
    return {"build.json": (tmp_path / "build.json").read_bytes().decode(), stating.LEDGER: LEDGER}


def problems(files: dict[str, str]) -> list[str]:
    return [str(problem) for problem in statement_problems(files, TEA, "site")]


def test_a_statement_says_what_it_must_and_no_more(files: dict[str, str]) -> None:
    stated = json.loads(files["build.json"])
    assert list(stated) == ["commit", "dirty", "versions", "numbers", "ledger"]
    assert (stated["commit"], stated["dirty"]) == (None, None)
    assert stated["numbers"] == len(list(TEA.published())) == LEDGER.count("\n") - 1
    assert stated["ledger"] == {
        "file": "downloads/numbers.csv",
        "sha256": hashlib.sha256(LEDGER.encode()).hexdigest(),
    }
    assert files["build.json"] == json.dumps(stated, indent=2) + "\n"
    assert problems(files) == []


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("numbers", 1, "site/build.json:1:1: numbers: found 1, expected "),
        ("numbers", None, "site/build.json:1:1: numbers: found null, expected "),
        ("ledger", {"file": "downloads/numbers.csv", "sha256": "0"}, "site/build.json:1:1: ledger: found {"),
    ],
)
def test_a_false_statement_is_found_out(files: dict[str, str], name: str, value: Any, message: str) -> None:
    stated = json.loads(files["build.json"]) | {name: value}
    (found,) = problems({**files, "build.json": json.dumps(stated)})
    assert found.startswith(message)


@pytest.mark.parametrize("text", ["", "{", "1", "[1]", '"x"'])
def test_what_is_no_statement_is_named(files: dict[str, str], text: str) -> None:
    (found,) = problems({**files, "build.json": text})
    assert found.startswith("site/build.json:1:1: this is no statement: ")


def test_a_ledger_of_other_bytes_is_found_out(files: dict[str, str]) -> None:
    for text in (LEDGER.replace("\n", "\r\n"), ""):
        assert problems({**files, stating.LEDGER: text}) == [
            "site/downloads/numbers.csv:1:1: this is not the ledger whose digest build.json states"
        ]


def test_a_site_that_states_nothing_is_named(files: dict[str, str]) -> None:
    del files["build.json"]
    (found,) = problems(files)
    assert found.startswith("site/build.json:1:1: the site does not state what it was built from")


def test_the_book_states_its_own_commit_and_nothing_else_does(built_site: Path) -> None:
    stated = json.loads((built_site / "build.json").read_bytes())
    assert git(ROOT, "cat-file", "-t", stated["commit"]) == "commit"
    assert isinstance(stated["dirty"], bool)
    published = (built_site / "downloads" / "numbers.csv").read_bytes()
    assert stated["ledger"]["sha256"] == hashlib.sha256(published).hexdigest()
    naming = [name for name, data in tree(built_site).items() if stated["commit"][:12].encode() in data]
    assert naming == ["build.json"]
    assert os.fsencode(stated["versions"]["mkdocs"]) in (built_site / "index.html").read_bytes()  # the generator's


# -- one digest of it all


def test_a_site_has_one_digest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"{tmp_path.name} holds no built site; run: make site\n"
    for name in ("build.json", "b/a.html", "a-b.html", "é.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    names = sorted(["build.json", "b/a.html", "a-b.html", "é.html"])
    lines = [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in names]
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == hashlib.sha256("".join(lines).encode()).hexdigest() + "\n"
    before = tree_digest(tmp_path)
    (tmp_path / "a-b.html").rename(tmp_path / "a-c.html")
    assert tree_digest(tmp_path) != before
