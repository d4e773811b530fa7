"""The chapter's weights: chosen by hand, not trained, so that each number has a meaning.

Four dimensions, each one question about a word:

    0 thing        is it an object?
    1 action       does it do something?
    2 quantifier   does it say how many?
    3 wood         has it to do with wood?
"""

from __future__ import annotations

import numpy as np

from tinyxf.params import Array, Block, Head, Model

DIMENSIONS = ("thing", "action", "quantifier", "wood")
PROMPT = ("a", "woodchuck", "would", "chuck")
TARGET = "wood"

# One row a word: (thing, action, quantifier, wood).
EMBEDDING = {
    "a": (0.0, 0.0, 1.0, 0.0),  # one of something: a quantifier and nothing else
    "chuck": (0.0, 1.0, 0.0, 0.5),  # an action, and half about wood
    "how": (0.0, 0.0, 0.5, 0.0),  # asks for a quantity
    "much": (0.0, 0.0, 0.5, 0.0),  # the same, so the model cannot tell it from "how"
    "wood": (1.0, 0.0, 0.0, 1.0),  # a thing, and wood itself
    "woodchuck": (1.0, 0.0, 0.0, 0.5),  # a thing, with wood in its name
    "would": (0.0, 1.0, 0.0, 0.0),  # an action word without wood
    ".": (0.0, 0.0, 0.0, 0.0),  # no meaning at all
}


def woodchuck() -> Model:
    """Return the chapter's model: D = 4, two heads of K = 2, F = 8, one block, V = 8."""
    # Head 1 asks "whom do I act on?": an action looks for a thing, wood looks for wood.
    acts_on = Head(
        wq=_array(
            (0, 0),
            (1, 0),  # an action asks in slot 0
            (0, 0),
            (0, 1),  # wood asks in slot 1
        ),
        wk=_array(
            (1, 0),  # a thing answers in slot 0
            (0, 0),
            (0, 0),
            (0, 1),  # wood answers in slot 1
        ),
        wv=_array(
            (1, 0),  # and hands over how much of a thing it is
            (0, 0),
            (0, 0),
            (0, 1),  # and how much wood
        ),
    )
    # Head 2 asks "what else here is about wood?": like looks for like, in wood and in quantity.
    about_wood = Head(
        wq=_array(
            (0, 0),
            (0, 0),
            (0, 1),  # a quantity asks in slot 1
            (1, 0),  # wood asks in slot 0
        ),
        wk=_array(
            (0, 0),
            (0, 0),
            (0, 1),  # a quantity answers in slot 1
            (1, 0),  # wood answers in slot 0
        ),
        wv=_array(
            (0, 1),  # hands over thing in slot 1
            (0, 0),
            (0, 0),
            (1, 0),  # and wood in slot 0
        ),
    )
    block = Block(
        heads=(acts_on, about_wood),
        # Four rows, one for each number that the heads found; columns are the four dimensions.
        wo=_array(
            (1, 0, 0, 0.5),  # head 1's thing: a thing, and half a hint of wood
            (0, 0, 0, 1),  # head 1's wood: wood
            (0, 0, 0, 0.5),  # head 2's wood: half a hint of wood
            (0, 0, 0, 1),  # head 2's thing: written as wood
        ),
        # Units 0-3 watch one dimension each; units 4-7 watch the same, above a threshold of one half.
        w1=_array(
            (1, 0, 0, 0, 1, 0, 0, 0),
            (0, 1, 0, 0, 0, 1, 0, 0),
            (0, 0, 1, 0, 0, 0, 1, 0),
            (0, 0, 0, 1, 0, 0, 0, 1),
        ),
        b1=np.array((0, 0, 0, 0, -0.5, -0.5, -0.5, -0.5), dtype=np.float64),
        # What each unit adds when it is on.
        w2=_array(
            (0.5, 0, 0, 0),
            (0, 0.5, 0, 0),
            (0, 0, 0.5, 0),
            (0, 0, 0, 0.5),
            (0.5, 0, 0, 0.5),  # a strong thing also hints at wood
            (0, 0.5, 0, 0),
            (0, 0, 0.5, 0),
            (0, 0, 0, 1),  # strong wood says wood again, twice as loud
        ),
        b2=np.zeros(4),
    )
    return Model(
        name="tinyxf",
        vocabulary=tuple(EMBEDDING),
        dimensions=DIMENSIONS,
        embedding=_array(*EMBEDDING.values()),
        blocks=(block,),
    )


def _array(*rows: tuple[float, ...]) -> Array:
    return np.array(rows, dtype=np.float64)
