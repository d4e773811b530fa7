"""Which published numbers moved between two revisions of the book, and the sentences that they stand in.

After the snapshots of both sides.  A number that readers see unchanged is not mentioned, whatever its last bits do.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tinyxf.book.history.ledger import Change, Entry, drift
from tinyxf.book.history.snapshot import Mention, Sentence, Snapshot, TableShown
from tinyxf.book.render import escape_markdown


@dataclass(frozen=True, slots=True)
class Moved:
    """A number that changed, is new or is gone; where it stands now, or stood before it went."""

    change: Change
    sentences: tuple[Sentence, ...]
    tables: tuple[TableShown, ...]


def compare_snapshots(old: Snapshot, new: Snapshot) -> tuple[Moved, ...]:
    """Return every number whose display differs: those of the ledger in its order, then what pages calculate."""
    changes = [*drift(old.numbers, new.numbers), *_derived(old, new)]
    places = {True: _Places(new), False: _Places(old)}
    return tuple(places[change.new is not None].moved(change) for change in changes)


def _derived(old: Snapshot, new: Snapshot) -> list[Change]:
    """Compare what the pages calculate for themselves, or show in their own way.

    A number of the ledger with other digits is nothing new where it first appears, nor is it gone with its sentence.
    """
    before, after = ({mention.name: mention for mention in _mentions(side)} for side in (old, new))
    known = before | after
    changes = drift(*([Entry(name, own.display, "") for name, own in side.items()] for side in (before, after)))
    return [
        change
        for change in changes
        if known[change.address].address is None or (change.old is not None and change.new is not None)
    ]


def _mentions(side: Snapshot) -> list[Mention]:
    return [mention for sentence in side.sentences for mention in sentence.mentions if mention.derived]


class _Places:
    """Where the numbers of one side stand."""

    def __init__(self, side: Snapshot) -> None:
        self.sentences: defaultdict[str, dict[Sentence, None]] = defaultdict(dict)
        for sentence in side.sentences:
            for mention in sentence.mentions:
                self.sentences[mention.name][sentence] = None
        self.tables: defaultdict[str, list[TableShown]] = defaultdict(list)
        for table in side.tables:
            self.tables[table.id].append(table)

    def moved(self, change: Change) -> Moved:
        table, slash, _ = change.address.partition("/")
        return Moved(
            change,
            tuple(self.sentences.get(change.address, ())),
            tuple(self.tables.get(table, ())) if slash else (),
        )


def diff_text(moved: Sequence[Moved]) -> str:
    """Return what moved as text for a terminal: each number, and below it where it stands."""
    lines = [f"{_summary(moved)}."]
    for number in moved:
        lines += ["", str(number.change)]
        lines += [f"  {sentence.page}:{sentence.line}: {_one_line(sentence.text)}" for sentence in number.sentences]
        lines += [f"  {table.page}:{table.line}: in the table {table.id}" for table in number.tables]
    return "\n".join(lines) + "\n"


def diff_json(moved: Sequence[Moved]) -> str:
    """Return what moved as JSON."""
    rows = [
        {
            "number": number.change.address,
            "old": number.change.old,
            "new": number.change.new,
            "sentences": [
                {"page": sentence.page, "line": sentence.line, "text": sentence.text} for sentence in number.sentences
            ],
            "tables": [{"page": table.page, "line": table.line, "table": table.id} for table in number.tables],
        }
        for number in moved
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def diff_markdown(moved: Sequence[Moved]) -> str:
    """Return what moved as Markdown for a pull request: a table of the numbers, and the sentences in it.

    Pages come from whoever asks for the pull; so their text is escaped, and mentions nobody.
    """
    lines = [f"**{_summary(moved)}.**"]
    if moved:
        lines += ["", "| number | before | now | where it stands |", "|---|--:|--:|---|"]
    for number in moved:
        places = [f"{_place(sentence)}: {_marked(sentence, number.change)}" for sentence in number.sentences]
        places += [f"{_place(table)}: in the table {_inert(table.id)}" for table in number.tables]
        change = number.change
        cells = [_inert(change.address), _inert(change.old or "-"), f"**{_inert(change.new or '-')}**"]
        lines.append(f"| {' | '.join(cells)} | {'<br>'.join(places)} |")
    return "\n".join(lines) + "\n"


def _summary(moved: Sequence[Moved]) -> str:
    if not moved:
        return "No published number changed"
    new = sum(number.change.old is None for number in moved)
    gone = sum(number.change.new is None for number in moved)
    counts = {"changed": len(moved) - new - gone, "new": new, "gone": gone}
    return "Published numbers: " + ", ".join(f"{count} {what}" for what, count in counts.items() if count)


def _place(standing: Sentence | TableShown) -> str:
    return _inert(f"{standing.page}:{standing.line}")


def _marked(sentence: Sentence, change: Change) -> str:
    """Return the sentence with the number that moved in bold."""
    parts = (
        _inert(part)
        if isinstance(part, str)
        else f"**{_inert(part.display)}**"
        if part.name == change.address
        else _inert(part.display)
        for part in sentence.parts
    )
    return "".join(parts)


def _inert(text: str) -> str:
    return escape_markdown(re.sub(r"\s+", " ", text)).replace("@", "&#64;")


def _one_line(text: str) -> str:
    return " ".join(text.split())


DIFFS: dict[str, Callable[[Sequence[Moved]], str]] = {"text": diff_text, "json": diff_json, "md": diff_markdown}
