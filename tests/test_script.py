"""The downloadable script: one file, numpy alone, and the same numbers as the package."""

from __future__ import annotations

import ast
import subprocess
import sys
import venv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.building import ROOT
from tests.reading import read_csv, read_json, read_text
from tests.test_reference import expected
from tinyxf.book.takeaway.offered import SCRIPT
from tinyxf.book.takeaway.script import FOOTER, assemble, read_parts, read_sources, write_script
from tinyxf.errors import BookError

SOURCES = read_sources()


@dataclass(frozen=True, slots=True)
class Bare:
    """A Python that has numpy and nothing else, and a folder that holds the script and nothing else."""

    python: Path
    folder: Path

    def run(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
        command = [str(self.python), "-I", "-W", "error", str(self.folder / SCRIPT), *arguments]
        return subprocess.run(command, cwd=cwd or self.folder, capture_output=True, check=False)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    place = tmp_path_factory.mktemp("bare")
    venv.create(place / "env", with_pip=False, symlinks=True)
    (packages,) = (place / "env").glob("lib/python*/site-packages")
    installed = Path(np.__file__).parents[1]
    for name in ("numpy", "numpy.libs"):
        if (installed / name).exists():
            (packages / name).symlink_to(installed / name)
    folder = place / "folder"
    folder.mkdir()
    (folder / SCRIPT).write_text(write_script(SOURCES), encoding="utf-8")
    return Bare(place / "env" / "bin" / "python", folder)


def test_the_bare_python_has_numpy_alone(bare: Bare) -> None:
    for module, status in (("numpy", 0), ("jinja2", 1), ("tinyxf", 1), ("mpmath", 1)):
        done = subprocess.run([bare.python, "-I", "-c", f"import {module}"], capture_output=True, check=False)
        assert done.returncode == status, (module, done.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "--attention",
        "--loss --embed",
        "--weights --params --digits 0",
        "--companions --digits 9",
        "--list",
        "--prompt chuck --target a",
        "--format csv --companions",
        "--format json --companions",
    ],
)
def test_prints_what_the_package_prints(bare: Bare, arguments: str) -> None:
    own = bare.run(*arguments.split())
    package = subprocess.run(
        [sys.executable, "-m", "tinyxf", *arguments.split()], cwd=ROOT, capture_output=True, check=True
    )
    assert own.stderr == b""
    assert own.stdout == package.stdout != b""


@pytest.mark.parametrize(("form", "read"), [("text", read_text), ("csv", read_csv), ("json", read_json)])
def test_prints_the_reference_tables(bare: Bare, form: str, read: object) -> None:
    assert callable(read)
    assert read(bare.run("--format", form).stdout.decode()) == expected()


def test_says_what_is_wrong_under_its_own_name(bare: Bare) -> None:
    done = bare.run("--prompt", "a wodchuck")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b'tiny_transformer.py: unknown token "wodchuck"; did you mean "woodchuck"')
    done = bare.run("--frobnicate")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"usage: tiny_transformer.py ")


def test_offers_no_more_than_it_can_do(bare: Bare) -> None:
    said = bare.run("--help").stdout.decode()
    assert "--format {text,csv,json}" in said
    assert "--attention" in said
    assert "--chapter" not in said
    assert "explain" not in said


def test_leaves_nothing_behind(bare: Bare, tmp_path: Path) -> None:
    assert bare.run("--embed", cwd=tmp_path).returncode == 0
    assert list(tmp_path.iterdir()) == []
    assert [path.name for path in bare.folder.iterdir()] == [SCRIPT]


def test_can_be_imported_without_running(bare: Bare) -> None:
    code = f"import sys; sys.path.insert(0, {str(bare.folder)!r}); from tiny_transformer import EPS; print(EPS)"
    done = subprocess.run([bare.python, "-I", "-B", "-c", code], capture_output=True, check=True)
    assert done.stdout == b"1e-05\n"


# -- how it is put together ------------------------------------------------------------------------------------------


def test_holds_every_statement_of_its_modules_and_no_other() -> None:
    """Definitions come over as they are; of imports and docstrings nothing but the future's."""
    statements: Counter[str] = Counter()
    for part in read_parts(SOURCES):
        statements.update(definitions(SOURCES[part.name]))
    assert statements
    assert Counter(definitions(assemble(SOURCES))) == statements
    assert len(definitions(write_script(SOURCES))) == statements.total() + 1  # the lines that run it


def definitions(source: str) -> list[str]:
    imports = ast.Import | ast.ImportFrom
    return [
        ast.unparse(node)
        for node in ast.parse(source).body
        if not isinstance(node, imports) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]


def test_keeps_every_comment() -> None:
    script = assemble(SOURCES)
    for part in read_parts(SOURCES):
        for line in SOURCES[part.name].splitlines():
            if "#" in line:
                assert line.strip() in script


def test_the_model_comes_first_and_the_command_line_last() -> None:
    names = [part.name.removeprefix("tinyxf.") for part in read_parts(SOURCES)]
    assert names[:4] == ["errors", "params", "weights", "layers"]
    assert names.index("model") < names.index("table")
    assert names[-1] == "cli"
    assert len(names) == len(set(names))
    assert not [name for name in names if name.startswith(("trace", "book"))]
    where = [assemble(SOURCES).index(f"\n# tinyxf/{name.replace('.', '/')}.py\n") for name in names]
    assert where == sorted(where)


