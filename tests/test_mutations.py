"""Single random edits of our own book: each is refused where it was made, or every number that it publishes is right.

An edit is a digit in a page, a name in a placeholder, a weight, or a piece of a template.  What the checks let pass
is built, reconciled, and then read by other means than theirs.
"""

from __future__ import annotations

import importlib.util
import random
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from configuration import read_configuration
from loading import place
from reading import _link, read_snippets, read_text

from tests.building import ROOT
from tests.reading import parse_html, read_html, visible
from tinyxf.book.checks.check import check_edition
from tinyxf.book.edition import Edition, Manuscript
from tinyxf.book.markdown import Converter
from tinyxf.book.readback.expected import expected_pages
from tinyxf.book.readback.reconcile import reconcile
from tinyxf.book.reading.scan import scan
from tinyxf.book.render import TEMPLATES, Renderer
from tinyxf.book.takeaway.offered import file_names, finish_links
from tinyxf.catalog import Catalog, merge
from tinyxf.chapter import catalog as chapter
from tinyxf.pencil import catalog as pencil

BOOK = read_configuration()
LEDGER = read_text(BOOK.docs / "numbers.csv")
WEIGHTS = ROOT / "tinyxf" / "weights.py"
ASSETS = [path.relative_to(BOOK.docs).as_posix() for path in BOOK.docs.rglob("*") if path.suffix != ".md"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: what kind, in which file, in which line, and how the line reads now."""

    kind: str
    file: str
    line: int
    text: str


@dataclass
class Score:
    """What became of the edits."""

    caught: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        kinds = sorted(self.caught | self.passed)
        each = ", ".join(f"{kind} {self.caught[kind]} + {self.passed[kind]}" for kind in kinds)
        total = f"{self.caught.total()} refused in their place + {self.passed.total()} published with right numbers"
        return f"{self.caught.total() + self.passed.total()} edits: {total}, {len(self.wrong)} wrong ({each})"


@cache
def catalog() -> Catalog:
    return merge([chapter(), pencil()])


@cache
def pages() -> Mapping[str, str]:
    return {uri: read_text(BOOK.docs / uri) for uri in BOOK.pages}


# -- edits


def edit_digit(chance: random.Random) -> tuple[Edit, Mapping[str, str]]:
    """Change one digit anywhere in a page."""
    uri = chance.choice([uri for uri, text in pages().items() if re.search(r"\d", text)])
    text = pages()[uri]
    at = chance.choice([found.start() for found in re.finditer(r"\d", text)])
    other = chance.choice([digit for digit in "0123456789" if digit != text[at]])
    return edited("digit", uri, at, at + 1, other)


def edit_name(chance: random.Random) -> tuple[Edit, Mapping[str, str]]:
    """Change, drop or double one letter of a name in a placeholder."""
    uri = chance.choice([uri for uri, text in pages().items() if scan(text).placeholders])
    text = pages()[uri]
    names = [
        (own.start + found.start(1), found[1])
        for own in scan(text).placeholders
        for found in re.finditer(r'"([^"]+)"', own.text)
        if "literal" not in own.text
    ]
    start, name = chance.choice(names)
    at = start + chance.randrange(len(name))
    letter = text[at]
    return edited(
        "name", uri, at, at + 1, chance.choice(["", letter * 2, chance.choice("abcdehnorstuwx0123456789._")])
    )


def edited(kind: str, uri: str, start: int, end: int, new: str) -> tuple[Edit, Mapping[str, str]]:
    text = pages()[uri]
    line = text.count("\n", 0, start) + 1
    changed = text[:start] + new + text[end:]
    return Edit(kind, f"docs/{uri}", line, changed.splitlines()[line - 1]), {**pages(), uri: changed}


def edit_weight(chance: random.Random) -> tuple[Edit, Catalog | str]:
    """Change one number among the weights, and run the model with them; return the problem where it does not run."""
    text = WEIGHTS.read_text(encoding="utf-8")
    body = text.index("EMBEDDING")
    numbers = [found for found in re.finditer(r"(?<![\w.])\d+(?:\.\d+)?(?=[,)])", text) if found.start() > body]
    found = chance.choice(numbers)
    new = chance.choice(
        [number for number in ("0", "1", "0.5", "2", "0.25", "3.75") if float(number) != float(found[0])]
    )
    changed = text[: found.start()] + new + text[found.end() :]
    line = changed.count("\n", 0, found.start()) + 1
    edit = Edit("weight", "tinyxf/weights.py", line, changed.splitlines()[line - 1])
    try:
        return edit, merge([chapter(model=load(changed).woodchuck()), pencil()])
    except Exception as error:  # noqa: BLE001  whatever an edit can raise
        return edit, str(place(error))


def load(source: str) -> ModuleType:
    spec = importlib.util.spec_from_loader("weights_of_a_test", loader=None)
    assert spec
    module = importlib.util.module_from_spec(spec)
    exec(compile(source, str(WEIGHTS), "exec"), module.__dict__)  # noqa: S102  our own weights, one changed
    return module


def edit_template(chance: random.Random, folder: Path) -> Edit:
    """Drop an expression, a statement or a letter of a template into which numbers go."""
    names = ("table.html.jinja", "work.html.jinja", "figures/parts.svg.jinja", "figures/panels.svg.jinja")
    name = chance.choice(names)
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    begin = text.index("-#}") + 3
    pieces = [found.span() for found in re.finditer(r"\{\{.*?\}\}|\{%.*?%\}", text) if found.start() > begin]
    start, end = chance.choice([*pieces, *[(at, at + 1) for at in chance.sample(range(begin, len(text)), 30)]])
    for path in TEMPLATES.rglob("*.jinja"):
        if "theme" not in path.parts:
            (folder / path.relative_to(TEMPLATES)).parent.mkdir(parents=True, exist_ok=True)
            (folder / path.relative_to(TEMPLATES)).write_bytes(path.read_bytes())
    (folder / name).write_text(text[:start] + text[end:], encoding="utf-8")
    line = text.count("\n", 0, start) + 1
    return Edit("template", f"{folder.name}/{name}", line, f"without {text[start:end]!r}")


# -- what becomes of an edit


def build(texts: Mapping[str, str], shown: Catalog, templates: Path = TEMPLATES) -> tuple[list[str], dict[str, str]]:
    """Check and build a book; return its problems, or its pages."""
    manuscripts = [Manuscript(f"docs/{uri}", uri, text) for uri, text in texts.items()]
    edition = Edition(shown, manuscripts, Renderer(shown, templates), _link, read_snippets(BOOK.docs))
    converter = Converter(BOOK.extensions, BOOK.options, edition.mark_included)
    offered = file_names(table.id for table in shown.tables)
    found = check_edition(edition, converter.convert, LEDGER, [*ASSETS, *offered])
    if found:
        return [str(problem) for problem in found], {}
    site = {f"{uri.removesuffix('.md')}.html": page(edition, converter, uri) for uri in texts}
    return [str(problem) for problem in reconcile(shown, expected_pages(edition), site)], site


def page(edition: Edition, converter: Converter, uri: str) -> str:
    """Return a page of the site, in a theme of its title and description alone."""
    marked = edition.marked(uri)
    front = edition.front(yaml.safe_load(marked.split("---\n")[1]))
    head = (
        f'<title>{escape(front["title"])}</title><meta name="description" content="{escape(front["description"])}">'
    )
    content = finish_links(edition.content(uri, converter.convert(marked)), edition.catalog, {}, "")
    return f"<!doctype html><html><head>{head}</head><body>{edition.finish(uri, content)}</body></html>"


def misprints(site: Mapping[str, str], shown: Catalog) -> list[str]:
    """Return what a published site says wrongly of its numbers, read by other means than reconciliation."""
    wrong = []
    tables = {
        table.id: [[table.text(i, j) for j in range(len(table.columns))] for i in range(len(table.rows))]
        for table in shown.tables
    }
    seen: set[str] = set()
    for name, text in site.items():
        tree = parse_html(text)
        for table, own in read_html(tree).items():
            seen.add(table)
            if own.rows != tables[table]:
                wrong.append(f"{name}: the table {table}")
        for element in tree.iter():
            address = element.get("data-address")
            if address is not None and element.get("data-expression") is None:
                number = shown.lookup(address)
                if visible(element) != number.display or element.get("value") not in (None, number.full):
                    wrong.append(f"{name}: {address} reads {visible(element)}, expected {number.display}")
    return wrong + [f"no page shows {table}" for table in tables.keys() - seen]


def judge(edit: Edit, problems: list[str], site: Mapping[str, str], shown: Catalog, score: Score) -> None:
    """Score an edit: problems must name its place, a site must be right."""
    if not problems:
        score.passed[edit.kind] += 1
        score.wrong += [f"{edit}: {fault}" for fault in misprints(site, shown)]
        return
    score.caught[edit.kind] += 1
    places = {
        "weight": rf"docs/numbers\.csv:\d+:1: weights\.\S+: \S+ -> \S+|{edit.file}:{edit.line}:",  # old and new
        # a tag without its partner is found at the partner, a lost number in the page that lost it
        "template": rf"{re.escape(edit.file)}:\d+:|site/\S+:\d+:\d+: ",
    }
    where = places.get(edit.kind, rf"{re.escape(edit.file)}:{edit.line}:")
    if "{#" in edit.text:  # an anchor of another name is missed where somebody points to it
        where += rf"|.* dead anchor: .*{re.escape(Path(edit.file).name)}#|{re.escape(edit.file)}:.* dead anchor: "
    if not any(re.match(where, problem) for problem in problems):
        score.wrong.append(f"{edit}: told elsewhere: {problems[:3]}")


def mutate(seeds: range, folder: Path) -> Score:
    """Make one edit for each seed, a fourth of each kind."""
    score = Score()
    for seed in seeds:
        chance = random.Random(seed)  # noqa: S311  the same edits everywhere
        match seed % 4:
            case 0:
                edit, texts = edit_digit(chance)
                judge(edit, *build(texts, catalog()), catalog(), score)
            case 1:
                edit, texts = edit_name(chance)
                judge(edit, *build(texts, catalog()), catalog(), score)
            case 2:
                edit, shown = edit_weight(chance)
                if isinstance(shown, str):
                    judge(edit, [shown], {}, catalog(), score)
                else:
                    judge(edit, *build(pages(), shown), shown, score)
            case _:
                own = folder / str(seed) / "templates"
                edit = edit_template(chance, own)
                judge(edit, *build(pages(), catalog(), own), catalog(), score)
    return score


def test_the_book_itself_is_right() -> None:
    problems, site = build(pages(), catalog())
    assert problems == []
    assert misprints(site, catalog()) == []


def test_a_misprint_would_be_seen() -> None:
    _, site = build(pages(), catalog())
    spoiled = {**site, "loss.html": site["loss.html"].replace(">1.1690</data>", ">1.1609</data>", 1)}
    assert misprints(spoiled, catalog())


def test_single_edits_publish_no_wrong_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score = mutate(range(20), tmp_path)
    with capsys.disabled():
        sys.stdout.write(f"\n{score}\n")
    assert not score.wrong, "\n".join(score.wrong)
    assert score.caught.total() >= 10


@pytest.mark.soak
def test_two_hundred_edits_publish_no_wrong_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score = mutate(range(1000, 1200), tmp_path)
    with capsys.disabled():
        sys.stdout.write(f"\n{score}\n")
    assert not score.wrong, "\n".join(score.wrong)
    assert score.caught.total() >= 100
