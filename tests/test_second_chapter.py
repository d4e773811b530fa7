"""A chapter that the package has never heard of goes through everything that publishes numbers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.reading import Seen, parse_html, read_csv, read_html, read_json, read_markdown, read_text, visible
from tests.second_chapter import catalog
from tinyxf.catalog import merge
from tinyxf.chapter import catalog as book
from tinyxf.trace.closure import drift_faults
from tinyxf.trace.proof import digit_faults
from tinyxf.trace.published import read_trace
from tinyxf.trace.work import read_workbook

ROOT = Path(__file__).parents[1]

BLEND = Seen(
    "1",
    ["leaf",           "grams", "mg/g", "caffeine"],
    [
        ["green",          "2.0", "12.5", "25.00"],
        ["black & strong", "1.5", "30.0", "45.00"],
        ["mint|honey",     "3.0",  "0.0",  "0.00"],
    ],
)  # fmt: skip
MINUTES = Seen(
    "2",
    ["minute", "degrees"],
    # 20 + 80 exp(-t/4): exp(-1/4) = 0.778801, exp(-1/2) = 0.606531, exp(-3/4) = 0.472367
    [["0", "100.00"], ["1", "82.30"], ["2", "68.52"], ["3", "57.79"]],
)


def tinyxf(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line on the second chapter."""
    return subprocess.run(
        [sys.executable, "-m", "tinyxf", *words, "--chapter", "tests.second_chapter"],
        check=False, capture_output=True, encoding="utf-8", cwd=ROOT, env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip


# -- the catalog -----------------------------------------------------------------------------------------------------


def test_its_numbers_are_found_by_address() -> None:
    own = catalog()
    assert own.lookup("brew.blend", "mint|honey", "grams").address == "brew.blend/mint%7Choney/grams"
    assert own.lookup("brew.blend/black%20%26%20strong/caffeine").display == "45.00"
    assert own.lookup("cool.minutes", 2, "degrees").display == "68.52"
    assert own.lookup("cool.last").display == "57.79"


def test_it_stands_beside_the_book() -> None:
    both = merge([book(), catalog()])
    assert both.lookup("cool.last").display == "57.79"
    assert both.lookup("loss.before").display == "1.1690"
    assert len(both.tables) == len(book().tables) + 2
    assert len(list(both.published())) == len(list(book().published())) + len(list(catalog().published()))


# -- the command line ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "reader"),
    [("text", read_text), ("md", read_markdown), ("html", read_html), ("csv", read_csv), ("json", read_json)],
)
def test_every_format_shows_its_tables(form: str, reader: Callable[[str], dict[str, Seen]]) -> None:
    done = tinyxf("--format", form)
    assert (done.returncode, done.stderr) == (0, "")
    assert reader(done.stdout) == {"brew.blend": BLEND, "cool.minutes": MINUTES}


def test_its_header_and_notes_are_shown() -> None:
    shown = tinyxf().stdout
    assert shown.startswith("Tea, by numbers\ntea  green, black & strong, mint|honey\n")
    assert "  Together 70.0 mg, in 3 leaves.\n" in shown
    assert tinyxf("--list").stdout == "brew.blend    1  What is in the pot\ncool.minutes  2  How it cools\n"


def test_its_stages_are_flags() -> None:
    assert list(read_text(tinyxf("--brew").stdout)) == ["brew.blend"]
    assert list(read_text(tinyxf("--cool").stdout)) == ["brew.blend", "cool.minutes"]  # it needs the other
    assert read_text(tinyxf("--brew", "--digits", "3").stdout)["brew.blend"].rows[0] == [
        "green", "2.000", "12.500", "25.000",
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["--embed", "--prompt=a", "--target=a"])
def test_flags_of_the_book_are_not_its_own(word: str) -> None:
    done = tinyxf(word)
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"unrecognized arguments: {word}" in done.stderr


