"""Front matter: values that must stay text, and YAML that must still parse.

Beside expansion.  A number may stand in a title or a description; YAML would read a bare one as a float and lose its
zeros, so a value that is not plain text any more is put in quotation marks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

import yaml

from tinyxf.book.scan import Placeholder, Scan
from tinyxf.book.source import split_lines
from tinyxf.errors import Problem

_LEAD = re.compile(r"""[ \t]*(?:-[ \t]+)*(?:["']?\w[\w .-]*["']?[ \t]*:[ \t]+)?""")  # up to where a value begins
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
    parts = []
    done = 0
    for placeholder in placeholders:
        begin = placeholder.start - at
        value = plain[placeholder.start]
        if quote == '"':
            value = json.dumps(value, ensure_ascii=False)[1:-1]
        elif quote == "'":
            value = value.replace("'", "''")
        parts += [body[done:begin], value]
        done = placeholder.end - at
    parts.append(body[done:])
    written = "".join(parts)
    if quote not in ('"', "'", "|", ">", "[", "&", "*", "!") and (lead.strip() or quote == "{"):
        written = lead + _quoted(written[len(lead) :])
    return written + line[len(body) :]


def _quoted(value: str) -> str:
    """Put a plain value in quotation marks, unless YAML reads it as the very text that it is."""
    comment = _COMMENT.search(value)
    value, rest = (value[: comment.start()], value[comment.start() :]) if comment else (value, "")
    try:
        same = yaml.safe_load(value) == value.strip()
    except yaml.YAMLError:
        same = False
    return (value if same else json.dumps(value.strip(), ensure_ascii=False)) + rest


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
