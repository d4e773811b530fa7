"""The placeholders of the benchmark's page as macros, for the generators that it is compared with.

`define_env` is what mkdocs-macros calls; `table` is also what markdown-exec's blocks print.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from bench_chapter import catalog

from tinyxf.book.figures import figure_context
from tinyxf.book.render import Renderer
from tinyxf.catalog import Published


class Shown(float):
    """A number that prints as the book shows it and compares as itself."""

    display: str

    def __str__(self) -> str:
        return self.display


def show(published: Published, digits: int | None = None) -> Shown:
    """Return a published number for a template."""
    shown = Shown(published.number.value)
    shown.display = published.display if digits is None else f"{published.number.value:.{digits}f}"
    return shown


@cache
def _renderer() -> Renderer:
    return Renderer(catalog())


def table(name: str) -> str:
    """Return a table with pipes."""
    return _renderer().table(catalog().table(name), "md", addresses=False, note=False)


def number(name: str, row: str | int | None = None, column: str | None = None, digits: int | None = None) -> Shown:
    """Return a published number."""
    return show(catalog().lookup(name, row, column), digits)


def figure(name: str) -> str:
    """Return a figure as SVG."""
    return _renderer().figure(name, link=lambda target: target, **figure_context(name, catalog()))


def define_env(env: Any) -> None:  # noqa: ANN401  of mkdocs-macros, which this module does without
    """Offer the placeholders to mkdocs-macros."""
    for name, macro in (("table", table), ("n", number), ("figure", figure)):
        env.macro(macro, name)
    env.macro(lambda holds: "" if holds else 1 / 0, "claim")
    env.macro(str, "literal")
    env.filter(lambda value, digits: f"{value:.{digits}f}", "digits")
    env.filter(lambda value, digits=1: f"{100 * value:.{digits}f}%", "percent")
    env.filter(lambda value: f"{value:+}", "signed")
