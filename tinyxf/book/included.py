"""Files that pages include with `--8<--`: which page shows which, and what is wrong with that.

Between expansion and the edition.  The engine itself only drops what it cannot find, or ends with a traceback.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tinyxf.book.expand import Expanded
from tinyxf.book.language.pieces import ProblemPiece
from tinyxf.book.reading.scan import Snippet, snippet_names
from tinyxf.errors import Problem, nearest

_START = re.compile(r"(?<![;-])-+8<-+[ \t]+\[[ \t]*start[ \t]*:[ \t]*(?P<name>[A-Za-z][\w-]*)[ \t]*\]", re.ASCII)


class Inclusions:
    """What the pages include, all the way down."""

    def __init__(self, pages: Mapping[str, Expanded], files: Mapping[str, Expanded]) -> None:
        self._files = files
        self._snippets = {own.page: snippet_names(own.text) for own in (*pages.values(), *files.values())}
        self._reached = {uri: tuple(self._reach(page)) for uri, page in pages.items()}
        self.problems = tuple(sorted({problem for page in pages.values() for problem in self._faults(page)}))

    def shown_by(self, *uris: str) -> tuple[Expanded, ...]:
        """Return the files whose text these pages show, in order, each once; those within code are left out."""
        names = dict.fromkeys(name for uri in uris for name, _ in self._reached[uri])
        return tuple(self._files[name] for name in names)

    def whole(self, uri: str) -> tuple[Expanded, ...]:
        """Return the files that a page shows from beginning to end, as often as it does."""
        return tuple(self._files[name] for name, whole in self._reached[uri] if whole)

    def place(self, uri: str, placeholder: str) -> tuple[str, int, int] | None:
        """Return where a placeholder was typed that an included file brought into a page: file, line and column.

        Of several that read the same, one with a problem is meant.
        """
        found = [(file.page, own) for file in self.shown_by(uri) for own in file.placed]
        same = [(page, own) for page, own in found if own.placeholder.text == placeholder]
        wrong = [(page, own) for page, own in same if isinstance(own.piece, ProblemPiece)]
        for page, own in (*wrong, *same):
            return page, own.placeholder.line, own.placeholder.column
        return None

    def _reach(
        self, page: Expanded, above: tuple[str, ...] = (), *, whole: bool = True
    ) -> Iterator[tuple[str, bool]]:
        """Yield each inclusion and whether all of the file is shown; a file within itself is left out, as it is."""
        for snippet in self._snippets[page.page]:
            name = snippet.name
            if name in self._files and not snippet.code and name not in above:
                yield name, whole and not snippet.part
                yield from self._reach(self._files[name], (*above, name), whole=whole and not snippet.part)

    def _faults(self, page: Expanded, above: tuple[str, ...] = ()) -> Iterator[Problem]:
        for snippet in self._snippets[page.page]:
            file = self._files.get(snippet.name)
            message = self._fault(snippet, file)
            if message:
                yield Problem(page.page, snippet.line, snippet.column, message, "snippet")
            elif file is not None and snippet.name not in above:
                yield from self._faults(file, (*above, snippet.name))

    def _fault(self, snippet: Snippet, file: Expanded | None) -> str:
        if file is None:
            return f'included file not found: "{snippet.name}"{nearest(snippet.name, self._files)}'
        section = snippet.part.removeprefix(":")
        names = [match["name"] for match in _START.finditer(file.text)]
        if section[:1].isalpha() and section not in names:
            return f'"{snippet.name}" has no section "{section}"{nearest(section, names)}'
        return ""
