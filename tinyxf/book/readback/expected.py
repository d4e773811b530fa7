"""What each page of the site must show: the yardstick of reconciliation.

Between the edition and `reconcile`, which reads the built site back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tinyxf.book.edition import Edition
from tinyxf.book.expand import Expanded, Placed, plain_text
from tinyxf.book.language.pieces import NumberPiece
from tinyxf.book.readback.reconcile import Shown

_PLAIN = frozenset({"attribute", "front"})
_TITLES = ("title:", "description:")


def expected_pages(edition: Edition) -> tuple[Shown, ...]:
    """Return what the pages of the site should show, in the order of the navigation."""
    return tuple(
        Shown(
            path=f"{uri.removesuffix('.md')}.html",
            tables=edition.tables_of(uri),
            numbers=tuple(
                _key(own.piece) for own in _numbers(page) if own.placeholder.context not in _PLAIN | {"maths"}
            ),
            maths=tuple(plain_text(own.piece) for own in _numbers(page) if own.placeholder.context == "maths"),
            plain=tuple(plain_text(own.piece) for own in _numbers(page) if _published_plain(page, own)),
            blocks=edition.blocks_of(uri),
        )
        for uri, page in edition.pages.items()
    )


def exported_pages(edition: Edition) -> tuple[Shown, ...]:
    """Return what the pages should show where another engine built them from the export."""
    return tuple(replace(page, bare=True) for page in expected_pages(edition))


def _numbers(page: Expanded) -> Iterator[Placed]:
    return (own for own in page.placed if isinstance(own.piece, NumberPiece))


def _key(piece: object) -> str:
    if not isinstance(piece, NumberPiece):
        raise TypeError(piece)
    return piece.expression if piece.derived or piece.address is None else piece.address


def _published_plain(page: Expanded, own: Placed) -> bool:
    """Attributes are published; of the front matter, title and description are."""
    if own.placeholder.context != "front":
        return own.placeholder.context == "attribute"
    line = page.text.rfind("\n", 0, own.placeholder.start) + 1
    return page.text.startswith(_TITLES, line)
