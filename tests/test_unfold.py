"""Included files written out: the same lines as the extension brings in that the book itself uses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown import Markdown
from pymdownx.snippets import SnippetExtension

from tinyxf.book.unfold import unfold

FILES = {
    "part.md": "One.\n\nTwo {{ x }}.\n",
    "code.py": "# --8<-- [start:sum]\ndef f():\n    return 1 + 1\n# --8<-- [end:sum]\nprint(f())\n",
    "deep/er.md": '- a\n\n    --8<-- "part.md"\n\n;--8<-- "part.md"\n',
    "loop.md": 'before\n--8<-- "loop.md"\nafter\n',
    "round.md": '--8<-- "trip.md"',
    "trip.md": 'x\n--8<-- "round.md"\n',
    "marked.md": "a\n--8<-- [start:in]\nb\n;--8<-- [start:no]\n--8<-- [start:two]\nc\n"
    "--8<-- [end:in]\nd\n--8<-- [end:two]\n",
    "empty.md": "",
}
PAGES = (
    'a\n\n--8<-- "part.md"\n\nb',
    "a\n\n!!! note\n    --8<-- 'part.md'\n\n> x",
    "\t--8<-- \"part.md\"\n- x\n\t--8<-- 'part.md'",
    '```python\n--8<-- "code.py"\n```\n\n    --8<-- "code.py:sum"',
    '--8<-- "deep/er.md"\n\n--8<-- "loop.md"\n--8<-- "round.md"\n--8<-- "empty.md"\n.',
    '--8<--\npart.md\n\n  code.py:sum\n; part.md\n--8<-- "part.md"\n--8<--\nx',
    ';--8<-- "part.md"\n    ;;--8<-- "part.md"\n;--8<--\n-8<- "part.md"',
    '--8<-- "marked.md:in"\n--8<-- "marked.md:two"\n--8<-- "marked.md"\n--8<-- "marked.md:none"',
    "x\n--8<-- [start:here]\ny ;--8<-- [end:here] z\n;--8<-- [end:here]",
    *(f'--8<-- "code.py:{span}"' for span in ("2", "2:3", ":2", "-2", "-3:-2", "1:1,4:5", "0:2", "9:9", "2:0", ":")),
    '--8<-- "nowhere.md"\n--8<-- "https://a.b/c.md"\n--8<-- "part.md" x\nx --8<-- "part.md"\n--8<--"part.md"',
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("snippets")
    for name, text in FILES.items():
        (base / name).parent.mkdir(exist_ok=True)
        (base / name).write_text(text, encoding="utf-8")
    return base


def brought_in(text: str, folder: Path) -> str:
    """Return a page as the extension leaves it to Markdown."""
    markdown = Markdown(extensions=[SnippetExtension(base_path=[str(folder)])])
    return "\n".join(line if line.strip() else "" for line in markdown.preprocessors["snippet"].run(text.split("\n")))


def written_out(text: str) -> str:
    return "\n".join(line if line.strip() else "" for line in unfold(text, FILES).split("\n"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_reads_as_the_engine_would_read_it(page: str, folder: Path) -> None:
    assert written_out(page) == brought_in(page, folder)


@settings(max_examples=150)
@given(
    st.lists(
        st.tuples(st.sampled_from(["", "    ", "- ", ";"]), st.sampled_from(["--8<--", "", "x", "part.md"])).map(
            "".join
        )
        | st.sampled_from([f'{mark}--8<-- "{name}"' for name in FILES for mark in ("", "  ", ";")]),
        max_size=8,
    )
)
def test_any_page_reads_as_the_engine_would_read_it(folder: Path, lines: list[str]) -> None:
    page = "\n".join([*lines, "end"])
    assert written_out(page) == brought_in(page, folder)


def test_line_ends_and_front_matter_stay() -> None:
    assert unfold('---\r\ntitle: --8<-- "x"\r\n---\r\n--8<-- "part.md"', FILES).split("\r\n") == [
        "---", 'title: --8<-- "x"', "---", "One.", "", "Two {{ x }}.", "",
    ]  # fmt: skip
    assert unfold('\ufeffa\r--8<-- "part.md"', FILES) == "\ufeffa\nOne.\n\nTwo {{ x }}.\n"
    assert unfold("a\r\nb\n", FILES) == "a\r\nb\n"
