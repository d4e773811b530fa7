"""One build of the book, from placeholders to finished HTML, with Python-Markdown alone in between."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from configuration import read_configuration

from tests.invented import mix
from tests.second_chapter import catalog as tea
from tinyxf.book.edition import Edition, Manuscript
from tinyxf.book.markdown import Converter
from tinyxf.book.render import TEMPLATES, Renderer
from tinyxf.catalog import Catalog
from tinyxf.chapter import catalog as book_catalog

ALL = "\n\n".join(f'{{{{ table("{table.id}") }}}}' for table in mix().tables)
BOOK = read_configuration()


def edition(
    pages: Mapping[str, str],
    snippets: Mapping[str, str] | None = None,
    catalog: Catalog | None = None,
    templates: Path = TEMPLATES,
) -> Edition:
    shown = catalog or mix()
    return Edition(
        shown,
        [Manuscript(f"docs/{uri}", uri, text) for uri, text in pages.items()],
        Renderer(shown, templates),
        lambda page, target: f"{page}>{target}",
        [Manuscript(f"docs/snippets/{uri}", uri, text) for uri, text in (snippets or {}).items()],
    )


def finished(book: Edition, folder: Path | None = None) -> dict[str, str]:
    """Convert all pages as `check` does; `folder` holds the files that they include."""
    options = {**BOOK.options, "pymdownx.snippets": {"base_path": [str(folder)] if folder else []}}
    converter = Converter(BOOK.extensions, options, book.mark_included)
    contents = {uri: book.content(uri, converter.convert(book.marked(uri))) for uri in book.pages}
    return {uri: book.finish(uri, content) for uri, content in contents.items()}


def problems(book: Edition) -> list[str]:
    return [str(problem) for problem in book.problems]


# -- numbers


def test_a_number_carries_its_value_and_where_it_comes_from() -> None:
    book = edition(
        {"a.md": '{{ n("loss") }} {{ n("loss", digits=2) }} {{ n("loss") * 2 }} {{ n("mix.words/a/percent") }}'}
    )
    assert finished(book)["a.md"] == (
        '<p><data value="1.168960112" data-address="mix.losses/before">1.1690</data> '
        '<data value="1.168960112" data-address="mix.losses/before" data-expression="n(&quot;loss&quot;, digits=2)">'
        '1.17</data> <data value="2.337920224" data-expression="n(&quot;loss&quot;) * 2">2.3379</data> '
        '<data value="0.31068985" data-address="mix.words/a/percent">31.1%</data></p>'
    )


def test_titles_are_plain_text() -> None:
    book = edition({"a.md": '---\ntitle: So {{ n("mix.words/a/percent") }} < {{ literal("40") }}\n---\n'})
    (title,) = re.findall("title: (.*)", book.marked("a.md"))
    assert "{{" not in title
    assert book.plain(title) == "So 31.1% < 40"
    assert book.plain("nothing to fill") == "nothing to fill"


def test_a_formula_holds_the_number_as_latex_reads_it() -> None:
    book = edition({"a.md": '$p = {{ n("mix.words/a/percent") }}$ of ${{ n("total") }}$'})
    page = finished(book)["a.md"]
    assert "<mn>31.1</mn>" in page
    assert "%" in page
    assert "".join(re.findall(r"<mn>([^<]*)</mn>|<mo[^>]*>,</mo>", page.partition(" of ")[2])) == "123578112"


def test_what_looks_like_a_token_stays_what_it_is() -> None:
    book = edition({"a.md": 'tx0n0x {{ n("loss") }} tx7n0x', "b.md": '{{ n("loss") }}'})
    page = finished(book)["a.md"]
    assert page == '<p>tx0n0x <data value="1.168960112" data-address="mix.losses/before">1.1690</data> tx7n0x</p>'
    assert ">1.1690<" in finished(book)["b.md"]


def test_a_claim_leaves_no_trace_and_words_are_escaped() -> None:
    book = edition({"a.md": 'x {{ literal("1 < 2 & *3*") }}\n{{ claim(n("loss") > 1) }}\ny'})
    assert finished(book)["a.md"] == "<p>x 1 &lt; 2 &amp; *3*\ny</p>"


# -- tables and figures


def test_cells_have_ids_once_where_a_table_stands_first() -> None:
    book = edition({"a.md": ALL + "\n\n" + ALL, "b.md": ALL})
    pages = finished(book)
    ids = re.findall(r' id="([^"]*)"', pages["a.md"])
    assert len(ids) == len(set(ids)) == len(mix().tables) + len(list(mix().published())) - 8  # without the scalars
    assert " id=" not in pages["b.md"]
    assert pages["a.md"].count("<table") == 2 * len(mix().tables)
    assert book.finish("a.md", pages["a.md"]) == pages["a.md"]


def test_a_table_is_a_stub_until_the_page_is_finished() -> None:
    book = edition({"a.md": '{{ table("mix.losses") }}'})
    content = book.content("a.md", f"<p>{book.marked('a.md')}</p>")
    assert re.fullmatch(r'<div data-stub="[a-z0-9]+">Losses before after 1\.1690 0\.9119</div>\s*', content)
    assert book.finish("a.md", content).startswith('<div class="tx-table" id="mix.losses" data-table="mix.losses">')


def test_a_figure_links_to_pages_and_says_its_numbers_to_the_search() -> None:
    book = edition({"a.md": '{{ figure("model") }}'}, catalog=book_catalog())
    content = book.content("a.md", f"<p>{book.marked('a.md')}</p>")
    assert "The whole model" in content
    assert book.finish("a.md", content).count('href="a.md&gt;') > 3
    (figure,) = book.blocks_of("a.md")
    assert figure.startswith("<figure")
    assert figure.rstrip().endswith("</figure>")


def test_a_figure_of_another_chapter_is_a_problem_in_its_place() -> None:
    book = edition({"a.md": 'x\n\n{{ figure("model") }}'}, catalog=tea())
    page = finished(book)["a.md"]
    (problem,) = [problem for problem in problems(book) if "shows" not in problem]
    assert problem.startswith("docs/a.md:3:1: unknown ")
    assert re.search(r'<span class="tx-problem" role="alert">docs/a.md:3:1: unknown ', page)
    assert book.blocks_of("a.md") == ()


def test_tables_that_no_page_shows_are_named() -> None:
    book = edition({"a.md": '{{ table("mix.words") }}\n\n```\n{{ table("mix.signs") }}\n```\n'})
    assert problems(book) == [
        f'mkdocs.yml:1:1: no page shows the table "{name}"; write {{{{ table("{name}") }}}} on a line of its own'
        for name in ("mix.losses", "mix.signs")
    ]


# -- problems


def test_every_problem_stands_once_in_order_and_in_its_place() -> None:
    page = (
        '# {{ n("lose") }}\n\n- {{ n("loss") }} {{ x }}\n\n    {{ claim(n("loss") < 1) }}\n\n`{{ n("lose") }}`\n'
        + ALL
    )
    book = edition({"b.md": page, "a.md": '![{{ n("tota") }}](x.png)\n\na {{ table("mix.words") }}\n'})
    pages = finished(book)
    assert problems(book) == [
        'docs/a.md:1:3: unknown name "tota"; did you mean "total"?',
        'docs/a.md:3:3: {{ table("mix.words") }} must stand alone on its line, found it within a line',
        'docs/b.md:1:3: unknown name "lose"; did you mean "loss" or "mix.losses"?',
        *[problem for problem in problems(book) if problem.startswith(("docs/b.md:3:", "docs/b.md:5:"))],
    ]
    assert [problem[:12] for problem in problems(book)[3:]] == ["docs/b.md:3:", "docs/b.md:5:"]
    assert [pages["b.md"].count('role="alert">' + problem[:14]) for problem in problems(book)[2:]] == [1, 1, 1]
    assert '<img alt="{{ n(&quot;tota&quot;) }}"' in pages["a.md"]


def test_a_wrong_formula_is_named_where_it_was_typed() -> None:
    text = """---
