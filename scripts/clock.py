"""The date that a build carries: the commit's, so that the same commit gives the same bytes whatever the clock.

Whoever packages the book may set SOURCE_DATE_EPOCH, as everywhere.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VARIABLE = "SOURCE_DATE_EPOCH"
NO_COMMIT = "315532800"  # 1980-01-01, the earliest that every format can write: a copy without history has no date


def keep_date(root: Path = ROOT) -> None:
    """Give this process, and those that it starts, the date of the last commit unless they were given one."""
    if not os.environ.get(VARIABLE):
        os.environ[VARIABLE] = commit_date(root) or NO_COMMIT


def commit_date(root: Path = ROOT) -> str:
    """Return the seconds since 1970 of the last commit, or nothing where there is none."""
    return ask_git(root, "log", "-1", "--format=%ct").strip()


def ask_git(root: Path, *arguments: str) -> str:
    """Return what git says, or nothing where nobody can say: in a copy without history, or without git."""
    if not (root / ".git").exists():  # else git would speak of a repository around this one
        return ""
    command = ["git", "--no-optional-locks", *arguments]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return "" if done.returncode else done.stdout
