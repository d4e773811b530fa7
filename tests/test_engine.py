"""Pages through MkDocs itself: what Markdown, the theme's variables and the search index make of placeholders."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from xml.etree.ElementTree import Element

import html5lib
import pytest
from configuration import read_configuration
from mkdocs.contrib.search import SearchPlugin

from tests.building import ROOT
from tests.engine import Built, build_project, write_project
from tests.invented import SIGNS, mix
from tests.reading import parse_html, visible
from tests.test_check import converter
from tests.test_edition import ALL, edition
from tests.test_pages import CASES, load, pages_of
from tinyxf import chapter
from tinyxf.book.checks.check import check_edition
from tinyxf.book.history.ledger import LEDGER
from tinyxf.contents import run_chapter

BOOK = read_configuration()
TABLE = '{{ table("mix.words") }}'
WORDS = [
    ["word", "share", "percent", "count"],
    ["a", "0.3107", "31.1%", "1,234,567"],
    ["b", "-0.6805", "0.2%", "-"],
    ["c", "0.0000", "5.0%", "12"],
]


def built(folder: Path, pages: Mapping[str, str | bytes], **more: Any) -> Built:
    """Build pages, and one more that shows all tables."""
    write_project(folder, {**pages, "zz-all.md": ALL}, **more)
    return build_project(folder)


def good(folder: Path, pages: Mapping[str, str | bytes], **more: Any) -> Built:
    done = built(folder, pages, **more)
    assert done.said == ()
    for uri in pages:
        if uri.endswith(".md") and not uri.startswith("snippets/"):
            html5lib.HTMLParser(strict=True).parse(done.files[uri.removesuffix(".md") + ".html"])
    return done


def parents(tree: Element) -> dict[Element, Element]:
    return {child: parent for parent in tree.iter() for child in parent}


def above(tree: Element, element: Element) -> Iterator[Element]:
    up = parents(tree)
    while element in up:
        element = up[element]
        yield element


def rows(table: Element) -> list[list[str]]:
    return [[visible(cell) for cell in row] for row in table.iter("tr")]


# -- the cases of tests/pages


@cache
def good_cases() -> tuple[str, ...]:
    """Return the cases that are good books on their own, links included."""
    found = []
    for name, path in CASES.items():
        case = load(path)
        book = edition({**pages_of(case), "zz-all.md": ALL})
        texts = " ".join(pages_of(case).values())
        told = [own for own in check_edition(book, converter(book).convert, None, ()) if own.page != LEDGER]
        wrong = [
            own for own in told if own.kind != "typed" and not own.message.startswith("the front matter has no ")
        ]
        if not wrong and "8<" not in texts:
            found.append(name)
    return tuple(found)


@pytest.fixture(scope="module")
def all_cases(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Every good case, as a page of one book."""
    pages = {f"{name}/{uri}": text for name in good_cases() for uri, text in pages_of(load(CASES[name])).items()}
    return built(tmp_path_factory.mktemp("cases"), pages)


def test_there_are_cases_enough() -> None:
    assert len(good_cases()) > 20


def plain(page: str) -> str:
    """Return a page without what hangs on the rest of its book: where cells have their ids, and where links go."""
    return re.sub(r' (?:id|href)="[^"]*"', "", " ".join(page.split()))


@pytest.mark.parametrize("name", good_cases())
def test_a_case_comes_out_of_mkdocs_as_the_check_saw_it(name: str, all_cases: Built) -> None:
    assert all_cases.said == ()
    case = load(CASES[name])
    book = edition({**pages_of(case), "zz-all.md": ALL})
    for uri in pages_of(case):
        seen = book.finish(uri, book.content(uri, converter(book).convert(book.marked(uri))))
        page = all_cases.files[f"{name}/{uri.removesuffix('.md')}.html"]
        assert plain(all_cases.main(f"{name}/{uri}")) == plain(seen)
        if not re.search("<(?!data)", case.get("page", "<")):
            html5lib.HTMLParser(strict=True).parse(page)
        for fragment in case.get("html", []):
            assert plain(fragment) in plain(page)
        for fragment in case.get("no_html", []):
            assert plain(fragment) not in plain(all_cases.main(f"{name}/{uri}"))


