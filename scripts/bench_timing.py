"""Time processes for the benchmark: wall clock, processor time and peak memory, in rounds that alternate.

Machines differ and are busy, so only what ran in the same rounds is compared.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LAUNCH = Path(__file__).with_name("bench_launch.py")
MEGABYTE = 1024 if sys.platform.startswith("linux") else 1024 * 1024  # what the kernel counts peak memory in


@dataclass(frozen=True, slots=True)
class Timing:
    """One run of a process, or the median of several: seconds by the wall, seconds of processor, megabytes."""

    wall: float
    processor: float
    memory: float


class FailedError(Exception):
    """A process that was to be timed failed; its text is what it said."""


@dataclass(frozen=True, slots=True)
class Run:
    """A command in a folder; `prepare` is called before each run and not timed."""

    command: Sequence[str]
    folder: Path
    paths: Sequence[Path] = ()
    prepare: Callable[[], None] = lambda: None


def environment(paths: Sequence[Path]) -> dict[str, str]:
    """Return what the processes see: this environment, with further folders to import from."""
    found = os.pathsep.join(map(str, paths))
    return {**os.environ, "PYTHONPATH": found, "NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": ""}


def time_run(run: Run) -> Timing:
    """Run a command in a fresh process.  Raises FailedError with what it said."""
    run.prepare()
    command = [sys.executable, "-I", "-S", str(LAUNCH), *run.command]
    done = subprocess.run(
        command, cwd=run.folder, env=environment(run.paths), capture_output=True, encoding="utf-8", check=True
    )
    wall, processor, memory, status = json.loads(done.stdout)
    if status:
        raise FailedError(f"{' '.join(run.command)}\n{done.stderr}")
    return Timing(wall, processor, memory / MEGABYTE)


def alternate(runs: Mapping[str, Run], rounds: int) -> dict[str, Timing]:
    """Return the median of each, after one run of each that only warms the disk and what is kept."""
    for run in runs.values():
        time_run(run)
    found: dict[str, list[Timing]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            found[name].append(time_run(run))
    return {name: median(timings) for name, timings in found.items()}


def median(timings: Sequence[Timing]) -> Timing:
    """Return the median of each figure."""
    return Timing(
        statistics.median(own.wall for own in timings),
        statistics.median(own.processor for own in timings),
        statistics.median(own.memory for own in timings),
    )


def ratio(own: Timing, other: Timing) -> Timing:
    """Return how many times as much of everything one took as the other."""
    return Timing(own.wall / other.wall, own.processor / other.processor, own.memory / other.memory)


def emptied(folder: Path) -> Callable[[], None]:
    """Return what removes a folder, for runs that are to find nothing kept."""
    return lambda: shutil.rmtree(folder, ignore_errors=True)
