"""What a book shows as a whole: tables, figures and worked numbers, as HTML and as words for a search.

Between the catalog and the edition, through the renderer.  A plate is made once for all pages from which its links
read the same.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from tinyxf.book.figures import figure_context, figure_words
from tinyxf.book.language.pieces import FigurePiece, Piece, TablePiece, WorkPiece
from tinyxf.book.render import Renderer
from tinyxf.book.takeaway.offered import table_links
from tinyxf.catalog import Catalog
from tinyxf.errors import BookError, Problem

if TYPE_CHECKING:
    from tinyxf.trace.work import Workbook

# From one page to the address of another, as the engine publishes it: ("a.md", "b.md#c") -> "b.html#c".
Link = Callable[[str, str], str]


class Plates:
    """The plates of one catalog; `homes` says for each table on which page its cells have their ids."""

    def __init__(self, catalog: Catalog, renderer: Renderer, link: Link, homes: Mapping[str, str]) -> None:
        self.catalog = catalog
        self.problems: set[Problem] = set()  # of templates
        self._renderer = renderer
        self._link = link
        self._homes = homes
        self._made: dict[tuple[Piece, bool], list[tuple[dict[str, str], str]]] = {}
        self._words: dict[Piece, str] = {}

    @cached_property
    def workbook(self) -> Workbook:
        """The worked arithmetic of every number.  Raises TinyxfError where the catalog cannot be traced."""
        from tinyxf.trace.work import read_workbook  # noqa: PLC0415  the trace, which few builds need

        return read_workbook(self.catalog)

    def words(self, piece: Piece) -> str:
        """Return what a search finds of a piece; nothing where it is no plate."""
        if piece not in self._words:
            self._words[piece] = self._say(piece)
        return self._words[piece]

    def html(self, uri: str, piece: Piece, *, first: bool = True) -> str:
        """Return a plate as a page shows it, or what is wrong with its template.

        Only the `first` of its kind on a page may have ids.
        """
        ids = first and isinstance(piece, TablePiece) and self._homes.get(piece.id) == uri
        made = self._made.setdefault((piece, ids), [])
        for links, plate in made:
            if all(self._link(uri, target) == address for target, address in links.items()):
                return plate
        links = {}

        def link(target: str) -> str:
            links[target] = self._link(uri, target)
            return links[target]

        try:
            plate = self._make(piece, link, ids=ids)
        except BookError as error:
            self.problems.update(error.problems)
            plate = "".join(problem_box(problem, "div") for problem in error.problems)
        made.append((links, plate))
        return plate

    def markdown(self, uri: str, piece: TablePiece, *, first: bool = True) -> str:
        """Return a table for an engine that reads Markdown alone; ids go by the same rule as in HTML."""
        ids = first and self._homes.get(piece.id) == uri
        return self._renderer.table(self.catalog.table(piece.id), "md", addresses=True, ids=ids, note=False)

    def _make(self, piece: Piece, link: Callable[[str], str], *, ids: bool) -> str:
        match piece:
            case TablePiece(name):
                files = table_links(name, link)
                return self._renderer.table(self.catalog.table(name), "html", ids=ids, note=False, files=files)
            case FigurePiece(name):
                return self._renderer.figure(name, link=link, **figure_context(name, self.catalog))
            case WorkPiece(name):
                from tinyxf.book.worked import view_work  # noqa: PLC0415  the trace, which few builds need

                view = view_work(self.workbook, name, lambda address: self._cell(address, link))
                return self._renderer.render("work.html.jinja", view=view)
            case _:
                raise AssertionError(piece)

    def _cell(self, address: str, link: Callable[[str], str]) -> str:
        """Return a link to the cell of an address; empty where no page has it."""
        page = self._homes.get(address.partition("/")[0], "") if "/" in address else ""
        return link(f"{page}#{address}") if page else ""

    def _say(self, piece: Piece) -> str:
        match piece:
            case TablePiece(name):
                table = self.catalog.table(name)
                cells = (table.text(i, j) for i in range(len(table.rows)) for j in range(len(table.columns)))
                return " ".join([table.title, *(column.label for column in table.columns), *cells])
            case FigurePiece(name):
                return figure_words(name, self.catalog)
            case WorkPiece(name):
                from tinyxf.book.worked import work_words  # noqa: PLC0415  the trace, which few builds need

                return work_words(self.workbook.work(name))
            case _:
                return ""


def firsts() -> Callable[[Piece], bool]:
    """Return what says of each piece of one page, in order, whether it is the first of its kind there."""
    seen: set[Piece] = set()

    def is_first(piece: Piece) -> bool:
        new = piece not in seen
        seen.add(piece)
        return new

    return is_first


def problem_box(problem: Problem, tag: str) -> str:
    """Return a problem as the reader of a served page sees it, where it is."""
    return f'<{tag} class="tx-problem" role="alert">{html.escape(str(problem), quote=False)}</{tag}>'
