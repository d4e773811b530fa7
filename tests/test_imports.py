"""Which way the imports point: data flows one way, and so must they.

Read from the source, so that an import inside a function counts as well.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.building import ROOT

# From the ground up.  A module imports from lower layers and from its own; a stage not even from its own.
LAYERS = (
    ("tinyxf.errors", "tinyxf.formatting"),
    ("tinyxf.params", "tinyxf.table"),
    ("tinyxf.layers", "tinyxf.weights", "tinyxf.catalog"),
    ("tinyxf.stages",),
    ("tinyxf.model",),
    ("tinyxf.tables",),
    ("tinyxf.contents",),
    ("tinyxf.trace",),  # knows any catalog, no chapter of ours; neither model nor tables know it
    ("tinyxf.chapter",),
    ("tinyxf.pencil",),
    ("tinyxf.text", "tinyxf.data", "tinyxf.chapters"),
    ("tinyxf.cli",),
    ("tinyxf.book.reading", "tinyxf.book.render"),
    ("tinyxf.book.language",),
    ("tinyxf.book",),
    ("tinyxf.explaining",),
    ("tinyxf.__main__",),
    ("scripts",),
)
CLOSED = ("tinyxf.stages",)

# What each part may import beyond the standard library and the project; the longest prefix that fits counts.
OUTSIDE = {
    "tinyxf": {"numpy"},
    "tinyxf.trace": {"numpy", "mpmath"},
    "tinyxf.book": {"yaml"},
    "tinyxf.book.render": {"jinja2"},
    "tinyxf.book.figures": {"numpy"},
    "tinyxf.book.export": {"markdown"},  # heading ids as the site's
    "tinyxf.book.markdown": {"markdown"},
    "tinyxf.book.maths": {"math_core"},
    "tinyxf.__main__": set(),
}
ENGINE = {"mkdocs", "material", "pymdownx"}  # known to scripts/hooks.py, and nowhere else in scripts/ either

SPEAKING = {"tinyxf.cli", "tinyxf.__main__"}  # may print; scripts may do that and write files
PRINTS = {"print", "input", "breakpoint"}
STREAMS = {"stdout", "stderr", "stdin", "__stdout__", "__stderr__"}
WRITES = {
    "write_text", "write_bytes", "mkdir", "makedirs", "unlink", "rmdir", "rmtree", "rename", "renames", "symlink_to",
    "hardlink_to", "touch", "chmod", "copyfile", "copytree", "copyfileobj", "savetxt", "tofile",
}  # fmt: skip
# Lists, arrays and strings have harmless methods of these names.
WRITES_OF_MODULES = {"os.remove", "os.replace", "os.write", "shutil.copy", "shutil.copy2", "shutil.move"}
MODES = set("wax+")


@dataclass(frozen=True, slots=True)
class Module:
    """A source file of ours."""

    name: str
    path: Path
    tree: ast.Module

    def imports(self) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        """Yield line, imported module and imported names (none for a plain `import x`)."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name, ()) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{self.path}:{node.lineno}: a relative import"
                yield node.lineno, node.module or "", tuple(alias.name for alias in node.names)


