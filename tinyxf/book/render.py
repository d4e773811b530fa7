"""Catalog to markup, through the Jinja templates in `templates/`.

After the catalog, before the pages.  The only module that imports Jinja.  Templates loop and choose; what they show
is laid out here as plain values, already formatted.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
from jinja2 import nodes
from jinja2.parser import Parser

from tinyxf.catalog import Catalog, Published
from tinyxf.errors import BookError, Problem, TinyxfError
from tinyxf.formatting import full_value
from tinyxf.table import Blank, Column, Label, Number, Table

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates"

# What Markdown would read as markup, and how to write it so that every engine shows it as typed.
_MARKDOWN = re.compile(
    r"""[\\`*_{}\[\]|<>&$~^#"]|--|\.\.\."""
    r"""|\((?=(?:c|r|p|tm)\))|(?<=[\d+c=])/(?=[\do=-])|(?<=\d)[snrt](?=[tdh]\b)""",  # (c), 1/2, +/-, 1st
    re.IGNORECASE,
)
_MARKDOWN_BACKSLASH = frozenset("\\`*_{}[]|#")
_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
}
_TEX_LIGATURE = re.compile(r"-(?=-)|'(?=')")
_TEX_LEAD = re.compile(r"\A[\[*]")


@dataclass(frozen=True, slots=True)
class ViewCell:
    """One cell, ready to print: `kind` is number, label or blank; `head` marks the cell that names the row."""

    kind: str
    text: str
    full: str = ""
    address: str = ""
    word: str = ""
    head: bool = False


@dataclass(frozen=True, slots=True)
class ViewTable:
    """One table, ready to print: rows of cells, and the note in pieces of words and numbers."""

    table: Table
    columns: tuple[Column, ...]
    rows: tuple[tuple[ViewCell, ...], ...]
    note: tuple[str | Published, ...]


def view_table(catalog: Catalog, table: Table) -> ViewTable:
    """Lay out `table` as its templates want it."""
    rows = tuple(tuple(_view_cell(table, i, j) for j in range(len(table.columns))) for i in range(len(table.rows)))
    return ViewTable(table, table.columns, rows, catalog.note(table))


def _view_cell(table: Table, row: int, column: int) -> ViewCell:
    text = table.text(row, column)
    match table.rows[row].cells[column]:
        case Number(value):
            address = table.address(row, column)
            return ViewCell("number", text, full_value(value), address, head=column == 0 and table.names_rows)
        case Blank(word):
            return ViewCell("blank", text, word=word)
        case Label():
            return ViewCell("label", text, head=column == 0)


def escape_markdown(text: str) -> str:
    """Write `text` so that Markdown shows it as typed: backslashes where every engine knows them, else entities."""
    return _MARKDOWN.sub(
        lambda found: "".join("\\" + c if c in _MARKDOWN_BACKSLASH else f"&#{ord(c)};" for c in found[0]), text
    )


def escape_tex(text: str) -> str:
    """Write `text` so that LaTeX shows it as typed: no ligatures, and no option of the row before."""
    written = "".join(_TEX.get(char, char) for char in text)
    return _TEX_LEAD.sub(r"{\g<0>}", _TEX_LIGATURE.sub(r"\g<0>{}", written))


def environment(templates: Path = TEMPLATES, compiled: jinja2.BytecodeCache | None = None) -> jinja2.Environment:
    """Return the one environment: undefined names are errors, HTML and SVG escape by themselves.

    `compiled` keeps what was compiled from one run to the next.
    """
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        autoescape=jinja2.select_autoescape(enabled_extensions=("html.jinja", "svg.jinja")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        bytecode_cache=compiled,
    )
    made.filters["md"] = escape_markdown
    made.filters["tex"] = escape_tex
    return made


