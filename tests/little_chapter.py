"""An invented chapter of two tables, for readings that must not know the real one.

A price list: amounts times prices give costs, costs a total, and the total a share for each row.  The costs hide
inside the total unless the chapter is asked to publish them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from tinyxf.catalog import Catalog, Scalar, Stage
from tinyxf.formatting import INTEGER, Format
from tinyxf.params import Array
from tinyxf.table import Column, Key, Label, Number, Row, Source, Table
from tinyxf.trace.lifting import trace_run

AMOUNTS = np.array([3, 1, 2])
PRICES = np.array([0.123, 2.5, 1.456])
ROWS = ("apples", "pears", "pears")


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    amounts: Array
    prices: Array


@dataclass(frozen=True, slots=True, eq=False)
class Bill:
    order: Order
    costs: Array
    total: Array
    shares: Array


def work_out(order: Order) -> Bill:
    costs = order.amounts * order.prices
    total = costs.sum()
    return Bill(order, costs, total, costs / total)


def little_chapter(
    *, costs: bool = True, prices: bool = True, forms: Mapping[str, Format] | None = None, shift: float = 0.0
) -> Catalog:
    """Return the chapter, with or without its costs and prices; `forms` changes how columns are shown.

    `shift` falsifies the published total.
    """
    order = Order(AMOUNTS, PRICES)
    bill = work_out(order)
    own = {
        "amount": ("order.amounts", order.amounts, INTEGER),
        **({"price": ("order.prices", order.prices, Format(digits=3))} if prices else {}),
        **({"cost": ("costs", bill.costs, Format(digits=2))} if costs else {}),
        "share": ("shares", bill.shares, Format(digits=3)),
        "percent": ("shares", bill.shares, Format(digits=0, percent=True)),
    }
    columns = tuple(Column(Key(name), name, (forms or {}).get(name, form)) for name, (_, _, form) in own.items())
    rows = tuple(
        Row(
            Key(name, i),
            (
                Label(name),
                *(
                    Number(array[i].item(), Source(path, (i,)), exact=path.startswith("order"))
                    for path, array, _ in own.values()
                ),
            ),
        )
        for i, name in enumerate(ROWS)
    )
    total = Number(float(bill.total) + shift, Source("total"))
    return Catalog(
        title="A bill",
        stages=(Stage("bill", "The bill"),),
        tables=(
            Table("bill.rows", "1", "What is bought", "bill", (Column(Key("what"), "what"), *columns), rows),
            Table(
                "bill.sum",
                "2",
                "What it costs",
                "bill",
                (Column(Key("total"), "total", (forms or {}).get("total", Format(digits=2))),),
                (Row(None, (total,)),),
            ),
        ),
        scalars=(
            Scalar("bill.total", "the total", address="bill.sum/total"),
            Scalar("bill.year", "a year without a source", number=Number(2024, exact=True), format=INTEGER),
        ),
        traced=partial(trace_run, work_out, order=order),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    x: Array
    y: Array


def multiply_factors(factors: Factors) -> Factors:
    return Factors(factors.x, factors.x * factors.y)


def product_chapter(x: float, y: float, form: Format) -> Catalog:
    """Return a chapter of one number, the product of two that are printed nowhere."""
    factors = Factors(np.array(x), np.array(y))
    product = Number(float(factors.x * factors.y), Source("y"))
    table = Table("a.product", "1", "A product", "a", (Column(Key("xy"), "xy", form),), (Row(None, (product,)),))
    return Catalog(
        "One product", (Stage("a", "A"),), (table,), traced=partial(trace_run, multiply_factors, factors=factors)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Depth:
    x: Array
    square: Array
    logarithm: Array
    double: Array


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    x: Array


def take_logarithm(start: Start) -> Depth:
    square = start.x * start.x
    logarithm = -np.log(square)
    return Depth(start.x, square, logarithm, 2.0 * logarithm)


def logarithm_chapter(x: float) -> Catalog:
    """Return a chapter of a square, minus its logarithm, and the double of that, each to one decimal."""
    start = Start(np.array(x))
    run = take_logarithm(start)
    names = ("square", "logarithm", "double")
    numbers = tuple(Number(float(getattr(run, name)), Source(name)) for name in names)
    columns = tuple(Column(Key(name), name, Format(digits=1)) for name in names)
    table = Table("a.log", "1", "A logarithm", "a", columns, (Row(None, numbers),))
    return Catalog("Logarithms", (Stage("a", "A"),), (table,), traced=partial(trace_run, take_logarithm, start=start))
