"""The benchmark compares like with like and says what it found.  How long anything takes is not tested."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import bench
import bench_chapter
import bench_ways
import pytest
from bench_serve import Save, latencies, marked
from bench_timing import FailedError, Run, Timing, alternate, emptied, median, ratio, time_run
from configuration import read_configuration

from tests.building import ROOT
from tests.reading import parse_html, visible


@pytest.fixture(scope="module")
def bench_here(tmp_path_factory: pytest.TempPathFactory) -> bench.Bench:
    """The benchmark in a folder of its own."""
    return bench.Bench(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="module")
def articles(bench_here: bench.Bench) -> dict[str, Element]:
    """The article of the page, built in the two ways that need nothing more."""
    found = {}
    for way in ("ours", "prewritten"):
        project = bench_here.project(way, 1)
        time_run(bench_here.build(project))
        page = (project / "site" / "index.html").read_text(encoding="utf-8")
        (found[way],) = parse_html(page).iter("article")
    return found


# -- what is compared


def test_the_prewritten_page_shows_what_ours_does(articles: dict[str, Element]) -> None:
    tables = {way: [cells(table) for table in own.iter("table")] for way, own in articles.items()}
    assert len(tables["ours"]) >= 20
    assert tables["prewritten"] == tables["ours"]
    prose = {way: [visible(own) for own in article.iter("p") if is_prose(own)] for way, article in articles.items()}
    numbers = {way: re.findall(r"\d\.\d{3,}", " ".join(own)) for way, own in prose.items()}
    assert len(numbers["ours"]) >= 20
    assert numbers["prewritten"] == numbers["ours"]


def cells(table: Element) -> list[list[str]]:
    """Return a table's texts; that its cells are signed as headers or masked is not prewritten."""
    return [[visible(cell).strip() for cell in row] for row in table.iter("tr")]


def is_prose(paragraph: Element) -> bool:
    return not any(own.tag.endswith("}math") or "arithmatex" in own.get("class", "") for own in paragraph.iter())


def test_the_prewritten_page_names_nothing_of_ours(articles: dict[str, Element]) -> None:
    assert not list(articles["prewritten"].iter("data"))
    assert sum(bool(own.get("data-address")) for own in articles["ours"].iter("data")) > 100


def test_every_way_has_the_books_theme_and_extensions() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = bench_ways.replicas(12)
    assert len(pages) == len(set(pages.values())) == 12
    configured = bench_ways.configure(text, list(pages), ROOT)
    assert configured.count("  - Part ") == 2
    assert "hooks:" in configured
    assert "chapters: [scripts.bench_chapter]" in configured
    assert "hooks:" not in bench_ways.without_hook(configured)
    kept = text[text.index("markdown_extensions:") :]
    assert kept in bench_ways.without_hook(configured)


def test_the_macros_are_given_the_placeholders_themselves() -> None:
    pages = {"index.md": bench_chapter.page()}
    text = bench_ways.configure((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), list(pages), ROOT)
    configured, given = bench_ways.WAYS["macros"](text, pages, ROOT)
    assert given == pages
    assert "  - macros:\n" in configured
    configured, given = bench_ways.WAYS["exec"](text, pages, ROOT)
    assert "  - markdown-exec\n" in configured
    assert given["index.md"].count('```python exec="true"') == len(bench_chapter.catalog().tables)


def test_the_book_is_compared_with_itself_typed(tmp_path: Path) -> None:
    for typed in (True, False):
        folder = tmp_path / str(typed)
        bench_ways.write_book(folder, ROOT, typed=typed)
        pages = sorted(path.relative_to(folder / "docs").as_posix() for path in (folder / "docs").rglob("*.md"))
        assert pages == sorted(read_configuration().pages)
        text = "".join((folder / "docs" / name).read_text(encoding="utf-8") for name in pages)
        assert ('{{ table("attention.h1.scores") }}' in text) is not typed


# -- how it is timed


def python(code: str) -> Run:
    return Run([sys.executable, "-c", code], Path.cwd())


