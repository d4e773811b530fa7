"""The last step of a page: its numbers, formulas, tables and figures take the place of their words.

After the edition has filled a page, and apart from it, so that a build can forget the rest before it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tinyxf.book.fill import Held, fill_stubs, searched, stubs_in
from tinyxf.book.language.pieces import Piece
from tinyxf.book.plates import Plates, firsts, problem_box
from tinyxf.errors import Problem


@dataclass(frozen=True, slots=True)
class Finisher:
    """What finishing needs: the plates, the piece of each block by its token, and what each page holds back."""

    plates: Plates
    blocks: Mapping[str, Piece]
    held: Mapping[str, Sequence[Held]]

    def finish(self, uri: str, page: str) -> str:
        """Return the finished page: in place of its stubs, what they stand for."""
        return fill_stubs(page, self._plates_of(uri), self.held.get(uri, ()))

    def words(self, page: str) -> str:
        """Return a page as a search index reads it."""
        return searched(page)

    def parts(self, uri: str, page: str) -> tuple[str, ...]:
        """Return a page with stubs, and each plate that belongs in it."""
        return (page, *map(self._plates_of(uri), stubs_in(page)))

    def with_problems(self, uri: str, page: str, problems: Iterable[Problem]) -> str:
        """Return a page with those problems at its top that do not show in it."""
        boxes = [problem_box(problem, "span") for problem in problems]
        shown = self.finish(uri, page) if boxes else ""
        return "".join(f"<p>{box}</p>\n" for box in boxes if box not in shown) + page

    def _plates_of(self, uri: str) -> Callable[[str], str]:
        """Return what gives the plates of a page by their tokens, in order: only a table's first may have ids."""
        is_first = firsts()

        def plate(token: str) -> str:
            piece = self.blocks[token]
            return self.plates.html(uri, piece, first=is_first(piece))

        return plate
