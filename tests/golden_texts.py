"""Texts that must come out exactly as they are kept in `golden/`.

They are rewritten by `pytest --rewrite-golden` alone, to be read in review like any other change, and never in CI.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "golden"
FLAG = "--rewrite-golden"


def add_flag(parser: pytest.Parser) -> None:
    """Offer the flag."""
    parser.addoption(FLAG, action="store_true", help="write the texts of tests/golden anew; look at the difference")


def may_rewrite(config: pytest.Config) -> bool:
    """Say whether texts are written anew.  Raises UsageError where nobody would look at them."""
    wanted = bool(config.getoption(FLAG))
    if wanted and os.environ.get("CI"):
        raise pytest.UsageError(f"{FLAG} is for people; in CI the texts stand as they are")
    return wanted


class Golden:
    """Compares texts with those that are kept."""

    def __init__(self, folder: Path, *, rewrite: bool) -> None:
        self.folder = folder
        self.rewrite = rewrite

    def check(self, name: str, text: str) -> None:
        """Fail unless the file of that name holds exactly this text."""
        path = self.folder / name
        if self.rewrite:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.exists(), f"{path.name} is not there; pytest {FLAG} writes it"
        assert text == path.read_bytes().decode()
