"""Read published tables back out of every output, as a reader would: by what is seen on the page.

Each function takes a whole output and returns its tables by id, in order.  Nothing here knows how the package writes.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import html5lib

Line = list[str]


@dataclass(frozen=True, slots=True)
class Seen:
    """A table as it was seen: its step, its column heads, and its rows."""

    step: str
    columns: Line
    rows: list[Line]


def read_text(output: str) -> dict[str, Seen]:
    """Read the terminal's text: a line `Step 1  Title  [id]`, then aligned columns between blank lines."""
    heading = re.compile(r"^(?:Step (\S+)  )?\S.*  \[(\S+)\]$")
    tables: dict[str, Seen] = {}
    lines = output.split("\n")
    for number, line in enumerate(lines):
        found = heading.match(line)
        if found:
            assert lines[number + 1] == ""
            block = lines[number + 2 : lines.index("", number + 2)]
            columns, *rows = cut_columns(block)
            tables[found[2]] = Seen(found[1] or "", columns, rows)
    return tables


def cut_columns(lines: list[str]) -> list[Line]:
    """Cut aligned lines where two or more places are blank in all of them."""
    wide = max(map(len, lines))
    padded = [line.ljust(wide) for line in lines]
    blank = "".join(" " if all(line[place] == " " for line in padded) else "x" for place in range(wide))
    columns = [match.span() for match in re.finditer(r"x+(?: x+)*", blank)]
    return [[line[start:end].strip() for start, end in columns] for line in padded]


def read_markdown(output: str) -> dict[str, Seen]:
    """Read pipe tables, each under a line ``**Step 1: Title** (`id`)``."""
    heading = re.compile(r"^\*\*(?:Step (\S+): )?.*\*\* \(`([^`]+)`\)$")
    tables: dict[str, Seen] = {}
    lines = output.split("\n")
    for number, line in enumerate(lines):
        found = heading.match(line)
        if found:
            block = lines[number + 2 : lines.index("", number + 2)]
            columns, rule, *rows = (split_pipes(own) for own in block)
            assert all(re.fullmatch(":?-+:?", cell) for cell in rule)
            tables[found[2]] = Seen(found[1] or "", columns, rows)
    return tables


def split_pipes(line: str) -> Line:
    """Split one row of a pipe table, and undo the escapes in its cells."""
    cells = re.findall(r"((?:[^|\\]|\\.)*)\|", line)
    assert cells[0] == "", line
    return [html.unescape(re.sub(r"\\(.)", r"\1", cell.strip())) for cell in cells[1:]]


def read_tex(output: str) -> dict[str, Seen]:
    """Read LaTeX tabulars, by caption, since LaTeX shows no ids."""
    tables: dict[str, Seen] = {}
    for found in re.finditer(
        r"\\caption\{(?:Step (\S+): )?([^\n]*)\}\n\\begin\{tabular\}\{(\w+)\}\n(.*?)\\end\{tabular\}",
        output,
        re.DOTALL,
    ):
        step, title, kinds, body = found.groups()
        lines = [line.removesuffix(r" \\") for line in body.splitlines() if line != r"\hline"]
        columns, *rows = ([plain_tex(cell) for cell in re.split(r" (?<!\\)& ", line + " ")] for line in lines)
        assert len(kinds) == len(columns)
        tables[title] = Seen(step or "", columns, rows)
    return tables


def plain_tex(cell: str) -> str:
    """Undo LaTeX's escapes, as far as these tables need them."""
    if cell.strip() == "--":  # LaTeX's dash, for a masked cell
        return "-"
    cell = cell.replace(r"\textbackslash{}", "\0")
    return re.sub(r"\\([&%$#_{}])", r"\1", cell).replace("\0", "\\").strip()


def read_csv(output: str) -> dict[str, Seen]:
    """Read one line a cell: the table's id and step, row and column from 0, the column's head, and what is shown."""
    cells: dict[str, dict[tuple[int, int], str]] = {}
    heads: dict[str, dict[int, str]] = {}
    steps: dict[str, str] = {}
    for line in csv.DictReader(io.StringIO(output, newline="")):
        row, column = int(line["row"]), int(line["column"])
        assert (row, column) not in cells.setdefault(line["table"], {}), line
        cells[line["table"]][row, column] = line["display"]
        assert heads.setdefault(line["table"], {}).setdefault(column, line["header"]) == line["header"]
        steps[line["table"]] = line["step"]
    return {
        table: Seen(
            steps[table],
            [heads[table][column] for column in sorted(heads[table])],
            [
                [own[row, column] for column in sorted(heads[table])]
                for row in sorted({row for row, _ in own})
            ],
        )
        for table, own in cells.items()
    }  # fmt: skip


def read_json(output: str) -> dict[str, Seen]:
    """Read the tables of the JSON, by the texts of their cells."""
    return {
        table["id"]: Seen(
            table["step"],
            [column["label"] for column in table["columns"]],
            [[cell["text"] for cell in row] for row in table["rows"]],
        )
        for table in json.loads(output)["tables"]
    }


def parse_html(output: str) -> Element:
    """Parse HTML as a browser does, names without a namespace."""
    parsed: Element = html5lib.parse(output, namespaceHTMLElements=False)
    return parsed


def read_html(output: str | Element) -> dict[str, Seen]:
    """Read every table that names itself in `data-table`, by what eyes see of it."""
    page = parse_html(output) if isinstance(output, str) else output
    tables: dict[str, Seen] = {}
    for box in page.iter():
        name = box.get("data-table")
        if name is None:
            continue
        (table,) = box.iter("table")
        (head,), body = table.findall("thead/tr"), table.findall("tbody/tr")
        step = next((visible(part) for part in table.iter("span") if "tx-step" in part.get("class", "")), "")
        seen = Seen(
            step.removeprefix("Step "), [visible(cell) for cell in head], [list(map(visible, row)) for row in body]
        )
        assert tables.setdefault(name, seen) == seen, name  # a table that stands twice says the same twice
    return tables


def visible(element: Element) -> str:
    """Return the element's text, without what is for screen readers alone."""
    return "".join(_seen_parts(element)).strip()


def _seen_parts(element: Element) -> Iterator[str]:
    if "tx-hidden" in element.get("class", "").split() or not isinstance(element.tag, str):
        return
    yield element.text or ""
    for child in element:
        yield from _seen_parts(child)
        yield child.tail or ""
