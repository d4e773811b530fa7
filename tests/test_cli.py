"""The readers' command line: every flag, every refusal, and the same bytes in every terminal."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.building import ROOT
from tests.invented import mix
from tests.reading import read_csv, read_html, read_json, read_markdown, read_tex, read_text
from tests.second_chapter import catalog as tea
from tinyxf.__main__ import run
from tinyxf.catalog import Catalog
from tinyxf.chapter import catalog
from tinyxf.chapters import load_chapter
from tinyxf.cli import answer, main
from tinyxf.errors import InputError

STAGES = ("embed", "attention", "ffn", "logits", "loss", "params", "weights")


def say(*words: str, chapter: object = catalog) -> str:
    """Return what the command line prints for these words."""
    assert callable(chapter)
    return answer(chapter, words)


def shown(*words: str) -> list[str]:
    return list(read_text(say(*words)))


def program(
    *words: str,
    environment: Mapping[str, str] | None = None,
    command: Sequence[str] = (sys.executable, "-m", "tinyxf"),
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a process of its own, as a reader does."""
    return subprocess.run(
        [*command, *words],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "100", **(environment or {})},
        capture_output=True,
        check=False,
    )


# -- what is shown


def test_without_a_flag_the_whole_run_is_shown() -> None:
    tables = [table for table in catalog().tables if not table.companion]
    assert shown() == [table.id for table in tables]
    assert say().splitlines()[:4] == [
        "A transformer you can check by hand",
        "prompt  a woodchuck would chuck",
        "target  wood",
        "model   d_model 4, heads 2, d_head 2, d_ff 8, blocks 1, vocabulary 8",
    ]


@pytest.mark.parametrize("stage", STAGES)
def test_each_stage_shows_its_tables(stage: str) -> None:
    main_tables = [table.id for table in catalog().tables if table.stage == stage and not table.companion]
    if stage == "loss":
        main_tables = [
            table.id for table in catalog().tables if table.stage in ("logits", "loss") and not table.companion
        ]
    if stage == "weights":
        main_tables = [table.id for table in catalog().tables if table.stage == "weights"]
    assert main_tables
    assert shown(f"--{stage}") == main_tables


def test_stages_combine_in_the_order_of_the_run() -> None:
    assert shown("--params", "--embed") == shown("--embed") + shown("--params")
    assert shown("--loss", "--logits") == shown("--loss")


def test_companions_are_shown_on_request() -> None:
    assert shown("--companions") == [table.id for table in catalog().tables]
    own = [table.id for table in catalog().tables if table.stage == "embed"]
    assert shown("--embed", "--companions") == own


def test_the_list_names_every_table_and_nothing_else() -> None:
    lines = say("--list").splitlines()
    assert [line.split()[0] for line in lines] == [table.id for table in catalog().tables]
    assert say("--list", "--embed", "--format", "json") == say("--list")


def test_prompt_and_target_run_the_model_anew() -> None:
    said = say("--prompt", "  wood   wood a ", "--target", "chuck")
    assert "\nprompt  wood wood a\ntarget  chuck\n" in said
    assert [row[1] for row in read_text(said)["embed.tokens"].rows] == ["wood", "wood", "a"]
    assert said != say("--prompt", "wood wood a", "--target", "a")
    assert said == answer(catalog, ["--target=chuck", "--prompt=wood wood a"])


@pytest.mark.parametrize("digits", [0, 2, 15])
def test_digits_apply_to_decimals_and_leave_counts_whole(digits: int) -> None:
    tables = read_text(say("--digits", str(digits)))
    first = tables["attention.residual"].rows[0][1]
    assert len(first.partition(".")[2]) == digits
    assert tables["embed.tokens"] == read_text(say())["embed.tokens"]
    assert tables["params.count"] == read_text(say())["params.count"]
    if digits == 2:
        assert tables["loss.step"].rows == [["1.17", "0.91", "0.26"]]


def test_digits_apply_to_every_format() -> None:
    assert '"text": "1.17"' in say("--digits", "2", "--format", "json")
    assert ",1.17,1.168960112,loss.step/loss_before" in say("--digits", "2", "--format", "csv")


@pytest.mark.parametrize(
    ("form", "read"),
    [("md", read_markdown), ("html", read_html), ("csv", read_csv), ("json", read_json), ("text", read_text)],
)
def test_every_format_has_every_table(form: str, read: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert callable(read)
    assert said(capsys, "--format", form, "--embed") == (0, "")
    assert list(read(OUTPUT[0])) == shown("--embed")


def test_latex_has_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "--format", "tex", "--embed") == (0, "")
    assert list(read_tex(OUTPUT[0])) == [catalog().table(name).title for name in shown("--embed")]


