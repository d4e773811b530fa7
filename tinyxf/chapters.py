"""Chapters by name, for commands that are told which one to read."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from tinyxf.catalog import Catalog
from tinyxf.errors import InputError

CHAPTER = "tinyxf.chapter"


def load_chapter(name: str) -> Callable[..., Catalog]:
    """Return the `catalog` function of a chapter's module.  Raises InputError where there is none.

    What goes wrong inside a module that is there is an error of its own, and keeps its traceback.
    """
    if not all(part.isidentifier() for part in name.split(".")):
        raise InputError(f'"{name}" is no chapter; expected a module with catalog()')
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not f"{name}.".startswith(f"{error.name}."):
            raise
        raise InputError(f'"{name}" is no chapter: {error}; expected a module with catalog()') from error
    if not callable(getattr(module, "catalog", None)):
        raise InputError(f'"{name}" is no chapter: it has no catalog(); expected a module with catalog()')
    chapter: Callable[..., Catalog] = module.catalog
    return chapter
