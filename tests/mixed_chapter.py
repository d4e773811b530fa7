"""The invented catalog as a chapter: a module with `catalog()`, which is all that the generator asks for."""

from __future__ import annotations

from tests.invented import mix
from tinyxf.catalog import Catalog


def catalog() -> Catalog:
    """Return the invented catalog."""
    return mix()
