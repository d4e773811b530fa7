"""Tables through the templates: exactly the kept text, and every sign as it was typed, in every format."""

from __future__ import annotations

import re
from pathlib import Path

import html5lib
import pytest
from configuration import read_configuration
from markdown import Markdown

from tests.golden_texts import Golden
from tests.invented import SIGNS, mix
from tests.reading import read_html, read_markdown, read_tex, visible
from tinyxf.book.render import (
    TEMPLATES,
    Renderer,
    environment,
    escape_markdown,
    escape_tex,
    parse_expression,
    write_html,
    write_markdown,
    write_tex,
)
from tinyxf.catalog import Catalog, Stage
from tinyxf.errors import BookError, TinyxfError
from tinyxf.formatting import Format
from tinyxf.table import Blank, Column, Key, Label, Number, Row, Table

ODD = ("<bos>", "<pad>", "&amp;", "*x*", "__init__", "{k}", "`", "$P(A|B)$", "=1+2", "--", "(c)", "1/2", "\\")


def odd() -> Catalog:
    """Return tables whose every text some format would read as its own."""
    tokens = Table(
        "odd.tokens",
        "1.a",
        'Tokens & "others" <b>',
        "odd",
        (
            Column(Key("token"), "tok|en"),
            Column(Key("x_1"), "x_1", Format(digits=2), role="query"),
            Column(Key("share"), "%", Format(digits=0, percent=True)),
        ),
        tuple(
            Row(Key(token), (Label(token), Number(place / 8, exact=True), _share(place)))
            for place, token in enumerate(ODD)
        ),
        note="So *{odd.tokens/%28c%29/x_1}* is <b> & $x_1$, 100 % of `it`.",
    )
    single = Table(
        "odd.single",
        "",
        "One row",
        "odd",
        (
            Column(Key("a"), "before & after", Format()),
            Column(Key("b"), "-", Format(signed=True)),
            Column(Key("c"), "why"),
        ),
        (Row(None, (Number(-0.00001), Number(1500000.5), Label("-2"))),),
        companion=True,
    )
    return Catalog("Odd", (Stage("odd", "Odd"),), (tokens, single))


def _share(place: int) -> Blank | Number:
    return Blank("left <out>") if place % 3 else Number(0.5)


# -- the kept texts


@pytest.mark.parametrize("name", ["odd.tokens", "odd.single"])
@pytest.mark.parametrize(
    ("form", "file", "options"),
    [
        ("html", "html", {"ids": True, "note": True}),
        ("html", "plain.html", {"ids": False, "note": False}),
        ("md", "md", {"addresses": False, "note": True}),
        ("md", "data.md", {"addresses": True, "note": False}),
        ("tex", "tex", {"note": True}),
        ("tex", "plain.tex", {"note": False}),
    ],
)
def test_a_table_comes_out_as_kept(name: str, form: str, file: str, options: dict[str, bool], golden: Golden) -> None:
    catalog = odd()
    golden.check(f"{name}.{file}", Renderer(catalog).table(catalog.table(name), form, **options) + "\n")


@pytest.mark.parametrize(("form", "write"), [("html", write_html), ("md", write_markdown), ("tex", write_tex)])
def test_a_document_holds_its_tables_in_order(form: str, write: object, golden: Golden) -> None:
    assert callable(write)
    golden.check(f"odd.document.{form}", write(odd(), odd().tables))


# -- read back, every sign is as it was typed


def expected(catalog: Catalog) -> dict[str, tuple[list[str], list[list[str]]]]:
    return {
        table.id: (
            [column.label for column in table.columns],
            [[table.text(i, j) for j in range(len(table.columns))] for i in range(len(table.rows))],
        )
        for table in catalog.tables
    }


@pytest.mark.parametrize("catalog", [odd(), mix()], ids=["odd", "mix"])
def test_html_reads_back_as_typed_and_is_valid(catalog: Catalog) -> None:
    page = write_html(catalog, catalog.tables)
    assert {name: (seen.columns, seen.rows) for name, seen in read_html(page).items()} == expected(catalog)
    html5lib.HTMLParser(strict=True).parse(f"<!doctype html><title>x</title>{page}")


