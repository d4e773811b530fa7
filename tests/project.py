"""Projects in temporary folders, for tests that edit, build and break them: a book on tea, and a copy of our own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.building import ROOT

PARTS = ("docs", "scripts", "templates", "tinyxf", "mkdocs.yml", "requirements.txt", "THIRD_PARTY.md")
CONFIGURATION = """site_name: Tea
use_directory_urls: false
hooks: [scripts/hooks.py]
watch: [tests]
extra:
  chapters: [tests.second_chapter]
theme:
  name: material
  font: false
plugins: [search]
markdown_extensions:
  - tables
  - attr_list
  - toc
  - pymdownx.arithmatex:
      generic: true
  - pymdownx.superfences
validation:
  nav: {omitted_files: ignore, not_found: ignore}
  links: {not_found: ignore, anchors: ignore, absolute_links: ignore, unrecognized_links: ignore}
"""
PAGE = """---
title: Tea at {{ n("cool.room") }} degrees
description: It cools to {{ n("cool.last") }} degrees.
---
# Tea

Together {{ n("brew.total") }} mg.
Most of it is from black tea: {{ n("brew.blend", "black & strong", "caffeine", digits=0) }}.
{{ claim(n("brew.blend", "black & strong", "caffeine") > n("brew.blend", "green", "caffeine")) }}

{{ table("brew.blend") }}

## Cooling

{{ table("cool.minutes") }}
"""
# As `sitecustomize.py` on the path: every process that Python starts is refused the network.
NO_NETWORK = """
import socket

def refuse(*_, **__):
    raise SystemExit("a build must not use the network")

for name in ("connect", "connect_ex", "sendto", "bind"):
    setattr(socket.socket, name, refuse)
socket.getaddrinfo = socket.create_connection = socket.gethostbyname = refuse
"""


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a book in it."""

    folder: Path

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return what a command is run with: this project's code first, and coverage not asked about it."""
        path = os.pathsep.join([str(self.folder), str(ROOT)])
        own = {"PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1", "COLUMNS": "1000"}
        dropped = {"COVERAGE_PROCESS_CONFIG", "SOURCE_DATE_EPOCH", "PYTHONDONTWRITEBYTECODE"}
        kept = {name: value for name, value in os.environ.items() if name not in dropped}
        return {**kept, **own, **(more or {})}

    def run(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a Python command line in the project; `more` are variables of its environment."""
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env=self.environment(more),
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=300,
        )

    def build_py(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command of build.py."""
        return self.run("scripts/build.py", *words, **more)

    def mkdocs(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command of MkDocs."""
        return self.run("-m", "mkdocs", *words, **more)

    def read(self, name: str) -> str:
        """Return the text of a file."""
        return (self.folder / name).read_bytes().decode()

    def write(self, name: str, text: str, *, changed: int = 0) -> None:
        """Write a file in one step, as editors do, `changed` at this time in nanoseconds instead of now."""
        path, new = self.folder / name, self.folder.with_suffix(".new")
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(text.encode())
        if changed:
            os.utime(new, ns=(changed, changed))
        new.replace(path)

    def replace(self, name: str, old: str, new: str) -> int:
        """Put `new` in place of the only `old` in a file; return the line where it stands."""
        text = self.read(name)
        assert text.count(old) == 1, f"{name} has {old!r} {text.count(old)} times"
        self.write(name, text.replace(old, new))
        return text.count("\n", 0, text.index(old)) + 1

    def add(self, name: str, text: str) -> int:
        """Append lines to a file; return the number of the first of them."""
        before = self.read(name)
        self.write(name, before + text)
        return before.count("\n") + 1


def tree(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder, by their path in it."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def git(folder: Path, *words: str, day: str = "") -> str:
    """Run git in a folder, whoever we are there, on a day if one is given; return what it says."""
    identity = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    dates = {"GIT_COMMITTER_DATE": day, "GIT_AUTHOR_DATE": day} if day else {}
    done = subprocess.run(
        ["git", *identity, *words],
        cwd=folder,
        env={**os.environ, **dates},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def tea_project(folder: Path, *copied: str) -> Project:
    """Make a book of one page, with chapter and scripts of its own; the package is ours unless it is `copied`."""
    for name in ("scripts", *copied):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "theme"))
    own = Project(folder)
    own.write("tests/second_chapter.py", (ROOT / "tests" / "second_chapter.py").read_text(encoding="utf-8"))
    own.write("docs/index.md", PAGE)
    own.write("mkdocs.yml", CONFIGURATION)
    return own


def book_project(folder: Path) -> Project:
    """Copy our own book: what git knows of it, as it is now."""
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *PARTS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, done.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return Project(folder)
