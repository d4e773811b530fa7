"""What a page must say about itself: a title, and a sentence for those who have not opened it yet.

After expansion; `check` asks.  Search engines, previews and the list of pages show both.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from tinyxf.book.expand import Expanded, plain_text
from tinyxf.book.front import expand_front
from tinyxf.book.reading.source import split_lines
from tinyxf.errors import Problem, nearest

REQUIRED = ("title", "description")
KNOWN = (*REQUIRED, "hide", "icon", "search", "steps", "tags", "template")
MOST_DESCRIPTION = 160  # characters that a search engine shows


def meta_problems(expanded: Expanded) -> Iterator[Problem]:
    """Yield a problem for each required key that is missing or empty, and for each key that looks like a slip."""
    plain = {own.placeholder.start: plain_text(own.piece) for own in expanded.placed}
    lines = split_lines(expand_front(expanded.scan, plain))
    try:
        data = yaml.safe_load("".join(lines[1:-1])) or {}
    except yaml.YAMLError:
        return  # reported where the front matter is read
    if not isinstance(data, dict):
        return
    places = {line.partition(":")[0].strip(): number for number, line in enumerate(lines, 1)}
    slips = {key: nearest(str(key), REQUIRED) for key in data if key not in KNOWN}
    for key, meant in slips.items():
        if meant != ".":
            message = f'unknown key "{key}" in the front matter{meant}'
            yield Problem(expanded.page, places.get(str(key), 1), 1, message, "front")
    for key in REQUIRED:
        value = str(data.get(key) or "").strip()
        if not value and not any(f'"{key}"' in meant for meant in slips.values()):
            message = f'the front matter has no {key}; write "{key}: ..." between two lines "---" at the top'
            yield Problem(expanded.page, places.get(key, 1), 1, message, "front")
        elif key == "description" and len(value) > MOST_DESCRIPTION:
            message = f"the description has {len(value)} characters, expected at most {MOST_DESCRIPTION}"
            yield Problem(expanded.page, places[key], 1, message, "front")