def read_modules(*folders: str) -> list[Module]:
    modules = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            modules.append(Module(name, path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf-8"))))
    return modules


MODULES = read_modules("tinyxf", "scripts")
OURS = {module.name for module in MODULES}
PACKAGE = [module for module in MODULES if module.name.startswith("tinyxf")]
READING = ("tinyxf.trace", "tinyxf.chapter", "tinyxf.pencil", "tinyxf.book", "tinyxf.explaining", "tinyxf.__main__")
PLAIN = [
    module
    for module in PACKAGE
    if not any(module.name == name or module.name.startswith(name + ".") for name in READING)
]  # published as one script, too


def within(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


def layer_of(name: str) -> int:
    return next((level for level, names in enumerate(LAYERS) if any(within(name, one) for one in names)), -1)


def wrong_imports(modules: list[Module]) -> list[str]:
    """Return each import that points the wrong way, or at something that is not ours and not allowed there."""
    wrong = []
    for module in modules:
        for line, target, _ in module.imports():
            where = f"{module.path}:{line}: {module.name} imports {target}"
            if within(target, "tinyxf"):
                here, there = layer_of(module.name), layer_of(target)
                closed = any(within(module.name, one) and within(target, one) for one in CLOSED)
                if there > here or closed:
                    wrong.append(where)
            elif within(module.name, "tinyxf") and target.split(".")[0] not in sys.stdlib_module_names | allowed(
                module
            ):
                wrong.append(where)
    return wrong


def allowed(module: Module) -> set[str]:
    return OUTSIDE[max((prefix for prefix in OUTSIDE if within(module.name, prefix)), key=len)]


def wrong_acts(module: Module) -> list[str]:
    """Return each call of this module that prints or writes a file."""
    wrong = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PRINTS:
            wrong.append(f"{module.path}:{node.lineno}: calls {node.func.id}")
        if isinstance(node, ast.Attribute) and (
            node.attr in WRITES | STREAMS or ast.unparse(node) in WRITES_OF_MODULES
        ):
            wrong.append(f"{module.path}:{node.lineno}: uses .{node.attr}")
        if isinstance(node, ast.Call) and opens_to_write(node):
            wrong.append(f"{module.path}:{node.lineno}: opens a file to write")
    return wrong


def opens_to_write(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name):
        name, modes = call.func.id, call.args[1:2]  # open(path, mode)
    elif isinstance(call.func, ast.Attribute):
        name, modes = call.func.attr, call.args[:1]  # path.open(mode)
    else:
        return False
    modes = [*modes, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    texts = [mode.value for mode in modes if isinstance(mode, ast.Constant) and isinstance(mode.value, str)]
    return name in {"open", "fdopen"} and any(set(text) & MODES for text in texts)


def made_up(name: str, source: str) -> Module:
    return Module(name, Path("made-up.py"), ast.parse(source))


def test_every_module_has_its_layer() -> None:
    assert [module.name for module in PACKAGE if layer_of(module.name) < 0 and module.name != "tinyxf"] == []
    empty = [name for names in LAYERS for name in names if not any(within(module.name, name) for module in MODULES)]
    assert empty == []


def test_imports_point_down() -> None:
    assert wrong_imports(MODULES) == []


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("tinyxf.stages.ffn", "from tinyxf.stages.embed import embed"),
        ("tinyxf.stages.ffn", "def f():\n    from tinyxf.model import Run"),
        ("tinyxf.tables.ffn", "from tinyxf.trace.traced import lift"),
        ("tinyxf.table", "from tinyxf.catalog import Catalog"),
        ("tinyxf.catalog", "import tinyxf.book.render"),
        ("tinyxf.layers", "import scipy"),
        ("tinyxf.model", "import mpmath"),
        ("tinyxf.book.fill", "from jinja2 import Environment"),
        ("tinyxf.book.render", "from mkdocs.config import Config"),
    ],
)
def test_a_wrong_import_is_found(name: str, source: str) -> None:
    assert len(wrong_imports([made_up(name, source)])) == 1


def test_only_the_hook_knows_the_engine() -> None:
    knowing = {m.name for m in MODULES for _, target, _ in m.imports() if target.split(".")[0] in ENGINE}
    assert knowing <= {"scripts.hooks"}


def test_only_scripts_and_the_command_line_print_or_write() -> None:
    assert [act for module in PACKAGE if module.name not in SPEAKING for act in wrong_acts(module)] == []


@pytest.mark.parametrize(
    "source",
    [
        "print(1)",
        "import sys\nsys.stdout.write('x')",
        "from pathlib import Path\nPath('x').write_text('y')",
        "open('x', 'w')",
        "open('x', mode='ab')",
        "import pathlib\npathlib.Path('x').open('r+')",
        "import shutil\nshutil.rmtree('x')",
        "import os\nos.remove('x')",
    ],
)
def test_an_act_of_writing_is_found(source: str) -> None:
    assert wrong_acts(made_up("tinyxf.layers", source))


def test_reading_is_no_act_of_writing() -> None:
    assert wrong_acts(made_up("tinyxf.layers", "open('x')\nopen('w', 'rb')\nprint_nothing()\n[1].remove(1)")) == []


def test_nothing_imports_a_whole_module_of_ours_or_everything_of_any() -> None:
    """The plain modules are also published as one script, so each name must come by itself."""
    found = [(f"{m.path}:{line}: {target}", target, names) for m in MODULES for line, target, names in m.imports()]
    whole = [where for where, target, names in found if within(target, "tinyxf") and not names]
    stars = [where for where, _, names in found if "*" in names]
    from_package = [where for where, target, _ in found if target == "tinyxf"]
    renamed = [
        f"{m.path}:{node.lineno}: {alias.name} as {alias.asname}"
        for m in PLAIN
        for node in ast.walk(m.tree)
        if isinstance(node, ast.ImportFrom) and within(node.module or "", "tinyxf")
        for alias in node.names
        if alias.asname
    ]
    assert whole + stars + from_package + renamed == []


def test_names_are_unique_across_the_plain_modules() -> None:
    """The plain modules are also published as one script, where two of a name would be one."""
    homes = defaultdict(set)
    for module in PLAIN:
        for name in top_level_names(module.tree):
            homes[name].add(module.name)
    assert {name: sorted(modules) for name, modules in homes.items() if len(modules) > 1} == {}


def top_level_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (part.id for one in targets for part in ast.walk(one) if isinstance(part, ast.Name))


def test_nothing_happens_at_import() -> None:
    """A module holds definitions and constants: no call for its effect, no branch but the main guard."""
    wrong = []
    for module in PACKAGE:
        for node in module.tree.body:
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            guard = isinstance(node, ast.If) and ast.unparse(node.test) in {"__name__ == '__main__'", "TYPE_CHECKING"}
            fine = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
            if not (docstring or guard or isinstance(node, fine)):
                wrong.append(f"{module.path}:{node.lineno}: {ast.unparse(node)[:60]}")
    assert wrong == []


def test_modules_stay_short() -> None:
    lengths = {m.path.as_posix(): len((ROOT / m.path).read_text(encoding="utf-8").splitlines()) for m in MODULES}
    assert {path: lines for path, lines in lengths.items() if lines >= 300} == {}
