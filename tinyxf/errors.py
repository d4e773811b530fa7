"""What can go wrong, said in one voice.

First in the flow: everything imports this module, it imports nothing of ours.

Two families.  `TinyxfError` is a mistake of a caller (a prompt, a weight, a name); its text says what was found
and what was expected.  A `Problem` is such a mistake *in a file*, with the place where an author can mend it;
`BookError` carries all the problems of one run, never only the first.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field


class TinyxfError(Exception):
    """A mistake that its message explains; no traceback is owed to whoever made it."""


class InputError(TinyxfError):
    """A prompt, a target or a weight that the model cannot take."""


class UnknownNameError(TinyxfError):
    """A table, row, column or scalar that the catalog does not hold."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One mistake in one file.

    `line` and `column` count from 1, in characters, front matter included; `kind` is a short slug for tools
    (`placeholder`, `name`, `claim`, `typed`, `drift`, `link`, ...).
    """

    page: str
    line: int
    column: int
    message: str
    kind: str = field(default="placeholder", compare=False)

    def __str__(self) -> str:
        return f"{self.page}:{self.line}:{self.column}: {self.message}"


class BookError(TinyxfError):
    """All the problems of one run, sorted by place."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))


def nearest(name: str, choices: Iterable[str], most: int = 3) -> str:
    """Return `; did you mean "x" or "y"?` for the likeliest meanings of `name`, or a full stop."""
    known = {choice.casefold(): choice for choice in choices}
    close = difflib.get_close_matches(name.casefold(), known, n=most, cutoff=0.55)
    if not close:
        return "."
    return "; did you mean " + " or ".join(f'"{known[match]}"' for match in close) + "?"