class Renderer:
    """Renders the tables and figures of one catalog; templates are compiled once.

    Raises BookError with the template's own file and line where a template is at fault.
    """

    def __init__(
        self, catalog: Catalog, templates: Path = TEMPLATES, compiled: jinja2.BytecodeCache | None = None
    ) -> None:
        self.catalog = catalog
        self.templates = templates
        self._environment = environment(templates, compiled)

    def table(self, table: Table, form: str, **options: object) -> str:
        """Return `table` as `form`: html, md or tex.

        HTML takes `ids` (give each cell its address as an id) and `note`; Markdown takes `addresses` (wrap each
        number in `<data>` with its address), and then `ids` too.
        """
        return self._render(f"table.{form}.jinja", view=view_table(self.catalog, table), **options)

    def figure(self, name: str, **context: object) -> str:
        """Return the figure of that name as SVG."""
        return self._render(f"figures/{name}.svg.jinja", catalog=self.catalog, **context)

    def render(self, template: str, **context: object) -> str:
        """Return any template with the catalog at hand."""
        return self._render(template, catalog=self.catalog, **context)

    def _render(self, template: str, **context: object) -> str:
        try:
            return self._environment.get_template(template).render(**context)
        except Exception as error:
            raise BookError([self._problem(template, error)]) from error

    def _problem(self, template: str, error: Exception) -> Problem:
        """Place a template's mistake: file and line of the innermost template frame."""
        place = f"{self.templates.name}/{template}"
        if isinstance(error, jinja2.TemplateSyntaxError):
            return Problem(
                f"{self.templates.name}/{error.name or template}", error.lineno, 1, str(error.message), "template"
            )
        match error:
            case jinja2.TemplateNotFound():
                message = f"template not found: {error.name}"
            case jinja2.TemplateError() | TinyxfError():
                message = str(error)
            case _:
                message = f"{type(error).__name__}: {error}"
        line = 1
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename.startswith(str(self.templates)):
                place = f"{self.templates.name}/{Path(frame.filename).relative_to(self.templates).as_posix()}"
                line = frame.lineno or 1
        return Problem(place, line, 1, message, "template")


_EXPRESSIONS = jinja2.Environment(autoescape=False, undefined=jinja2.StrictUndefined)  # noqa: S701  renders nothing


def parse_expression(source: str) -> nodes.Expr:
    """Return the tree of the one Jinja expression that `source` must be, parsed and never compiled.

    Compiling would fold constants, and so work out `9**9**9**9` before anything could refuse it.  Raises TinyxfError
    where the text is no expression, or more than one.
    """
    try:
        parser = Parser(_EXPRESSIONS, source, state="variable")
        tree = parser.parse_expression()
    except jinja2.TemplateSyntaxError as error:
        raise TinyxfError(_said(error.message or "this is no expression", source)) from error
    if not parser.stream.eos:
        raise TinyxfError(f'expected the end, found "{parser.stream.current.value}"')
    return tree


_TEXT = re.compile(r""" "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' """, re.VERBOSE | re.DOTALL)
_TOKEN = re.compile(r"(?:token )?'([^']*)'")


def _said(message: str, source: str) -> str:
    """Say in the words of whoever wrote an expression what its parser found wrong."""
    if "end of template" not in message:
        return _TOKEN.sub(r'"\1"', message).replace(", got ", ", found ").rstrip(".")
    bare = _TEXT.sub("", source)
    return "a bracket is never closed" if bare.count("(") > bare.count(")") else "it ends before it is complete"


def write_markdown(catalog: Catalog, tables: Sequence[Table]) -> str:
    """Return the tables as Markdown."""
    return _document(catalog, tables, "md")


def write_html(catalog: Catalog, tables: Sequence[Table]) -> str:
    """Return the tables as HTML, each cell with its address as id."""
    return _document(catalog, tables, "html")


def write_tex(catalog: Catalog, tables: Sequence[Table]) -> str:
    """Return the tables as LaTeX."""
    return _document(catalog, tables, "tex")


def _document(catalog: Catalog, tables: Sequence[Table], form: str) -> str:
    renderer = Renderer(catalog)
    return "\n\n".join(renderer.table(table, form, ids=True, note=True, addresses=False) for table in tables) + "\n"
