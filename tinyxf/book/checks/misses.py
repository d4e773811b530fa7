"""Text that was surely meant to be a placeholder: `{{n("loss.before")}}`, without the space that makes it one.

After expansion; `check` reports it.  Pages may hold doubled braces of any other kind, so nothing is expanded and
nothing is changed: what looks like a call of an offered function is only pointed out.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from tinyxf.book.expand import Expanded
from tinyxf.book.language.functions import FUNCTIONS
from tinyxf.errors import Problem

_MISS = re.compile(rf"""\{{\{{?[-\s]?(?:{"|".join(FUNCTIONS)})\(["'n]""")


def near_misses(expanded: Expanded) -> list[Problem]:
    """Return a problem for each call of an offered function that stands in braces but is no placeholder."""
    found = []
    known = {own.placeholder.start for own in expanded.placed}
    for leaf in expanded.scan.leaves:
        code = sorted(region for region in leaf.regions if region.kind == "code")
        starts = [region.start for region in code]
        for match in _MISS.finditer(leaf.text):
            start = leaf.offset(match.start())
            around = bisect_right(starts, match.start()) - 1
            if start in known or (around >= 0 and match.start() < code[around].end):
                continue
            line, column = expanded.scan.source.place(start)
            message = "this is shown as typed: a placeholder begins with two braces and a space, and ends likewise"
            found.append(Problem(expanded.page, line, column, message, "placeholder"))
    return found
