from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from revisions import RevisionError, commit, snapshot_of, snapshots_of, split_range

from tests.building import ROOT

# Prints what it is, where its code comes from, and whether Python would write bytecode beside it.
BUILD = """\
import json, pathlib, sys
import tinyxf.value
assert sys.argv[1:] == ["snapshot"], sys.argv
own = pathlib.Path(tinyxf.__file__).parents[1] == pathlib.Path.cwd() == pathlib.Path(__file__).parents[1]
beside = sys.path[0] == str(pathlib.Path(__file__).parent)
print(json.dumps([tinyxf.value.VALUE, own, sys.dont_write_bytecode, beside]))
"""


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    command = ["git", *identity, *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def save(folder: Path, message: str) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(autouse=True)
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coverage is not asked about code that lies elsewhere for a moment."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with three commits: before there was a build, 1, then 2; 3 is not committed yet."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    write(folder, "tinyxf/__init__.py", "")
    save(folder, "begin")
    write(folder, "scripts/build.py", BUILD)
    write(folder, "tinyxf/value.py", "VALUE = 1\n")
    save(folder, "one")
    write(folder, "tinyxf/value.py", "VALUE = 2\n")
    save(folder, "two")
    write(folder, "tinyxf/value.py", "VALUE = 3\n")
    return folder


def test_each_revision_is_computed_by_its_own_code(project: Path) -> None:
    before = sorted(path.name for path in project.rglob("*") if ".git" not in path.parts)
    assert json.loads(snapshot_of("HEAD~1", project)) == [1, True, True, True]
    assert json.loads(snapshot_of("main", project)) == [2, True, True, True]
    assert json.loads(snapshot_of(None, project)) == [3, True, True, True]
    assert sorted(path.name for path in project.rglob("*") if ".git" not in path.parts) == before


def test_a_comparison_has_two_sides(project: Path) -> None:
    def values(given: str) -> list[int]:
        return [json.loads(side)[0] for side in snapshots_of(given, project)]

    assert values("HEAD") == [2, 3]
    assert values("HEAD~1..HEAD") == [1, 2]
    assert values("HEAD..HEAD~1") == [2, 1]
    assert values("HEAD~1..") == [1, 2]
    assert values("..HEAD~1") == [2, 1]


def test_three_dots_start_where_two_branches_parted(project: Path) -> None:
    write(project, "tinyxf/value.py", "VALUE = 2\n")
    one = git(project, "rev-parse", "HEAD~1")
    git(project, "checkout", "--quiet", "-b", "side", "HEAD~1")
    write(project, "tinyxf/value.py", "VALUE = 4\n")
    save(project, "four")
    assert split_range("main...side", project) == (one, "side")
    assert [json.loads(side)[0] for side in snapshots_of("main...side", project)] == [1, 4]


def test_a_commit_is_found_by_any_of_its_names(project: Path) -> None:
    name = git(project, "rev-parse", "HEAD")
    git(project, "tag", "--annotate", "v1", "--message", "first")
    assert {commit(own, project) for own in ("HEAD", "main", name, name[:8], "v1")} == {name}


@pytest.mark.parametrize(
    ("revision", "message"),
    [
        ("nowhere", 'unknown revision "nowhere"'),
        ("HEAD~9", 'unknown revision "HEAD~9"'),
        ("HEAD:tinyxf", 'unknown revision "HEAD:tinyxf"'),
        ("", 'unknown revision ""'),
        ("--all", 'a revision is expected, found the option "--all"'),
        ("HEAD~2", 'revision "HEAD~2" has no scripts/build.py, so it cannot say what it publishes'),
    ],
)
def test_what_cannot_be_compared_is_said_in_one_line(project: Path, revision: str, message: str) -> None:
    with pytest.raises(RevisionError) as error:
        snapshot_of(revision, project)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "import argparse\nargparse.ArgumentParser().parse_args()\n",
            'revision "HEAD" does not know the command snapshot, so it cannot say what it publishes',
        ),
        ("print('a.md:1:1: wrong')\nraise SystemExit(1)\n", 'revision "HEAD" cannot be computed:\na.md:1:1: wrong'),
        ("raise SystemExit('no numpy')\n", 'revision "HEAD" cannot be computed:\nno numpy'),
    ],
)  # fmt: skip
def test_a_revision_that_fails_says_why(project: Path, code: str, message: str) -> None:
    write(project, "scripts/build.py", code)
    save(project, "broken")
    with pytest.raises(RevisionError) as error:
        snapshot_of("HEAD", project)
    assert str(error.value) == message


def test_code_from_elsewhere_is_refused(project: Path) -> None:
    """Without a package of its own, a revision would find the editable install's and compute its numbers."""
    shutil.rmtree(project / "tinyxf")
    save(project, "no package")
    with pytest.raises(RevisionError, match=r"tinyxf comes from .*, expected it in"):
        snapshot_of("HEAD", project)


def test_a_folder_without_history_is_said_to_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(RevisionError, match="not a git repository"):
        snapshot_of("HEAD", tmp_path)


def test_without_git_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RevisionError, match="git is needed to compare revisions"):
        snapshot_of("HEAD", tmp_path)


def test_the_book_itself_can_be_compared(tmp_path: Path) -> None:
    """One weight is edited; the command line names the numbers that move, and the sentence that they stand in."""
    for name in ("docs", "scripts", "templates", "tinyxf"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    page = tmp_path / "docs" / "index.md"
    page.write_bytes(page.read_bytes() + b'\n\nSo {{ n("loss.before") }}, or twice {{ n("loss.before") / 2 }}.\n')
    last = len(page.read_text(encoding="utf-8").splitlines())
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    save(tmp_path, "the book")
    weights = tmp_path / "tinyxf" / "weights.py"
    old, new = '"how": (0.0, 0.0, 0.5, 0.0)', '"how": (0.0, 0.0, 0.4, 0.0)'
    text = weights.read_text(encoding="utf-8")
    assert old in text
    weights.write_text(text.replace(old, new), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "scripts/build.py", "diff"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    moved = done.stdout.split("\n\n")
    assert re.fullmatch(r"Published numbers: \d+ changed\.", moved[0])
    assert len(moved) == int(moved[0].split()[2]) + 1
    by_number = {number.partition(": ")[0]: number for number in moved[1:]}
    assert by_number["weights.embedding/how/quantifier"].startswith("weights.embedding/how/quantifier: 0.5 -> 0.4\n")
    loss = re.search(r"loss_before: 1\.1690 -> (1\.1\d\d\d)\n", by_number["loss.step/loss_before"])
    half = re.search(r": 0\.5845 -> (0\.5\d\d\d)\n", by_number['n("loss.before") / 2'])
    assert loss
    assert half
    sentence = f"  docs/index.md:{last}: So {loss[1]}, or twice {half[1]}."
    assert sentence in by_number["loss.step/loss_before"].splitlines()
    assert by_number['n("loss.before") / 2'].splitlines()[1:] == [sentence]
    assert "embed.tokens/0/id" not in by_number
