"""Time our build against prewritten pages and other generators, in one run.

`bench_ways.py` says what is compared, `bench_chapter.py` with which page.  Works on a copy of the checkout, so that
nobody's edits disturb it.  Prints a table, and with --json writes the figures, too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import loading
from bench_serve import Save, changed, latencies, marked
from bench_timing import FailedError, Run, Timing, alternate, emptied, ratio, time_run
from bench_ways import WAYS, installed, write_book, write_way
from configuration import ROOT

BASE = "prewritten"
GOALS = {1: 0.85, 100: 0.5}  # of the wall time of prewritten pages
MEMORY, SAVE = 1.3, 0.5
BESIDES = ("downloads", "assets/work")  # files that our build makes, which the others are given
LEFT_OUT = shutil.ignore_patterns(".*", "node_modules", "__pycache__")


def copy_checkout(target: Path) -> Path:
    """Copy what a build reads."""
    for name in ("docs", "scripts", "templates", "tinyxf"):
        shutil.copytree(ROOT / name, target / name, ignore=LEFT_OUT)
    for name in ("mkdocs.yml", "THIRD_PARTY.md"):
        shutil.copyfile(ROOT / name, target / name)
    return target


class Bench:
    """A benchmark in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = copy_checkout(folder / "checkout")
        self.paths = [self.root / "scripts", self.root]

    def project(self, way: str, count: int) -> Path:
        """Return the project that builds so many pages in one of the ways."""
        place = self.folder / f"{way}-{count}"
        if not place.exists():
            write_way(way, place, count, self.root)
            if way != "ours":
                self.give(place, self.site(count))
        return place

    def site(self, count: int) -> Path:
        """Return the site of our way, built now if it was not."""
        site = self.folder / f"ours-{count}" / "site"
        if not site.exists():
            project = self.project("ours", count)
            time_run(self.build(project))
        return site

    @staticmethod
    def give(project: Path, site: Path) -> None:
        """Put the files that our build makes beside the pages of another way, as its author would have."""
        for name in BESIDES:
            if (site / name).is_dir():
                shutil.copytree(site / name, project / "docs" / name)

    def build(self, project: Path, *, empty: bool = False) -> Run:
        """Return the run that builds a project; `empty` removes what is kept before it."""
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
        kept = emptied(self.root / ".cache" / "templates")
        return Run(command, project, self.paths, kept if empty else lambda: None)

    def builds(self, count: int, rounds: int, ways: Sequence[str]) -> dict[str, Timing]:
        """Time the builds of so many pages."""
        runs = {way: self.build(self.project(way, count)) for way in ways}
        if count == 1 and "ours" in ways:
            runs["ours, templates not compiled"] = self.build(self.project("ours", count), empty=True)
        return alternate(runs, rounds)

    def book(self, rounds: int) -> dict[str, Timing]:
        """Time the book as it is: prewritten, as MkDocs builds it, and with all checks."""
        ours, typed = self.folder / "book", self.folder / "book-prewritten"
        write_book(ours, self.root, typed=False)
        time_run(self.build(ours))
        write_book(typed, self.root, typed=True)
        self.give(typed, ours / "site")
        checked = [
            sys.executable,
            str(self.root / "scripts" / "build.py"),
            "build",
            "--site",
            str(self.folder / "checked"),
        ]
        return alternate(
            {
                BASE: self.build(typed),
                "ours": self.build(ours),
                "ours, with all checks (build.py)": Run(checked, self.root, self.paths),
            },
            rounds,
        )

    def saves(self, count: int, times: int) -> dict[str, float]:
        """Time saves beside `mkdocs serve`."""
        middle = f"chapter-{count // 2 + 1}" if count > 1 else "index"
        words = "Scores are not shares yet."
        found: dict[str, float] = {}
        for way in (BASE, "ours"):
            project = self.project(way, count)
            saves = {
                "a page": Save(project / "docs" / f"{middle}.md", words, words + " Save {}.", marked("Save {}."))
            }
            if way == "ours":
                table, stage = self.root / "templates" / "table.html.jinja", self.root / "tinyxf/stages/attention.py"
                mark = '<table data-save="{}"'
                saves["a template"] = Save(table, "<table", mark, marked(mark))
                saves["a stage"] = Save(stage, "q @ k.T / scale", "q @ k.T / scale * (1 + {} / 100)", changed)
            own = latencies(project, self.paths, f"{middle}.html", saves, times)
            found |= {f"{way}, {kind}": taken for kind, taken in own.items()}
        return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="bench.py", description="Time our build against others.", allow_abbrev=False
    )
    parser.add_argument(
        "--rounds", type=int, default=5, metavar="N", help="runs of each way, of which the median counts"
    )
    parser.add_argument(
        "--pages", type=int, nargs="+", default=[1, 10, 100], metavar="N", help="how many pages to build"
    )
    parser.add_argument("--serve", type=int, default=100, metavar="N", help="how many pages to serve; 0: none")
    parser.add_argument("--no-book", action="store_true", help="leave out the book as it is")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS), help="what to compare")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here, too")
    options = parser.parse_args(argv)
    loading.begin()
    ways = [way for way in options.ways if installed(way)]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        try:
            figures = _measure(Bench(Path(folder)), options, ways)
        except FailedError as error:
            print(error, file=sys.stderr)
            return 1
    print(report(figures), end="")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