title: x
---
`$\\bad$` is $\\bad$ and $\\bad$ or $x$

> $$
> \\worse {{ n("loss") }}
> $$

    $\\bad$

- \\(\\bad\\)

x $\\bad$
"""
    book = edition({"a.md": text})
    page = finished(book)["a.md"]
    assert [re.sub(r"(read:).*", r"\1", problem) for problem in problems(book) if "formula" in problem] == [
        f"docs/a.md:{place}: formula cannot be read:" for place in ("4:13", "4:24", "6:3", "12:3", "14:3")
    ]
    assert page.count('class="tx-problem"') == 5
    assert "<math" in page
    finished(book)
    assert len([problem for problem in problems(book) if "formula" in problem]) == 5


def test_a_template_at_fault_is_named_by_its_own_line(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "table.html.jinja").write_text(
        "<table>\n{{ view.nothing }}\n</table>\n", encoding="utf-8"
    )
    book = edition({"a.md": ALL}, templates=tmp_path / "templates")
    page = finished(book)["a.md"]
    (problem,) = problems(book)
    assert problem.startswith("templates/table.html.jinja:2:1: ")
    assert "nothing" in problem
    assert page.count(f'<div class="tx-problem" role="alert">{problem}'.replace("'", "&#x27;")[:60]) == len(
        mix().tables
    )


# -- included files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def include(folder: Path, pages: Mapping[str, str], snippets: Mapping[str, str]) -> tuple[Edition, dict[str, str]]:
    for uri, text in snippets.items():
        (folder / uri).parent.mkdir(parents=True, exist_ok=True)
        (folder / uri).write_text(text, encoding="utf-8")
    book = edition(pages, snippets)
    return book, finished(book, folder)


def test_numbers_and_tables_of_an_included_file_are_filled(folder: Path) -> None:
    snippets = {
        "part.md": 'So {{ n("after") }}.\n\n--8<-- "deep/er.md"\n',
        "deep/er.md": ALL + '\n{{ claim(n("loss") > 1) }}\n',
    }
    pages = {"a.md": 'x {{ n("loss") }}\n\n!!! note\n    --8<-- "part.md"\n\n`{{ n("loss") }}`\n', "b.md": ALL}
    book, done = include(folder, pages, snippets)
    assert problems(book) == []
    assert book.tables_of("a.md") == tuple(table.id for table in mix().tables)
    note = done["a.md"].partition('<div class="admonition note">')[2]
    assert note.count("<table") == 3
    assert ">0.9119</data>.</p>" in note
    assert 'id="mix.words"' in note
    assert " id=" not in done["b.md"]
    assert done["a.md"].endswith('<p><code>{{ n("loss") }}</code></p>')


def test_problems_of_included_files_are_placed_in_them(folder: Path) -> None:
    snippets = {
        "part.md": 'A {{ n("lose") }}\nand $\\bad$\n',
        "deep.md": '--8<-- "part.md"\n--8<-- "zz.txt"\n',
        "else/where.md": '{{ n("lose") }}\n',
        "code.py": '{{ n("lose") }}\n',
    }
    book, done = include(
        folder,
        {"a.md": ALL + '\n\n--8<-- "deep.md"\n\n```\n--8<-- "code.py"\n```\n', "b.md": '--8<-- "part.md"'},
        snippets,
    )
    found = [re.sub(r"(read:).*", r"\1", problem) for problem in problems(book)]
    assert found == [
        'docs/snippets/deep.md:2:9: included file not found: "zz.txt".',
        'docs/snippets/part.md:1:3: unknown name "lose"; did you mean "loss" or "mix.losses"?',
        "docs/snippets/part.md:2:5: formula cannot be read:",
    ]
    for page in done.values():
        assert (
            'role="alert">docs/snippets/part.md:1:3: unknown name "lose"; did you mean "loss" or "mix.losses"?</span>'
            in page
        )
        assert 'role="alert">docs/snippets/part.md:2:5: formula' in page
    assert done["a.md"].count('{{ n("lose") }}') == 1


def test_a_figure_that_cannot_be_drawn_is_placed_in_the_included_file(tmp_path: Path) -> None:
    (tmp_path / "part.md").write_text('x\n\n{{ figure("model") }}\n', encoding="utf-8")
    book = edition({"a.md": '--8<-- "part.md"'}, {"part.md": 'x\n\n{{ figure("model") }}\n'}, catalog=tea())
    finished(book, tmp_path)
    assert [problem[:27] for problem in problems(book) if "shows" not in problem] == ["docs/snippets/part.md:3:1: "]


@pytest.mark.parametrize(
    ("include", "problem"),
    [
        ('--8<-- "parts.md"', ':1:9: included file not found: "parts.md"; did you mean "part.md"?'),
        ('x\n\n```\n--8<-- "no.py"\n```', ':4:9: included file not found: "no.py".'),
        ("--8<--\npart.md\nnone\n--8<--", ':3:1: included file not found: "none".'),
        ('--8<-- "part.md:frist"', ':1:9: "part.md" has no section "frist"; did you mean "first"?'),
        ('--8<-- "part.md:hidden"', ':1:9: "part.md" has no section "hidden".'),
    ],
)
def test_an_inclusion_that_finds_nothing_is_a_problem(include: str, problem: str) -> None:
    part = "<!-- --8<-- [start:first] -->\nx\n<!-- --8<-- [end:first] -->\n;--8<-- [start:hidden]\n"
    book = edition({"a.md": include, "b.md": ALL}, {"part.md": part})
    assert problems(book) == [f"docs/a.md{problem}"]


def test_inclusions_that_find_something_are_none() -> None:
    page = (
        '--8<-- "part.md:first"\n--8<-- "part.md:1:2"\n--8<-- "loop.md"\n;--8<-- "no.md"\n--8<-- "https://a.b/c.md"\n'
    )
    snippets = {"part.md": "--8<-- [start:first]\n", "loop.md": '--8<-- "loop.md"\n'}
    book = edition({"a.md": page, "b.md": ALL}, snippets)
    assert problems(book) == []
    assert [file.page for file in book.inclusions.shown_by("a.md")] == [
        "docs/snippets/part.md",
        "docs/snippets/loop.md",
    ]
    assert [file.page for file in book.inclusions.whole("a.md")] == ["docs/snippets/loop.md"]
