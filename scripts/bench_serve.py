"""How long an author waits: from a save until `mkdocs serve` shows it, asked over the loopback address."""

from __future__ import annotations

import contextlib
import http.client
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench_timing import FailedError, environment

PATIENCE = 300  # seconds
STEP = 0.01  # seconds between two questions


@dataclass(frozen=True, slots=True)
class Save:
    """An edit: `old` is replaced in a file by `new` with the number of the save, and `shown` tells that it is seen.

    `shown` takes the page before the save and the page as it is now, and the number.
    """

    path: Path
    old: str
    new: str
    shown: Callable[[bytes, bytes, int], bool]


def marked(text: str) -> Callable[[bytes, bytes, int], bool]:
    """Say that a save is seen when the page holds a text with its number."""
    return lambda _, now, number: text.format(number).encode() in now


def changed(before: bytes, now: bytes, _: int) -> bool:
    """Say that a save is seen when the page's own part is not what it was."""
    return _article(before) != _article(now)


def _article(page: bytes) -> bytes:
    return page.partition(b"<article")[2].partition(b"</article>")[0]


def latencies(folder: Path, paths: list[Path], page: str, saves: dict[str, Save], times: int) -> dict[str, float]:
    """Serve a project; return the median seconds from each kind of save until `page` shows it."""
    with _serving(folder, paths) as port:
        return {name: statistics.median(_save(save, port, page, times)) for name, save in saves.items()}


def _save(save: Save, port: int, page: str, times: int) -> Iterator[float]:
    original = save.path.read_text(encoding="utf-8")
    if save.old not in original:
        raise FailedError(f"{save.path.name} does not hold {save.old!r}, which the benchmark edits")
    before = b""
    for number in range(1, times + 1):
        before = _ask(port, page)
        save.path.write_text(original.replace(save.old, save.new.format(number), 1), encoding="utf-8")
        start = time.perf_counter()
        while not save.shown(before, _ask(port, page), number):
            if time.perf_counter() - start > PATIENCE:
                raise FailedError(f"no page shows the save of {save.path.name}")
            time.sleep(STEP)
        yield time.perf_counter() - start
    save.path.write_text(original, encoding="utf-8")
    while _article(_ask(port, page)) == _article(before):  # the next kind of save begins from the original
        time.sleep(STEP)


def _ask(port: int, page: str) -> bytes:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("GET", f"/{page}")
        return connection.getresponse().read()


@contextlib.contextmanager
def _serving(folder: Path, paths: list[Path]) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{port}"]
    with (folder / "bench.log").open("wb") as said:
        process = subprocess.Popen(command, cwd=folder, env=environment(paths), stdout=said, stderr=subprocess.STDOUT)
        try:
            end = time.perf_counter() + PATIENCE
            while True:
                if process.poll() is not None or time.perf_counter() > end:
                    raise FailedError((folder / "bench.log").read_text(encoding="utf-8", errors="replace"))
                with contextlib.suppress(OSError):
                    _ask(port, "")
                    break
                time.sleep(0.1)
            yield port
        finally:
            process.terminate()
            process.wait()