# -- placement at any nesting

BOXES = {
    "admonition": ('!!! note "Title"\n\n    {t}\n\n    behind\n', {"div": "admonition"}),
    "admonition without a blank line": ("!!! note\n    {t}\n", {"div": "admonition"}),
    "details": ('??? note "Title"\n    before\n    {t}\n    behind\n', {"details": "note"}),
    "open details": ("???+ tip\n\n    {t}\n", {"details": "tip"}),
    "raw details": ("<details markdown>\n<summary>More</summary>\n\n{t}\n\n</details>\n", {"details": ""}),
    "tab": ('=== "One"\n\n    {t}\n\n=== "Two"\n\n    text\n', {"div": "tabbed-block"}),
    "numbered list": ("1. one\n\n    {t}\n\n2. two\n", {"ol": "", "li": ""}),
    "tight list": ("- one\n- {t}\n- three\n", {"ul": "", "li": ""}),
    "list, first line of an item": ("1. {t}\n\n    behind\n", {"ol": "", "li": ""}),
    "quote": ("> before\n>\n> {t}\n>\n> behind\n", {"blockquote": ""}),
    "quote without blank lines": ("> before\n> {t}\n> behind\n", {"blockquote": ""}),
    "quote in a list": ("- one\n\n    > {t}\n", {"li": "", "blockquote": ""}),
    "footnote": ("text[^1]\n\n[^1]: note\n\n    {t}\n", {"div": "footnote", "li": ""}),
    "definition": ("term\n:   meaning\n\n    {t}\n", {"dl": "", "dd": ""}),
    "definition alone": ("term\n:   {t}\n", {"dl": "", "dd": ""}),
    "division": ('<div class="own" markdown>\n\n{t}\n\n</div>\n', {"div": "own"}),
    "raw division": ('<div class="own">\n{t}\n</div>\n', {"div": "own"}),
    "four levels deep": (
        '!!! note\n\n    1. one\n\n        > === "Tab"\n        >\n        >     {t}\n',
        {"div": "admonition", "ol": "", "blockquote": ""},
    ),
    "a paragraph before": ("before\n{t}\n", {"main": ""}),
    "a paragraph around": ("before\n{t}\nbehind\n", {"main": ""}),
    "emphasis around": ("*before\n{t}\nbehind*\n", {"main": ""}),
}


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Built:
    pages = {
        f"box{number}.md": f"# A\n\n{text.replace('{t}', TABLE)}\nend\n"
        for number, (text, _) in enumerate(BOXES.values())
    }
    return good(tmp_path_factory.mktemp("boxes"), pages)


@pytest.mark.parametrize("name", BOXES)
def test_a_table_stays_in_its_box_with_all_rows(name: str, boxes: Built) -> None:
    text, around = BOXES[name]
    page = parse_html(boxes.files[f"box{list(BOXES).index(name)}.html"])
    (table,) = page.iter("table")
    assert rows(table) == WORDS
    chain = [(element.tag, element.get("class", "")) for element in above(page, table)]
    for tag, kind in around.items():
        assert any(tag == own and kind in names for own, names in chain), chain
    assert "p" not in [tag for tag, _ in chain]
    assert "em" not in [tag for tag, _ in chain]
    shown = " ".join("".join(page.itertext()).split())
    for word in ("before", "behind", "two", "meaning"):
        assert shown.count(word) == text.count(word)
    assert shown.endswith("end" if name != "footnote" else "↩")
    assert shown.count(" end") == 1


def test_no_paragraph_stands_empty(boxes: Built) -> None:
    for number in range(len(BOXES)):
        page = parse_html(boxes.files[f"box{number}.html"])
        assert [element for element in page.iter("p") if not "".join(element.itertext()).strip()] == []


def test_every_sign_of_a_table_is_shown_as_typed(tmp_path: Path) -> None:
    done = good(tmp_path, {"a.md": '!!! note\n    {{ table("mix.signs") }}\n'})
    (table,) = parse_html(done.files["a.html"]).iter("table")
    assert [row[0] for row in rows(table)[1:]] == list(SIGNS)


# -- titles, navigation, contents, search

