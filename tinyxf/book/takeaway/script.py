"""`tiny_transformer.py`: the command line of the chapter as one file that needs numpy alone.

Beside the pages, from the sources of the package itself, so that it cannot drift from what fills them.  The modules
that the command line and the chapter's contents need are put one after the other, each after those it builds on;
imports among them vanish, all others move to the top.  What cannot be joined like that is a problem with its line.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tinyxf.book.takeaway.offered import SCRIPT
from tinyxf.errors import BookError, Problem

ROOTS = ("tinyxf.weights", "tinyxf.model", "tinyxf.contents", "tinyxf.cli")  # a reader meets the model first
PACKAGE = "tinyxf"
LIBRARIES = frozenset({"numpy"})
WIDTH = 118

HEADER = '''"""A transformer small enough to check by hand, in one file.

It needs Python 3.11 or newer, and numpy:

    python tiny_transformer.py                      the whole run, step by step
    python tiny_transformer.py --attention          one stage of it
    python tiny_transformer.py --prompt "how much wood would" --target a
    python tiny_transformer.py --help               what else it does

These are the modules of the program that fills the book, one after the other, each after those it builds on.  The
model comes first: its weights, two layers, six stages, and one run through them all.  The rest turns the run into
tables and prints them.  To try another model, change a weight in `woodchuck` and run the file again.

MIT License.  Copyright (c) 2026 The tinyxf authors.
"""

from __future__ import annotations
'''

FOOTER = f"""

if __name__ == "__main__":
    sys.exit(main(publish_chapter, name="{SCRIPT}"))
"""

_GAP = re.compile(r"\n{4,}")
_INNER = re.compile(r"^[ \t]+(?:import|from)[ \t]", re.MULTILINE)  # cheaper than to look through every node


@dataclass(frozen=True, slots=True, order=True)
class Import:
    """One name that a module imports from elsewhere: `import module as alias`, or `from module import name`."""

    module: str
    name: str = ""
    alias: str = ""

    @property
    def binding(self) -> str:
        """The name by which the importing module knows it."""
        return self.alias or self.name or self.module.partition(".")[0]


@dataclass(slots=True)
class Part:
    """A module on its way into the script."""

    name: str
    docstring: str
    code: str
    needs: list[str] = field(default_factory=list)
    imports: list[tuple[Import, int]] = field(default_factory=list)
    definitions: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The module's file, as readers of the repository know it."""
        return f"{self.name.replace('.', '/')}.py"

    def report(self, line: int, message: str) -> None:
        """Note what keeps this module out of the script."""
        self.problems.append(Problem(self.path, line, 1, f"{message}, so {SCRIPT} cannot hold this module", "script"))


def read_sources(package: Path = Path(__file__).parents[2]) -> dict[str, str]:
    """Return the text of every module of the package, by its name."""
    names = {
        path: ".".join((PACKAGE, *path.relative_to(package).with_suffix("").parts)) for path in package.rglob("*.py")
    }
    return {name: path.read_text(encoding="utf-8") for path, name in sorted(names.items())}


def assemble(sources: Mapping[str, str], roots: Iterable[str] = ROOTS) -> str:
    """Return the script's text without its last lines, those that run it: a notebook takes it like this.

    Raises BookError with every line that cannot be joined with the others.
    """
    parts = read_parts(sources, roots)
    problems = [problem for part in parts for problem in (*part.problems, *_clashes(part, parts))]
    if problems:
        raise BookError(problems)
    imports = "\n".join(_import_lines({own for part in parts for own, _ in part.imports}))
    return "\n".join([HEADER, imports.rstrip("\n"), *map(_section, parts)])


def write_script(sources: Mapping[str, str], roots: Iterable[str] = ROOTS) -> str:
    """Return the whole script.  Raises BookError as `assemble` does."""
    return assemble(sources, roots) + FOOTER


def read_parts(sources: Mapping[str, str], roots: Iterable[str] = ROOTS) -> tuple[Part, ...]:
    """Return the modules that `roots` need, themselves included, each after those it needs."""
    done: dict[str, Part] = {}

    def visit(name: str) -> None:
        if name not in done:
            part = _read(name, sources[name])
            for need in part.needs:
                if need in sources:
                    visit(need)
            done[name] = part

    for root in roots:
        visit(root)
    return tuple(done.values())


