"""The rules of the house, over every file of the repository."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from tests.building import ROOT

SELF = Path("tests/test_house.py")  # names what it forbids
BINARY = {".woff2", ".png", ".ico"}
LIMIT = 400_000  # bytes; more than any source file needs, and the lock files come near it
LOCKS = ("requirements.txt", "requirements-test.txt", "requirements-bench.txt", "requirements-tools.txt")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MACHINE = re.compile(r"(?<![\w.])/(?:work|root|home|Users)/\w|[A-Z]:\\\\?Users\\")
HOSTS = re.compile(
    r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|debian\.org|(?:index|find-links|registry)-?url *="
)
LATER = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
SILENCED = re.compile(r"# noqa(?!: [A-Z]+\d+(?:, ?[A-Z]+\d+)*  ?\S)|# type: ignore(?!\[[\w, -]+\]  # \S)")
SKIPPED = re.compile(r"pytest\.(?:mark\.)?(?:skip|skipif|importorskip|xfail)\b|unittest\.skip")


def git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.split("\0") if name]


def repository_files() -> list[Path]:
    """Return what is committed and what would be; in git's order."""
    names = git("ls-files", "--cached", "--others", "--exclude-standard", "-z")
    return [Path(name) for name in names if (ROOT / name).is_file()]


FILES = repository_files()
TEXTS = [path for path in FILES if path.suffix not in BINARY]
PYTHON = [path for path in TEXTS if path.suffix == ".py"]


def findings(
    paths: list[Path], pattern: re.Pattern[str], *, besides: Callable[[Path], bool] | None = None
) -> list[str]:
    """Return `path:line: text` for each line that matches."""
    found = []
    for path in paths:
        if path == SELF or (besides and besides(path)):
            continue
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        found += [f"{path}:{n}: {line.strip()[:100]}" for n, line in enumerate(lines, 1) if pattern.search(line)]
    return found


def test_no_path_of_a_machine() -> None:
    assert findings(TEXTS, MACHINE) == []


def test_no_host_of_a_registry() -> None:
    assert findings(TEXTS, HOSTS) == []


def test_nothing_is_left_for_later() -> None:
    assert findings(TEXTS, LATER) == []


def test_whatever_silences_a_linter_says_what_and_why() -> None:
    assert findings(PYTHON, SILENCED) == []


def test_no_test_is_skipped() -> None:
    assert findings([path for path in PYTHON if path.parts[0] == "tests"], SKIPPED) == []


@pytest.mark.parametrize(
    ("pattern", "bad", "good"),
    [
        (MACHINE, "see /" + "home/someone/x", "see docs/home/index.md"),
        (MACHINE, "'/" + "work/main'", "at network/work/x"),
        (HOSTS, "from https://py" + "pi.org/simple", "published on PyPI"),
        (HOSTS, "--index-" + "url=x", "the index of a row"),
        (LATER, "# TO" + "DO later", "toDOs"),
        (SILENCED, "x = 1  # no" + "qa", "x = 1  # no" + "qa: E501  a long address"),
        (SILENCED, "x = 1  # no" + "qa: E501", "x = 1  # no" + "qa: E501, D100  two reasons"),
        (SILENCED, "x = 1  # type: ig" + "nore", "x = 1  # type: ig" + "nore[misc]  # a reason"),
        (SKIPPED, "@pytest.mark." + "skipif(True)", "skipped = 1"),
    ],
)
def test_the_patterns_find_what_they_forbid(pattern: re.Pattern[str], bad: str, good: str) -> None:
    assert pattern.search(bad)
    assert not pattern.search(good)


def test_text_files_are_clean() -> None:
    """UTF-8 without a mark, newlines alone, one at the end, no blanks at a line's end (test data may have any)."""
    wrong = []
    for path in TEXTS:
        data = (ROOT / path).read_bytes()
        data.decode("utf-8")
        if path.parts[:2] in {("tests", "golden"), ("tests", "pages"), ("tests", "reference")}:
            continue
        wrong += [f"{path}: carriage return"] * (b"\r" in data)
        wrong += [f"{path}: byte-order mark"] * data.startswith(b"\xef\xbb\xbf")
        wrong += [f"{path}: end of file"] * (bool(data) and (not data.endswith(b"\n") or data.endswith(b"\n\n")))
        wrong += [f"{path}: blanks at a line's end"] * (path.suffix != ".md" and bool(re.search(rb"[ \t]\n", data)))
    assert wrong == []


