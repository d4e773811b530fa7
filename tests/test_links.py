from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tinyxf.book.checks.links import Site, dead_links, read_links
from tinyxf.book.reading.scan import Scan, scan
from tinyxf.errors import Problem

PAGES = {"index.md": "", "tea/green.md": "", "tea/black.md": "", "pots.md": ""}
SITE = Site(
    ids={
        "index.md": ["start"],
        "tea/green.md": ["leaf", "brew.blend/mint%7Choney/grams", "Grün"],
        "tea/black.md": ["strong"],
        "pots.md": ["pots", "round"],
    },
    assets=["assets/pot.svg", "numbers.csv", "a (1).png", "my pot.png"],
    urls={
        "index.md": "index.html",
        "tea/green.md": "tea/green.html",
        "tea/black.md": "tea/black.html",
        "pots.md": "pots.html",
    },
)
FOLDERS = Site(
    ids=SITE.ids,
    assets=SITE.assets,
    urls={
        "index.md": "index.html",
        "tea/green.md": "tea/green/index.html",
        "tea/black.md": "tea/black/index.html",
        "pots.md": "pots/index.html",
    },
)

LOST = "is no page or file of the book"


@dataclass(frozen=True)
class Text:
    page: str
    text: str

    @property
    def scan(self) -> Scan:
        return scan(self.text)


def link_problems(
    pages: Mapping[str, str], site: Site, snippets: Mapping[str, Text] | None = None
) -> tuple[Problem, ...]:
    texts = {page: Text(f"docs/{page}", text) for page, text in pages.items()}
    links = (own for page, whole in texts.items() for own in read_links(page, whole, snippets or {}))
    return dead_links(links, site, pages)


def problems(text: str, page: str = "index.md", site: Site = SITE) -> list[str]:
    return [str(problem) for problem in link_problems({**PAGES, page: text}, site)]


@pytest.mark.parametrize(
    "text",
    [
        "[a](pots.md) [b](pots.md#round) [c](#start) [d](tea/green.md#leaf) [e](#) [f](#top) [g](numbers.csv)",
        "![pot](assets/pot.svg) [![pot](assets/pot.svg)](pots.md 'the pots')",
        '[a](<pots.md> "title") [b]( pots.md "a (b) c" ) [c](a%20%281%29.png) [d](a (1).png) [e](my pot.png "x")',
        "[a][pots], [pots], [pots][], [Not defined], x[i][j], [0, 1][2, 3], [^1]\n\n[pots]: pots.md\n[^1]: x",
        "[in brackets][a](pots.md), [b][pots](dead.md)\n\n[pots]: pots.md",
        "[a](tea/green.md#brew.blend/mint%7Choney/grams) [b](tea/green.md#Gr%C3%BCn) [c](pots.md#:~:text=x)",
        "[a](https://x.org/b#c) <https://x.org> [m](mailto:a@b.c) [p](//x.org/a) [t](TEL:123) [d](data:,x)",
        '<a href="pots.html#round">x</a> <img src="assets/pot.svg" alt=""> <a id="x">y</a>',
        '<a href="#start">x</a> <a href=".">y</a> <a href="tea/../pots.html?x=1#round">z</a>',
        "<div>\n<a href='tea/green.html'>x</a>\n</div>\n",
        "`[a](dead.md)` and\n\n    [a](dead.md)\n\n```\n[a](dead.md)\n```\n\n<!-- [a](dead.md) -->\n",
        "<div>\n<!-- <a href='dead.html'> -->\n<pre><a href='dead.html'>x</a></pre>\n</div>\n",
        "$[a](dead)$ and\n\n$$\n[a](dead.md)\n$$\n",
        "---\ntitle: '[a](dead.md)'\n---\n\n\\[a](dead.md) \\![a\\](dead.md)",
        '[{{ n("x", "](dead.md)") }}](pots.md) [a]({{ n("dead.md") }}) [b](pots.md#{{ n("x") }})',
        "<code>[a](dead.md)</code> <pre>[a](dead.md)</pre>",
        "a ](dead.md) b\n\n[a]\n(dead.md)",
    ],
)
def test_what_is_alive_or_no_link_is_left_alone(text: str) -> None:
    assert problems(text) == []


