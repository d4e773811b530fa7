"""What one revision of the book publishes, as a record that another revision can read.

After expansion, before the difference.  Each side of a comparison is computed by its own code in its own process, so
this record is all that the two know of each other; `FORM` says which shape it has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TypeGuard

from tinyxf.book.expand import Expanded, Placed, plain_text
from tinyxf.book.history.ledger import Entry, ledger_entries
from tinyxf.book.history.sentences import spoken
from tinyxf.book.language.pieces import NumberPiece, TablePiece
from tinyxf.catalog import Catalog
from tinyxf.errors import TinyxfError

FORM = 1


@dataclass(frozen=True, slots=True)
class Mention:
    """A number in a sentence.

    `expression` is what its author wrote, `address` where it comes from, None for one that the page calculates;
    `derived` says that it is calculated, or shown in another way than the ledger has it.
    """

    display: str
    expression: str
    address: str | None
    derived: bool

    @property
    def name(self) -> str:
        """What the number is known by on both sides."""
        return self.expression if self.derived or self.address is None else self.address


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a page that shows numbers, in pieces: words as they are typed, and numbers."""

    page: str
    line: int
    parts: tuple[str | Mention, ...]

    @property
    def text(self) -> str:
        """The sentence as it reads."""
        return "".join(part if isinstance(part, str) else part.display for part in self.parts)

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """The numbers in it."""
        return tuple(part for part in self.parts if isinstance(part, Mention))


@dataclass(frozen=True, slots=True)
class TableShown:
    """A place where a page shows a table."""

    page: str
    line: int
    id: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One side of a comparison: the ledger, and where its numbers stand in the pages."""

    numbers: tuple[Entry, ...]
    sentences: tuple[Sentence, ...] = ()
    tables: tuple[TableShown, ...] = ()


def take_snapshot(catalog: Catalog, pages: Iterable[Expanded]) -> Snapshot:
    """Return what a catalog and its pages publish, mistakes and all."""
    sentences: list[Sentence] = []
    tables: list[TableShown] = []
    for page in pages:
        for parts in spoken(page):
            lines = [part.placeholder.line for part in parts if _is_number(part)]
            if lines:
                sentences.append(Sentence(page.page, min(lines), tuple(map(_part, parts))))
        tables += [
            TableShown(page.page, placed.placeholder.line, placed.piece.id)
            for placed in page.placed
            if isinstance(placed.piece, TablePiece)
        ]
    return Snapshot(ledger_entries(catalog), tuple(sentences), tuple(tables))


def _is_number(part: str | Placed) -> TypeGuard[Placed]:
    return isinstance(part, Placed) and isinstance(part.piece, NumberPiece)


def _part(part: str | Placed) -> str | Mention:
    if isinstance(part, str):
        return part
    match part.piece:
        case NumberPiece(display, _, address, expression, derived):
            return Mention(display, expression, address, derived)
        case piece:
            return plain_text(piece)


def write_snapshot(snapshot: Snapshot) -> str:
    """Return the record as JSON."""
    return json.dumps({"form": FORM, **asdict(snapshot)}, ensure_ascii=False, separators=(",", ":")) + "\n"


def read_snapshot(text: str) -> Snapshot:
    """Read a record.  Raises TinyxfError where the text is none, or one of another form."""
    try:
        raw = json.loads(text)
        if raw["form"] != FORM:
            raise TinyxfError(f"the snapshot has form {raw['form']!r}, expected {FORM}")
        return Snapshot(
            tuple(Entry(**number) for number in raw["numbers"]),
            tuple(
                Sentence(
                    sentence["page"],
                    int(sentence["line"]),
                    tuple(part if isinstance(part, str) else Mention(**part) for part in sentence["parts"]),
                )
                for sentence in raw["sentences"]
            ),
            tuple(TableShown(**table) for table in raw["tables"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise TinyxfError(f"no snapshot of the book: {error!r}") from error
