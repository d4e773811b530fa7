"""The authors' command line on a book that is edited, broken, killed and built twice at once."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.project import NO_NETWORK, PAGE, Project, tea_project, tree
from tests.second_chapter import catalog

COUNT = len(list(catalog().published()))


@pytest.fixture(scope="module")
def kept_tea(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A good book of one page that is built; read it, never write to it."""
    project = tea_project(tmp_path_factory.mktemp("kept") / "tea")
    for command in ("accept", "build"):
        done = project.build_py(command)
        assert done.returncode == 0, done.stdout + done.stderr
    return project


@pytest.fixture
def tea(kept_tea: Project, tmp_path: Path) -> Project:
    """The same book, to edit; it is not built."""
    shutil.copytree(kept_tea.folder, tmp_path / "tea", ignore=shutil.ignore_patterns("site"))
    return Project(tmp_path / "tea")


def lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the problems that a command printed, without what MkDocs writes before a message."""
    both = done.stdout + done.stderr
    assert "Traceback" not in both, both
    found = [re.sub(r"^(?:ERROR|WARNING) +-  ", "", line).strip() for line in both.splitlines()]
    return [line for line in found if re.match(r"[\w./-]+:\d+:\d+: ", line)]


# -- a good book


def test_a_good_book_is_checked_in_silence(kept_tea: Project) -> None:
    done = kept_tea.build_py("check")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"0 problems, {COUNT} published numbers, 1 pages\n"
    for form, text in (("github", ""), ("json", "[]\n")):
        done = kept_tea.build_py("check", "--format", form)
        assert (done.returncode, done.stdout, done.stderr) == (0, text, "")


def test_a_build_leaves_a_site_and_nothing_else(kept_tea: Project) -> None:
    assert (kept_tea.folder / "site" / "index.html").is_file()
    assert not (kept_tea.folder / ".cache" / "build").exists()
    top = {path.name for path in kept_tea.folder.iterdir()}
    assert top <= {"docs", "mkdocs.yml", "scripts", "site", "tests", ".cache"}
    done = kept_tea.build_py("reconcile")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_folder_of_a_site_can_be_read_by_a_server(kept_tea: Project) -> None:
    assert (kept_tea.folder / "site").stat().st_mode & 0o777 == 0o755


def test_names_and_values_are_found(kept_tea: Project) -> None:
    done = kept_tea.build_py("names", "brew")
    assert done.returncode == 0
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[0][:3] == ["brew.blend/green/grams", "2.0", "2"]
    assert {"brew.total", "brew.leaves"} <= {row[0] for row in rows}
    assert kept_tea.build_py("names", "57.79").stdout.count("\n") == 2  # a cell, and the scalar that renames it
    nothing = kept_tea.build_py("names", "brew.totl")
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert nothing.stderr.startswith('no name fits "brew.totl"; did you mean "brew.total"')


def test_usage_is_told_and_ends_with_2(kept_tea: Project) -> None:
    for words in (["chek"], ["check", "--format", "xml"], ["export"], ["--sit", "x"], ["build", "x"]):
        done = kept_tea.build_py(*words)
        assert (done.returncode, done.stdout) == (2, ""), words
        assert done.stderr.startswith("usage: build.py")
    told = kept_tea.build_py("--help").stdout
    for command in ("build", "check", "accept", "diff", "names", "reconcile", "export"):
        assert re.search(rf"^ +{command}\b", told, flags=re.MULTILINE), command


# -- every kind of problem, once, in its place, whoever builds


def test_every_problem_is_told_once_by_every_command(tea: Project) -> None:
    tea.write(
        "docs/other.md",
        "---\ntitle: Other\ndescription: Other.\n---\n\n[dead](none.md), [anchor](index.md#none)\n\n$\\bad$\n",
    )
    tea.write("docs/front.md", "---\ntitle: [x\n---\n\ntext\n")
    tea.write("docs/snippets/part.md", 'x\n\n{{ n("brew.totl") }}\n')
    tea.replace(
        "docs/index.md",
        '{{ table("cool.minutes") }}',
        '{{ table("cool.minute") }}\n\n--8<-- "part.md"\n--8<-- "no.md"',
    )
    tea.replace(
        "docs/index.md",
        "Together",
        '{{ }} {{ n("brew.blend", "grean", "grams") }} {{ n("brew.blend", "green", "gram") }}\n\nTogether',
    )
    tea.replace(
        "docs/index.md",
        '{{ claim(n("brew.blend", "black & strong", "caffeine") >',
        '{{ claim(n("brew.blend", "black & strong", "caffeine") <',
    )
    tea.replace(
        "mkdocs.yml", "theme:", "nav: [index.md, gone.md, other.md, front.md]\nexclude_docs: snippets/\ntheme:"
    )
    tea.replace("mkdocs.yml", "  - tables", "  - pymdownx.snippets:\n      base_path: [docs/snippets]\n  - tables")
    expected = [
        "docs/front.md:2:",
        "docs/index.md:7:1: empty placeholder",
        'docs/index.md:7:7: table "brew.blend" has no row "grean"; did you mean "green"?',
        'docs/index.md:7:47: table "brew.blend" has no column "gram"; did you mean "grams"?',
        "docs/index.md:11:1: claim is false",
        'docs/index.md:17:1: unknown table "cool.minute"; did you mean "cool.minutes"?',
        'docs/index.md:20:9: included file not found: "no.md"',
        'docs/other.md:6:8: dead link: "none.md" is no page or file of the book',
        'docs/other.md:6:27: dead anchor: "index.md#none" does not exist',
        'docs/other.md:8:1: formula cannot be read: Unknown command "\\bad".',
        'docs/snippets/part.md:3:1: unknown name "brew.totl"; did you mean "brew.total"',
        'mkdocs.yml:1:1: no page shows the table "cool.minutes"',
        'mkdocs.yml:7:17: the navigation names "gone.md", which is no page',
    ]
    checked = tea.build_py("check")
    found = lines(checked)
    assert checked.returncode == 1
    assert [line[: len(start)] for line, start in zip(found, expected, strict=True)] == expected
    assert checked.stderr.startswith(f"{len(expected)} problems")
    assert checked.stderr.endswith(f", {COUNT} published numbers, 3 pages\n")
    for flags in ([], ["-q"], ["-v"], ["--strict"], ["--strict", "-q"]):
        done = tea.mkdocs("build", *flags)
        assert (done.returncode, lines(done)) == (1, found), flags
    assert not (tea.folder / "site" / "index.html").exists()
    annotated = tea.build_py("check", "--format", "github")
    assert (annotated.returncode, annotated.stderr) == (1, "")
    assert len(annotated.stdout.splitlines()) == len(found)
    assert annotated.stdout.splitlines()[1].startswith(
        "::error file=docs/index.md,line=7,col=1,title=placeholder::docs/index.md:7:1: "
    )
    listed = tea.build_py("check", "--format", "json")
    rows = json.loads(listed.stdout)
    assert [f"{row['file']}:{row['line']}:{row['column']}: {row['message']}" for row in rows] == found
    assert {"placeholder", "name", "claim", "snippet", "link", "maths", "unshown", "front"} <= {
        row["kind"] for row in rows
    }


def test_numbers_typed_by_hand_are_told_by_the_check(tea: Project) -> None:
    line = tea.add("docs/index.md", "\nIt is 57.79 then.\n") + 1
    done = tea.build_py("check")
    assert done.returncode == 1
    (found,) = lines(done)
    assert found.startswith(f"docs/index.md:{line}:7: 57.79 is typed by hand")
    assert "cool.last" in found or "cool.minutes" in found


CHAPTER = "tests/second_chapter.py"
# Of each kind: the file, what stands there, what comes instead, whether that line is named, and the message.
BROKEN = {
    "syntax": (CHAPTER, "LEAVES = (", "LEAVES = = (", True, "SyntaxError: invalid syntax"),
    "value": (CHAPTER, "tea.grams * tea.strength", "tea.grams * tea.minutes", True, "ValueError: operands could not"),
    "table": (CHAPTER, 'id="cool.minutes"', 'id="brew.blend"', False, "ValueError: duplicate id: brew.blend"),
    "import": (CHAPTER, "import partial", "import partil", True, "ImportError: cannot import name 'partil'"),
    "nan": (
        CHAPTER,
        "np.array(0.25)",
        'np.array(float("nan"))',
        False,
        "ValueError: a published number must be finite",
    ),
    "chapter": (
        "mkdocs.yml",
        "tests.second_chapter",
        "tests.none",
        True,
        "ModuleNotFoundError: No module named 'tests.none'",
    ),
    "twice": ("mkdocs.yml", "[tests.", "[tests.second_chapter, tests.", True, "ValueError: duplicate id: brew.blend"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_code_that_fails_is_named_by_its_own_line(kind: str, tea: Project) -> None:
    file, old, new, there, message = BROKEN[kind]
    line = tea.replace(file, old, new)
    checked = tea.build_py("check")
    (found,) = lines(checked)
    assert checked.returncode == 1
    assert found.startswith(f"{file}:{line}:1: " if there else f"{file}:")
    assert message in found
    done = tea.mkdocs("build", "-q")
    assert (done.returncode, lines(done)) == (1, [found])


def test_every_command_tells_of_code_that_fails(tea: Project) -> None:
    tea.add("tests/second_chapter.py", "\n=\n")
    found = ""
    for command in (["accept"], ["names"], ["build"], ["export", "x"], ["snapshot"]):
        done = tea.build_py(*command)
        (found,) = lines(done)
        assert found.startswith("tests/second_chapter.py:")
        assert (done.returncode, done.stderr) == (1, ""), command
    for flags in ([], ["-v"], ["--strict"]):
        done = tea.mkdocs("build", *flags)
        assert (done.returncode, lines(done)) == (1, [found]), flags


def test_a_template_that_fails_is_named_by_its_own_line(tmp_path: Path) -> None:
    tea = tea_project(tmp_path / "tea", "tinyxf", "templates")
    for text, place in (("{% for x in %}\n", "1:1"), ("\n\n{{ view.nothing }}\n", "3:1"), ("\n{{ 1 / 0 }}\n", "2:1")):
        tea.write("templates/table.html.jinja", text)
        found = lines(tea.build_py("check"))
        assert [line.split(": ")[0] for line in found if "table.html.jinja" in line] == [
            f"templates/table.html.jinja:{place}"
        ]
        done = tea.mkdocs("build", "-q")
        assert done.returncode == 1
        assert [line for line in lines(done) if "table.html" in line] == [
            line for line in found if "table.html" in line
        ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("site_name: [x\n", "mkdocs.yml:2:1: this is no YAML: "),
        ("site_name: x\n", "mkdocs.yml:1:1: the configuration needs "),
        ("- x\n", "mkdocs.yml:1:1: the configuration needs "),
        ("", "mkdocs.yml:1:1: the configuration needs "),
        ("site_name: x\nextra:\n", "mkdocs.yml:1:1: the configuration needs "),
        ("a: \x01\n", "mkdocs.yml:1:1: this is no YAML: "),
    ],
)
def test_a_configuration_that_is_none_is_named(text: str, message: str, kept_tea: Project, tmp_path: Path) -> None:
    tea = Project(tmp_path)
    shutil.copytree(kept_tea.folder / "scripts", tmp_path / "scripts")
    tea.write("mkdocs.yml", text)
    done = tea.build_py("check")
    (found,) = lines(done)
    assert done.returncode == 1
    assert found.startswith(message)


# -- a failing build leaves the last good site


def test_a_failing_build_changes_nothing(tea: Project) -> None:
    assert tea.build_py().returncode == 0
    before = tree(tea.folder / "site")
    edits = {
        "docs/index.md": ("Together", 'Together {{ n("x") }}'),
        "tests/second_chapter.py": ("rate=np.array(0.25)", "rate=np.array(0.5)"),  # the ledger says otherwise
    }
    for name, (old, new) in edits.items():
        text = tea.read(name)
        tea.replace(name, old, new)
        assert tea.build_py("build").returncode == 1
        assert tree(tea.folder / "site") == before
        assert not (tea.folder / ".cache" / "build").exists()
        tea.write(name, text)
    assert tea.build_py("build").returncode == 0
    assert tree(tea.folder / "site") == before


def test_what_mkdocs_alone_complains_about_fails_the_build_too(tea: Project) -> None:
    tea.replace("mkdocs.yml", "theme:", "nav: [index.md, '/absolute/x.md']\ntheme:")
    tea.add("mkdocs.yml", "")
    done = tea.build_py("build")
    assert done.returncode == 1
    assert not (tea.folder / "site").exists()
    assert not (tea.folder / ".cache" / "build").exists()


@pytest.mark.parametrize(
    ("site", "complaint"),
    [
        ("docs", "not built: docs holds other files than a site; name another folder, or empty it first\n"),
        ("mkdocs.yml", "not built: mkdocs.yml is a file; name the folder of a site, or one that is not there yet\n"),
        ("mkdocs.yml/site", "not built: the site cannot be put at site: "),
        (".", "not built: "),
    ],
)
def test_a_place_that_takes_no_site_is_left_alone(site: str, complaint: str, kept_tea: Project) -> None:
    before = tree(kept_tea.folder)
    done = kept_tea.build_py("build", "--site", site)
    assert done.returncode == 1
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    after = tree(kept_tea.folder)
    assert {name for name in after if not name.startswith(".cache/")} == {
        name for name in before if not name.startswith(".cache/")
    }
    assert after["docs/index.md"] == before["docs/index.md"]
    assert not (kept_tea.folder / ".cache" / "build").exists()


def test_a_site_can_go_elsewhere(kept_tea: Project, tmp_path: Path) -> None:
    done = kept_tea.build_py("build", "--site", str(tmp_path / "deep" / "elsewhere"))
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path / "deep" / "elsewhere") == tree(kept_tea.folder / "site")
    assert kept_tea.build_py("reconcile", "--site", str(tmp_path / "deep" / "elsewhere")).returncode == 0
    gone = kept_tea.build_py("reconcile", "--site", str(tmp_path / "nowhere"))
    assert (gone.returncode, gone.stderr) == (1, "nowhere: no such folder; build the site first\n")


# -- killed, twice at once, without a network


def kill_builds(tea: Project, times: int, seed: int) -> int:
    """Kill builds at random moments; after each, the site must be whole.  Return how many were hit while they ran."""
    chance = random.Random(seed)  # noqa: S311  moments, no secrets
    began = time.monotonic()
    assert tea.build_py("build").returncode == 0
    takes = time.monotonic() - began
    good = tree(tea.folder / "site")
    hit = 0
    for _ in range(times):
        process = subprocess.Popen(
            [sys.executable, "scripts/build.py", "build"],
            cwd=tea.folder,
            env=tea.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(chance.uniform(0.3, 1.05) * takes)
        hit += process.poll() is None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert tree(tea.folder / "site") == good
    assert tea.build_py("build").returncode == 0
    assert tree(tea.folder / "site") == good
    assert not (tea.folder / ".cache" / "build").exists()
    assert {path.name for path in tea.folder.iterdir()} <= {
        "docs",
        "mkdocs.yml",
        "scripts",
        "site",
        "tests",
        ".cache",
    }
    return hit


def test_a_killed_build_leaves_the_last_good_site(tea: Project) -> None:
    assert kill_builds(tea, 3, seed=1) >= 1


@pytest.mark.soak
def test_thirty_killed_builds_leave_the_last_good_site(tea: Project) -> None:
    assert kill_builds(tea, 30, seed=2) >= 15


def test_two_builds_at_once_do_not_mix(tea: Project) -> None:
    """One begins before an edit, one after: whatever the order in which they end, the site is one of the two."""
    processes = []
    for word in ("Together", "Alltogether"):
        tea.write("docs/index.md", PAGE.replace("Together", word))
        processes.append(subprocess.Popen(
            [sys.executable, "scripts/build.py", "build"], cwd=tea.folder, env=tea.environment(),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
        ))  # fmt: skip
    said = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], said
    site = tree(tea.folder / "site")
    assert "Alltogether" in site["index.html"].decode()
    alone = tea.build_py("build")
    assert alone.returncode == 0
    assert tree(tea.folder / "site") == site
    assert not (tea.folder / ".cache" / "build").exists()


def test_a_build_uses_no_network(tea: Project) -> None:
    tea.write("lonely/sitecustomize.py", NO_NETWORK)
    path = os.pathsep.join([str(tea.folder / "lonely"), tea.environment()["PYTHONPATH"]])
    probe = tea.run("-c", "import socket; socket.create_connection(('127.0.0.1', 9))", PYTHONPATH=path)
    assert "must not use the network" in probe.stderr
    done = tea.build_py("build", PYTHONPATH=path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tea.folder / "site" / "index.html").is_file()


# -- the ledger


def test_drift_is_told_old_to_new_until_it_is_accepted(tea: Project) -> None:
    tea.replace(
        "tests/second_chapter.py", "strength=np.array([12.5, 30.0, 0.0])", "strength=np.array([12.5, 30.2, 0.0])"
    )
    checked = tea.build_py("check")
    assert checked.returncode == 1
    found = lines(checked)
    moved = {line.split(": ", 1)[1].split(" ")[0].rstrip(":"): line for line in found}
    assert any("30.0 -> 30.2" in line for line in found)
    assert any("45.00 -> 45.30" in line for line in found)
    assert any("70.0 -> 70.3" in line for line in found)
    assert len(found) == len(moved) == 3
    ledger = tea.read("docs/numbers.csv").splitlines()
    for line in found:
        place = int(line.split(":")[1])
        assert ledger[place - 1].split(",")[0] in line
    accepted = tea.build_py("accept")
    assert accepted.returncode == 0
    assert accepted.stdout.count(" -> ") == 3
    assert tea.build_py("check").returncode == 0
    assert sorted(path.name for path in (tea.folder / "docs").iterdir()) == ["index.md", "numbers.csv"]


def test_nothing_is_accepted_while_something_else_is_wrong(tea: Project) -> None:
    before = tea.read("docs/numbers.csv")
    tea.replace("tests/second_chapter.py", "rate=np.array(0.25)", "rate=np.array(0.5)")
    tea.add("docs/index.md", '\n{{ n("x") }}\n')
    done = tea.build_py("accept")
    assert done.returncode == 1
    assert [line.split(" ")[0] for line in lines(done)] == ["docs/index.md:17:1:"]
    assert done.stderr == "not accepted: first mend the problems above\n"
    assert tea.read("docs/numbers.csv") == before
    assert sorted(path.name for path in (tea.folder / "docs").iterdir()) == ["index.md", "numbers.csv"]


def test_a_ledger_that_is_none_is_named_and_can_be_made_anew(tea: Project) -> None:
    good = tea.read("docs/numbers.csv")
    for text in (
        "",
        "nonsense\n",
        good.replace("address,", "adress,"),
        good + "x\n",
        good.splitlines()[0] + "\n",
        good + good.splitlines()[3] + "\n",
    ):
        tea.write("docs/numbers.csv", text)
        done = tea.build_py("check")
        assert done.returncode == 1, text
        assert {line.split(":")[0] for line in lines(done)} == {"docs/numbers.csv"}
    accepted = tea.build_py("accept")
    assert (accepted.returncode, accepted.stderr) == (0, "")
    assert tea.read("docs/numbers.csv") == good


# -- reconcile


@pytest.fixture
def site(kept_tea: Project, tmp_path: Path) -> Path:
    """A copy of the good site, to spoil."""
    shutil.copytree(kept_tea.folder / "site", tmp_path / "spoiled")
    return tmp_path / "spoiled"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (">57.79</data></td>", ">57.97</data></td>", 'cool.minutes/3/degrees shows "57.97", expected "57.79"'),
        (">70.0</data>", ">70.1</data>", 'shows "70.1", expected "70.0"'),
        ('value="70"', 'value="71"', 'has the value "71", expected "70"'),
        ('data-address="brew.total"', 'data-address="brew.totl"', 'unknown address "brew.totl"'),
        ('<data value="70" data-address="brew.total">70.0</data>', "70.0", 'the number "brew.total" is lost'),
        ("<title>Tea at 20.0", "<title>Tea at 21.0", 'the number "20.0" is lost in titles and attributes'),
        ("Together", "Together tx0n0x", '"tx0n0x" was never filled in'),
    ],
)  # fmt: skip
def test_a_spoiled_site_is_found_out(old: str, new: str, message: str, kept_tea: Project, site: Path) -> None:
    page = site / "index.html"
    text = page.read_text(encoding="utf-8")
    assert old in text
    page.write_text(text.replace(old, new, 1), encoding="utf-8")
    done = kept_tea.build_py("reconcile", "--site", str(site))
    assert done.returncode == 1
    assert message in done.stdout
    assert all(line.startswith("spoiled/index.html:") for line in lines(done))


# -- export


def test_pages_are_written_out_for_any_engine(kept_tea: Project, tmp_path: Path) -> None:
    done = kept_tea.build_py("export", str(tmp_path / "out"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    page = (tmp_path / "out" / "docs" / "index.md").read_text(encoding="utf-8")
    assert "{{" not in page
    assert 'title: "Tea at 20.0 degrees"' in page or "title: Tea at 20.0 degrees" in page
    assert '| mint\\|honey | <data value="3"' in page
    configuration = (tmp_path / "out" / "mkdocs.yml").read_text(encoding="utf-8")
    assert "hooks" not in configuration
    assert "tests.second_chapter" not in configuration
    assert '<data value="70" data-address="brew.total">70.0</data> mg.' in page
    assert "claim" not in page


def test_a_book_with_problems_is_not_written_out(tea: Project, tmp_path: Path) -> None:
    tea.add("docs/index.md", '\n{{ n("x") }}\n')
    done = tea.build_py("export", str(tmp_path / "out"))
    assert (done.returncode, len(lines(done))) == (1, 1)
    assert not (tmp_path / "out").exists()
