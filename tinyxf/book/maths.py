"""LaTeX to MathML at build time, so that formulas need no script.

`math-core` does the work; this module only finds the formulas that the Markdown extension `arithmatex` marked.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Callable

from math_core import LatexError, LatexToMathML

_MARKED = re.compile(
    r"(?P<before>[(\[\u2018\u201c]*)"  # quotation marks
    r'<(?P<tag>span|div) class="arithmatex">\\(?P<open>[(\[])(?P<latex>.*?)\\[)\]]</(?P=tag)>'
    r"(?P<after>[-,.;:!?)\]\u2013\u2019\u201d\u2026]*)",  # a dash, quotation marks, an ellipsis
    re.DOTALL,
)
# What math-core styles in place, as classes of our style sheet: a strict policy refuses the former.
_STYLES = {
    "text-align: right;justify-items: end;padding-right: 0;": "tx-ends",
    "text-align: left;justify-items: start;padding-left: 0;": "tx-starts",
    "margin-left:-0.16666667em;": "tx-closer",
}
_APART = re.compile(r"(?:\\qquad(?![A-Za-z])\s*)+")
_STYLE = re.compile(r'style="([^"]*)"')
_OFFSET = re.compile(r"\A\d+: ")  # into the formula with its numbers filled in, which nobody typed


@functools.cache
def _converter() -> LatexToMathML:
    return LatexToMathML(fancy_error=False)


def formula(latex: str, *, display: bool) -> str:
    """Return one formula as MathML.  Raises ValueError with what is wrong in it."""
    try:
        mathml = _converter().convert_with_local_state(latex, displaystyle=display)
    except LatexError as error:
        raise ValueError(_OFFSET.sub("", str(error))) from error
    return _STYLE.sub(lambda found: f'class="{_STYLES[found[1]]}"' if found[1] in _STYLES else found[0], mathml)


def displayed(latex: str, show: Callable[[str], str]) -> str:
    r"""Return a formula on a line of its own.  Formulas set apart by `\qquad` may wrap where the page is narrow."""
    try:
        apart = [formula(own, display=True) for own in _APART.split(latex) if own]
    except ValueError:  # one goes on across the blank, or is wrong by itself
        apart = [formula(latex, display=True)]
    return boxed("".join(map(show, apart)))


def boxed(shown: str) -> str:
    """Return the box of what stands on a line of its own, which scrolls where it is wider than the page."""
    return f'<div class="tx-maths" role="group" aria-label="formula" tabindex="0">{shown}</div>'


def fill_formulas(
    page: str, plain: Callable[[str], str], show: Callable[[str], str], complain: Callable[[str, str], str]
) -> str:
    """Replace every marked formula of a converted page by what `show` makes of its MathML.

    A browser may break a line on either side of a formula, so the marks around it, a bracket or a comma, are held to
    it by an element of their own.
    `plain` turns the tokens in a formula into numbers; `complain` takes a formula that cannot be read and the reason,
    and returns what to show instead.
    """

    def convert(match: re.Match[str]) -> str:
        latex = html.unescape(match["latex"])
        own = plain(latex).strip()
        display = match["open"] == "["
        try:
            shown = displayed(own, show) if display else show(formula(own, display=False))
        except ValueError as error:
            return match["before"] + complain(latex, str(error)) + match["after"]
        marked = match["before"] + shown + match["after"]
        return marked if display or marked == shown else f'<span class="tx-held">{marked}</span>'

    return _MARKED.sub(convert, page) if "arithmatex" in page else page
