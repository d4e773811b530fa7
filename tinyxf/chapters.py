"""Chapters by name, for commands that are told which one to read."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from tinyxf.catalog import Catalog
from tinyxf.errors import InputError

CHAPTER = "tinyxf.chapter"


def load_chapter(name: str) -> Callable[..., Catalog]:
    """Return the `catalog` function of a chapter's module.  Raises InputError where there is none."""
    try:
        chapter: Callable[..., Catalog] = importlib.import_module(name).catalog
    except (ModuleNotFoundError, AttributeError) as error:
        raise InputError(f'"{name}" is no chapter: {error}; expected a module with catalog()') from error
    return chapter
