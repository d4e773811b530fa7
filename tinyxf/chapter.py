"""The book's chapter: what `tinyxf.contents` publishes, with its trace.

A chapter is a module with `catalog() -> Catalog`, listed in `mkdocs.yml` under `extra.chapters`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from tinyxf.catalog import Catalog, Resolve
from tinyxf.contents import publish_run, run_chapter
from tinyxf.model import Run, run_model
from tinyxf.params import Model


def catalog(prompt: Sequence[str] | None = None, target: str | None = None, model: Model | None = None) -> Catalog:
    """Run the model and return all that the chapter publishes: of the standard run, run once, unless told otherwise.

    Raises InputError for a prompt or target that the model cannot take.
    """
    told = any(own is not None for own in (prompt, target, model))
    return _publish(run_chapter(prompt, target, model)) if told else standard()


@cache
def standard() -> Catalog:
    """Return the catalog of the standard run, which other chapters may read, too."""
    return _publish(run_chapter())


def _publish(run: Run) -> Catalog:
    return publish_run(run, traced=partial(_trace, run))


def _trace(run: Run) -> Resolve:
    from tinyxf.trace.lifting import trace_run  # noqa: PLC0415  only who asks for arithmetic needs it

    return trace_run(run_model, model=run.model, inputs=run.inputs)