PAGE = """---
title: The loss of {{ n("mix.words/a/percent") }} & "more"
description: It falls from {{ n("loss") }} to {{ n("after", digits=2) }}.
tags: ['{{ n("size") }}']
---
# Head {{ n("loss") }} and `{{ n("loss") }}`

Text {{ n("loss") }}, {{ literal("42") }}.

## Size {{ n("size") }} { #own }

### {{ n("total") }}

## The {{ n("mix.words/a/percent") }} <b>bold</b>

{{ table("mix.losses") }}

![alt {{ n("loss") }}](x.png "title {{ n("after") }}") [text {{ n("size") }}](#own)

Term {{ n("rate") }}
:   Meaning {{ n("base") }}

A note[^1].

[^1]: Note {{ n("size") }}.
"""


@pytest.fixture(scope="module")
def titled(tmp_path_factory: pytest.TempPathFactory) -> Built:
    pages: dict[str, str | bytes] = {"a.md": PAGE, "b.md": '# B {{ n("loss") }}\n\ntext', "x.png": b"png"}
    return good(tmp_path_factory.mktemp("titled"), pages)


def test_titles_navigation_and_contents_hold_plain_numbers(titled: Built) -> None:
    page = parse_html(titled.files["a.html"])
    (title,) = page.iter("title")
    assert title.text == 'The loss of 31.1% & "more"'
    (description,) = [element.get("content") for element in page.iter("meta") if element.get("name") == "description"]
    assert description == "It falls from 1.1690 to 0.91."
    (nav,) = page.iter("nav")
    assert [link.text for link in nav.iter("a")] == ['The loss of 31.1% & "more"', "B 1.1690", "Zz all"]
    (contents,) = [element for element in page.iter("div") if element.get("id") == "toc"]
    assert [(link.get("href"), link.text) for link in contents.iter("a")] == [
        ("#head-and-nloss", 'Head 1.1690 and {{ n("loss") }}'),
        ("#own", "Size 4"),
        ("#_1", "123,578,112"),
        ("#the-bold", "The 31.1% bold"),
    ]


def test_the_search_index_reads_numbers_and_tables(titled: Built) -> None:
    entries = {entry["location"]: entry for entry in titled.index}
    assert entries["a.html"]["title"] == 'The loss of 31.1% & "more"'
    assert "Text 1.1690, 42." in entries["a.html#head-and-nloss"]["text"]
    assert "Losses before after 1.1690 0.9119" in entries["a.html#the-bold"]["text"]
    assert entries["a.html#_1"]["title"] == "123,578,112"
    whole = titled.files["search/search_index.json"]
    assert not re.search(r"tx\d+n\d+x|data-stub", whole)
    left = set(re.findall(r"\{\{[^}]*\}\}", whole.replace("\\", "")))
    assert left == {'{{ n("loss") }}', "{{ n }}"}  # code in a heading; one of the signs of a table


def test_attributes_hold_plain_numbers_and_text_marked_ones(titled: Built) -> None:
    page = parse_html(titled.files["a.html"])
    (image,) = page.iter("img")
    assert (image.get("alt"), image.get("title")) == ("alt 1.1690", "title 0.9119")
    shown = {(data.get("data-address"), data.text) for data in page.iter("data")}
    assert {("size", "4"), ("rate", "0.5"), ("base", "10000"), ("mix.losses/before", "1.1690")} <= shown
    assert "{{" not in re.sub(r'\{\{ n\(("|&quot;)loss\1\) \}\}', "", titled.files["a.html"])
    assert not re.search(r"tx\d+n\d+x", titled.files["a.html"])


def test_anchors_do_not_move_with_numbers(tmp_path: Path) -> None:
    numbers = ("loss", "total", "mix.words/b/share")
    pages = {
        f"{place}.md": f'# At {{{{ n("{name}") }}}}\n\n## {{{{ n("{name}") }}}} more\n'
        for place, name in enumerate(numbers)
    }
    done = good(tmp_path, pages)
    ids = [re.findall(r'<h\d id="([^"]*)"', done.main(uri)) for uri in pages]
    assert ids == [["at", "more"]] * 3


# -- code