def _read(name: str, source: str) -> Part:
    """Take a module apart: docstring, imports, and the rest as it stands, comments and all."""
    tree = ast.parse(source)
    lines: list[str | None] = list(source.splitlines())
    nested = _INNER.search(source)
    part = Part(name, ast.get_docstring(tree) or "", "")
    for number, node in enumerate(tree.body):
        match node:
            case ast.Expr(value=ast.Constant(value=str())) if number == 0:
                gone = True
            case ast.Import() | ast.ImportFrom():
                gone = True
                _take_import(part, node)
            case ast.FunctionDef() | ast.ClassDef() | ast.Assign() | ast.AnnAssign():
                gone = False
                part.definitions |= dict.fromkeys(_defined(node), node.lineno)
            case _:
                gone = False
                part.report(node.lineno, "it does something besides defining names")
        if gone:
            lines[node.lineno - 1 : node.end_lineno] = [None] * ((node.end_lineno or node.lineno) - node.lineno + 1)
        for inner in ast.walk(node) if nested and not gone else ():
            if isinstance(inner, ast.Import | ast.ImportFrom):
                _check_inner(part, inner)
    part.code = _GAP.sub("\n\n\n", "\n".join(line for line in lines if line is not None)).strip("\n")
    return part


def _take_import(part: Part, node: ast.Import | ast.ImportFrom) -> None:
    module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        target = module or alias.name
        root = target.partition(".")[0]
        if target == "__future__":
            if alias.name != "annotations":
                part.report(node.lineno, f"it asks for {alias.name} of the future")
        elif root == PACKAGE:
            if alias.asname or not module or module == PACKAGE:
                part.report(node.lineno, "it imports from the package otherwise than name by name")
            part.needs.append(target)
        elif root in sys.stdlib_module_names or root in LIBRARIES:
            own = (
                Import(module, alias.name, alias.asname or "")
                if module
                else Import(alias.name, "", alias.asname or "")
            )
            part.imports.append((own, node.lineno))
        else:
            part.report(node.lineno, f"it imports {root}, and readers are promised to need numpy alone")


def _check_inner(part: Part, node: ast.Import | ast.ImportFrom) -> None:
    """Report an import inside a function that would be missing in the script."""
    for target in [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]:
        if target.partition(".")[0] not in sys.stdlib_module_names:
            part.report(node.lineno, f"it imports {target} inside of a definition")


def _defined(node: ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            yield from (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name


def _clashes(part: Part, parts: Iterable[Part]) -> Iterator[Problem]:
    """Report each name of a module that means something else in another one, or in Python itself."""
    own = Part(part.name, "", "")
    for name, line in part.definitions.items():
        if hasattr(builtins, name):
            own.report(line, f"it defines {name}, which Python has already")
        for other in parts:
            if other is not part and name in other.definitions:
                own.report(line, f"{name} is defined in {other.path} too")
    for imported, line in part.imports:
        for other in parts:
            if imported.binding in other.definitions:
                own.report(line, f"it imports {imported.binding}, which {other.path} defines")
            if any(imported.binding == theirs.binding and imported != theirs for theirs, _ in other.imports):
                own.report(line, f"{imported.binding} is something else in {other.path}")
    return iter(own.problems)


def _import_lines(imports: Iterable[Import]) -> Iterator[str]:
    """Yield the imports as a tidy module has them: the standard library, then the others; whole modules first."""
    wanted = set(imports)
    for others in (False, True):
        group = sorted(own for own in wanted if (own.module.partition(".")[0] in LIBRARIES) is others)
        lines = [f"import {own.module}" + (f" as {own.alias}" if own.alias else "") for own in group if not own.name]
        for module in dict.fromkeys(own.module for own in group if own.name):
            own_names = sorted((own for own in group if own.name and own.module == module), key=_by_case)
            names = [own.name + (f" as {own.alias}" if own.alias else "") for own in own_names]
            line = f"from {module} import {', '.join(names)}"
            lines.append(line if len(line) <= WIDTH else _wrapped(module, names))
        if lines:
            yield "\n".join(lines) + "\n"


def _by_case(own: Import) -> tuple[bool, bool, str]:
    """Sort as ruff does: constants, classes, functions."""
    return not own.name.isupper(), not own.name[:1].isupper(), own.name


def _wrapped(module: str, names: Iterable[str]) -> str:
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def _section(part: Part) -> str:
    """Return a module's code under its name and what its docstring says."""
    comment = "\n".join(f"# {line}".rstrip() for line in part.docstring.splitlines())
    return "\n".join([f"\n# {'-' * (WIDTH - 2)}\n# {part.path}\n#", comment, "", "", part.code, ""])
