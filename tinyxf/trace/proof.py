"""Proof of every printed digit, in 50-digit arithmetic.

A reading of the published trace.  The program is run again with 50 digits, each leaf entering as the decimal that a
reader would write, and each result is rounded as its table rounds.  A digit is proved if that gives what is printed,
and if no last bit of float64 could have changed it: the number keeps away from every rounding tie, or is a fraction
that its float names exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from tinyxf.formatting import TIE_GATE, as_decimal, format_number, tie_distance
from tinyxf.trace.arithmetic import PROOF_DIGITS, fifty_digits, proof_decimal
from tinyxf.trace.published import Entry, PublishedTrace


@dataclass(frozen=True, slots=True)
class DigitProof:
    """What 50 digits say of one published number.

    `margin` is the distance from the nearest rounding tie; `exact` says that the number is a fraction which its float
    names exactly, so that no margin is needed; `claimed` that its table says so.
    """

    address: str
    printed: str
    proved: str
    value: Decimal
    margin: Decimal
    exact: bool
    claimed: bool

    @property
    def fault(self) -> str:
        """What is wrong, in a sentence; empty if nothing is."""
        if self.printed != self.proved:
            return f"{self.address} prints {self.printed}, but 50 digits give {self.proved}"
        if self.claimed and not self.exact:
            return f"{self.address} is said to be exact, but is no fraction that its float names"
        if self.margin < TIE_GATE and not self.exact:
            return f"{self.address} lies {float(self.margin):.1e} from a rounding tie, not {float(TIE_GATE):.0e}"
        return ""


def prove_digits(trace: PublishedTrace) -> tuple[DigitProof, ...]:
    """Return the proof of every published number, in the catalog's order."""
    values = trace.program.run(fifty_digits())
    return tuple(_prove(trace, entry, values[entry.place]) for entry in trace.entries)


def digit_faults(trace: PublishedTrace) -> tuple[str, ...]:
    """Return a sentence for each number whose digits are not proved."""
    return tuple(proof.fault for proof in prove_digits(trace) if proof.fault)


def _prove(trace: PublishedTrace, entry: Entry, result: object) -> DigitProof:
    number, form = entry.number.number, entry.number.format
    fraction = trace.exact[entry.place].rational
    value = proof_decimal(result) if fraction is None else _decimal(fraction)
    return DigitProof(
        entry.address,
        printed=entry.number.display,
        proved=format_number(value, form),
        value=value,
        margin=tie_distance(value, form),
        exact=fraction is not None and Fraction(as_decimal(number.value)) == fraction,
        claimed=number.exact,
    )


def _decimal(fraction: Fraction) -> Decimal:
    return Context(prec=PROOF_DIGITS).divide(Decimal(fraction.numerator), Decimal(fraction.denominator))