def test_the_same_sources_give_the_same_bytes() -> None:
    script = write_script(SOURCES)
    assert write_script(dict(reversed(SOURCES.items()))) == script
    code = "import sys; from tinyxf.book.takeaway.script import *; sys.stdout.write(write_script(read_sources()))"
    command = [sys.executable, "-X", "utf8", "-c", code]
    other = subprocess.run(
        command, cwd=ROOT, env={"PYTHONHASHSEED": "7", "LC_ALL": "C"}, capture_output=True, check=True
    )
    assert other.stdout == script.encode()
    assert script.endswith(FOOTER)
    assert "\r" not in script
    assert all(line == line.rstrip() for line in script.splitlines())


def test_is_tidy() -> None:
    """The linter's formatter would not touch it, and sees no name that is unused or unknown."""
    command = [sys.executable, "-m", "ruff", "{}", "--isolated", "--line-length", "118", "--stdin-filename", SCRIPT]
    for verb in (["format", "--check"], ["check", "--select", "F,I"]):
        done = subprocess.run(
            [*command[:3], *verb, *command[4:], "-"],
            input=write_script(SOURCES).encode(),
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode()


LOW = '''"""The ground."""

from __future__ import annotations

import math

HALF = math.pi / 2  # a right angle
'''

HIGH = '''"""The top.

It stands on the ground.
"""

from tinyxf.low import HALF


def turn():
    return 2 * HALF
'''

SMALL = {"tinyxf.low": LOW, "tinyxf.high": HIGH}


def test_a_small_script_is_what_one_would_write() -> None:
    rule = "-" * 116
    assert (
        assemble(SMALL, ["tinyxf.high"]).partition("annotations\n")[2]
        == f"""
import math

# {rule}
# tinyxf/low.py
#
# The ground.


HALF = math.pi / 2  # a right angle


# {rule}
# tinyxf/high.py
#
# The top.
#
# It stands on the ground.


def turn():
    return 2 * HALF
"""
    )


def test_imports_are_merged_and_sorted() -> None:
    sources = {
        "tinyxf.a": "import numpy as np\nfrom io import StringIO\nimport os.path\n",
        "tinyxf.b": "from io import BytesIO, SEEK_END\nimport csv\nfrom tinyxf.a import x\nimport numpy as np\n",
    }
    head = assemble(sources, ["tinyxf.b"]).partition("annotations\n")[2].partition("\n# -")[0]
    assert head == "\nimport csv\nimport os.path\nfrom io import SEEK_END, BytesIO, StringIO\n\nimport numpy as np\n"


def test_a_long_import_is_wrapped() -> None:
    names = [f"a_rather_long_name_{number}" for number in range(6)]
    text = assemble({"tinyxf.a": f"from io import {', '.join(names)}\n"}, ["tinyxf.a"])
    assert "from io import (\n    a_rather_long_name_0,\n" in text
    ast.parse(text)


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("\nimport yaml\n", 2, "it imports yaml, and readers are promised to need numpy alone"),
        ("from jinja2.sandbox import X\n", 1, "it imports jinja2"),
        ("def f():\n    import mpmath\n", 2, "it imports mpmath inside of a definition"),
        ("def f():\n    from tinyxf.low import HALF\n", 2, "it imports tinyxf.low inside of a definition"),
        ("from tinyxf.low import HALF as H\n", 1, "otherwise than name by name"),
        ("import tinyxf.low\n", 1, "otherwise than name by name"),
        ("from tinyxf import low\n", 1, "otherwise than name by name"),
        ("from __future__ import division\n", 1, "it asks for division of the future"),
        ("X = 1\nprint(X)\n", 2, "it does something besides defining names"),
        ("if True:\n    X = 1\n", 1, "it does something besides defining names"),
        ("from tinyxf.low import HALF\n\n\ndef sum(): ...\n", 4, "it defines sum, which Python has already"),
        ("from tinyxf.low import HALF\n\nHALF, X = 3, 4\n", 3, "HALF is defined in tinyxf/low.py too"),
        ("from tinyxf.low import HALF\n\nHALF: float = 3\n", 3, "HALF is defined in tinyxf/low.py too"),
        (
            "from tinyxf.low import HALF\nfrom decimal import HALF\n",
            2,
            "it imports HALF, which tinyxf/low.py defines",
        ),
        ("from tinyxf.low import HALF\nimport cmath as math\n", 2, "math is something else in tinyxf/low.py"),
    ],
)
def test_what_cannot_be_joined_is_a_problem_with_its_line(source: str, line: int, message: str) -> None:
    with pytest.raises(BookError) as caught:
        write_script(SMALL | {"tinyxf.high": source}, ["tinyxf.high"])
    assert ("tinyxf/high.py", line) in {(problem.page, problem.line) for problem in caught.value.problems}
    assert message in str(caught.value)
    assert all(
        problem.message.endswith("so tiny_transformer.py cannot hold this module")
        for problem in caught.value.problems
    )


def test_all_problems_are_reported_at_once() -> None:
    with pytest.raises(BookError) as caught:
        assemble(
            SMALL | {"tinyxf.high": "import yaml\nimport jinja2\nfrom tinyxf.low import HALF\nHALF = 2\n"},
            ["tinyxf.high"],
        )
    assert [(problem.page, problem.line) for problem in caught.value.problems] == [
        ("tinyxf/high.py", 1),
        ("tinyxf/high.py", 2),
        ("tinyxf/high.py", 4),
        ("tinyxf/low.py", 7),
    ]
