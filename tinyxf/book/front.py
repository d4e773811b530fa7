"""Front matter: values that must stay text, and YAML that must still parse.

Beside expansion.  A number may stand in a title or a description; YAML would read a bare one as a float and lose its
zeros, so a value that is not plain text any more is put in quotation marks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

import yaml

from tinyxf.book.reading.scan import Placeholder, Scan
from tinyxf.book.reading.source import splice, split_lines
from tinyxf.errors import Problem

_LEAD = re.compile(r"""[ \t]*(?:-[ \t]+)*(?:["']?\w[\w .-]*["']?[ \t]*:[ \t]+)?""")  # up to where a value begins
_MARKED = frozenset("\"'|>[{&*!")  # how a value begins that is no plain text
_COMMENT = re.compile(r"[ \t]#")


def expand_front(scan: Scan, plain: Mapping[int, str]) -> str:
    """Return the front matter with plain text for each placeholder, by its offset.

    Placeholders that `plain` does not hold stay as they are.
    """
    text = scan.source.text[: scan.source.front]
    placeholders = [own for own in scan.placeholders if own.context == "front" and own.start in plain]
    out = []
    at = 0
    for line in split_lines(text):
        end = at + len(line)
        own = [placeholder for placeholder in placeholders if at <= placeholder.start < end]
        out.append(_line(line, at, own, plain) if own else line)
        at = end
    return "".join(out)


def _line(line: str, at: int, placeholders: list[Placeholder], plain: Mapping[int, str]) -> str:
    body = line.rstrip("\r\n")
    match = _LEAD.match(body)
    lead = match[0] if match else ""
    quote = body[len(lead) : len(lead) + 1]
    bare = lead.strip() and (quote not in _MARKED or at + len(lead) == placeholders[0].start)
    masked = body
    for own in placeholders:
        masked = masked[: own.start - at] + "x" * len(own.text) + masked[own.end - at :]
    comment = _COMMENT.search(masked) if bare else None
    end = comment.start() if comment else len(body)
    edits = [(own.start - at, own.end - at, _escaped(plain[own.start], quote)) for own in placeholders]
    value = splice(body[:end], [edit for edit in edits if edit[0] < end], len(lead))
    rest = splice(line, [edit for edit in edits if edit[0] >= end], end)
    return lead + (_quoted(value) if bare else value) + rest


def _escaped(value: str, quote: str) -> str:
    if quote == '"':
        return json.dumps(value, ensure_ascii=False)[1:-1]
    return value.replace("'", "''") if quote == "'" else value


def _quoted(value: str) -> str:
    """Put a plain value in quotation marks, unless YAML reads it as the very text that it is."""
    try:
        same = yaml.safe_load(value) == value.strip()
    except yaml.YAMLError:
        same = False
    return value if same else json.dumps(value.strip(), ensure_ascii=False)


def front_problems(page: str, scan: Scan, plain: Mapping[int, str]) -> Iterator[Problem]:
    """Yield what is wrong with the front matter once its placeholders are expanded."""
    text = expand_front(scan, plain)
    lines = split_lines(text)
    inner = "".join(lines[1:-1])
    try:
        data = yaml.safe_load(inner)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 2, mark.column + 1) if mark else (2, 1)
        line = min(line, max(len(lines) - 1, 1))
        yield Problem(page, line, column, f"front matter is no YAML: {error.problem or error}", "front")
        return
    except yaml.YAMLError as error:
        yield Problem(page, 1, 1, f"front matter is no YAML: {' '.join(str(error).split())}", "front")
        return
    if not isinstance(data, dict):
        yield Problem(page, 1, 1, "front matter must be keys with values, such as title: Attention", "front")
