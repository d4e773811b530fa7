"""Keep templates compiled from one build to the next, and find a theme's files without a long walk.

To compile Material's templates took a third of the build of one page, to list its icons a tenth.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from pickle import UnpicklingError

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader
from jinja2.bccache import Bucket
from keeping import CACHE, versions_of

LIBRARIES = ("jinja2", "markupsafe", "mkdocs", "mkdocs-material")


class CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates under the digest of their source and of what compiled it.

    `made_with` names, beside the versions of the libraries, what else a compiled template hangs on: a filter with
    constant arguments is worked out when the template is compiled.
    """

    def __init__(self, *made_with: str, folder: Path = CACHE / "templates") -> None:
        self.made_with = (*versions_of(*LIBRARIES), *made_with)
        with suppress(OSError):  # then nothing is kept
            folder.mkdir(parents=True, exist_ok=True)
        super().__init__(str(folder))

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Return what a template is kept under; a folder's name need not be spelled as UTF-8."""
        return hashlib.sha256(os.fsencode(f"{name}|{filename}")).hexdigest()

    def get_source_checksum(self, source: str) -> str:
        """Return the digest under which a source's code is right."""
        return hashlib.sha256("\0".join([*self.made_with, source]).encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read a template's code back; what cannot be read is compiled anew."""
        try:
            super().load_bytecode(bucket)
        except (OSError, EOFError, UnpicklingError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template; a folder that cannot be written to is no error."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


class PublishedTemplates(FileSystemLoader):
    """Templates from folders, of which it lists those that may be published: none in a folder with a dot in front.

    MkDocs asks for the list of all and then drops these.  Templates include them as ever.
    """

    def list_templates(self) -> list[str]:
        """Return the names of the templates, sorted."""
        found = set()
        for top in map(Path, self.searchpath):
            for folder, inner, files in os.walk(top, followlinks=self.followlinks):
                inner[:] = [name for name in inner if not name.startswith(".")]
                found |= {(Path(folder) / name).relative_to(top).as_posix() for name in files}
        return sorted(found)


def compile_once(env: Environment, folders: Sequence[str]) -> Environment:
    """Let an environment of the theme find its templates fast, and keep them compiled."""
    env.loader = PublishedTemplates(folders)
    env.trim_blocks = env.lstrip_blocks = True  # the theme's own indentation was a third of a page
    env.bytecode_cache = CompiledTemplates(*env.extensions, "trimmed")
    return env
