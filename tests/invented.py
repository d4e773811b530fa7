"""A catalog made by hand, for tests of pages: every kind of number, and every sign that some format would read."""

from __future__ import annotations

from tinyxf.catalog import Catalog, Scalar, Stage
from tinyxf.formatting import COUNT, INTEGER, Format
from tinyxf.table import Blank, Cell, Column, Key, Label, Number, Row, Table

SIGNS = (
    *(
        "<bos>",
        "<pad>",
        "&amp;",
        "*x*",
        "__init__",
        "{k}",
        "`",
        "W_Q*x + W_K*y",
        "1/2",
        "(c)",
        "--",
        "$P(A|B)$",
        "a|b",
    ),
    *('say "no"', "\\", "#", "[x](y)", "~~x~~", "{{ n }}"),
)


def mix() -> Catalog:
    """Return the catalog: words with shares and counts, one row of losses, signs, and scalars of all kinds."""
    words = Table(
        "mix.words",
        "1",
        "Words",
        "mix",
        (
            Column(Key("word"), "word"),
            Column(Key("share"), "share", Format()),
            Column(Key("percent"), "percent", Format(digits=1, percent=True)),
            Column(Key("count"), "count", COUNT),
        ),
        (
            _row("a", Number(0.31068985), Number(0.31068985), Number(1234567, exact=True)),
            _row("b", Number(-0.68051), Number(0.002), Blank()),
            _row("c", Number(1e-7), Number(0.05), Number(12, exact=True)),
        ),
    )
    losses = Table(
        "mix.losses",
        "2",
        "Losses",
        "mix",
        (Column(Key("before"), "before", Format()), Column(Key("after"), "after", Format())),
        (Row(None, (Number(1.168960112), Number(0.91193833))),),
    )
    signs = Table(
        "mix.signs",
        "3",
        "Signs",
        "mix",
        (Column(Key("sign"), "sign"), Column(Key("number"), "number", INTEGER)),
        tuple(_row(sign, Number(position, exact=True)) for position, sign in enumerate(SIGNS)),
    )
    return Catalog(
        title="A mix",
        stages=(Stage("mix", "A mix"),),
        tables=(words, losses, signs),
        scalars=(
            Scalar("loss", "the loss", address="mix.losses/before"),
            Scalar("after", "the loss afterwards", address="mix.losses/after"),
            Scalar("size", "a size", number=Number(4, exact=True), format=INTEGER),
            Scalar("base", "a base", number=Number(10000, exact=True), format=INTEGER),
            Scalar("total", "a total", number=Number(123578112, exact=True), format=COUNT),
            Scalar("rate", "a rate", number=Number(0.5, exact=True), format=Format(digits=1)),
            Scalar("tie", "a number on a tie", number=Number(0.123450000000001), format=Format(digits=6)),
            Scalar("even", "an exact number on a tie", number=Number(0.125, exact=True), format=Format(digits=3)),
            Scalar("zero", "less than nothing", number=Number(-0.00001), format=Format()),
            Scalar("tiny", "nearly nothing", number=Number(1e-300, exact=True), format=Format(digits=15)),
        ),
    )


def _row(name: str, *cells: Cell) -> Row:
    return Row(Key(name), (Label(name), *cells))
