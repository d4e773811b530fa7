"""Keep what a build made, under a digest of everything that it was made from.

A digest that differs in one bit makes it anew, so nothing here can be stale; `make clean` removes it all.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache"


def digest_of(*parts: object) -> str:
    """Return the digest of plain values: texts, numbers, lists and mappings of these."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def versions_of(*libraries: str) -> list[str]:
    """Return the versions of Python and of some libraries."""
    return [sys.version, *map(_version, libraries)]


@cache
def _version(library: str) -> str:
    return f"{library} {version(library)}"


def kept_files(place: Path, digest: str, make: Callable[[], Mapping[str, str]]) -> dict[str, str]:
    """Return texts by their path as they were made before from the same, or make them now and keep them."""
    try:
        kept: Any = json.loads(place.read_text(encoding="utf-8"))
        if kept["digest"] == digest:
            return dict(kept["files"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # nothing kept, or nothing that can be read
    files = dict(make())
    write_whole(place, json.dumps({"digest": digest, "files": files}).encode())
    return files


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; a folder that cannot be written to is no error."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