def test_a_run_is_measured_by_itself() -> None:
    small, large = time_run(python("pass")), time_run(python("b = b'x' * 60_000_000; sum(range(3_000_000))"))
    assert 50 < large.memory - small.memory < 75
    assert large.processor > small.processor > 0
    assert large.wall > 0
    with pytest.raises(FailedError, match="no luck"):
        time_run(python("raise SystemExit('no luck')"))


def test_runs_alternate_after_one_that_only_warms(tmp_path: Path) -> None:
    said = tmp_path / "said"
    runs = {name: Run([sys.executable, "-c", f"open('said', 'a').write('{name}')"], tmp_path) for name in ("a", "b")}
    assert set(alternate(runs, 2)) == {"a", "b"}
    assert said.read_text(encoding="utf-8") == "ab" * 3


def test_medians_and_ratios() -> None:
    middle = median([Timing(1, 2, 30), Timing(9, 1, 10), Timing(2, 3, 20)])
    assert middle == Timing(2, 2, 20)
    assert ratio(middle, Timing(4, 1, 10)) == Timing(0.5, 2, 2)


def test_what_is_kept_can_be_removed_before_a_run(tmp_path: Path) -> None:
    (tmp_path / "kept" / "deep").mkdir(parents=True)
    for _ in range(2):
        emptied(tmp_path / "kept")()
        assert not (tmp_path / "kept").exists()


def test_a_save_is_timed_until_it_shows_and_is_taken_back(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "index.md"
    page.write_text("# Hello\n\nWords.\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text("site_name: x\ntheme: {name: mkdocs}\n", encoding="utf-8")
    saves = {"a page": Save(page, "Words.", "<article>Words {}.</article>", marked("Words {}."))}
    (taken,) = latencies(tmp_path, [], "", saves, 1).values()
    assert taken > 0
    assert page.read_text(encoding="utf-8") == "# Hello\n\nWords.\n"
    with pytest.raises(FailedError, match=re.escape("index.md does not hold 'No such'")):
        latencies(tmp_path, [], "", {"x": Save(page, "No such", "", marked(""))}, 1)


# -- what it says

ROW = {"wall": 1.0, "processor": 1.0, "memory": 50.0}


def figures(wall: float, memory: float, save: float) -> dict[str, Any]:
    own = ROW | {"ratios": {"wall": wall, "processor": wall, "memory": memory}}
    rows = {"prewritten": ROW | {"ratios": {"wall": 1, "processor": 1, "memory": 1}}, "ours": own}
    return {
        "machine": {"system": "x"},
        "builds": {"1": rows, "100": rows},
        "book": {},
        "saves": {"prewritten, a page": 4.0, "ours, a page": 4.0 * save},
        "parts": {"stages": 0.001},
        "weight": {"ours": (1000, 100)},
    }


def test_each_goal_is_said_to_be_reached_or_not() -> None:
    good = bench.report(figures(0.5, 1.3, 0.5))
    assert good.count(": reached") == 5
    assert "NOT" not in good
    bad = bench.report(figures(0.851, 1.31, 0.51))
    assert bad.count("NOT reached") == 5


def test_what_a_further_page_takes_is_said() -> None:
    own = figures(1, 1, 1)
    for count, wall in (("1", 1.0), ("100", 10.9)):
        own["builds"][count] = {"ours": own["builds"][count]["ours"] | {"wall": wall}}
    assert re.search(r"a further page from 1 to 100, ours +100\.0 ms", bench.report(own))


def test_the_benchmark_runs_and_writes_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "figures.json"
    command = ["--rounds", "1", "--pages", "1", "--serve", "0", "--no-book", "--ways", "prewritten", "ours"]
    assert bench.main([*command, "--json", str(place)]) == 0
    found = json.loads(place.read_text(encoding="utf-8"))
    assert set(found["builds"]["1"]) == {"prewritten", "ours", "ours, templates not compiled"}
    assert found["machine"]["python"] in capsys.readouterr().out
