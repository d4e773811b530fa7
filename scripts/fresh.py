"""Import the package from its source as it is now, never from stale bytecode.

Python trusts a `.pyc` file whose source has the same size and the same second of change, so an edit of one digit,
saved quickly, would go unseen.
Here a module's code object is kept under the digest of its source instead; and `forget` makes the next import read
the files again, which a long-running server needs.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import marshal
import os
import sys
import tempfile
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / f"python-{sys.implementation.cache_tag}"


class ContentLoader(SourceFileLoader):
    """Loads a module by the content of its source."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the module's code, compiled now unless the same source was compiled before."""
        source = self.get_data(self.path)
        salt = os.fsencode(self.path) + f"\0{sys.version}\0".encode()
        digest = hashlib.sha256(salt + importlib.util.MAGIC_NUMBER + source).hexdigest()
        kept = CACHE / f"{fullname}.{digest[:32]}"
        try:
            code = marshal.loads(kept.read_bytes())  # noqa: S302  written below, by us
        except (OSError, ValueError, EOFError, TypeError):
            code = self.source_to_code(source, self.path)
            _keep(kept, marshal.dumps(code))
        return code if isinstance(code, CodeType) else None


def _keep(path: Path, data: bytes) -> None:
    """Write the file whole or not at all, in place of the module's older ones; a read-only folder is no error."""
    module = path.name.rpartition(".")[0]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for old in path.parent.glob(f"{module}.*"):
            if old.name.rpartition(".")[0] == module:
                old.unlink(missing_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        return


class ContentFinder(MetaPathFinder):
    """Finds the modules of some packages and gives them the loader above."""

    def __init__(self, packages: frozenset[str]) -> None:
        self.packages = packages

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec that Python itself would find, with our loader in it."""
        if fullname.partition(".")[0] not in self.packages:
            return None
        spec = PathFinder.find_spec(fullname, [str(ROOT)] if path is None else path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = ContentLoader(fullname, spec.loader.path)
        return spec


def install(*packages: str) -> None:
    """Import these packages by content from now on."""
    names = frozenset(packages)
    if not any(isinstance(finder, ContentFinder) and finder.packages >= names for finder in sys.meta_path):
        sys.meta_path.insert(0, ContentFinder(names))


def forget(*packages: str) -> None:
    """Drop these packages, so that the next import reads the files as they are then."""
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        del sys.modules[name]
