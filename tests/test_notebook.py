"""The notebook: valid, executed, and telling the catalog's numbers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import nbclient
import nbformat
import pytest

from tests.building import ROOT
from tests.reading import read_text
from tests.test_reference import expected
from tinyxf.book.takeaway.notebook import SOURCE, call_of, write_notebook
from tinyxf.book.takeaway.script import assemble, read_sources
from tinyxf.contents import STAGES, publish_chapter
from tinyxf.errors import BookError

PROSE = (ROOT / SOURCE).read_text(encoding="utf-8")
PROGRAM = assemble(read_sources())
SITE = "https://example.org/book/"


def read(text: str) -> Any:
    return nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]  # nbformat ships no types


@pytest.fixture(scope="module")
def notebook() -> Any:
    return read(write_notebook(PROSE, PROGRAM))


@pytest.fixture(scope="module")
def executed(notebook: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook as a kernel fills it, in an empty folder, from cells that printed nothing yet."""
    bare = json.loads(json.dumps(notebook))
    for cell in bare["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    folder = tmp_path_factory.mktemp("notebook")
    filled = nbclient.NotebookClient(
        nbformat.from_dict(bare),  # type: ignore[no-untyped-call]  # nbformat ships no types
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    assert list(folder.iterdir()) == []
    return filled


def printed(cell: Any) -> str:
    assert all(output["output_type"] == "stream" and output["name"] == "stdout" for output in cell["outputs"])
    return "".join(output["text"] for output in cell["outputs"])


def calls(notebook: Any) -> dict[tuple[str, ...], str]:
    """Return what each `run(...)` printed, by its arguments."""
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return {words: printed(cell) for cell in code if (words := call_of(cell["source"])) is not None}


def prose_of(notebook: Any) -> str:
    return "\n\n".join(cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown")


def test_is_valid_and_as_jupyter_would_save_it() -> None:
    text = write_notebook(PROSE, PROGRAM)
    notebook = read(text)
    nbformat.validate(notebook)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert nbformat.writes(notebook) + "\n" == text  # type: ignore[no-untyped-call]  # nbformat ships no types


def test_begins_with_what_you_need_and_holds_the_script_in_one_cell(notebook: Any) -> None:
    kinds = [cell["cell_type"] for cell in notebook["cells"]]
    assert kinds[:5] == ["markdown", "code", "markdown", "code", "markdown"]
    assert "## What you need" in notebook["cells"][0]["source"]
    first, program = notebook["cells"][1]["source"].split("\n", 1)
    assert first.startswith("# @title ")
    assert program == PROGRAM.strip()
    assert "__main__" not in program
    assert notebook["cells"][1]["metadata"]["jupyter"] == {"source_hidden": True}


def test_calls_the_command_line_as_a_reader_would(notebook: Any) -> None:
    words = list(calls(notebook))
    assert words[0] == ()
    assert [(f"--{stage.name}",) for stage in STAGES if (f"--{stage.name}",) not in words] == []
    assert any("--prompt" in own for own in words)
    code = [index for index, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code"]
    assert [index for index in code if notebook["cells"][index - 1]["cell_type"] != "markdown"] == []


def test_a_kernel_prints_what_stands_in_it(notebook: Any, executed: Any) -> None:
    for own, filled in zip(notebook["cells"], executed["cells"], strict=True):
        if own["cell_type"] == "code":
            assert printed(filled) == printed(own), own["id"]
            assert filled["execution_count"] == own["execution_count"]


def test_a_kernel_prints_the_catalog(executed: Any) -> None:
    shown = calls(executed)
    catalog = publish_chapter()
    assert read_text(shown[()]) == expected()
    seen = {name: table for output in shown.values() for name, table in read_text(output).items()}
    assert {table.id for table in catalog.tables if not table.companion} <= set(seen)
    for stage in STAGES:
        for name, table in read_text(shown[f"--{stage.name}",]).items():
            own = catalog.table(name)
            rows = [[own.text(i, j) for j in range(len(own.columns))] for i in range(len(own.rows))]
            assert (table.step, table.rows) == (own.step, rows), name


def test_a_kernel_runs_the_prompt_that_was_asked_for(executed: Any) -> None:
    ((_, output),) = [(words, output) for words, output in calls(executed).items() if "--prompt" in words]
    other = publish_chapter(["how", "much", "wood", "would"], "a")
    assert "prompt  how much wood would\n" in output
    table = other.table("logits.prediction")
    rows = [[table.text(i, j) for j in range(len(table.columns))] for i in range(len(table.rows))]
    assert read_text(output)["logits.prediction"].rows == rows


def test_every_number_of_the_prose_comes_from_the_catalog(notebook: Any) -> None:
    """Each decimal and percentage in a sentence is one that a table or a scalar displays; no placeholder is left."""
    prose = prose_of(notebook)
    displays = {number.display for number in publish_chapter().published()}
    found = re.findall(r"(?<![\w.])-?\d+\.\d+%?", prose)
    assert len(found) > 10
    assert [number for number in found if number not in displays | {"3.11", "8.1"}] == []
    assert "{{" not in prose
    assert "claim" not in prose


def test_links_to_the_book_where_it_is_published() -> None:
    with_address = read(write_notebook(PROSE, PROGRAM, SITE))
    last = with_address["cells"][-1]["source"]
    assert last.endswith("[A transformer you can check by hand](https://example.org/book/index.html).")
    assert write_notebook(PROSE, PROGRAM, SITE.rstrip("/")) == write_notebook(PROSE, PROGRAM, SITE)
    without = read(write_notebook(PROSE, PROGRAM))["cells"][-1]["source"]
    assert without.endswith(": A transformer you can check by hand.")
    assert "http" not in write_notebook(PROSE, "")


def test_ids_are_stable_and_differ(notebook: Any) -> None:
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z0-9-]{1,64}", name) for name in ids)
    other = read(write_notebook("# New\n\n" + PROSE.replace('run("--embed")', 'run("--digits", "2")'), PROGRAM))
    moved = [cell["id"] for cell in other["cells"]]
    assert set(moved) ^ set(ids) == {"a-transformer-you-can-check-by-hand", "new", "run-embed", "run-digits-2"}


def test_cells_alike_get_ids_of_their_own() -> None:
    block = '```python\nrun("--list")\n```\n'
    cells = read(write_notebook(f"Look:\n\n{block}\nLook:\n\n{block}", PROGRAM))["cells"]
    assert [cell["id"] for cell in cells] == ["look", "run-list", "look-2", "run-list-2"]
    assert [cell.get("execution_count") for cell in cells] == [None, 1, None, 2]


def test_the_same_bytes_whatever_the_hash_seed() -> None:
    code = (
        "import sys, pathlib; from tinyxf.book.takeaway.notebook import *; "
        "sys.stdout.write(write_notebook(pathlib.Path(SOURCE).read_text(encoding='utf-8'), ''))"
    )
    command = [sys.executable, "-X", "utf8", "-c", code]
    other = subprocess.run(
        command, cwd=ROOT, env={"PYTHONHASHSEED": "3", "LC_ALL": "C"}, capture_output=True, check=True
    )
    assert other.stdout.decode() == write_notebook(PROSE, "")


@pytest.mark.parametrize(
    ("prose", "line", "message"),
    [
        ('Text.\n\n{{ n("loss.befor") }}\n', 3, "loss.before"),
        ('{{ claim(n("loss.after") > n("loss.before")) }}\n', 1, "claim"),
        ("The loss is 0.9119.\n", 1, "0.9119"),
        ("Text.\n\n```python\nprint(1)\n```\n", 4, 'a code cell holds %script, a definition, or run("...")'),
        ("```python\nrun(1)\n```\n", 2, "found: run(1)"),
        ("```python\nrun(*words)\n```\n", 2, "found: run(*words)"),
        ("```python\nrun(a='b')\n```\n", 2, "nothing else"),
        ("```python\nrun()\nrun()\n```\n", 2, "nothing else"),
        ("```python\nrun(\n```\n", 2, "nothing else"),
    ],
)
def test_a_mistake_is_a_problem_with_its_line(prose: str, line: int, message: str) -> None:
    with pytest.raises(BookError) as caught:
        write_notebook(prose, PROGRAM)
    (problem,) = caught.value.problems
    assert (problem.page, problem.line) == ("templates/notebook.md", line)
    assert message in problem.message


def test_all_mistakes_are_reported_at_once() -> None:
    with pytest.raises(BookError) as caught:
        write_notebook('{{ n("a") }}\n\n```python\n1\n```\n\n{{ n("b") }}\n', PROGRAM)
    assert [problem.line for problem in caught.value.problems] == [1, 4, 7]
