"""State what a site was built from, in its `build.json`: the one file that names the commit.

The same commit gives the same bytes, whichever Python builds it, so what is stated must hold for all of them: the
range of Pythons, and each library's version as the lock file has it.  To compare two builds, wherever they were made:

    python scripts/stating.py site

prints one digest of all files and their names.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import metadata, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clock import ask_git

if TYPE_CHECKING:
    from tinyxf.catalog import Catalog
    from tinyxf.errors import Problem

ROOT = Path(__file__).resolve().parents[1]
NAME = "build.json"
LEDGER = "downloads/numbers.csv"  # the ledger, as the site publishes it
PROJECT = "tinyxf"


def write_statement(site: Path, catalog: Catalog, root: Path = ROOT) -> None:
    """Write into a site what it was built from."""
    commit, dirty = commit_of(root)
    fields = {"commit": commit, "dirty": dirty, "versions": versions(root), **_published(catalog)}
    (site / NAME).write_bytes(json.dumps(fields, indent=2).encode() + b"\n")


def commit_of(root: Path) -> tuple[str | None, bool | None]:
    """Return the full name of the last commit, and whether the work tree differs from it.

    A file that git neither knows nor ignores counts, since a page would be built from it.  Both are None where nobody
    can say: in a copy without history, or without git.
    """
    said = ask_git(root, "status", "--porcelain=v2", "--branch", "--untracked-files=normal")
    found = re.search(r"^# branch\.oid ([0-9a-f]+)$", said, re.MULTILINE)
    if not found:
        return None, None
    return found[1], any(not line.startswith("#") for line in said.splitlines())


def versions(root: Path) -> dict[str, str]:
    """Return the version of the project, of Python, and of each library that the project asks for.

    Where the lock file has one version for old Pythons and another for new ones, both are named.  A library in no
    version of the lock file is named as it is installed.
    """
    lock = root / "requirements.txt"
    locked = lock.read_text(encoding="utf-8") if lock.exists() else ""
    names = sorted(re.split(r"[^\w.-]", wanted, maxsplit=1)[0].lower() for wanted in requires(PROJECT) or ())
    pythons = {"python": metadata(PROJECT)["Requires-Python"]}
    return {PROJECT: version(PROJECT), **pythons, **{name: _version(name, locked) for name in names}}


def _version(name: str, locked: str) -> str:
    installed = version(name)
    allowed = re.findall(rf"^{re.escape(name)}==([^\s;]+)", locked, re.MULTILINE)
    return " or ".join(allowed) if installed in allowed else installed


def _published(catalog: Catalog) -> dict[str, Any]:
    from tinyxf.book.history.ledger import write_ledger

    digest = sha256(write_ledger(catalog).encode()).hexdigest()
    return {"numbers": sum(1 for _ in catalog.published()), "ledger": {"file": LEDGER, "sha256": digest}}


def statement_problems(files: Mapping[str, str], catalog: Catalog, folder: str) -> Iterator[Problem]:
    """Compare what a site states with the catalog, and with the ledger in the site; `files` are texts by path."""
    from tinyxf.errors import Problem

    def problem(path: str, message: str) -> Problem:
        return Problem(f"{folder}/{path}", 1, 1, message, "reconcile")

    if NAME not in files:
        yield problem(NAME, 'the site does not state what it was built from; "scripts/build.py build" does')
        return
    try:
        stated = dict(json.loads(files[NAME]))
    except (ValueError, TypeError) as error:
        yield problem(NAME, f"this is no statement: {error}")
        return
    expected = _published(catalog)
    for name, value in expected.items():
        if stated.get(name) != value:
            yield problem(NAME, f"{name}: found {json.dumps(stated.get(name))}, expected {json.dumps(value)}")
    if sha256(files.get(LEDGER, "").encode()).hexdigest() != expected["ledger"]["sha256"]:
        yield problem(LEDGER, f"this is not the ledger whose digest {NAME} states")


def tree_digest(site: Path) -> str:
    """Return one digest of all files of a folder and their names: of the lines that `sha256sum` prints of them."""
    files = sorted((path.relative_to(site).as_posix(), path) for path in site.rglob("*") if path.is_file())
    lines = (f"{sha256(path.read_bytes()).hexdigest()}  {name}\n" for name, path in files)
    return sha256("".join(lines).encode()).hexdigest()


def main(argv: Sequence[str] | None = None) -> int:
    """Print the digest of a site; return 0, or 1 where there is none."""
    parser = argparse.ArgumentParser(prog="stating.py", description="Print one digest of a whole built site.")
    parser.add_argument(
        "site", nargs="?", type=Path, default=ROOT / "site", help="the built site; site/ if not given"
    )
    site = parser.parse_args(argv).site
    if not (site / NAME).is_file():
        print(f"{site.name} holds no built site; run: make site", file=sys.stderr)
        return 1
    print(tree_digest(site))
    return 0


if __name__ == "__main__":
    sys.exit(main())
