"""Worked arithmetic: one golden cell of each kind, and every cell read back by a calculator of our own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache, reduce
from typing import Any

import math_core
import numpy as np
import pytest
from hypothesis import given, settings

from tests.formula_reader import calculate
from tests.little_chapter import little_chapter
from tests.strategies import Case, cases
from tinyxf.catalog import Published
from tinyxf.chapter import catalog
from tinyxf.errors import UnknownNameError
from tinyxf.formatting import rounded
from tinyxf.trace.closure import LOST, TOLERANCE
from tinyxf.trace.expression import Apply, Figure, Formula, Reference, Vector, expand, fold
from tinyxf.trace.notation import join_pieces
from tinyxf.trace.telling import equation_lines, tell_data, tell_markdown, tell_text
from tinyxf.trace.work import COPY, GIVEN, Work, Workbook, read_workbook


@cache
def standard() -> Workbook:
    return read_workbook(catalog())


@cache
def standard_works() -> dict[str, Work]:
    return {work.number.address: work for work in standard().works()}


# One cell of each kind: address, what its arithmetic is called, and its equations.
GOLDEN = {
    "embed.positions/3/d2_sin": ("sine", "sin(p[3] / base^0.5)", "sin(3 / 10000^0.5)", "0.0300"),
    "embed.positions/3/d1_cos": ("cosine", "cos(p[3] / base^0)", "cos(3 / 10000^0)", "-0.9900"),
    "attention.norm_stats/chuck/mean": (
        "mean",
        "mean(x[chuck])",
        "(0.1411 + 0.0100 + 0.0300 + 1.4996) / 4",
        "0.4202",
    ),
    "attention.norm_stats/chuck/variance": (
        "mean of squares",
        "mean((x[chuck] - mean[chuck])²)",
        "((0.1411 - 0.4202)² + (0.0100 - 0.4202)² + (0.0300 - 0.4202)² + (1.4996 - 0.4202)²) / 4",
        "0.3908",
    ),
    "attention.norm_stats/chuck/denominator": (
        "square root",
        "√(variance[chuck] + eps)",
        "√(0.3908 + 0.00001)",
        "0.6252",
    ),
    "attention.norm/chuck/n0": (
        "layer norm",
        "(x0[chuck] - mean[chuck]) / denominator[chuck]",
        "(0.1411 - 0.4202) / 0.6252",
        "-0.4463",
    ),
    "attention.h1.qkv/chuck/q0": (
        "dot product",
        "n[chuck] · WQ1[:, q0]",
        "(-0.4463) × 0.0 + (-0.6561) × 1.0 + (-0.6241) × 0.0 + 1.7265 × 0.0",
        "-0.6561",
    ),
    "attention.h1.scores/chuck/a": (
        "scaled dot product",
        "h1.q[chuck] · h1.k[a] / scale",
        "((-0.6561) × (-1.7320) + 1.7265 × 0.5773) / 1.4142",
        "1.5083",
    ),
    "attention.h1.softmax/chuck/maximum": (
        "maximum",
        "max(S1[chuck, :])",
        "max(1.5083, 0.3283, 0.8423, 2.3148)",
        "2.3148",
    ),
    "attention.h1.softmax/would/total": ("sum", "sum(X1[would, :])", "0.9360 + 0.8127 + 1.0000", "2.7487"),
    "attention.h1.softmax/a/total": ("sum", "X1[a, a]", "1.0000", "1.0000"),
    "attention.h1.exp/chuck/a": (
        "exponential",
        "exp(S1[chuck, a] - h1.maximum[chuck])",
        "exp(1.5083 - 2.3148)",
        "0.4464",
    ),
    "attention.h1.weights/would/would": (
        "softmax",
        "X1[would, would] / h1.total[would]",
        "1.0000 / 2.7487",
        "0.3638",
    ),
    "attention.output/would/h1_0": (
        "dot product",
        "A1[would, :] · h1.v0[a..would]",
        "0.3405 × (-1.7320) + 0.2957 × 1.1856 + 0.3638 × 0.7324",
        "0.0272",
    ),
    "attention.output/a/h1_0": ("product", "A1[a, a] × h1.v0[a]", "1.0000 × (-1.7320)", "-1.7320"),
    "attention.residual/chuck/in0": (COPY, "x0[chuck]", "0.1411", "0.1411"),
    "attention.residual/chuck/r0": ("sum", "in0[chuck] + a0[chuck]", "0.1411 + (-0.4903)", "-0.3492"),
    "ffn.pre/chuck/u4": (
        "dot product and bias",
        "n'[chuck] · W1[:, u4] + b1[u4]",
        "(-0.7428) × 1.0 + (-0.4968) × 0.0 + (-0.4831) × 0.0 + 1.7228 × 0.0 + (-0.5)",
        "-1.2428",
    ),
    "ffn.hidden/chuck/u0": ("ReLU", "max(pre0[chuck], 0)", "max(-0.7428, 0)", "0.000"),
    "ffn.hidden_fine/chuck/u3": ("ReLU", "max(pre3[chuck], 0)", "max(1.7228, 0)", "1.7228"),
    "ffn.residual/chuck/f3": (
        "dot product and bias",
        "u[chuck] · W2[:, f3] + b2[f3]",
        " + ".join(
            (*["0.0000 × 0.0"] * 3, "1.7228 × 0.5", "0.0000 × 0.5", *["0.0000 × 0.0"] * 2, "1.2228 × 1.0", "0.0")
        ),
        "2.0842",
    ),
    "params.count/attention/parameters": (
        "product",
        "heads[tinyxf] × parameters[attention_head]",
        "2 × 24",
        "48",
    ),
    "logits.prediction/wood/logit": (
        "dot product",
        "z · E[wood, :]",
        "(-0.6805) × 1.0 + (-0.5283) × 0.0 + (-0.5198) × 0.0 + 1.7285 × 1.0",
        "1.0480",
    ),
    "logits.prediction/wood/percent": (COPY, "p[wood]", "0.3107", "31.1%"),
    "loss.gradient/wood/dl_dlogit": ("difference", "p[wood] - target[wood]", "0.3107 - 1", "-0.6893"),
    "loss.logits/wood/after": ("difference", "logit[wood] - rate × g[wood]", "1.0480 - 0.5 × (-0.6893)", "1.3927"),
    "loss.step/loss_before": ("negative logarithm", "-ln(p[wood])", "-ln(0.3107)", "1.1690"),
    "loss.step/improvement": ("difference", "L - L'", "1.1690 - 0.9119", "0.2570"),
    "attention.scale": ("square root", "√d_head", "√2", "1.4142"),
}


@pytest.mark.parametrize(("address", "golden"), GOLDEN.items(), ids=GOLDEN)
def test_golden_work(address: str, golden: tuple[str, str, str, str]) -> None:
    work = standard().work(address)
    assert (work.kind, join_pieces(work.formula), join_pieces(work.substituted), work.number.display) == golden


def test_every_kind_of_arithmetic_has_a_golden_cell() -> None:
    kinds = {work.kind for work in standard_works().values()}
    assert kinds - {GIVEN} == {kind for kind, *_ in GOLDEN.values()}


def check_reading(work: Work, published: Published) -> None:
    """Calculate the substituted formula as printed; it must come to what the work says a pencil gets."""
    form = published.format
    result = calculate(join_pieces(work.substituted))
    unit = 10.0 ** -(form.digits + (2 if form.percent else 0))
    pencil = float(work.pencil.replace(",", "").removesuffix("%")) / (100 if form.percent else 1)
    assert abs(result - pencil) <= unit * 0.500001, work
    printed = float(rounded(published.number.value, form)) / (100 if form.percent else 1)
    assert round(abs(pencil - printed) / unit) == work.units, work


def test_every_substituted_formula_comes_to_the_printed_result() -> None:
    """Within the tolerance that the book states, for each number of each table."""
    computed = 0
    for published in standard().trace.catalog.published():
        work = standard_works()[published.address]
        if work.kind == GIVEN:
            assert (work.formula, work.substituted, work.operands) == ((), (), ())
            continue
        computed += 1
        check_reading(work, published)
        assert work.units <= TOLERANCE
    assert computed > 500


MEANINGS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("subtract", "multiply", "divide", "negative", "power")},
    **{name: getattr(np, name) for name in ("sqrt", "exp", "log", "sin", "cos", "dot", "sum", "mean")},
    "add": lambda *terms: reduce(np.add, terms),
    "maximum": lambda *values: reduce(np.maximum, values) if len(values) > 1 else values[0].max(),
}


def meaning(formula: Formula) -> Any:
    """Return what a folded formula comes to, vectors as arrays, every number as it is printed."""
    match formula:
        case Figure(value):
            return value
        case Reference():
            return float(formula.entry.printed)
        case Vector(entries):
            return np.array([float(entry.printed) for entry in entries])
        case Apply(name, arguments):
            return MEANINGS[name](*map(meaning, arguments))


def check_folding(book: Workbook) -> int:
    """Compare each folded formula with what the substituted one comes to; return how many there were."""
    checked = 0
    for entry in book.trace.entries:
        work = book.work(entry.address)
        if work.formula and work.kind != COPY:
            formula = expand(book.trace, entry)
            assert formula is not None
            spelled = calculate(join_pieces(work.substituted))
            assert float(meaning(fold(formula))) == pytest.approx(spelled, rel=1e-9, abs=1e-9), work.number
            checked += 1
    return checked


def test_a_formula_in_symbols_means_what_it_says_in_numbers() -> None:
    """A mean is the mean of just these numbers, a dot product pairs just these two vectors."""
    assert check_folding(standard()) > 500
    assert check_folding(read_workbook(little_chapter())) == 10 - 3
    assert check_folding(read_workbook(catalog(["a", "how", "a", "chuck", "a"], "how"))) > 500


def test_formulas_link_every_number_to_its_own_cell() -> None:
    works = standard_works()
    for work in works.values():
        linked = [piece for piece in work.substituted if piece.address]
        for piece in linked:
            shown = works[piece.address].number.display
            assert piece.text == shown.replace(",", "").replace("+", "")
        assert list(dict.fromkeys(piece.address for piece in linked)) == [each.address for each in work.operands]
        named = [piece for piece in work.formula if piece.address]
        assert all(piece.text == works[piece.address].number.symbol for piece in named)


def test_a_formula_calls_no_two_numbers_by_one_name() -> None:
    for work in standard_works().values():
        symbols = [operand.symbol for operand in work.operands]
        assert len(set(symbols)) == len(symbols), work.number
        if work.kind != COPY:
            assert work.number.symbol not in symbols


def test_upstream_and_downstream_are_each_other_turned_round() -> None:
    works = standard_works()
    for address, work in works.items():
        for user in work.used_by:
            operands = {each.address for each in works[user.address].operands}
            alike = {address, *(each.address for each in work.same_as)}
            assert operands & alike, (address, user)
        for operand in work.operands:
            below = {each.address for each in works[operand.address].used_by}
            assert address in below, (address, operand)


def test_the_same_number_says_so() -> None:
    works = standard_works()
    percent = works["logits.prediction/wood/percent"]
    assert percent.kind == COPY
    assert percent.same_as[0].address == "logits.prediction/wood/probability"
    assert works["embed.lookup/a/quantifier"].same_as[0].address == "weights.embedding/a/quantifier"
    coarse, fine = works["ffn.hidden/chuck/u3"], works["ffn.hidden_fine/chuck/u3"]
    assert coarse.kind == fine.kind == "ReLU"
    assert coarse.same_as[0].address == "ffn.hidden_fine/chuck/u3"
    assert works["ffn.residual/chuck/f0"].operands[0].address == "ffn.hidden_fine/chuck/u0"


def test_given_numbers_are_given() -> None:
    works = standard_works()
    for address in ("weights.w2/u0/f0", "embed.tokens/1/id", "model.eps", "params.sizes/gpt3/d_model"):
        assert works[address].kind == GIVEN, address
        assert works[address].exact == ""
    assert works["weights.embedding/chuck/action"].used_by[0].address == "embed.input/chuck/x1"


def test_exact_forms_stand_beside_decimals() -> None:
    works = standard_works()
    assert works["embed.input/woodchuck/x0"].exact == "1 + sin(1)"
    assert works["attention.norm_stats/a/mean"].exact == "3/4"
    assert works["attention.scale"].exact == "√2"
    assert works["loss.step/loss_before"].exact == ""
    assert works["params.count/total/parameters"].exact == ""  # 172 is 172


def test_a_scalar_is_the_cell_that_it_renames() -> None:
    assert standard().work("loss.before") == standard().work("loss.step/loss_before")
    with pytest.raises(UnknownNameError, match=r'did you mean "loss.before"'):
        standard().work("loss.befor")


def test_explanations_go_upstream_and_tell_each_number_once() -> None:
    told = standard().explain("attention.h1.weights/chuck/a", depth=3)
    assert [(level, work.number.address) for level, work in told][:4] == [
        (0, "attention.h1.weights/chuck/a"),
        (1, "attention.h1.exp/chuck/a"),
        (2, "attention.h1.scores/chuck/a"),
        (2, "attention.h1.softmax/chuck/maximum"),
    ]
    addresses = [work.number.address for _, work in told]
    assert len(set(addresses)) == len(addresses)
    assert max(level for level, _ in told) == 2
    assert len(standard().explain("attention.h1.weights/chuck/a")) == 1
    everything = standard().explain("loss.after", depth=99)
    assert {"embed.input/a/x0", "attention.h2.qkv/chuck/v1"} <= {work.number.address for _, work in everything}
    assert all(work.kind != GIVEN for _, work in everything)
    assert [work.kind for _, work in standard().explain("model.eps", 5)] == [GIVEN]


def test_every_formula_is_valid_latex() -> None:
    convert = math_core.LatexToMathML().convert_with_local_state
    for address, work in standard_works().items():
        latex = standard().latex(address)
        assert bool(latex.formula) == bool(work.formula)
        assert bool(latex.exact) == bool(work.exact)
        for line in (latex.symbol, latex.formula, latex.substituted, latex.exact):
            assert not line or "<math" in convert(line, displaystyle=True)
    sample = standard().latex("attention.h1.scores/chuck/a")
    assert sample.symbol == r"S_{1}[\text{chuck, a}]"
    assert sample.formula == r"\frac{\text{h1.}q[\text{chuck}] \cdot \text{h1.}k[\text{a}]}{\text{scale}}"


# A chapter that the readings have never seen.


def test_the_readings_know_any_chapter() -> None:
    book = read_workbook(little_chapter())
    told = [" ".join(" ".join(equation_lines(work)).split()) for work in book.works() if work.kind != GIVEN]
    assert told == [
        "cost[apples] = amount[apples] × price[apples] = 3 × 0.123 = 0.37",
        "share[apples] = cost[apples] / total = 0.37 / 5.78 = 0.064",
        "percent[apples] = share[apples] = 0.064 = 6%",
        "cost[pears@1] = amount[pears@1] × price[pears@1] = 1 × 2.500 = 2.50",
        "share[pears@1] = cost[pears@1] / total = 2.50 / 5.78 = 0.432",
        "percent[pears@1] = share[pears@1] = 0.432 = 43%",
        "cost[pears@2] = amount[pears@2] × price[pears@2] = 2 × 1.456 = 2.91",
        "share[pears@2] = cost[pears@2] / total = 2.91 / 5.78 = 0.504",
        "percent[pears@2] = share[pears@2] = 0.504 = 50%",
        "total = sum(cost[:]) = 0.37 + 2.50 + 2.91 = 5.78",
    ]
    assert book.work("bill.rows/pears@1/share").units == 1
    assert book.work("bill.total").number.address == "bill.sum/total"
    assert book.work("bill.year").kind == GIVEN


def test_hidden_numbers_are_worked_through() -> None:
    """Without the costs the total is a dot product, and a share shows its own sum."""
    book = read_workbook(little_chapter(costs=False))
    assert equation_lines(book.work("bill.total"))[:2] == (
        "total = amount[:] · price[:]",
        "      = 3 × 0.123 + 1 × 2.500 + 2 × 1.456",
    )
    assert (
        equation_lines(book.work("bill.rows/apples/share"))[0]
        == "share[apples] = amount[apples] × price[apples] / total"
    )
    bare = read_workbook(little_chapter(costs=False, prices=False))
    assert equation_lines(bare.work("bill.total"))[1] == "      = 3 × 0.123 + 1 × 2.5 + 2 × 1.456"


def test_a_formula_that_nobody_would_read_is_not_written() -> None:
    chapter = catalog(["a"] * 16)
    kept = tuple(replace(table, note="") for table in chapter.tables if table.id == "loss.step")
    book = read_workbook(
        type(chapter)(title="The loss alone", stages=chapter.stages, tables=kept, traced=chapter.traced)
    )
    work = book.work("loss.step/loss_before")
    assert (work.kind, work.formula, work.substituted, work.operands) == ("negative", (), (), ())
    assert work.operations > 400
    assert equation_lines(work) == ()


def test_plain_text() -> None:
    assert tell_text(standard().explain("loss.after")) == (
        """\
