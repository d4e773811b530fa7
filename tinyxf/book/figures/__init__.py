"""The figures of the chapter: geometry from the catalog, for templates that only write it out.

Between the catalog and the renderer.  A figure is drawn from published numbers, and each number that it prints
carries its address; `figure_words` says the same to those who cannot see it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tinyxf.book.figures.bars import prediction_bars, prediction_words, stream_panels, stream_words
from tinyxf.book.figures.counts import count_words, model_areas, own_parts
from tinyxf.book.figures.curves import loss_curve, loss_words, wave_panels, wave_words
from tinyxf.book.figures.drawing import Picture
from tinyxf.book.figures.grids import attention_grid, attention_words, unit_grid, unit_words
from tinyxf.book.figures.overview import model_tiles, model_words
from tinyxf.catalog import Catalog
from tinyxf.errors import UnknownNameError, nearest


@dataclass(frozen=True, slots=True)
class Plan:
    """How a figure is made: its title, the sentence under it, and what to call for its pictures and words."""

    title: str
    caption: str
    pictures: Callable[[Catalog], tuple[Picture, ...]]
    words: Callable[[Catalog], str]


_PLANS: Mapping[str, Plan] = {
    "model": Plan(
        "The whole model",
        "The whole model, from the words to the prediction and the step. The thick line is the residual stream.",
        lambda _: (),
        model_words,
    ),
    "residual": Plan(
        "The residual stream",
        "Each position's numbers on their way: as they enter the block, after attention, after feed-forward. All bars"
        " have one scale; the longest of each row is numbered.",
        stream_panels,
        stream_words,
    ),
    "positions": Plan(
        "The waves of the positions",
        "One wave a dimension, read off at each position of the prompt.",
        wave_panels,
        wave_words,
    ),
    "attention-h1": Plan(
        "The weights of head 1",
        "Head 1: each row says how much one token listens to each. Hatched cells are masked.",
        lambda catalog: (attention_grid(catalog, 1),),
        lambda catalog: attention_words(catalog, 1),
    ),
    "attention-h2": Plan(
        "The weights of head 2",
        "Head 2: each row says how much one token listens to each. Hatched cells are masked.",
        lambda catalog: (attention_grid(catalog, 2),),
        lambda catalog: attention_words(catalog, 2),
    ),
    "ffn": Plan(
        "Hidden units on and off",
        "The hidden units of each token: a filled cell is on, a dot is off.",
        lambda catalog: (unit_grid(catalog),),
        unit_words,
    ),
    "prediction": Plan(
        "Probabilities before and after the step",
        "The probability of each word: before the step (upper bar) and after it (lower bar). The target is in bold.",
        lambda catalog: (prediction_bars(catalog),),
        prediction_words,
    ),
    "loss": Plan(
        "The loss over the size of the step",
        "The loss that a step on the logits leads to, by its rate. The dots: where we start and where our step ends.",
        lambda catalog: (loss_curve(catalog),),
        loss_words,
    ),
    "sizes": Plan(
        "Parameters to scale",
        "This model, one square a parameter; and the published models, with areas to one scale, at which ours"
        " cannot be seen.",
        lambda catalog: (own_parts(catalog), model_areas(catalog)),
        count_words,
    ),
}

FIGURES: tuple[str, ...] = tuple(_PLANS)


def figure_context(name: str, catalog: Catalog) -> dict[str, Any]:
    """Return what the figure's template needs, beside `link`: figure, title, caption, words, pictures, tiles.

    Raises UnknownNameError for a figure that there is not, or one of a table that the catalog does not hold.
    """
    plan = _plan(name)
    return {
        "figure": name,
        "title": plan.title,
        "caption": plan.caption,
        "words": plan.words(catalog),
        "pictures": plan.pictures(catalog),
        "tiles": model_tiles(catalog) if name == "model" else (),
    }


def figure_words(name: str, catalog: Catalog) -> str:
    """Return the figure in words, its numbers included, for screen readers, the search index and plain exports."""
    plan = _plan(name)
    return f"{plan.title}. {plan.caption} {plan.words(catalog)}"


def _plan(name: str) -> Plan:
    if name not in _PLANS:
        raise UnknownNameError(f'unknown figure "{name}"{nearest(name, FIGURES)}')
    return _PLANS[name]
