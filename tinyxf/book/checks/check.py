"""Everything that can be wrong with the book, in one list.

Last of the pure modules: the edition's own problems, typed numbers, dead links, drift of the ledger, ties, and digits
that 50-digit arithmetic does not confirm.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from tinyxf.book.checks.anchors import anchor_problems
from tinyxf.book.checks.gate import tie_problems
from tinyxf.book.checks.known import Known
from tinyxf.book.checks.meta import meta_problems
from tinyxf.book.checks.misses import near_misses
from tinyxf.book.checks.steps import step_problems, steps_of
from tinyxf.book.checks.typed import typed_problems
from tinyxf.book.edition import Edition
from tinyxf.book.history.ledger import LEDGER, ledger_problems
from tinyxf.catalog import Catalog
from tinyxf.errors import Problem
from tinyxf.trace.proof import prove_digits
from tinyxf.trace.published import read_trace


def check_edition(
    edition: Edition, convert: Callable[[str], str], ledger: str | None, assets: Collection[str]
) -> tuple[Problem, ...]:
    """Return every problem of an edition, sorted by place.

    `convert` turns a marked page into HTML, `ledger` is the committed ledger or None, `assets` are the published
    files that are no pages, relative to the pages' folder.
    """
    contents = {uri: edition.content(uri, convert(edition.marked(uri))) for uri in edition.pages}
    found = {
        *edition.problems,
        *anchor_problems(edition, contents, assets),
        *slips_of_the_pen(edition),
        *ledger_problems(ledger, edition.catalog),
        *tie_problems(edition.catalog),
        *unproved(edition.catalog),
    }
    return tuple(sorted(found))


def slips_of_the_pen(edition: Edition) -> Iterator[Problem]:
    """Yield typed numbers, unknown steps, near misses of placeholders, in included files too; and missing titles."""
    known, steps = Known(edition.catalog), steps_of(edition.catalog)
    for expanded in (*edition.pages.values(), *edition.inclusions.shown_by(*edition.pages)):
        yield from typed_problems(expanded, known)
        yield from near_misses(expanded)
        yield from step_problems(expanded, steps)
    for page in edition.pages.values():
        yield from meta_problems(page)


def unproved(catalog: Catalog) -> Iterator[Problem]:
    """Yield a problem for each number whose printed digits are not what 50-digit arithmetic gives."""
    if catalog.traced is None:
        return
    lines = {number.address: line for line, number in enumerate(catalog.published(), start=2)}
    for proof in prove_digits(read_trace(catalog)):
        if proof.fault:
            yield Problem(LEDGER, lines.get(proof.address, 1), 1, proof.fault, "digits")