def test_a_page_in_a_folder_starts_from_there() -> None:
    text = "[a](black.md#strong) [b](../pots.md) ![c](../assets/pot.svg) [d](../tea/green.md#leaf)"
    assert problems(text, "tea/green.md") == []


@pytest.mark.parametrize(
    ("page", "text", "problem"),
    [
        (
            "index.md",
            "---\ntitle: x\n---\n\nSee [a](pot.md).",
            f'5:9: dead link: "pot.md" {LOST}; did you mean "pots.md"?',
        ),
        (
            "index.md",
            "[x](pots.md#rund)",
            '1:5: dead anchor: "pots.md#rund" does not exist; did you mean "pots.md#round"?',
        ),
        ("index.md", "[x](#strat)", '1:5: dead anchor: "#strat" does not exist; did you mean "#start"?'),
        (
            "index.md",
            "[x](#round)",
            '1:5: dead anchor: "#round" does not exist; did you mean "pots.md#round"?',
        ),
        (
            "tea/green.md",
            "[x](black.md#round)",
            '1:5: dead anchor: "black.md#round" does not exist; did you mean "../pots.md#round"?',
        ),
        (
            "tea/green.md",
            "> - [x](./blck.md)",
            f'1:9: dead link: "./blck.md" {LOST}; did you mean "black.md"?',
        ),
        (
            "index.md",
            "![x]( <asets/pot.svg> )",
            f'1:8: dead link: "asets/pot.svg" {LOST}; did you mean "assets/pot.svg"?',
        ),
        (
            "index.md",
            "One\r\n\r\n| a | b |\r\n|---|---|\r\n| 1 | [x](pots.md#x) |\r\n",
            '5:11: dead anchor: "pots.md#x" does not exist.',
        ),
        (
            "index.md",
            '[a]: pots.md\n[b]: <pot.md> "title"\n',
            f'2:7: dead link: "pot.md" {LOST}; did you mean "pots.md"?',
        ),
        ("index.md", "[x][pot]\n\n[pots]: pots.md", '1:5: dead link: nothing defines "[pot]"; did you mean "pots"?'),
        ("index.md", "![Pot][]", '1:8: dead link: nothing defines "[Pot]".'),
        ("index.md", "[x]()", "1:5: dead link: it has no target"),
        (
            "index.md",
            "[x](/pots.md)",
            '1:5: dead link: "/pots.md" starts at the root of a server, where few copies of the book lie',
        ),
        ("index.md", "[x](../README.md)", '1:5: dead link: "../README.md" leaves the documents\' folder'),
        (
            "index.md",
            "[x](htps://a.b)",
            '1:5: dead link: unknown scheme "htps:"; did you mean "https:" or "http:" or "ftp:"?',
        ),
        ("index.md", "[x](pots.html)", '1:5: dead link: "pots.html" is published, write its source: "pots.md"'),
        (
            "tea/green.md",
            "<p><a\n  href='../pots.md'>x</a></p>",
            '2:9: dead link: raw HTML is published as it is; write "../pots.html"',
        ),
        (
            "index.md",
            'The <a class="x" href=pots.html#rund>pots</a>.',
            '1:23: dead anchor: "pots.html#rund" does not exist; did you mean "pots.html#round"?',
        ),
        (
            "index.md",
            '<a href="#round">x</a>',
            '1:10: dead anchor: "#round" does not exist; did you mean "pots.html#round"?',
        ),
        (
            "index.md",
            '<img alt="[a](dead.md)" src="assets/pt.svg">',
            f'1:30: dead link: "assets/pt.svg" {LOST}; did you mean "assets/pot.svg"?',
        ),
        (
            "index.md",
            "[![x](no.png)](pots.md)",
            f'1:7: dead link: "no.png" {LOST}; did you mean "my pot.png"?',
        ),
        (
            "index.md",
            "[{{ n('x') }}\nand `](`](pots.md#x)",
            '2:11: dead anchor: "pots.md#x" does not exist.',
        ),
        (
            "index.md",
            "\ufeff[x\\]](<pot%73.md#x>)",
            '1:8: dead anchor: "pots.md#x" does not exist.',
        ),
    ],
)
def test_what_is_dead_is_named_where_it_is(page: str, text: str, problem: str) -> None:
    assert problems(text, page) == [f"docs/{page}:{problem}"]