@pytest.mark.parametrize("catalog", [odd(), mix()], ids=["odd", "mix"])
@pytest.mark.parametrize("addresses", [False, True])
def test_markdown_shows_the_same_in_the_books_engine(catalog: Catalog, *, addresses: bool) -> None:
    """Python-Markdown, with the project's own extensions, shows each cell as typed."""
    book = read_configuration()
    extensions = [name for name in book.extensions if name != "pymdownx.snippets"]
    engine = Markdown(extensions=[*extensions, "pymdownx.smartsymbols"], extension_configs=book.options)
    for table in catalog.tables:
        engine.reset()
        text = Renderer(catalog).table(table, "md", addresses=addresses, note=True)
        page = html5lib.parse(engine.convert(text), namespaceHTMLElements=False)
        (shown,) = page.iter("table")
        head, *rows = [[visible(cell) for cell in row] for row in shown.iter("tr")]
        assert (head, rows) == expected(catalog)[table.id]
        numbers = [data.get("data-address") for data in shown.iter("data")]
        assert numbers == ([table.address(i, j) for i, j, _, _ in table.numbers()] if addresses else [])
        assert not [part.tag for cell in shown.iter("td") for part in cell if part.tag != "data"]


def test_the_markdown_note_shows_as_typed() -> None:
    catalog = odd()
    text = Renderer(catalog).table(catalog.table("odd.tokens"), "md", addresses=False, note=True)
    page = html5lib.parse(
        Markdown(extensions=["tables", "pymdownx.arithmatex"]).convert(text), namespaceHTMLElements=False
    )
    (*_, note) = page.iter("p")
    assert "".join(note.itertext()) == "So *1.25* is <b> & $x_1$, 100 % of `it`."
    assert len(note) == 0


def test_the_other_readers_agree() -> None:
    catalog = mix()
    seen = {
        name: (own.columns, own.rows) for name, own in read_markdown(write_markdown(catalog, catalog.tables)).items()
    }
    assert seen == expected(catalog)
    assert [row[0] for row in read_tex(write_tex(mix(), [mix().table("mix.words")]))["Words"].rows] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "sign", [*SIGNS, *ODD, "a_b_c", "1. x", "- x", "> x", "<!-- x -->", "https://a.b", "a\\b", "!", "^x^"]
)
def test_escaped_markdown_shows_the_sign_in_running_text(sign: str) -> None:
    book = read_configuration()
    extensions = [name for name in book.extensions if name != "pymdownx.snippets"]
    page = Markdown(extensions=extensions, extension_configs=book.options).convert(
        f"so {escape_markdown(sign)} is it"
    )
    (paragraph,) = html5lib.parse(page, namespaceHTMLElements=False).iter("p")
    assert "".join(paragraph.itertext()) == f"so {sign} is it"


def test_escaped_latex() -> None:
    assert escape_tex("a_b & 50% {x}") == r"a\_b \& 50\% \{x\}"
    assert [escape_tex(text) for text in ("--", "---", "''", "[x](y)", "*x*", "a [b] *")] == [
        "-{}-", "-{}-{}-", "'{}'", "{[}x](y)", "{*}x*", "a [b] *",
    ]  # fmt: skip
    assert escape_tex('\\^~<>|"`#$') == (
        r"\textbackslash{}\textasciicircum{}\textasciitilde{}\textless{}\textgreater{}\textbar{}\textquotedbl{}"
        r"\textasciigrave{}\#\$"
    )


# -- the environment