def _measure(bench: Bench, options: argparse.Namespace, ways: Sequence[str]) -> dict[str, Any]:
    from bench_parts import parts, weight

    builds = {}
    for count in options.pages:
        builds[str(count)] = _with_ratios(bench.builds(count, options.rounds, ways))
        _say(f"{count} pages done")
    book = {} if options.no_book else _with_ratios(bench.book(options.rounds))
    saves = bench.saves(options.serve, options.rounds) if options.serve else {}
    pages = {way: bench.project(way, 1) / "site" / "index.html" for way in ways}
    return {
        "machine": _machine(),
        "command": " ".join(["scripts/bench.py", *sys.argv[1:]]),
        "builds": builds,
        "book": book,
        "saves": saves,
        "parts": parts(),
        "weight": {way: weight(page) for way, page in pages.items()},
    }


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _with_ratios(timings: dict[str, Timing]) -> dict[str, dict[str, Any]]:
    base = timings.get(BASE)
    return {
        name: {**asdict(own), "ratios": asdict(ratio(own, base)) if base else None} for name, own in timings.items()
    }


def _machine() -> dict[str, Any]:
    libraries = ("mkdocs", "mkdocs-material", "Markdown", "Jinja2", "numpy")
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        **{name: version(name) for name in libraries},
    }


def report(figures: dict[str, Any]) -> str:
    """Return the figures as text, with a word on each goal."""
    lines = ["", " ".join(f"{name} {value}" for name, value in figures["machine"].items()), ""]
    builds = {f"{count} pages": rows for count, rows in figures["builds"].items()}
    for title, rows in (builds | ({"the book": figures["book"]} if figures["book"] else {})).items():
        lines.append(f"{title:34} {'wall s':>8} {'ratio':>6} {'cpu s':>8} {'ratio':>6} {'MB':>6} {'ratio':>6}")
        for name, row in rows.items():
            own = row["ratios"] or {"wall": 1, "processor": 1, "memory": 1}
            lines.append(
                f"  {name:32} {row['wall']:8.2f} {own['wall']:6.2f} {row['processor']:8.2f} {own['processor']:6.2f}"
                f" {row['memory']:6.0f} {own['memory']:6.2f}"
            )
        lines.append("")
    lines += _growth(figures["builds"])
    if figures["saves"]:
        lines.append("from a save until it is served (s)")
        base = figures["saves"][f"{BASE}, a page"]
        lines += [f"  {name:32} {taken:8.2f} {taken / base:6.2f}" for name, taken in figures["saves"].items()]
        lines.append("")
    lines += [f"{name:34} {1000 * taken:8.2f} ms" for name, taken in figures["parts"].items()]
    lines.append("")
    lines += [
        f"page of {way:26} {plain:8} bytes, {small} compressed" for way, (plain, small) in figures["weight"].items()
    ]
    return "\n".join([*lines, "", *_goals(figures), ""])


def _growth(builds: dict[str, Any]) -> list[str]:
    """Say what each further page took: as long among many as among few, if time grows as the pages do."""
    counts = sorted(map(int, builds))
    lines = []
    for few, many in pairwise(counts):
        for way, row in builds[str(many)].items():
            more = (row["wall"] - builds[str(few)][way]["wall"]) / (many - few)
            lines.append(f"a further page from {few} to {many}, {way:17} {1000 * more:8.1f} ms")
    return [*lines, ""] if lines else []


def _goals(figures: dict[str, Any]) -> list[str]:
    """Say of each goal whether it was reached."""
    said = []
    for count, goal in GOALS.items():
        row = figures["builds"].get(str(count), {}).get("ours")
        if row and row["ratios"]:
            said.append(_goal(f"{count} pages", row["ratios"]["wall"], goal))
            said.append(_goal(f"{count} pages, memory", row["ratios"]["memory"], MEMORY))
    saves = figures["saves"]
    if saves:
        said.append(_goal("a page saved", saves["ours, a page"] / saves[f"{BASE}, a page"], SAVE))
    return said


def _goal(name: str, found: float, goal: float) -> str:
    return f"goal {name}: {found:.2f} of prewritten, at most {goal}: {'reached' if found <= goal else 'NOT reached'}"


if __name__ == "__main__":
    sys.exit(main())
