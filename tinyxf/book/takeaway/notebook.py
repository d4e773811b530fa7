"""`tiny_transformer.ipynb`: the script in one cell, and its command line called from others, with what it printed.

Beside the pages.  The prose is a Markdown file with placeholders, like any page; its fenced blocks of Python are the
code cells, of which `%script` stands for the script.  What a cell prints is put in without a kernel: a call of
`run(...)` is answered by the very function that answers it in a terminal.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from tinyxf.book.checks.known import Known
from tinyxf.book.checks.typed import typed_problems
from tinyxf.book.expand import Expanded, expand, plain_text, write
from tinyxf.catalog import Catalog
from tinyxf.cli import answer
from tinyxf.contents import publish_chapter
from tinyxf.errors import BookError, Problem

SOURCE = "templates/notebook.md"
SCRIPT = "%script"
TITLE = "# @title The program: open this cell to read it, or to change it"  # Colab folds a cell that has a title

_CELL = re.compile(r"^```python\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\(site:([^)\s]*)\)")
_SLUG = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what stands in it, and what it prints (None: a cell of prose)."""

    source: str
    output: str | None = None
    folded: bool = False


def write_notebook(prose: str, program: str, site: str = "") -> str:
    """Return the notebook as JSON.

    `prose` is the text of `templates/notebook.md`, `program` the script without the lines that run it, `site` the
    address where the book is published; without one the links to it become plain words.  Raises BookError with every
    mistake in the prose.
    """
    standard = publish_chapter()
    expanded = expand(SOURCE, prose, standard)
    problems = [*expanded.problems, *typed_problems(expanded, Known(standard)), *_problems(expanded)]
    if problems:
        raise BookError(problems)
    text = write(prose, expanded.placed, lambda own: plain_text(own.piece))
    return _json(tuple(_cells(_LINK.sub(partial(_link, site), text), standard, program)))


def _link(site: str, found: re.Match[str]) -> str:
    return f"[{found[1]}]({site.rstrip('/')}/{found[2]})" if site else found[1]


def _problems(expanded: Expanded) -> Iterator[Problem]:
    """Yield each code cell that is neither the script, nor a definition, nor a call that can be answered."""
    for found in _CELL.finditer(expanded.text):
        code = found[1].strip()
        if code != SCRIPT and not code.startswith("def ") and call_of(code) is None:
            line = expanded.text.count("\n", 0, found.start(1)) + 1
            message = f'a code cell holds {SCRIPT}, a definition, or run("...") and nothing else, found: {code}'
            yield Problem(SOURCE, line, 1, message, "notebook")


def call_of(code: str) -> tuple[str, ...] | None:
    """Return the arguments of a cell that is nothing but `run("...", "...")`; None for any other."""
    try:
        (statement,) = ast.parse(code).body
    except (SyntaxError, ValueError):
        return None
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="run"), args=given, keywords=[])):
            words = tuple(
                word.value for word in given if isinstance(word, ast.Constant) and isinstance(word.value, str)
            )
            return words if len(words) == len(given) else None
        case _:
            return None


def _cells(text: str, standard: Catalog, program: str) -> Iterator[Cell]:
    def chapter(prompt: Sequence[str] | None = None, target: str | None = None) -> Catalog:
        return standard if prompt is None and target is None else publish_chapter(prompt, target)

    at = 0
    for found in _CELL.finditer(text):
        yield from _prose(text[at : found.start()])
        code, at = found[1].strip(), found.end()
        arguments = call_of(code)
        if code == SCRIPT:
            yield Cell(f"{TITLE}\n{program.strip()}", "", folded=True)
        else:
            yield Cell(code, "" if arguments is None else answer(chapter, arguments))
    yield from _prose(text[at:])


def _prose(text: str) -> Iterator[Cell]:
    if text.strip():
        yield Cell(text.strip())


def _json(cells: Sequence[Cell]) -> str:
    """Write the notebook in format 4.5, its keys in the order in which Jupyter would save them."""
    taken: dict[str, None] = {}
    count = 0
    written = []
    for cell in cells:
        name = _name(cell, taken)
        entry: dict[str, object] = {"id": name, "metadata": {}, "source": cell.source.splitlines(keepends=True)}
        if cell.output is None:
            entry["cell_type"] = "markdown"
        else:
            count += 1
            stream = {"name": "stdout", "output_type": "stream", "text": cell.output.splitlines(keepends=True)}
            entry |= {"cell_type": "code", "execution_count": count, "outputs": [stream] if cell.output else []}
        if cell.folded:
            entry["metadata"] = {"cellView": "form", "jupyter": {"source_hidden": True}}
        written.append(entry)
    notebook = {
        "cells": written,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _name(cell: Cell, taken: dict[str, None]) -> str:
    """Return an id that says what the cell is and stays the same when others come and go."""
    first = "script" if cell.folded else cell.source.partition("\n")[0]
    stem = _SLUG.sub("-", first.casefold()).strip("-")[:40].strip("-") or "cell"
    number = 1
    while (name := stem if number == 1 else f"{stem}-{number}") in taken:
        number += 1
    taken[name] = None
    return name
