"""The tie gate: no number is published where processors could disagree about its last digit.

After the catalog, beside the ledger.  A number that is no number at all (nan, an infinity) cannot get this far, since
no table takes one.
"""

from __future__ import annotations

from tinyxf.book.history.ledger import LEDGER
from tinyxf.catalog import Catalog
from tinyxf.errors import Problem
from tinyxf.formatting import TIE_GATE, tie_distance


def tie_problems(catalog: Catalog) -> tuple[Problem, ...]:
    """Report each published number within the gate of a rounding tie, unless its value is exact.

    Each is placed at the line that the number has in the ledger.
    """
    return tuple(
        Problem(
            LEDGER,
            line,
            1,
            f"{number.address} = {number.full} is on a rounding tie at {number.display}, "
            "where processors may disagree; show more or fewer digits in this column, or call it exact if it is",
            "tie",
        )
        for line, number in enumerate(catalog.published(), 2)
        if not number.number.exact and tie_distance(number.number.value, number.format) < TIE_GATE
    )