def test_html_and_drawings_escape_and_other_formats_do_not() -> None:
    made = environment()
    assert callable(made.autoescape)
    assert [made.autoescape(f"x.{form}.jinja") for form in ("html", "svg", "md", "tex")] == [True, True, False, False]


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    (tmp_path / "templates" / "figures").mkdir(parents=True)
    return tmp_path / "templates"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("{% for x in view %}\n{{ x }\n", "table.html.jinja:2:1", "unexpected '}'"),
        ("a\n{{ view.nothing }}\n", "table.html.jinja:2:1", "has no attribute 'nothing'"),
        ("a\n\n{{ nothing }}\n", "table.html.jinja:3:1", "'nothing' is undefined"),
        ("{{ 1 / 0 }}", "table.html.jinja:1:1", "ZeroDivisionError: division by zero"),
        ("\n{{ view.table + 1 }}", "table.html.jinja:2:1", "TypeError: unsupported operand"),
        ("\n{{ view.rows[99] }}", "table.html.jinja:2:1", "has no element 99"),
        ('\n{% include "none.jinja" %}', "table.html.jinja:2:1", "template not found: none.jinja"),
        ('\n{% include "part.jinja" %}', "part.jinja:2:1", "'nothing' is undefined"),
        ('\n{% include "bad.jinja" %}', "bad.jinja:1:1", "expected token"),
        ("{{ 1 | nofilter }}", "table.html.jinja:1:1", "No filter named 'nofilter'"),
        ("{{ view.table.address(9, 9) }}", "table.html.jinja:1:1", "IndexError: "),
    ],
)
def test_a_mistake_in_a_template_is_placed_in_it(templates: Path, text: str, place: str, message: str) -> None:
    (templates / "table.html.jinja").write_text(text, encoding="utf-8")
    (templates / "part.jinja").write_text("x\n{{ nothing }}\n", encoding="utf-8")
    (templates / "bad.jinja").write_text("{{ x y }}\n", encoding="utf-8")
    with pytest.raises(BookError) as error:
        Renderer(mix(), templates).table(mix().table("mix.words"), "html", ids=False, note=False)
    (problem,) = error.value.problems
    assert str(problem).startswith(f"templates/{place}: ")
    assert message in problem.message
    assert problem.kind == "template"


def test_a_template_that_is_gone_is_named(templates: Path) -> None:
    with pytest.raises(BookError, match=r"templates/table\.html\.jinja:1:1: template not found: table\.html\.jinja"):
        Renderer(mix(), templates).table(mix().table("mix.words"), "html")
    with pytest.raises(BookError, match=r"templates/figures/x\.svg\.jinja:1:1: template not found"):
        Renderer(mix(), templates).figure("x")
    with pytest.raises(BookError, match=r"templates/y\.jinja:1:1: template not found"):
        Renderer(mix(), templates).render("y.jinja")


def test_a_template_has_the_catalog_at_hand(templates: Path) -> None:
    (templates / "y.jinja").write_text(
        "{{ catalog.title }} {{ more }} {{ catalog.lookup('loss').display }}", encoding="utf-8"
    )
    assert Renderer(mix(), templates).render("y.jinja", more=1) == "A mix 1 1.1690"
    (templates / "y.jinja").write_text("\n{{ catalog.lookup('lose') }}", encoding="utf-8")
    with pytest.raises(BookError, match=r'templates/y\.jinja:2:1: unknown name "lose"; did you mean "loss"'):
        Renderer(mix(), templates).render("y.jinja")


def test_every_template_opens_with_a_comment_that_names_its_context() -> None:
    ours = {
        path.name: path.read_text(encoding="utf-8")
        for path in TEMPLATES.rglob("*.jinja")
        if "theme" not in path.parts
    }
    assert len(ours) > 4
    handed_on = re.compile(r"\{% include \S+ %\}\n")
    assert [name for name, text in ours.items() if not text.startswith("{#") and not handed_on.fullmatch(text)] == []


# -- expressions


def test_an_expression_is_parsed_and_never_run() -> None:
    assert type(parse_expression("9**9**9**9")).__name__ == "Pow"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("1 2", 'expected the end, found "2"'),
        ("(", "a bracket is never closed"),
        ('n("a)"', "a bracket is never closed"),
        ("1 +", "it ends before it is complete"),
        ('n("(") |', "it ends before it is complete"),
        ("", "it ends before it is complete"),
        ('n("a"))', 'unexpected "[)]"'),
        ('n("a" digits=2)', 'expected ",", found "digits"'),
    ],
)
def test_what_is_no_expression_says_so(source: str, message: str) -> None:
    with pytest.raises(TinyxfError, match=message):
        parse_expression(source)
