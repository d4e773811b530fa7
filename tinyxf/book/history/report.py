"""Problems as text for people, as annotations for GitHub, as JSON for editors.

Last in the flow before the scripts, which print what this returns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from tinyxf.errors import Problem


def report(problems: Iterable[Problem], form: str = "text") -> str:
    """Return all the problems, sorted by place, in one of `REPORTS`' forms: text, github or json.

    Text and annotations take one line a problem, so nothing is returned where there is none; JSON is a list.
    """
    return REPORTS[form](sorted(set(problems)))


def _text(problems: Sequence[Problem]) -> str:
    return "".join(f"{_one_line(str(problem))}\n" for problem in problems)


def _github(problems: Sequence[Problem]) -> str:
    """Return workflow commands; the message repeats the place, since a log shows nothing else."""
    return "".join(
        f"::error file={_property(problem.page)},line={problem.line},col={problem.column},"
        f"title={_property(problem.kind)}::{_data(str(problem))}\n"
        for problem in problems
    )


def _json(problems: Sequence[Problem]) -> str:
    rows = [
        {
            "file": problem.page,
            "line": problem.line,
            "column": problem.column,
            "kind": problem.kind,
            "message": problem.message,
        }
        for problem in problems
    ]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


REPORTS: dict[str, Callable[[Sequence[Problem]], str]] = {"text": _text, "github": _github, "json": _json}
