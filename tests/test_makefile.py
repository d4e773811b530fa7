"""The Makefile: every target that anyone is told to call exists, says what it does, and calls what is there."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.building import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, flags=re.MULTILINE))
TOLD = re.compile(r"\bmake(?: --[a-z-]+)* (?!sure\b)([a-z]+(?:-[a-z]+)*)")


def make(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    # Without the flags of a make that runs these tests.
    environment = {
        name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}
    }
    return subprocess.run(["make", *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with our Makefile and empty requirement files, and no environment."""
    (tmp_path / "Makefile").write_text(MAKEFILE)
    for name in ("requirements.txt", "requirements-test.txt", "pyproject.toml"):
        (tmp_path / name).touch()
    return tmp_path


def test_help_lists_every_target() -> None:
    done = make()
    assert done.returncode == 0, done.stderr
    assert set(re.findall(r"^  make ([a-z-]+) ", done.stdout, flags=re.MULTILINE)) == TARGETS
    assert set(re.findall(r"^\.PHONY: ([a-z-]+)$", MAKEFILE, flags=re.MULTILINE)) == TARGETS


def test_what_people_are_told_to_call_exists() -> None:
    code = re.compile(r"^(?:    |\t)?(make .*)$|`(make [^`]*)`", re.MULTILINE)
    told: dict[str, str] = {}
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]
    for page in pages:
        for line in code.finditer(page.read_text(encoding="utf-8")):
            told |= dict.fromkeys(TOLD.findall(line[0]), page.name)
    assert {"site", "test", "serve"} <= set(told)
    assert {target: page for target, page in told.items() if target not in TARGETS} == {}


def test_every_script_that_is_called_exists() -> None:
    scripts = set(re.findall(r"scripts/[a-z_]+\.py", MAKEFILE))
    assert "scripts/build.py" in scripts
    assert sorted(script for script in scripts if not (ROOT / script).is_file()) == []


def test_a_python_that_is_too_old_is_said_with_what_to_do(checkout: Path) -> None:
    done = make("PYTHON=", "site", cwd=checkout)
    assert done.returncode == 2
    assert "tinyxf needs Python 3.11.5 or newer" in done.stderr
    assert not (checkout / ".venv").exists()


def test_a_python_that_cannot_make_an_environment_leaves_none_behind(checkout: Path) -> None:
    broken = checkout / "broken-python"
    broken.write_text("#!/bin/sh\nmkdir -p .venv/bin && exit 1\n")
    broken.chmod(0o755)
    done = make(f"PYTHON={broken}", "site", cwd=checkout)
    assert done.returncode == 2
    assert "apt-get install python3-venv" in done.stderr
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize("target", ["site", "test", "check", "serve"])
def test_a_changed_requirement_is_installed_again(checkout: Path, target: str) -> None:
    """Read from a dry run: a stamp older than its requirements brings the installation back."""
    (checkout / ".venv" / "bin").mkdir(parents=True)
    for name in ("bin/python", ".run", ".test"):
        (checkout / ".venv" / name).touch()
    assert "--require-hashes" not in make("--dry-run", target, cwd=checkout).stdout
    os.utime(checkout / ".venv" / ".run", (1, 1))
    assert "--require-hashes --requirement requirements.txt" in make("--dry-run", target, cwd=checkout).stdout
