"""Numbers in running text and in formulas, without those that everybody types.

Beside `typed`.  Text in, places out: it knows neither pages nor published numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from tinyxf.book.checks.known import Written

HIDDEN = "\ue000"  # stands for what is not read: no letter, no digit

_PROSE = re.compile(
    r"""(?<![^\W_])(?<![^\W_]_)(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?P<power>[eE][-+]?\d+)?
    (?:(?P<percent>[ \u00a0]?%|[ -]per[ ]?cent\b)|(?P<scale>[kKMBT]|bn)\b)?(?!_?[^\W_])(?!\.\d)""",
    re.VERBOSE,
)
_TEX = re.compile(
    r"""(?<![\w.\\])(?P<number>(?:\d{1,3}(?:\{?,\}?\d{3})+|\d+)(?:\.\d+)?|\.\d+)
    (?P<percent>[ ]?\\%)?(?P<power>)(?P<scale>)(?!\.?\d)""",
    re.VERBOSE,
)
_SCALES = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "bn": 10**9, "T": 10**12}

_RANGE = r"\d+(?:\.\d+)*(?:\s*(?:[-\u2013\u2014]|to|through)\s*\d+(?:\.\d+)*)?"
_COUNTED = "step|chapter|section|figure|fig|table|page|part|equation|eq|line|item|note|version|appendix|python"
_INNOCENT = (
    # step 7, step 8.1, steps 5-10, steps 10 and 11
    re.compile(rf"\b(?:{_COUNTED})\.?[ \u00a0\n]+{_RANGE}", re.IGNORECASE),
    re.compile(
        rf"\b(?:{_COUNTED})s[ \u00a0\n]+{_RANGE}(?:(?:,\s*(?:and\s+)?|\s+(?:and|or)\s+){_RANGE})*", re.IGNORECASE
    ),
    re.compile(r"(?<![\w.])\d+(?:\.\d+){2,}(?!\w)"),  # versions
    re.compile(r"\b[A-Za-z][\w.]*-\d+(?:\.\d+)?\b"),  # names such as GPT-2
    re.compile(r"\b\d{4}-\d{2}-\d{2}\b"),  # dates
    re.compile(r"#\d+|&#?\w+;"),  # references, entities
    re.compile(r"""(?:https?://|www\.|mailto:)[^\s<>"']+"""),
    re.compile(r"\b(?:arxiv|doi|isbn|rfc)[ :]\s?[\w./-]+", re.IGNORECASE),
    re.compile(r"^[ \t]*\d+[.)][ \t]", re.MULTILINE),  # list numbers
)
_YEAR = r"(?:1[89]|20)\d\d[a-d]?"
_NO_NAME = "In|Since|By|Until|From|After|Before|The|For|Of|To|At|On|With|Over|About|Around|Only|All|These|Those"
_CITED = (
    re.compile(rf"[(\[](?:[^()\[\]]*[\s,;])?{_YEAR}(?=[)\],;])"),  # (2019), [Ba et al. 2016]
    re.compile(rf"\b(?:al\.|(?!(?:{_NO_NAME})\b)[A-Z][\w'\u2019-]+),?[ \u00a0\n]+\(?{_YEAR}\b"),  # Wolf 2017
)
_TEX_INNOCENT = (
    re.compile(r"\\(?:tag|label|ref|eqref|begin|end|operatorname|color|textcolor|hspace|vspace)\*?\{[^{}]*\}"),
    re.compile(r"\d+(?:\.\d+)?[ ]?(?:pt|em|ex|mu|cm|mm|in|px)\b"),  # lengths
)
_OWN = re.compile(r"\s*\d+(?:\.\d+)*[.:)]?(?=\s)")  # a heading's own number


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a text: where it is, how it is typed, and what that says."""

    start: int
    end: int
    text: str
    written: Written


def prose_numerals(text: str, *, heading: bool = False) -> list[Numeral]:
    """Return the numbers of running text that a page has no business to type."""
    own = _OWN.match(text) if heading else None
    return list(_numerals(_PROSE, text, (*_INNOCENT, *_CITED), own.end() if own else 0))


def tex_numerals(text: str) -> list[Numeral]:
    """Return the numbers of formulas that a page has no business to type."""
    return list(_numerals(_TEX, text, _TEX_INNOCENT, 0))


def _numerals(
    number: re.Pattern[str], text: str, innocent: Iterable[re.Pattern[str]], begin: int
) -> Iterator[Numeral]:
    if not any(map(str.isdigit, text)):
        return
    excused = bytearray(len(text))
    for pattern in innocent:
        for match in pattern.finditer(text):
            excused[match.start() : match.end()] = b"\1" * (match.end() - match.start())
    for match in number.finditer(text, begin):
        digits = re.sub(r"[,{}]", "", match["number"])
        telling = "." in digits or len(digits) > 1 or match["power"] or match["percent"] or match["scale"]
        if telling and not excused[match.start("number")]:
            yield Numeral(match.start(), match.end(), match[0], _written(match, digits, text))


def _written(match: re.Match[str], digits: str, text: str) -> Written:
    power = int((match["power"] or "e0")[1:])
    power = max(-30, min(power, 30))
    decimals = max(len(digits.partition(".")[2]) - power, 0)
    percent = bool(match["percent"])
    before = text[max(0, match.start() - 2) : match.start()]
    negative = before[-1:] in ("-", "\u2212") and not before[:-1].isalnum()
    scale = Decimal(_SCALES[match["scale"] or ""]) * (Decimal("0.01") if percent else 1)
    return Written(Decimal(digits).scaleb(power), decimals, scale, percent, negative)
