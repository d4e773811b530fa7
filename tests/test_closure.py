"""Paper closure and proof: how far each number is from those printed, and whether every printed digit is right."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import cache

import pytest
from hypothesis import given, settings

from tests.little_chapter import little_chapter, logarithm_chapter, product_chapter
from tests.strategies import Case, cases
from tinyxf.catalog import Catalog, merge
from tinyxf.chapter import catalog
from tinyxf.errors import TinyxfError
from tinyxf.formatting import TIE_GATE, Format
from tinyxf.table import Number, Row, Source, Table
from tinyxf.trace.closure import (
    LOST,
    MOST_OPERATIONS,
    TOLERANCE,
    drift_faults,
    effort_faults,
    heaviest_effort,
    measure_efforts,
    measure_tables,
    pencil_results,
    work_on_paper,
)
from tinyxf.trace.proof import digit_faults, prove_digits
from tinyxf.trace.published import PublishedTrace, read_trace
from tinyxf.weights import PROMPT

# The figures that the book publishes: the worst drift of each table's computed numbers, in units of the last printed
# digit, with every operand looked up and with own results carried on from the weights.
DRIFTS = {
    "embed.positions": (0, 0),
    "embed.input": (0, 0),
    "attention.norm": (2, 4),
    "attention.norm_stats": (1, 1),
    "attention.h1.qkv": (0, 1),
    "attention.h1.scores": (1, 2),
    "attention.h1.weights": (0, 1),
    "attention.h2.qkv": (0, 4),
    "attention.h2.scores": (1, 8),
    "attention.h2.weights": (0, 1),
    "attention.output": (1, 4),
    "attention.residual": (1, 4),
    "ffn.norm_stats": (1, 3),
    "ffn.norm": (1, 1),
    "ffn.pre": (0, 1),
    "ffn.hidden": (0, 0),
    "ffn.hidden_fine": (0, 1),
    "ffn.residual": (1, 3),
    "logits.norm": (0, 1),
    "logits.prediction": (0, 1),
    "loss.gradient": (1, 1),
    "loss.step": (1, 1),
    "params.count": (0, 0),
    "params.sizes": (0, 0),
}


@cache
def standard() -> PublishedTrace:
    return read_trace(catalog())


def without(book: Catalog, *tables: str) -> Catalog:
    """Return the catalog without some tables and without the notes that may speak of them."""
    kept = tuple(replace(table, note="") for table in book.tables if table.id not in tables)
    lost = tuple(f"{table}/" for table in tables)
    return replace(book, tables=kept, scalars=tuple(own for own in book.scalars if not own.address.startswith(lost)))


# Efforts


def test_the_heaviest_number_takes_sixteen_operations() -> None:
    """Eight products, seven sums and a bias: a row of W2."""
    heaviest = heaviest_effort(standard())
    assert (heaviest.operations, heaviest.operands) == (MOST_OPERATIONS, 17)
    assert heaviest.address.startswith("ffn.residual/")
    assert MOST_OPERATIONS == 16


def test_no_number_of_the_book_hides_work() -> None:
    assert effort_faults(standard()) == ()


@pytest.mark.parametrize(
    ("address", "operations", "operands"),
    [
        ("embed.input/chuck/x0", 1, 2),
        ("attention.norm_stats/chuck/mean", 4, 4),
        ("attention.norm_stats/chuck/variance", 12, 5),
        ("attention.norm_stats/chuck/denominator", 2, 2),
        ("attention.norm/chuck/n0", 2, 3),
        ("attention.h1.qkv/chuck/q0", 7, 8),
        ("attention.h1.scores/chuck/a", 4, 5),
        ("attention.h1.weights/chuck/a", 1, 2),
        ("attention.output/a/h1_0", 1, 2),
        ("attention.output/chuck/h1_0", 7, 8),
        ("ffn.hidden/chuck/u0", 1, 1),
        ("loss.step/loss_before", 2, 1),
    ],
)
def test_operations_are_counted_as_a_reader_counts(address: str, operations: int, operands: int) -> None:
    effort = {each.address: each for each in measure_efforts(standard())}[address]
    assert (effort.operations, effort.operands) == (operations, operands)


def test_without_its_companions_a_softmax_hides_work() -> None:
    hidden = ("logits.exp", "logits.softmax")
    trace = read_trace(without(catalog(), *hidden))
    faults = effort_faults(trace)
    assert any("logits.prediction/wood/probability takes" in fault for fault in faults)
    assert heaviest_effort(trace).operations > MOST_OPERATIONS


def test_hidden_work_and_hidden_leaves_are_named() -> None:
    trace = read_trace(little_chapter(costs=False, prices=False))
    assert effort_faults(trace) == (
        "bill.rows/apples/share is made of order.prices[0], which is printed nowhere",
        "bill.rows/pears@1/share is made of order.prices[1], which is printed nowhere",
        "bill.rows/pears@2/share is made of order.prices[2], which is printed nowhere",
    )
    assert [effort.operations for effort in measure_efforts(trace)] == [2, 2, 2, 2, 2, 2, 5]
    assert effort_faults(read_trace(little_chapter())) == ()


# Proof


def test_every_printed_digit_of_the_book_is_right() -> None:
    proofs = prove_digits(standard())
    assert [proof.fault for proof in proofs if proof.fault] == []
    assert len(proofs) == len(list(standard().catalog.published())) > 800
    assert sum(proof.exact for proof in proofs) > 300


def test_the_nearest_tie_is_the_one_that_is_known() -> None:
    """The cosine of 0.01 in steps 3 and 4."""
    nearest = min((proof for proof in prove_digits(standard()) if not proof.exact), key=lambda proof: proof.margin)
    assert nearest.address == "embed.positions/1/d3_cos"
    assert Decimal("4.1e-10") < nearest.margin < Decimal("4.2e-10")


def test_fifty_digits_are_right() -> None:
    """Numbers known to 50 digits from elsewhere: sin 1, cos 1, the root of 2."""
    values = {proof.address: proof.value for proof in prove_digits(standard())}
    known = {
        "embed.positions/1/d0_sin": "0.84147098480789650665250232163029899962256306079837",
        "embed.positions/1/d1_cos": "0.54030230586813971740093660744297660373231042061792",
        "attention.scale": "1.4142135623730950488016887242096980785696718753769",
    }
    assert {address: values[address] for address in known} == {a: Decimal(text) for a, text in known.items()}


def test_a_wrong_digit_is_found() -> None:
    assert digit_faults(read_trace(little_chapter(shift=0.01))) == (
        "bill.sum/total prints 5.79, but 50 digits give 5.78",
    )
    assert digit_faults(read_trace(little_chapter())) == ()


def changed(book: Catalog, table: str, number: Number, form: Format) -> Catalog:
    """Return the little chapter with another total."""

    def change(own: Table) -> Table:
        columns = (replace(own.columns[0], format=form),)
        return replace(own, columns=columns, rows=(Row(None, (number,)),))

    return replace(book, tables=tuple(change(own) if own.id == table else own for own in book.tables))


def test_a_number_too_near_a_tie_is_found_unless_it_is_exact() -> None:
    """The total is exactly 5.781, so at two digits a tie is far, but a share can be made to lie on one."""
    book = little_chapter()
    total = 0.123 * 3 + 2.5 + 2 * 1.456
    exact = changed(book, "bill.sum", Number(total, Source("total")), Format(digits=3))
    assert digit_faults(read_trace(exact)) == ()
    share = Number(0.0, Source("shares", (0,)))
    off = changed(book, "bill.sum", share, Format(digits=2))
    assert digit_faults(read_trace(off)) == ("bill.sum/total prints 0.00, but 50 digits give 0.06",)


def test_exactness_is_proved_not_believed() -> None:
    book = little_chapter()
    third = Number(0.123 * 3 / (0.123 * 3 + 2.5 + 2 * 1.456), Source("shares", (0,)), exact=True)
    assert digit_faults(read_trace(changed(book, "bill.sum", third, Format(digits=4)))) == (
        "bill.sum/total is said to be exact, but is no fraction that its float names",
    )


def test_a_number_on_a_tie_must_be_one_that_its_float_names() -> None:
    """0.5 x 0.5 is 0.25 to the last bit; 0.1 x 0.05 is 0.005, but its float is 0.005000000000000001."""
    assert digit_faults(read_trace(product_chapter(0.5, 0.5, Format(digits=1)))) == ()
    (fault,) = digit_faults(read_trace(product_chapter(0.1, 0.05, Format(digits=2))))
    assert fault == "a.product/xy lies 0.0e+00 from a rounding tie, not 1e-12"
    (near,) = digit_faults(read_trace(product_chapter(0.1, 1.5000000000007, Format(digits=1))))
    assert near == "a.product/xy lies 7.0e-14 from a rounding tie, not 1e-12"
    assert digit_faults(read_trace(product_chapter(0.1, 1.50000000007, Format(digits=1)))) == ()


@settings(max_examples=15)
@given(cases(most_tokens=5, most_blocks=2))
def test_digits_are_right_for_any_model(case: Case) -> None:
    """Near-ties may happen by chance among thousands of numbers; a wrong digit may not."""
    trace = read_trace(catalog(case.prompt, case.target, case.model))
    wrong = [proof for proof in prove_digits(trace) if proof.printed != proof.proved and proof.margin > TIE_GATE]
    assert wrong == []


# Paper


def test_the_published_drifts() -> None:
    found = {drift.table: (drift.worst.units, drift.carried.units) for drift in measure_tables(standard())}
    assert {table: found[table] for table in DRIFTS} == DRIFTS
    assert all(drift.worst.units <= TOLERANCE for drift in measure_tables(standard()))
    assert drift_faults(standard()) == ()


def test_whoever_never_looks_back_still_finds_the_loss() -> None:
    drifts = {drift.address: drift for drift in work_on_paper(standard(), carry=True)}
    assert drifts["loss.step/loss_before"].units == 1
    assert drifts["loss.step/loss_before"].printed == Decimal("1.1690")
    assert drifts["loss.step/improvement"].units <= 1


def test_every_computed_number_is_worked_out_on_paper() -> None:
    trace = standard()
    computed = [entry.address for entry in trace.entries if not trace.is_leaf(entry)]
    assert [drift.address for drift in work_on_paper(trace)] == computed
    assert sum(drift.cells for drift in measure_tables(trace)) == sum("/" in address for address in computed)
    counts = {drift.table: drift for drift in measure_tables(trace)}
    assert counts["params.count"].whole == counts["params.count"].cells
    assert counts["attention.norm"].moved > 0


def test_three_decimals_are_too_few_for_step_twelve() -> None:
    """Why there is a companion with one more: without it the pencil drifts by five units."""
    trace = read_trace(without(catalog(), "ffn.hidden_fine"))
    faults = drift_faults(trace)
    assert max(drift.units for drift in work_on_paper(trace) if drift.table == "ffn.residual") == 5
    assert any(fault.startswith("ffn.residual/") and "print an operand with more digits" in fault for fault in faults)
    assert drift_faults(trace, tolerance=5) == ()


def test_the_pencil_takes_the_most_digits_that_are_printed() -> None:
    """The share is worked out from the costs as printed: 0.37 / 5.78 = 0.064, not 0.369 / 5.781."""
    trace = read_trace(little_chapter())
    drifts = {drift.address: drift for drift in work_on_paper(trace)}
    assert drifts["bill.rows/apples/cost"].pencil == Decimal("0.37")
    assert drifts["bill.sum/total"].pencil == Decimal("5.78")
    assert float(pencil_results(trace)[trace.find("bill.rows/apples/share").place]) == pytest.approx(0.37 / 5.78)
    fine = read_trace(little_chapter(forms={"cost": Format(digits=3), "total": Format(digits=3)}))
    assert float(pencil_results(fine)[fine.find("bill.rows/apples/share").place]) == pytest.approx(0.369 / 5.781)


def test_a_copy_is_copied_from_the_number_with_most_digits() -> None:
    """A percentage comes from the printed share, not from a second division."""
    trace = read_trace(little_chapter(forms={"share": Format(digits=1), "percent": Format(digits=1, percent=True)}))
    drifts = {drift.address: drift for drift in work_on_paper(trace)}
    assert trace.home(trace.find("bill.rows/apples/share").place).address == "bill.rows/apples/percent"
    assert not trace.is_copy(trace.find("bill.rows/apples/share"))
    coarse = read_trace(little_chapter(forms={"share": Format(digits=1)}))
    copied = {drift.address: drift for drift in work_on_paper(coarse)}
    assert coarse.home(coarse.find("bill.rows/apples/share").place).address == "bill.rows/apples/percent"
    assert drifts["bill.rows/pears@1/percent"].pencil == Decimal("0.433")
    assert copied["bill.rows/pears@1/percent"].pencil == Decimal("0.43")


def test_carrying_on_uses_own_results() -> None:
    """Half-rounded on the way: 0.37 + 2.50 + 2.91 is 5.78, as printed; with whole costs it would be 0 + 3 + 3."""
    trace = read_trace(little_chapter(forms={"cost": Format(digits=0), "total": Format(digits=2)}))
    looked_up = {drift.address: drift for drift in work_on_paper(trace)}
    carried = {drift.address: drift for drift in work_on_paper(trace, carry=True)}
    assert looked_up["bill.sum/total"].pencil == carried["bill.sum/total"].pencil == Decimal("6.00")
    assert looked_up["bill.sum/total"].units == 22
    assert looked_up["bill.rows/pears@1/share"].pencil == Decimal("0.519")
    assert carried["bill.rows/pears@1/share"].pencil == Decimal("0.500")


def test_a_printed_zero_leaves_the_pencil_nothing() -> None:
    """The square of 0.2 prints as 0.0, and ln 0 is nothing; whoever carries on looks the logarithm up."""
    trace = read_trace(logarithm_chapter(0.2))
    for carry in (False, True):
        square, logarithm, double = work_on_paper(trace, carry=carry)
        assert (square.printed, square.units) == (Decimal("0.0"), 0)
        assert logarithm.pencil.is_nan()
        assert (logarithm.printed, logarithm.units) == (Decimal("3.2"), LOST)
        assert (double.printed, double.pencil, double.units) == (Decimal("6.4"), Decimal("6.4"), 0)
    (fault,) = drift_faults(trace)
    assert fault == (
        "a.log/logarithm prints 3.2, but a pencil gets nothing from the numbers printed, expected at most 2:"
        " print an operand with more digits"
    )
    assert all(drift.units < LOST for drift in work_on_paper(read_trace(logarithm_chapter(0.7))))


def test_on_paper_a_tie_goes_away_from_zero() -> None:
    """As in print; and in decimals, where 0.1 x 0.05 is a tie as well."""
    for x, y, digits, rounded in ((0.5, 0.5, 1, "0.3"), (-0.5, 0.5, 1, "-0.3"), (0.1, 0.05, 2, "0.01")):
        (drift,) = work_on_paper(read_trace(product_chapter(x, y, Format(digits=digits))))
        assert (drift.printed, drift.pencil, drift.units) == (Decimal(rounded), Decimal(rounded), 0)


@settings(max_examples=15)
@given(cases(most_tokens=5, most_blocks=2))
def test_any_chapter_can_be_worked_on_paper(case: Case) -> None:
    trace = read_trace(catalog(case.prompt, case.target, case.model))
    looked_up = work_on_paper(trace)
    assert len(looked_up) == len(work_on_paper(trace, carry=True)) > 0
    assert len(measure_efforts(trace)) == len(looked_up)
    first = [drift for drift in looked_up if drift.table == "embed.input"]
    assert all(drift.units <= 1 for drift in first)


def test_any_prompt_of_the_book_closes_almost_as_well() -> None:
    """The loss is the exception: the logarithm of a small probability magnifies the rounding of its four decimals."""
    for prompt in (PROMPT[:1], ("wood",) * 3, ("how", "much", "wood", "would", "a", "woodchuck", "chuck", ".")):
        assert drift_faults(read_trace(catalog(prompt)), tolerance=25) == ()


def test_a_chapter_without_a_trace_says_so() -> None:
    with pytest.raises(TinyxfError, match='"A bill" has no traced run'):
        read_trace(replace(little_chapter(), traced=None))


def test_two_chapters_make_one_book() -> None:
    """Each leaf is at home in its own chapter's table, and the proofs cover both."""
    trace = read_trace(merge([catalog(), little_chapter()]))
    assert digit_faults(trace) == drift_faults(trace) == ()
    price = trace.find("bill.rows/apples/price")
    assert trace.is_leaf(price)
    assert trace.home(price.place) is price
    assert not trace.is_copy(price)


def test_a_trace_must_lead_to_traced_numbers() -> None:
    plain = replace(little_chapter(), traced=lambda: lambda _source: 1.0)
    with pytest.raises(TinyxfError, match=r"which is 1.0 and not a traced number"):
        read_trace(plain)


def test_a_source_that_leads_nowhere_says_so() -> None:
    lost = changed(little_chapter(), "bill.sum", Number(1.0, Source("no.such", (0,))), Format())
    with pytest.raises(TinyxfError, match=r"bill.sum/total comes from no.such\[0\], which the run does not have"):
        read_trace(lost)