loss.step/loss_after = 0.9119
step 15: The loss before and after, loss after
  L' = -ln(p'[wood])
     = -ln(0.4017)
     = 0.9119
  in full 0.9119383331
  from the printed numbers 0.9120: 1 unit in the last digit
  made of  p'[wood] = 0.4017  (loss.gradient/wood/p_after)
  used by  improvement = 0.2570  (loss.step/improvement)
"""
    )
    assert tell_text(standard().explain("weights.embedding/wood/wood")).splitlines() == [
        "weights.embedding/wood/wood = 1.0",
        "Embedding E: one row a word, wood",
        "  given, not computed",
        "  used by  logit[wood] = 1.0480  (logits.prediction/wood/logit)",
    ]
    second = tell_text(standard().explain("loss.after", depth=2)).split("\n\n")[1]
    assert second.startswith("  loss.gradient/wood/p_after = 0.4017\n  step 15:")


def test_markdown() -> None:
    assert tell_markdown(standard().explain("logits.prediction/wood/percent")) == (
        """\
**`logits.prediction/wood/percent`** 31.1%

step 14: The prediction, percent

    p[wood] = p[wood]
            = 0.3107
            = 31.1%

in full 0.3106898561

the same number as logits.prediction/wood/probability

Made of:

- `p[wood]` = 0.3107 (`logits.prediction/wood/probability`)

