"""Steps that sentences and headings name by hand: each must be a step of a published table.

Beside `typed`, which lets the number of a step pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tinyxf.book.expand import Expanded
from tinyxf.catalog import Catalog
from tinyxf.errors import Problem

_NUMBER = r"\d+(?:\.\d+)*"
_BETWEEN = r"(?:\s*[-\u2013\u2014]\s*|,\s*(?:and\s+)?|\s+(?:and|or|to)\s+)"
_NAMED = re.compile(rf"\bsteps?[ \u00a0\n]+(?P<numbers>{_NUMBER}(?:{_BETWEEN}{_NUMBER})*)(?![\w%])", re.IGNORECASE)


def steps_of(catalog: Catalog) -> frozenset[str]:
    """Return the steps of the tables, and those that are told apart further: 7 beside 7.1."""
    steps = {table.step for table in catalog.tables if table.step}
    return frozenset(steps | {step.rpartition(".")[0] for step in steps if "." in step})


def step_problems(expanded: Expanded, known: frozenset[str]) -> Iterator[Problem]:
    """Yield a problem for each step that a page names and no table is."""
    if not known:
        return
    for leaf in expanded.scan.leaves:
        if leaf.kind in ("maths", "reference", "html") or "tep" not in leaf.text:
            continue
        code = [region for region in leaf.regions if region.kind in ("code", "maths", "attribute")]
        for named in _NAMED.finditer(leaf.text):
            for number in re.finditer(_NUMBER, named["numbers"]):
                at = named.start("numbers") + number.start()
                if number[0] not in known and not any(region.start <= at < region.end for region in code):
                    place = expanded.scan.source.place(leaf.offset(at))
                    last = max(known, key=lambda step: [int(part) for part in step.split(".") if part.isdigit()])
                    message = f"there is no step {number[0]}; the tables go up to step {last.partition('.')[0]}"
                    yield Problem(expanded.page, *place, message, "typed")
