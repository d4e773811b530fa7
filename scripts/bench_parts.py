"""The parts of a build by themselves: stages over numpy and over traced numbers, expansion of a page, page weight."""

from __future__ import annotations

import gzip
import statistics
import time
from collections.abc import Callable
from pathlib import Path


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the median time of a piece of work, in seconds of processor."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return statistics.median(found)


def parts(rounds: int = 15) -> dict[str, float]:
    """Return what each part takes, in seconds; each is done once before it is timed."""
    from bench_chapter import catalog, page

    from tinyxf.book.expand import expand
    from tinyxf.book.figures import FIGURES
    from tinyxf.contents import publish_run, run_chapter

    run, own, text = run_chapter(), catalog(), page()
    traced = own.traced
    if traced is None:
        raise TypeError("the benchmark's chapter has no trace")
    work: dict[str, Callable[[], object]] = {
        "stages over numpy": run_chapter,
        "stages over traced numbers": traced,
        "tables of all stages": lambda: publish_run(run),
        "expansion of one page": lambda: expand("page.md", text, own, FIGURES),
    }
    for do in work.values():
        do()
    return {name: seconds(do, rounds) for name, do in work.items()}


def weight(page: Path) -> tuple[int, int]:
    """Return the bytes of a page, plain and compressed as servers do."""
    data = page.read_bytes()
    return len(data), len(gzip.compress(data, mtime=0))
