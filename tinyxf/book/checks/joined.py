"""What touches a computed number and would be read as part of it: a digit, a sign, a per cent, another number.

Beside typed numbers: there a number stands by itself, here a single character is enough to publish a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tinyxf.book.expand import Placed, plain_text
from tinyxf.book.language.pieces import NumberPiece

_MARKUP = r"[*_]*"  # emphasis, which nobody reads
_DIGIT_BEFORE = re.compile(rf"((?<![_^])\d(?:[.,]|[eE][-+]?)?){_MARKUP}\Z")
_SIGN_BEFORE = re.compile(rf"(?<![\w)\]}}])([-+\u2212]){_MARKUP}\Z")
_DIGIT_AFTER = re.compile(rf"{_MARKUP}((?:[.,]|[eE][-+]?)?\d)")
_PERCENT_AFTER = re.compile(rf"{_MARKUP}(%)")
_BETWEEN = re.compile(rf"{_MARKUP}[.,]?{_MARKUP}")
_REACH = 8  # characters that are looked at on either side


def joined(text: str, placed: Sequence[tuple[int, Placed]]) -> Iterator[tuple[int, str]]:
    """Yield the place of each number of a text that something touches, and what is wrong.

    `placed` are placeholders by position, in order.  In a formula a sign before a number is one, and a comma divides
    numbers.
    """
    for number, (begin, own) in enumerate(placed):
        if not isinstance(own.piece, NumberPiece):
            continue
        end = begin + len(own.placeholder.text)
        before, after = text[max(0, begin - _REACH) : begin], text[end : end + _REACH]
        found = _DIGIT_BEFORE.search(before) or _DIGIT_AFTER.match(after)
        hint = "leave a space between them, or work it all out in the placeholder"
        if not found and own.placeholder.context != "maths":
            if found := _SIGN_BEFORE.search(before):
                hint = 'a sign stands in the placeholder, as in {{ -n("loss.before") }}'
            elif found := _PERCENT_AFTER.match(after):
                hint = "the filter `percent` writes it, and multiplies by a hundred"
        if found:
            yield begin, f'"{found[1]}" touches {own.placeholder.text} and reads as part of the number; {hint}'
        elif number + 1 < len(placed) and _reads_on(text[end : placed[number + 1][0]], own, placed[number + 1][1]):
            other = placed[number + 1][1].placeholder.text
            yield begin, f"{own.placeholder.text} and {other} read as one number; leave a space between them"


def _reads_on(between: str, left: Placed, right: Placed) -> bool:
    """Say whether a number goes on in the next placeholder; a comma divides numbers in a formula alone."""
    if not _BETWEEN.fullmatch(between) or ("," in between and left.placeholder.context == "maths"):
        return False
    shown = plain_text(right.piece)
    return shown[:1].isdigit() and plain_text(left.piece)[-1:].isdigit()
