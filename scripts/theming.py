"""Mistakes in our templates of the theme, placed in them.

MkDocs itself ends with a traceback, and a server that it runs would answer nothing any more.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from keeping import CACHE, digest_of, versions_of, write_whole
from loading import ROOT, BrokenError

if TYPE_CHECKING:
    from tinyxf.errors import Problem

THEME = ROOT / "templates" / "theme"
EXTENSIONS = ("jinja2.ext.i18n",)  # what the engine adds
SUFFIXES = frozenset({".html", ".txt", ".xml"})


def theme_problems(folder: Path = THEME, cache: Path = CACHE) -> tuple[Problem, ...]:
    """Return a problem for each template of the theme that does not parse.

    Templates that were all good in an earlier run are not parsed again.
    """
    sources = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES}
    digest = digest_of(
        {str(path): sha256(source).hexdigest() for path, source in sources.items()}, versions_of("jinja2")
    )
    good = cache / "theme.good"
    with suppress(OSError):
        if good.read_bytes() == digest.encode():
            return ()
    problems = tuple(_problems(sources))
    if not problems:
        write_whole(good, digest.encode())
    return problems


def _problems(sources: Mapping[Path, bytes]) -> Iterator[Problem]:
    from tinyxf.errors import Problem

    parser = jinja2.Environment(extensions=EXTENSIONS)  # noqa: S701  renders nothing
    for path, source in sources.items():
        try:
            parser.parse(source.decode())
        except jinja2.TemplateSyntaxError as error:
            yield Problem(_name(path), error.lineno, 1, error.message or "", "template")
        except UnicodeDecodeError:
            yield Problem(_name(path), 1, 1, "the file is not UTF-8; save it as UTF-8", "template")


def theme_fault(error: Exception, folder: Path = THEME) -> BrokenError | None:
    """Return an error placed in the innermost template of the theme that it came through, if it did."""
    places = [
        (Path(frame.filename), frame.lineno or 1)
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(folder)
    ]
    if not places:
        return None
    path, line = places[-1]
    return BrokenError(_name(path), line, f"{type(error).__name__}: {error}")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