OUTPUT = [""]


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Run the command line in this process; keep what it printed, return its status and its complaint."""
    before = sys.argv
    sys.argv = ["tinyxf", *words]
    try:
        status = run()
    except SystemExit as end:
        status = int(str(end.code))
    finally:
        sys.argv = before
    OUTPUT[0], complaint = capsys.readouterr()
    return status, complaint


# -- what is refused


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["--prompt", "how mach"],
            'unknown token "mach"; did you mean "much"? Expected one of: a, chuck, how, much,',
        ),
        (["--prompt", ""], "the prompt is empty, expected 1 to 16 tokens"),
        (["--prompt", "   "], "the prompt is empty, expected 1 to 16 tokens"),
        (["--prompt", " ".join(["wood"] * 17)], "the prompt has 17 tokens, expected 1 to 16 tokens"),
        (["--target", "wod"], 'unknown target "wod"; did you mean "wood" or '),
        (["--target", ""], 'unknown target "". Expected one of: a, chuck,'),
        (
            ["--chapter", "nowhere"],
            "\"nowhere\" is no chapter: No module named 'nowhere'; expected a module with catalog()",
        ),
        (["--chapter", "json"], '"json" is no chapter: it has no catalog(); expected a module with catalog()'),
        (["--chapter", ""], '"" is no chapter; expected a module with catalog()'),
        (["--chapter", ".x"], '".x" is no chapter; expected a module with catalog()'),
        (["explain", "loss.befor"], 'unknown name "loss.befor"; did you mean "loss.before"'),
        (
            ["explain", "attention.h1.weights/a/would"],
            '"attention.h1.weights/a/would" is masked: there is no number to show',
        ),
        (["explain", "loss.before", "--chapter", "nowhere"], '"nowhere" is no chapter: '),
    ],
)
def test_bad_input_is_explained_in_one_line(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, line = said(capsys, *words)
    assert line.startswith(f"tinyxf: {complaint}")
    assert (status, OUTPUT[0], line.count("\n")) == (1, "", 1)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--digits", "16"], "argument --digits: expected a whole number from 0 to 15, found '16'"),
        (["--digits", "two"], "argument --digits: expected a whole number from 0 to 15, found 'two'"),
        (["--digits=-1"], "argument --digits: expected a whole number from 0 to 15, found '-1'"),
        (["--format", "xml"], "argument --format: invalid choice: 'xml'"),
        (["--prompt"], "argument --prompt: expected one argument"),
        (["--emb"], "unrecognized arguments: --emb"),  # no abbreviations: a new stage may not change what one means
        (["wood"], "unrecognized arguments: wood"),
        (["explain"], "the following arguments are required: address"),
        (
            ["explain", "loss.before", "--depth", "0"],
            "argument --depth: expected a whole number from 1 to 40, found '0'",
        ),
        (["explain", "loss.before", "--depth", "41"], "argument --depth: expected a whole number from 1 to 40"),
    ],
)
def test_wrong_usage_ends_with_2(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = said(capsys, *words)
    assert (status, OUTPUT[0]) == (2, "")
    assert lines.startswith("usage: tinyxf")
    assert f"error: {complaint}" in lines.splitlines()[-1]


def test_help_names_every_stage_and_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "--help") == (0, "")
    text = " ".join(OUTPUT[0].split())
    for stage in catalog().stages:
        assert f"--{stage.name} {stage.title}" in text
    assert "--loss Loss and one step (with logits)" in text
    assert "tinyxf explain --help" in text
    assert said(capsys, "explain", "--help") == (0, "")


# -- other chapters


def test_a_chapter_says_itself_what_it_takes() -> None:
    assert list(read_text(say(chapter=tea))) == ["brew.blend", "cool.minutes"]
    assert list(read_text(say("--brew", chapter=mix_with_stages))) == ["brew.blend"]
    with pytest.raises(SystemExit):
        say("--prompt", "a", chapter=tea)


def mix_with_stages() -> Catalog:
    return tea()


def test_a_stage_of_companions_alone_shows_them_by_name() -> None:
    assert shown("--weights") == [table.id for table in catalog().tables if table.stage == "weights"]
    assert not set(shown("--weights")) & set(shown())


def test_chapters_are_found_by_name() -> None:
    assert load_chapter("tinyxf.chapter")() == catalog()
    assert answer(catalog, ["--chapter", "tests.second_chapter", "--brew"], load=load_chapter) == say(
        "--brew", chapter=tea
    )
    with pytest.raises(InputError, match="no chapter"):
        load_chapter("tests.nowhere")


def test_a_chapter_that_fails_while_it_is_imported_keeps_its_own_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_chapter.py").write_text("raise KeyError('mine')\n")
    (tmp_path / "needy_chapter.py").write_text("import no_such_module\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(KeyError, match="mine"):
        load_chapter("broken_chapter")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        load_chapter("needy_chapter")


# -- the program itself


def test_the_installed_command_is_the_same_program() -> None:
    own = program("--loss", command=[str(Path(sys.executable).parent / "tinyxf")])
    assert (own.returncode, own.stderr) == (0, b"")
    assert own.stdout == program("--loss").stdout
    assert own.stdout.decode() == say("--loss")


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii:strict"},
    ],
    ids=["c", "cp1252", "ascii"],
)
def test_the_same_bytes_in_every_terminal(environment: dict[str, str]) -> None:
    """Minus signs, Greek and arrows are there to be broken."""
    words = ("explain", "attention.norm_stats/chuck/denominator")
    plain, other = program(*words), program(*words, environment=environment)
    assert re.search(rb"[\x80-\xff]", plain.stdout)
    assert (other.returncode, other.stderr) == (0, b"")
    assert other.stdout == plain.stdout
    wrong = program("--target", "−α→", environment=environment)
    assert wrong.returncode == 1
    assert wrong.stderr.startswith(b"tinyxf: unknown target ")
    assert wrong.stderr.count(b"\n") == 1


def test_a_closed_pipe_is_silent() -> None:
    command = f'"{sys.executable}" -m tinyxf --companions | head -1; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"A transformer you can check by hand\n", b"")


def test_a_pipe_that_is_closed_at_once_is_silent() -> None:
    command = f'"{sys.executable}" -m tinyxf --format json --companions | true; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_stream_that_is_no_terminal_is_written_to_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(catalog, ["--list"]) == 0
    assert stream.getvalue() == say("--list")


def test_json_of_the_program_is_json() -> None:
    done = program("--format", "json", "--params")
    assert [table["id"] for table in json.loads(done.stdout)["tables"]] == shown("--params")
    assert done.stdout.count(b"\r") == 0


def test_the_invented_catalog_is_a_chapter_too() -> None:
    assert list(read_text(answer(mix, []))) == ["mix.words", "mix.losses", "mix.signs"]
