"""A second chapter, about tea: other stages, other tables, other ids than the book's.

It knows the package as any author's chapter would: tables, a catalog, and a trace of its own stages.  Nothing that
publishes numbers may need a change for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from tinyxf.catalog import Catalog, Scalar, Stage
from tinyxf.formatting import INTEGER, Format
from tinyxf.params import Array
from tinyxf.table import Column, Key, Label, Number, Row, Source, Table
from tinyxf.trace.lifting import trace_run

LEAVES = ("green", "black & strong", "mint|honey")


@dataclass(frozen=True, slots=True, eq=False)
class Tea:
    """What is known: grams and milligrams of caffeine a gram of each leaf; minutes to wait; temperatures and rate."""

    grams: Array
    strength: Array
    minutes: Array
    room: Array
    boiling: Array
    rate: Array


@dataclass(frozen=True, slots=True, eq=False)
class TeaRun:
    """What follows: caffeine of each leaf and of all, and degrees after each of the minutes."""

    tea: Tea
    caffeine: Array
    total: Array
    degrees: Array


def run_tea(tea: Tea) -> TeaRun:
    """Multiply and add up; cool by Newton's law, room + (boiling - room) exp(-rate t)."""
    caffeine = tea.grams * tea.strength
    degrees = tea.room + (tea.boiling - tea.room) * np.exp(-tea.rate * tea.minutes)
    return TeaRun(tea, caffeine, np.sum(caffeine), degrees)


def standard_tea() -> Tea:
    """Return the chapter's tea."""
    return Tea(
        grams=np.array([2.0, 1.5, 3.0]),
        strength=np.array([12.5, 30.0, 0.0]),
        minutes=np.array([0.0, 1.0, 2.0, 3.0]),
        room=np.array(20.0),
        boiling=np.array(100.0),
        rate=np.array(0.25),
    )


def catalog() -> Catalog:
    """Return the chapter: two tables, two stages, three scalars."""
    tea = standard_tea()
    run = run_tea(tea)
    one, two = Format(digits=1), Format(digits=2)
    return Catalog(
        title="Tea, by numbers",
        stages=(Stage("brew", "Brewing"), Stage("cool", "Cooling", needs=("brew",))),
        tables=(
            Table(
                id="brew.blend",
                step="1",
                title="What is in the pot",
                stage="brew",
                columns=(
                    Column(Key("leaf"), "leaf"),
                    Column(Key("grams"), "grams", one, symbol="g"),
                    Column(Key("strength"), "mg/g", one, symbol="s"),
                    Column(Key("caffeine"), "caffeine", two, symbol="c"),
                ),
                rows=tuple(
                    Row(
                        Key(leaf, i),
                        (
                            Label(leaf),
                            Number(tea.grams[i], Source("tea.grams", (i,)), exact=True),
                            Number(tea.strength[i], Source("tea.strength", (i,)), exact=True),
                            Number(run.caffeine[i], Source("caffeine", (i,))),
                        ),
                    )
                    for i, leaf in enumerate(LEAVES)
                ),
                note="Together {brew.total} mg, in {brew.leaves} leaves.",
            ),
            Table(
                id="cool.minutes",
                step="2",
                title="How it cools",
                stage="cool",
                columns=(Column(Key("minute"), "minute"), Column(Key("degrees"), "degrees", two, symbol="T")),
                rows=tuple(
                    Row(
                        Key(str(minute), minute),
                        (Label(str(minute)), Number(run.degrees[minute], Source("degrees", (minute,)))),
                    )
                    for minute in range(len(run.degrees))
                ),
                note="Each minute it loses the same share of what it is warmer than the room, {cool.room} degrees.",
            ),
        ),
        scalars=(
            Scalar("brew.total", "caffeine in the pot", number=Number(float(run.total), Source("total")), format=one),
            Scalar("brew.leaves", "kinds of leaf", number=Number(len(LEAVES), exact=True), format=INTEGER),
            Scalar(
                "cool.room",
                "degrees of the room",
                number=Number(float(tea.room), Source("tea.room"), exact=True),
                format=one,
            ),
            Scalar("cool.last", "degrees at last", address="cool.minutes/3/degrees"),
        ),
        header=(("tea", ", ".join(LEAVES)),),
        traced=partial(trace_run, run_tea, tea=tea),
    )
