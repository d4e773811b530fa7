"""Load the chapters from their source, and place what goes wrong in them.

Shared by the hook and the command line.  A stage that does not compile, or raises, becomes one line with its file and
line like every other problem; the traceback is kept for whoever wants it.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import fresh

if TYPE_CHECKING:
    from tinyxf.catalog import Catalog

ROOT = Path(__file__).resolve().parents[1]


class BrokenError(Exception):
    """The package or a chapter cannot be loaded; `path`, `line` and `message` say where and why."""

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}:1: {message}")
        self.path = path
        self.line = line
        self.message = message


class _Loaded:
    """The digest of each package of ours as this process has seen it last."""

    digests: ClassVar[dict[str, str]] = {}


def begin(chapters: Sequence[str] = (), *, again: bool = False) -> str:
    """Import our packages by content from here on; return the digest of their sources.

    `again` makes the next import read all files anew if any of them changed since.
    """
    # Before numpy is loaded: its threads cost more to start than they gain on matrices as small as ours.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    packages = sorted({"tinyxf", *(chapter.partition(".")[0] for chapter in chapters)})
    fresh.install(*packages)
    digests = {package: digest_of_sources(package) for package in packages}
    if again and any(_Loaded.digests.get(package, own) != own for package, own in digests.items()):
        fresh.forget(*packages)
    _Loaded.digests |= digests
    return hashlib.sha256(repr(digests).encode()).hexdigest()


def digest_of_sources(package: str) -> str:
    """Return the digest of a package's modules, each under its path."""
    digest = hashlib.sha256()
    for path in _sources(package):
        digest.update(os.fsencode(path) + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _sources(package: str) -> Iterator[Path]:
    spec = importlib.util.find_spec(package)
    if spec is None:
        return
    if spec.submodule_search_locations is None:
        yield Path(spec.origin or "")
    for folder in spec.submodule_search_locations or ():
        yield from sorted(Path(folder).rglob("*.py"))


def load_catalog(chapters: Sequence[str]) -> Catalog:
    """Run the chapters and join their catalogs.  Raises BrokenError, placed in the file that is at fault."""
    try:
        from tinyxf.catalog import merge

        return merge([importlib.import_module(chapter).catalog() for chapter in chapters])
    except Exception as error:
        raise place(error) from error


# What checks the records that others make: a mistake found there was made by whoever called it.
CHECKS = frozenset({"tinyxf/catalog.py", "tinyxf/formatting.py", "tinyxf/table.py", "tinyxf/trace/traced.py"})


def place(error: Exception) -> BrokenError:
    """Say where an error of our own code comes from: the innermost frame in this project that is no mere check.

    What no such frame answers for, such as an id that two chapters share, is placed where the chapters are listed.
    """
    if isinstance(error, BrokenError):
        return error
    kind = type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return BrokenError(_relative(error.filename), error.lineno or 1, f"{kind}: {error.msg}")
    path, line = "mkdocs.yml", _line_of_chapters()
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        ours = file.is_relative_to(ROOT) and file.parent != ROOT / "scripts" and ".venv" not in file.parts
        if ours and _relative(frame.filename) not in CHECKS:
            path, line = _relative(frame.filename), frame.lineno or 1
    return BrokenError(path, line, f"{kind}: {error}")


def _line_of_chapters() -> int:
    lines = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.strip().startswith("chapters:")), 1)


def _relative(name: str) -> str:
    path = Path(name)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
