"""Which published number a typed one could be, and the placeholder that shows it.

Beside `typed`.  A number matches at any rounding and as a percentage; one that is off by one in its last digit is
likely a published number gone stale.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from tinyxf.catalog import Catalog, Published
from tinyxf.formatting import as_decimal

MOST = 3  # candidates that a message names
_NEARLY = 4  # the rank of a number that is off in its last digit
_TELLING = 100  # fewer than three digits are near something by chance


@dataclass(frozen=True, slots=True)
class Written:
    """A number as typed: its size without sign, its decimals, and what it counts in (100 to a percent, thousands)."""

    size: Decimal
    decimals: int
    scale: Decimal = Decimal(1)
    percent: bool = False
    negative: bool = False


class Known:
    """All the published numbers, sorted by size, so that a typed one is found at once."""

    def __init__(self, catalog: Catalog) -> None:
        self._names: dict[str, str] = {}
        for scalar in catalog.scalars:
            self._names.setdefault(catalog.lookup(scalar.name).address, scalar.name)
        entries = [
            (abs(as_decimal(number.number.value)), (number.address not in self._names, order), number)
            for order, number in enumerate(catalog.published())
        ]
        self._entries = sorted(entries, key=lambda entry: entry[:2])
        self._sizes = [size for size, _, _ in self._entries]

    def candidates(self, written: Written) -> tuple[list[str], bool]:
        """Return the placeholders of the likeliest published numbers, and whether they are equal, not only near.

        Scalars come before cells, and what is published first before what repeats it.
        """
        near = sorted(self._near(written), key=lambda found: found[:2])
        equal = [found for found in near if found[0] < _NEARLY]
        shown = dict.fromkeys(self._placeholder(number, written) for _, _, number in equal or near)
        return list(shown)[:MOST], bool(equal)

    def _near(self, written: Written) -> Iterator[tuple[int, tuple[bool, int], Published]]:
        """Yield (rank, order, number) of what equals the typed number or is off by one in its last digit."""
        unit = Decimal(1).scaleb(-written.decimals)
        low = bisect_left(self._sizes, (written.size - 2 * unit) * written.scale)
        high = bisect_left(self._sizes, (written.size + 2 * unit) * written.scale)
        for size, order, number in self._entries[low : high + 1]:
            shown = (size / written.scale).quantize(unit, ROUND_HALF_UP)
            if shown == written.size:
                if written.scale == 1 and not written.decimals and size != int(size):
                    continue  # any whole number is some decimal, rounded
                form = number.format
                other_sign = (number.number.value < 0) != written.negative
                other_look = (form.digits, form.percent) != (written.decimals, written.percent)
                yield 2 * other_sign + other_look, order, number
            elif abs(shown - written.size) == unit and written.size.scaleb(written.decimals) >= _TELLING:
                yield _NEARLY, order, number

    def _placeholder(self, number: Published, written: Written) -> str:
        """Return what an author pastes to show `number` as it was typed."""
        if number.address in self._names:
            names = [self._names[number.address]]
        else:
            names = [number.address] if "%" in number.address else number.address.split("/")
        call = ", ".join(f'"{name}"' for name in names)
        form = number.format
        if written.percent and not form.percent:
            how = "percent" if written.decimals == 1 else f"percent({written.decimals})"
            return f"{{{{ n({call}) | {how} }}}}"
        same_kind = written.percent == form.percent and written.scale in (1, Decimal("0.01"))
        if same_kind and form.digits != written.decimals:
            return f"{{{{ n({call}, digits={written.decimals}) }}}}"
        return f"{{{{ n({call}) }}}}"
