"""Build the book for tests, once for all the processes of one run."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Let one test process at a time into the block; `lock` is a file that need not exist."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """Return a temporary folder that all test processes of this run see."""
    base = factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


def build_once(folder: Path) -> Path:
    """Build the book into `folder` as users do, unless another process already did; fail with what the build said."""
    site, log = folder / "built-site", folder / "built-site.log"
    with alone(folder / "built-site.lock"):
        if not log.exists():
            command = [sys.executable, "scripts/build.py", "build", "--site", str(site)]
            done = subprocess.run(
                command,
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=300,
            )
            log.write_text(f"{done.stdout}\nexit status {done.returncode}\n", encoding="utf-8")
    said = log.read_text(encoding="utf-8")
    if not said.endswith("\nexit status 0\n"):
        pytest.fail(f"the book does not build:\n{said}", pytrace=False)
    return site