def test_its_numbers_are_explained() -> None:
    done = tinyxf("explain", "brew.blend/green/caffeine", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    (work,) = json.loads(done.stdout)
    assert "25.00" in json.dumps(work)
    assert "brew.blend/green/grams" in json.dumps(work)


# -- the readings of its trace ---------------------------------------------------------------------------------------


def test_every_digit_of_it_is_proved_and_closes_on_paper() -> None:
    trace = read_trace(catalog())
    assert len(trace.entries) == len(list(catalog().published()))
    assert digit_faults(trace) == ()
    assert drift_faults(trace) == ()


def test_its_arithmetic_is_worked_out() -> None:
    book_of_tea = read_workbook(catalog())
    work = book_of_tea.work("brew.blend/black%20%26%20strong/caffeine")
    assert (work.kind, work.pencil) == ("product", "45.00")
    assert [operand.display for operand in work.operands] == ["1.5", "30.0"]
    assert book_of_tea.work("brew.total").pencil == "70.0"
    assert {operand.address for operand in book_of_tea.work("brew.total").operands} == {
        number.address for number in catalog().published() if number.address.endswith("/caffeine")
    }


# -- pages and checks ------------------------------------------------------------------------------------------------

CONFIGURATION = """
site_name: Tea
use_directory_urls: false
hooks: [scripts/hooks.py]
extra:
  chapters: [tests.second_chapter]
theme:
  name: material
  font: false
"""
PAGE = """---
title: Tea at {{ n("cool.room") }} degrees
description: It cools to {{ n("cool.last") }} degrees.
---
# Tea

Together {{ n("brew.total") }} mg.
Most of it is from black tea: {{ n("brew.blend", "black & strong", "caffeine", digits=0) }}.
{{ claim(n("brew.blend", "black & strong", "caffeine") > n("brew.blend", "green", "caffeine")) }}

{{ table("brew.blend") }}

## Cooling

{{ table("cool.minutes") }}
"""


@pytest.fixture
def tea_book(tmp_path: Path) -> Path:
    """A book of one page on tea, built by our scripts as they are."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(CONFIGURATION, encoding="utf-8")
    return tmp_path


def run(book_of_tea: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a Python command line in the folder of the book."""
    return subprocess.run(
        [sys.executable, *words],
        check=False, capture_output=True, encoding="utf-8", cwd=book_of_tea,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip


def build(book_of_tea: Path) -> subprocess.CompletedProcess[str]:
    """Build the book as `mkdocs build --strict` does."""
    return run(book_of_tea, "-m", "mkdocs", "build", "--strict")


def test_a_page_shows_its_tables_and_numbers(tea_book: Path) -> None:
    done = build(tea_book)
    assert done.returncode == 0, done.stderr
    page = parse_html((tea_book / "site" / "index.html").read_text(encoding="utf-8"))
    assert read_html(page) == {"brew.blend": BLEND, "cool.minutes": MINUTES}
    numbers = {data.get("data-address", ""): (data.get("value"), visible(data)) for data in page.iter("data")}
    shown = {number.address: (number.full, number.display) for number in catalog().published()}
    unseen = {"brew.leaves", "cool.room"}  # one is in a note, the other in a title, where numbers are plain text
    assert numbers == {address: value for address, value in shown.items() if address not in unseen}
    (title,) = (visible(part) for part in page.iter("title"))
    assert title.startswith("Tea at 20.0 degrees")
    (description,) = (part.get("content") for part in page.iter("meta") if part.get("name") == "description")
    assert description == "It cools to 57.79 degrees."


def test_a_mistake_on_its_page_is_named_with_its_place(tea_book: Path) -> None:
    page = tea_book / "docs" / "index.md"
    page.write_text(PAGE.replace('{{ table("cool.minutes") }}', 'Now {{ n("cool.lats") }}.'), encoding="utf-8")
    done = build(tea_book)
    assert done.returncode == 1
    assert 'docs/index.md:15:5: unknown name "cool.lats"; did you mean "cool.last" or' in done.stderr
    assert 'no page shows the table "cool.minutes"' in done.stderr
    assert "Traceback" not in done.stderr


def test_the_authors_commands_know_it(tea_book: Path) -> None:
    accepted = run(tea_book, "scripts/build.py", "accept")
    assert (accepted.returncode, accepted.stderr) == (0, ""), accepted.stdout
    ledger = (tea_book / "docs" / "numbers.csv").read_text(encoding="utf-8")
    assert "cool.minutes/3/degrees,57.79,57.7893242" in ledger
    checked = run(tea_book, "scripts/build.py", "check")
    assert (checked.returncode, checked.stdout) == (0, "")
    assert checked.stderr == f"0 problems, {len(list(catalog().published()))} published numbers, 1 pages\n"
    built = run(tea_book, "scripts/build.py", "build")
    assert built.returncode == 0, built.stdout + built.stderr
    page = (tea_book / "site" / "index.html").read_text(encoding="utf-8")
    assert read_html(page) == {"brew.blend": BLEND, "cool.minutes": MINUTES}
    assert "cool.last" in run(tea_book, "scripts/build.py", "names", "cool").stdout


def test_the_check_finds_what_a_change_of_its_code_would_move(tea_book: Path) -> None:
    assert run(tea_book, "scripts/build.py", "accept").returncode == 0
    ledger = tea_book / "docs" / "numbers.csv"
    ledger.write_text(ledger.read_text(encoding="utf-8").replace(",57.79,", ",57.80,"), encoding="utf-8")
    checked = run(tea_book, "scripts/build.py", "check")
    assert checked.returncode == 1
    assert "cool.minutes/3/degrees" in checked.stdout
    assert "57.80" in checked.stdout
    assert "57.79" in checked.stdout