CODE = """
`{{ n("loss") }}` and ``{{ n("`") }}`` and `#!python {{ n("loss") }}`

    {{ n("loss") }}

```
{{ table("mix.words") }}
```

~~~ { .python title="x" }
{{ n("loss") }}
~~~

- item

    ```` markdown
    ```
    {{ n("loss") }}
    ```
    ````

> ```
> {{ n("loss") }}
> ```

<pre>{{ n("loss") }}</pre>

x <code>{{ n("loss") }}</code> y

<!-- {{ n("nothing") }} -->
"""


def test_code_is_literal(tmp_path: Path) -> None:
    done = good(tmp_path, {"a.md": CODE})
    page = parse_html(done.main("a.md"))
    shown = [
        " ".join("".join(element.itertext()).split()) for element in page.iter() if element.tag in ("code", "pre")
    ]
    words = [text for text in shown if text]
    assert {text for text in words if "loss" in text} == {'{{ n("loss") }}', '``` {{ n("loss") }} ```'}
    assert '{{ table("mix.words") }}' in words
    assert '{{ n("`") }}' in words
    assert not list(page.iter("data"))
    assert '<!-- {{ n("nothing") }} -->' in done.main("a.md")
    assert done.main("a.md").count("loss") == CODE.count("loss")


def test_latex_and_attribute_lists_are_left_alone(tmp_path: Path) -> None:
    text = """$$\\frac{{a}_{{i}}}{{b}}$$

## Heading {#x}

$\\newcommand{\\f}[1]{#1} \\f{2}$

`{% word %}` {# no #} {% no %}
"""
    main = good(tmp_path, {"a.md": text}).main("a.md")
    assert re.search(r'<math display="block"><mfrac>.*<msub><mi>a</mi><mi>i</mi></msub>', main)
    assert '<h2 id="x">Heading' in main
    assert "{# no #} {% no %}" in main
    assert "<code>{% word %}</code>" in main


def test_money_is_prose(tmp_path: Path) -> None:
    main = good(tmp_path, {"a.md": "costs $10 here and $20 there, {{ n('loss') }}"}).main("a.md")
    assert re.sub("<[^>]*>", "", main) == "costs $10 here and $20 there, 1.1690"


# -- files that pages include


def test_included_files_are_filled_at_their_place(tmp_path: Path) -> None:
    pages = {
        "a.md": '# A\n\n!!! note\n    --8<-- "part.md"\n\n```\n--8<-- "code.txt"\n```\n',
        "snippets/part.md": f'Now {{{{ n("loss") }}}}.\n\n{TABLE}\n',
        "snippets/code.txt": '{{ n("loss") }}\n',
    }
    done = good(tmp_path, pages, exclude_docs="snippets/\n", markdown_extensions=extensions())
    page = parse_html(done.files["a.html"])
    (table,) = page.iter("table")
    assert rows(table) == WORDS
    assert any("admonition" in element.get("class", "") for element in above(page, table))
    assert ">1.1690</data>." in done.main("a.md")
    assert [text for code in page.iter("code") if "loss" in (text := "".join(code.itertext()))] == [
        '{{ n("loss") }}\n'
    ]


def extensions() -> list[dict[str, Any]]:
    """Return the book's extensions, with files to include from the project at hand."""
    options = {**BOOK.options, "pymdownx.snippets": {"base_path": ["docs/snippets"], "check_paths": False}}
    return [{name: options.get(name, {})} for name in BOOK.extensions]


def test_problems_of_included_files_are_told_where_they_are(tmp_path: Path) -> None:
    pages = {
        "a.md": '--8<-- "part.md"\n--8<-- "none.md"\n',
        "snippets/part.md": 'Now\n{{ n("lose") }} and $\\bad$\n',
    }
    done = built(tmp_path, pages, exclude_docs="snippets/\n", markdown_extensions=extensions())
    assert list(done.said) == [
        'docs/a.md:2:9: included file not found: "none.md".',
        'docs/snippets/part.md:2:1: unknown name "lose"; did you mean "loss" or "mix.losses"?',
        'docs/snippets/part.md:2:21: formula cannot be read: Unknown command "\\bad".',
    ]


# -- problems