Used by:

- `g[wood]` = -0.6893 (`loss.gradient/wood/dl_dlogit`)
- `L` = 1.1690 (`loss.step/loss_before`)
"""
    )


def test_json() -> None:
    data = tell_data(standard().work("loss.after"))
    assert json.loads(json.dumps(data)) == {
        "address": "loss.step/loss_after",
        "symbol": "L'",
        "display": "0.9119",
        "title": "The loss before and after, loss after",
        "step": "15",
        "kind": "negative logarithm",
        "formula": [["-ln("], ["p'[wood]", "loss.gradient/wood/p_after"], [")"]],
        "substituted": [["-ln("], ["0.4017", "loss.gradient/wood/p_after"], [")"]],
        "full": "0.9119383331",
        "exact": "",
        "pencil": "0.9120",
        "units": 1,
        "operations": 2,
        "operands": [
            {
                "address": "loss.gradient/wood/p_after",
                "symbol": "p'[wood]",
                "display": "0.4017",
                "title": "What each logit did wrong, p after",
            }
        ],
        "same_as": [],
        "used_by": [
            {
                "address": "loss.step/improvement",
                "symbol": "improvement",
                "display": "0.2570",
                "title": "The loss before and after, improvement",
            }
        ],
    }


@settings(max_examples=20)
@given(cases(most_tokens=6, most_blocks=2))
def test_any_model_and_any_prompt_can_be_worked_through(case: Case) -> None:
    """Repeated tokens, odd words and any sizes: each formula still comes to what the work says."""
    book = read_workbook(catalog(case.prompt, case.target, case.model))
    works = {work.number.address: work for work in book.works()}
    check_folding(book)
    for published in book.trace.catalog.published():
        work = works[published.address]
        if work.formula:
            check_reading(work, published)
        entry = book.trace.find(published.address)
        assert (work.kind == GIVEN) == (book.trace.is_leaf(entry) and not book.trace.is_copy(entry))
        assert tell_text([(0, work)]).startswith(published.address)
        assert tell_markdown([(0, work)]).endswith("\n")
    assert len(works) == len(list(book.trace.catalog.published()))


def test_digits_follow_the_reader() -> None:
    """`--digits` changes every table, and so every substituted formula."""
    book = read_workbook(catalog().with_digits(2))
    assert join_pieces(book.work("loss.after").substituted) == "-ln(0.40)"
    none = read_workbook(catalog().with_digits(0)).work("loss.after")
    assert (join_pieces(none.substituted), none.pencil, none.units) == ("-ln(0)", "", LOST)
    assert "the printed numbers are too coarse to work it out" in tell_text([(0, none)])
