"""What all tests share: the built book; and hypothesis draws the same examples everywhere (a red test stays red)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.building import build_once, shared_folder
from tests.golden_texts import FOLDER, Golden, add_flag, may_rewrite

settings.register_profile(
    "tinyxf",
    max_examples=40,
    derandomize=True,
    deadline=None,  # two busy cores say little about a function
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tinyxf")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer `--rewrite-golden`."""
    add_flag(parser)


@pytest.fixture(scope="session")
def golden(request: pytest.FixtureRequest) -> Golden:
    """The kept texts, to compare with."""
    return Golden(FOLDER, rewrite=may_rewrite(request.config))


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book, built once by the command that users run; read it, never write to it."""
    return build_once(shared_folder(tmp_path_factory))