def test_every_problem_of_every_page_is_told_once_in_order(tmp_path: Path) -> None:
    pages = {
        "a.md": '---\ntitle: x\n---\n\n{{ n("lose") }} {{ <x> }}\n\n{{ }}\n',
        "b/c.md": 'x {{ n( }}\n\n{{ n("loss"\n\n[dead](none.md) [anchor](../a.md#none)\n',
    }
    done = built(tmp_path, pages)
    assert [line.split(" ")[0] for line in done.said] == [
        "docs/a.md:5:1:", "docs/a.md:5:17:", "docs/a.md:7:1:", "docs/b/c.md:1:3:", "docs/b/c.md:3:1:",
        "docs/b/c.md:5:8:", "docs/b/c.md:5:26:",
    ]  # fmt: skip
    assert 'unknown name "lose"; did you mean "loss"' in done.said[0]


def test_a_page_in_another_encoding_is_named_with_its_line(tmp_path: Path) -> None:
    done = built(tmp_path, {"a.md": "# A\n\ncaf\xe9\n".encode("cp1252")})
    assert list(done.said) == ["docs/a.md:3:1: the file is not UTF-8 (byte 0xe9); save it as UTF-8"]


# -- the same bytes, however a page is saved and wherever it is built


def test_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    text = PAGE + CODE + "\n".join(body.replace("{t}", TABLE) for body, _ in list(BOXES.values())[:8])
    other = ("\ufeff" + text.replace("\n", "\r\n")).encode()
    one = good(tmp_path / "one", {"a.md": text, "x.png": b"png"})
    two = good(tmp_path / "two", {"a.md": other, "x.png": b"png"})
    assert one.files.keys() == two.files.keys()
    assert one.files["a.html"] == two.files["a.html"]
    assert one.files["search/search_index.json"] == two.files["search/search_index.json"]


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


LOCALES: tuple[dict[str, str], ...] = (
    {},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "cp1252", "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
)


def test_the_locale_changes_nothing(tmp_path: Path) -> None:
    page = f'# Größe → −{{{{ n("loss") }}}} α\n\n{TABLE}\n\n> ∑ $\\alpha → {{{{ n("loss") }}}}$\n'
    write_project(tmp_path, {"a.md": page, "zz-all.md": ALL})
    sites = []
    for number, locale in enumerate(LOCALES):
        site = tmp_path / f"site{number}"
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1", **locale},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        sites.append(tree(site))
    assert "Größe → −".encode() in sites[0]["a.html"]
    assert sites[0] == sites[1] == sites[2]


def test_the_catalog_is_the_invented_one() -> None:
    assert rows_of_catalog() == WORDS


def rows_of_catalog() -> list[list[str]]:
    table = mix().table("mix.words")
    head = [column.label for column in table.columns]
    return [head, *([table.text(i, j) for j in range(len(head))] for i in range(len(table.rows)))]


# -- the search


def test_what_another_plugin_adds_to_a_page_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes between our two handlers, which hide a page's marks and show them again."""

    def add(_: SearchPlugin, context: Any, page: Any, **more: Any) -> Any:  # noqa: ARG001  as the engine calls it
        page.content += "<p>More.</p>"
        return context

    monkeypatch.setattr(SearchPlugin, "on_page_context", add)
    page = built(tmp_path, {"index.md": '# A\n\nIt is {{ n("loss") }}.\n'}).main()
    assert "It is 1.1690." in page
    assert page.rstrip().endswith("<p>More.</p>")


# -- stages


@pytest.mark.parametrize("count", [1, 20])
def test_the_stages_run_once_whatever_the_number_of_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    tables = [table.id for chapter in BOOK.chapters for table in import_module(chapter).catalog().tables]
    shown = "\n\n".join(f'{{{{ table("{name}") }}}}' for name in tables)
    pages = {f"p{number}.md": f'# P\n\n{{{{ n("loss.before") }}}}\n\n{shown}\n' for number in range(count)}
    write_project(tmp_path, pages, chapters=BOOK.chapters)
    run = Mock(wraps=run_chapter)
    monkeypatch.setattr(chapter, "run_chapter", run)
    chapter.standard.cache_clear()
    assert build_project(tmp_path).said == ()
    assert run.call_count == 1