def test_all_are_reported_and_sorted() -> None:
    found = link_problems({**PAGES, "pots.md": "[a](x.md) [b](#y)", "index.md": "[c](#z)\n\n[d](#w)"}, SITE)
    assert [(problem.page, problem.line, problem.column) for problem in found] == [
        ("docs/index.md", 1, 5),
        ("docs/index.md", 3, 5),
        ("docs/pots.md", 1, 5),
        ("docs/pots.md", 1, 15),
    ]
    assert {problem.kind for problem in found} == {"link"}


def test_raw_html_leads_from_where_the_page_is_published() -> None:
    assert problems('<a href="../../pots/">x</a> <a href="../black/#strong">y</a>', "tea/green.md", FOLDERS) == []
    assert problems('<a href="../pots/">x</a> <a href="../pots.md">y</a>', "tea/green.md", FOLDERS) == [
        f'docs/tea/green.md:1:10: dead link: "../pots/" {LOST}; did you mean "../../pots/index.html"?',
        'docs/tea/green.md:1:35: dead link: raw HTML is published as it is; write "../../pots/index.html"',
    ]


def test_a_folder_is_no_page_for_markdown() -> None:
    assert problems("[x](tea/green/)", "index.md", FOLDERS) == [
        'docs/index.md:1:5: dead link: "tea/green/" is published, write its source: "tea/green.md"'
    ]


def test_a_page_whose_ids_are_unknown_has_every_anchor() -> None:
    assert problems("[x](pots.md#anything)", site=Site({}, (), {})) == []


def test_links_of_a_snippet_lead_from_the_page_that_includes_it() -> None:
    snippets = {
        "see.md": Text("docs/snippets/see.md", '[a](pots.md) [b](green.md)\n\n--8<-- "more.md"\n'),
        "more.md": Text("docs/snippets/more.md", "[pots]: pots.md\n"),
        "unused.md": Text("docs/snippets/unused.md", "[x](dead.md)"),
    }
    pages = {**PAGES, "index.md": 'x [y][pots]\n\n--8<-- "see.md"\n', "tea/green.md": '--8<-- "see.md"\n'}
    assert [str(problem) for problem in link_problems(pages, SITE, snippets)] == [
        f'docs/snippets/more.md:1:9: dead link: "pots.md" {LOST}; did you mean "../pots.md"?',
        f'docs/snippets/see.md:1:5: dead link: "pots.md" {LOST}; did you mean "../pots.md"?',
        f'docs/snippets/see.md:1:18: dead link: "green.md" {LOST}; did you mean "tea/green.md"?',
    ]


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "](",
        "[a](",
        "![",
        '[a](b "',
        "[a](<",
        "<a href='",
        '<a "',
        "[a][",
        "](a (",
        "[a](  ",
        "[a](a   ",
        "\\",
        "[](",
    ],
)
def test_reading_takes_time_in_proportion(piece: str) -> None:
    def seconds(times: int) -> float:
        begin = time.perf_counter()
        link_problems({"index.md": piece * times}, SITE)
        return time.perf_counter() - begin

    seconds(100)
    assert seconds(4_000) < 40 * (seconds(400) + 0.01)