def test_nothing_generated_is_committed() -> None:
    assert git("ls-files", "--cached", "--ignored", "--exclude-standard", "-z") == []
    generated = {".html", ".pyc", ".map", ".zip", ".log", ".lock"}
    assert [
        str(path) for path in FILES if path.suffix in generated and path.parts[0] not in {"templates", "tests"}
    ] == []
    ours = {".md", ".css", ".js", ".woff2", ".png", ".ico", ".txt", ".svg"}
    under_docs = [path for path in FILES if path.parts[0] == "docs" and path != Path("docs/numbers.csv")]
    assert [str(path) for path in under_docs if path.suffix not in ours and path.name != ".gitkeep"] == []


def test_no_file_is_large() -> None:
    assert [str(path) for path in FILES if (ROOT / path).stat().st_size > LIMIT] == []


def test_names_are_plain() -> None:
    """Lower case, digits, dots, hyphens and underscores: no name that one system takes and another does not."""
    usual = {"README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "THIRD_PARTY.md", "Makefile"}
    odd = [str(path) for path in FILES if str(path) not in usual and not re.fullmatch(r"[a-z0-9._/-]+", str(path))]
    assert odd == []
    assert not [path for path in FILES if (ROOT / path).is_symlink()]


def test_the_top_of_the_tree_holds_what_the_readme_says() -> None:
    folders = {path.parts[0] for path in FILES if len(path.parts) > 1}
    assert folders <= {".ci", ".github", "docs", "scripts", "templates", "tests", "tinyxf"}


# -- dependencies --


def locked(name: str) -> Iterator[tuple[Requirement, int]]:
    """Yield each requirement of a lock file with the number of its hashes."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            requirement, *hashes = line.split(" --hash=sha256:")
            yield Requirement(requirement.strip()), len(hashes)


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def wanted(group: str) -> Iterator[Requirement]:
    """Yield what pyproject.toml asks for in a dependency group, other groups included."""
    for entry in PROJECT["dependency-groups"][group]:
        if isinstance(entry, dict):
            yield from wanted(entry["include-group"])
        else:
            yield Requirement(entry)


@pytest.mark.parametrize("name", LOCKS)
def test_locks_hold_one_exact_version_with_hashes_and_no_address(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^\s*-(?!-hash)", text, flags=re.MULTILINE)
    for requirement, hashes in locked(name):
        assert [clause.operator for clause in requirement.specifier] == ["=="], requirement
        assert hashes >= 1, requirement


@pytest.mark.parametrize(("name", "group"), list(zip(LOCKS, ("build", "test", "bench", "tools"), strict=True)))
def test_locks_are_what_the_project_asks_for(name: str, group: str) -> None:
    """Edited pyproject.toml?  Run `make lock`."""
    versions: dict[str, list[Version]] = {}
    for requirement, _ in locked(name):
        versions.setdefault(canonical(requirement.name), []).append(
            Version(next(iter(requirement.specifier)).version)
        )
    for requirement in [*map(Requirement, PROJECT["project"]["dependencies"]), *wanted(group)]:
        found = versions.get(canonical(requirement.name), [])
        assert found, f"{requirement} is not in {name}; run: make lock"
        assert all(version in requirement.specifier for version in found), f"{requirement}: {name} has {found}"


def test_the_locks_agree() -> None:
    """The test environment is the run environment and more; what is tested is what builds the book."""
    run = {str(requirement) for requirement, _ in locked("requirements.txt")}
    for name in LOCKS[1:]:
        assert run <= {str(requirement) for requirement, _ in locked(name)}


# -- what is not ours --


def test_everything_vendored_is_listed_with_its_licence() -> None:
    """Fonts and minified scripts under docs/ came from elsewhere: THIRD_PARTY.md must name each."""
    text = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
    vendored = [path for path in FILES if path.suffix in {".woff2", ".ttf"} or path.name == "iframe-worker.js"]
    assert len(vendored) >= 2
    assert [str(path) for path in vendored if f"`{path}`" not in text] == []


# -- the site's configuration, as far as it is a rule --


def test_the_configuration_fetches_nothing_from_elsewhere() -> None:
    class Loader(yaml.SafeLoader):
        """Takes MkDocs' own tags, such as !ENV, for nothing."""

    Loader.add_multi_constructor("", lambda *_: None)
    configuration = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader=Loader)  # noqa: S506  a safe one
    assert configuration["theme"]["font"] is False
    assert not configuration.get("repo_url")
    plugins = {entry if isinstance(entry, str) else next(iter(entry)) for entry in configuration["plugins"]}
    assert plugins & {"privacy", "social"} == set()
    assert configuration["extra"]["polyfills"] == [
        "assets/javascripts/iframe-worker.js"
    ]  # else the theme fetches one
