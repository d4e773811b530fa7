"""Where placeholders are, what they stand in, and that code is exactly what the engine shows as code."""

from __future__ import annotations

import random
import re
import time
from functools import cache

import pytest
from configuration import read_configuration
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown import Markdown

from tests.nested_pages import NestedPages
from tinyxf.book.reading.fences import fold_fences
from tinyxf.book.reading.scan import Context, Snippet, scan, snippet_names
from tinyxf.book.reading.source import Source

TOKEN = re.compile(r"tok\d+z")


def found(page: str) -> list[tuple[str, Context]]:
    return [(own.expression, own.context) for own in scan(page).placeholders]


# -- places


@pytest.mark.parametrize(
    ("page", "place"),
    [
        ("{{ a }}", (1, 1)),
        ("x {{ a }}", (1, 3)),
        ("\n\n  {{ a }}", (3, 3)),
        ("\ufeff{{ a }}", (1, 1)),  # a byte-order mark is no character of the page
        ("\ufeffx\n{{ a }}", (2, 1)),
        ("---\ntitle: x\n---\n{{ a }}", (4, 1)),
        ("\ufeff---\ntitle: {{ a }}\n---\n", (2, 8)),
        ("x\r\ny {{ a }}", (2, 3)),
        ("x\ry {{ a }}", (2, 3)),
        ("\u2028x\x0cy {{ a }}", (1, 6)),  # these end no line
        ("\u2192 \u03b1\u2212 {{ a }}", (1, 6)),
        ("\U0001f600{{ a }}", (1, 2)),  # characters, not code units
        ("- x\n\t{{ a }}", (2, 2)),  # a tab is one character
        ("> - > {{ a }}", (1, 7)),
        ("| a | {{ a }} |\n|---|---|\n", (1, 7)),
    ],
)
def test_places_count_from_one_in_characters(page: str, place: tuple[int, int]) -> None:
    (own,) = scan(page).placeholders
    assert (own.line, own.column) == place
    assert page[own.start : own.end] == own.text == "{{ a }}"


@pytest.mark.parametrize(
    ("page", "contexts"),
    [
        ("{{ a }}", ["block"]),
        ("  {{ a }}  \nx", ["block"]),
        ("x\n{{ a }}\ny", ["block"]),
        ("x {{ a }}", ["inline"]),
        ("{{ a }}.", ["inline"]),
        ("{{ a }} {{ b }}", ["inline", "inline"]),
        ("- {{ a }}\n1. {{ b }}\n", ["block", "block"]),
        ("- x\n\n    {{ a }}", ["block"]),
        ("> {{ a }}\n> > {{ b }}", ["block", "block"]),
        ("!!! note\n    {{ a }}", ["block"]),
        ('!!! note "{{ a }}"\n    x', ["inline"]),
        ('??? note "{{ a }}"\n    {{ b }}', ["inline", "block"]),
        ('=== "{{ a }}"\n    {{ b }}', ["inline", "block"]),
        ("term {{ a }}\n: {{ b }}", ["inline", "block"]),
        ("x[^1]\n\n[^1]: {{ a }}\n\n    {{ b }}", ["block", "block"]),
        ("| {{ a }} | b |\n|---|---|\n| {{ c }} | d |", ["inline", "inline"]),
        ("# {{ a }}", ["heading"]),
        ("x {{ a }}\n===", ["heading"]),
        ("# $ {{ a }}$ and $x{{ b }}$", ["heading", "maths"]),
        ("$x = {{ a }}$", ["maths"]),
        ("${{ a }}$", ["maths"]),
        ("$\\frac{{{ a }}}{2}$", ["maths"]),
        ("$$\n{{ a }}\n$$", ["maths"]),
        ("text\n$$\n{{ a }}\n$$", ["maths"]),
        ("$$ {{ a }} $$", ["maths"]),
        ("\\({{ a }}\\)", ["maths"]),
        ("\\[\n{{ a }}\n\\]", ["maths"]),
        ("\\begin{align}\n{{ a }}\n\\end{align}", ["maths"]),
        ("costs $10 {{ a }} and $20 {{ b }}", ["inline", "inline"]),
        ("costs \\$10 {{ a }} and$", ["inline"]),
        ("\\\\({{ a }}\\\\)", ["inline"]),
        ("\\[ {{ a }}", ["inline"]),
        ("![x {{ a }}](y.png)", ["attribute"]),
        ('![x](y.png "{{ a }}")', ["attribute"]),
        ("[x {{ a }}](y)", ["inline"]),
        ("[x](y{{ a }})", ["attribute"]),
        ("[x](y_(z) {{ a }}", ["inline"]),
        ('[x](y "a {{ a }}")', ["attribute"]),
        ("[x][{{ a }}]", ["attribute"]),
        ("[x]: http://y/{{ a }}", ["attribute"]),
        ('[x]: http://y\n  "{{ a }}"', ["attribute"]),
        ("*[HTML]: {{ a }}", ["attribute"]),
        ('x <b title="{{ a }}">{{ b }}</b>', ["attribute", "inline"]),
        ("x <b title='{{ a }}'>", ["attribute"]),
        ("<http://y/{{ a }}>", ["attribute"]),
        ("x {: title='{{ a }}' }", ["attribute"]),
        ("# x {#y title='{{ a }}'}", ["attribute"]),
        ("[x](y){ title={{ a }} }", ["attribute"]),
        ("{ {{ a }} }", ["inline"]),
        ("a < b {{ a }} > c", ["inline"]),
        ("---\ntitle: {{ a }}\n---\n{{ b }}", ["front", "block"]),
        ("---\n\n{{ a }}\n\n---\n", ["block"]),  # a page that opens with a rule
        ("<div>\n{{ a }} b\n{{ c }}\n</div>", ["inline", "block"]),
        ('<div title="{{ a }}" markdown>\n*{{ b }}*\n</div>', ["attribute", "inline"]),
        ('<div markdown="0">\n`{{ b }}`\n</div>', ["inline"]),
        ("<p markdown>`{{ a }}` {{ b }}</p>", ["inline"]),
    ],
)
def test_contexts(page: str, contexts: list[Context]) -> None:
    assert [context for _, context in found(page)] == contexts


@pytest.mark.parametrize(
    "page",
    [
        "`{{ a }}`",
        "``{{ a }} ` {{ a }}``",
        "x `y\n{{ a }}` z",
        "```\n{{ a }}\n```",
        "~~~\n{{ a }}\n```\n{{ a }}\n~~~",
        "````\n```\n{{ a }}\n```\n````",
        "- x\n\n    ```\n    {{ a }}\n    ```",
        "> ```\n> {{ a }}\n> ```",
        "!!! note\n    ```\n    {{ a }}\n    ```",
        '=== "A"\n    ~~~ python\n    {{ a }}\n    ~~~',
        "    {{ a }}",
        "\t{{ a }}",
        "x\n\n    {{ a }}\n\n    {{ a }}",
        "- x\n\n        {{ a }}",
        "!!! note\n    x\n\n        {{ a }}",
        "# x\n    {{ a }}",
        "<!-- {{ a }} -->",
        "x <!-- {{ a }} --> y",
        "<!--\n\n{{ a }}\n\n-->",
        "<pre>\n{{ a }}\n\n{{ a }}</pre>",
        "x <code>{{ a }}</code>",
        "<script>\nlet x = '{{ a }}';\n</script>",
        "<style>p::after { content: '{{ a }}' }</style>",
        "<div markdown>\n\n    {{ a }}\n\n</div>",
        "<div markdown><script>{{ a }}</script></div>",
        "- <pre>\n    {{ a }}\n\n    {{ a }}\n    </pre>",
        "| `{{ a }}` | `a|{{ a }}` |\n|---|---|\n",
        "[^1]: x\n\n        {{ a }}",
        "$`{{ a }}`$",
        "{{a}} {{ a}}"[:5],
        "{ { a } } {%  %} {# #}",
        "{{a }}",
        "{{\ta }}",
        "{{\u00a0a }}",
        "\\{{",
    ],
)
def test_in_code_there_is_no_placeholder(page: str) -> None:
    assert found(page) == []


@pytest.mark.parametrize(
    ("page", "expressions"),
    [
        ('{{ n("a }} b") }}', ['n("a }} b")']),
        ("{{ n('}}') }}", ["n('}}')"]),
        ('{{ n("\\"}}") }}', ['n("\\"}}")']),
        ('{{ n("`") }} and `x`', ['n("`")']),
        ('`x` {{ n("`") }} `{{ y }}`', ['n("`")']),
        ('{{ n("a",\n  "b") }}', ['n("a",\n  "b")']),
        ('{{ n("a",\r\n  "b") }}', ['n("a",\r\n  "b")']),
        ('| {{ n("a") | digits(2) }} | {{ n("b|c") }} |\n|---|---|\n', ['n("a") | digits(2)', 'n("b|c")']),
        ("{{{ a }}}", ["a"]),
        ("{{ a }}{{ b }}", ["a", "b"]),
        ("{{ a } }}", ["a }"]),
        ("- a\n{{ b }}\n    {{ c }}", ["b", "c"]),
        ("{{ }}", [""]),
        ("{{   }}", [""]),
        ("{{ <x> }}", ["<x>"]),
        ("{{ n( }}", ["n("]),
    ],
)
def test_where_a_placeholder_ends(page: str, expressions: list[str]) -> None:
    assert [own.expression for own in scan(page).placeholders] == expressions
    assert not any(own.error for own in scan(page).placeholders)


@pytest.mark.parametrize(
    ("page", "errors"),
    [
        ("x {{ a", [(1, 3, "never closed: expected")]),
        ("x {{ a\n\n}} y", [(1, 3, "never closed: expected")]),
        ("{{ ", [(1, 1, "never closed: expected")]),
        ("{{ a {{ b }}", [(1, 1, "before the next brace"), (1, 6, "")]),
        ("{{ `a` }}", [(1, 1, "before the next brace, backtick")]),
        ('{{ n("a) }}', [(1, 1, "a quotation mark in it has no second one")]),
        ("{{ a}}", [(1, 1, "ends with a space and two braces")]),
        ('{{ n("a")}} {{ b }}', [(1, 1, "ends with a space and two braces"), (1, 13, "")]),
        ("---\ntitle: {{ a\n---\n", [(2, 8, "never closed")]),
        ("---\ntitle: {{ n(\n  1) }}\n---\n", [(2, 8, "in front matter a placeholder stands on one line")]),
        ("- {{ a\n- {{ b }}", [(1, 3, "in the same paragraph"), (2, 3, "")]),
    ],
)
def test_what_is_wrong_is_said_at_its_place(page: str, errors: list[tuple[int, int, str]]) -> None:
    owned = scan(page).placeholders
    assert [(own.line, own.column) for own in owned] == [(line, column) for line, column, _ in errors]
    for own, (_, _, message) in zip(owned, errors, strict=True):
        assert message in own.error
        assert bool(message) == bool(own.error)


def test_a_fence_is_no_inline_text() -> None:
    texts = [leaf.text for leaf in scan("a\n```\nb\n```\nc\n\n```\nd\n```\n\ne\n<div>f</div>\ng").leaves]
    assert texts == ["a\n\nc", "e", "<div>f</div>", "g"]


@settings(max_examples=300)
@given(st.text(alphabet="{} \"'`$\\[]()<>!#-*_|:=~?./&\n\t\ra1b^", max_size=120))
@example("{{ a }}\r\n{{ b")
@example("<div>\n{{ a }}\n")
@example("<div markdown><p>{{ a }}")
@example("- \n    - \n        {{ a }}")
@example("1. 2. 3. 4. {{ a }}")
@example("*\t[a]: b\n")
@example(":  {{ a }}")
def test_any_text_scans_and_keeps_its_places(page: str) -> None:
    read = scan(page)
    starts = [own.start for own in read.placeholders]
    assert starts == sorted(set(starts))
    for own in read.placeholders:
        assert page[own.start : own.end] == own.text
        assert own.text.startswith("{{ ") or own.text == "{{"
    for leaf in read.leaves:
        assert leaf.raw(page).count("\n") >= len(leaf.spans) - 1
        for start, _ in leaf.spans:
            assert leaf.offset(leaf.at(start)) == start


# -- snippets


def test_snippets_are_named_with_their_places() -> None:
    page = (
        '--8<-- "a.md"\n\nx --8<-- "no.md"\n;--8<-- "no.md"\n    --8<-- \'b/c.md:part\'\n\n'
        '```\n--8<-- "d.md:3:7"\n```\n--8<--\ne.md\n; no.md\n\nf.md:1\n--8<--\n--8<-- "https://x/y.md"\n'
    )
    assert snippet_names(page) == [
        Snippet("a.md", 1, 9, code=False),
        Snippet("b/c.md", 5, 13, code=False, part=":part"),
        Snippet("d.md", 8, 9, code=True, part=":3:7"),
        Snippet("e.md", 11, 1, code=False),
        Snippet("f.md", 14, 1, code=False, part=":1"),
    ]
    assert snippet_names("no snippets") == []


# -- against the engine


@cache
def engine() -> Markdown:
    book = read_configuration()
    extensions = [name for name in book.extensions if name != "pymdownx.snippets"]
    return Markdown(extensions=extensions, extension_configs={**book.options, "toc": {}})


def engine_kinds(page: str) -> tuple[dict[str, str], str]:
    """Return what the engine makes of each token: text, code, maths or attribute; and the page without its code."""
    engine().reset()
    html = re.sub(r' id="[^"]*"', "", engine().convert(page))  # a heading's id repeats its words
    kinds = dict.fromkeys(TOKEN.findall(html), "text")
    for pattern, kind in (
        (r"<[a-zA-Z/][^<>]*>", "attribute"),
        (r'<(span|div) class="arithmatex">.*?</\1>', "maths"),
        (r"<(pre|code|script|style)\b.*?</\1>|<!--.*?-->", "code"),
    ):
        for match in re.finditer(pattern, html, re.DOTALL):
            kinds |= dict.fromkeys(TOKEN.findall(match[0]), kind)
    return kinds, re.sub(r"<pre.*?</pre>", "", html, flags=re.DOTALL)


def scanned_kinds(page: str) -> dict[str, str]:
    """Return the same from the scan of a page that has tokens for placeholders."""
    kinds = dict.fromkeys(TOKEN.findall(page), "code")
    for leaf in scan(page).leaves:
        for match in TOKEN.finditer(leaf.text):
            around = {region.kind for region in leaf.regions if region.start <= match.start() < region.end}
            strongest = [kind for kind in ("code", "maths") if kind in around]
            kinds[match[0]] = strongest[0] if strongest else "attribute" if around else "text"
    return kinds


def fenced(page: str) -> set[str]:
    """Return the tokens in what we take for fences."""
    lines = Source(page).lines()
    kept = {line.number for line in fold_fences(lines)}
    return {token for line in lines if line.number not in kept for token in TOKEN.findall(line.text)}


TRICKY = [
    "term\n: tok1z\ntok2z\n    tok3z",
    "[a]: x y z\n[b]: tok1z\n[c]: tok2z\n\n[q][b] [r][c]",
    "<hr>\ntok1z\n\n<hr />tok2z\n\n    tok3z",
    "<div/>\ntok1z\n\n    tok2z",
    '<div markdown="markdown">\n\n    tok1z\n\n</div>',
    '<div markdown="block">\n\n`tok1z`\n\n</div>\n\n<p markdown="block">\n\n    tok2z\n\n</p>',
    '<div markdown="span">\n\n    tok1z `tok2z`\n\n</div>',
    "<div markdown=0>\n\n`tok1z`\n\n</div>",
    "<div markdown>\n<div>\n`tok1z`\n\n    tok2z\n</div>\n</div>",
    "<div markdown>\n<div markdown>\n\n    tok1z\n\n</div>\n\n    tok2z\n\n</div>\n\n    tok3z",
    "<p markdown><span markdown>`tok1z`</span></p>",
    "<details markdown>\n<summary>`tok1z`</summary>\n\n    tok2z\n\n</details>\n\n    tok3z",
    "<div>\n<div>\n`tok1z`\n</div>\n\n    tok2z\n</div>\n\n    tok3z",
    "<div>tok1z</div> `tok2z`\n\n    tok3z",
    "<div>\n\n    tok1z",
    "tok1z\n<div>\n`tok2z`\n</div>\n`tok3z`",
    "- tok1z\n<div>\n`tok2z`\n</div>\n\n    tok3z",
    "<? `tok1z` ?>\n\n<!DOCTYPE tok2z>\n\n    tok3z",
    "`<div>` tok1z\n\n    tok2z",
    "</div>\n\n    tok1z\n\n</p> tok2z",
    "- <pre>tok1z\n\n    tok2z\n\n    tok3z</pre> tok4z",
    "> <pre>tok1z\n>\n> tok2z",
    "a[^1] b[^2]\n\n[^1]: tok1z\n\n    tok2z\n    [^2]: tok3z\n\n        tok4z",
    "a[^1] b[^2]\n\n[^1]: tok1z\n[^2]: tok2z\n\n    tok3z\n\n        tok4z",
    "a[^1]\n\n[^1]: tok1z\n\n\n    tok2z",
    "tok1z\n[^1]: tok2z\ntok3z",
    "term\n: tok1z\n\n: tok2z\n\n        tok3z\n\n    tok4z",
    "term\n\n:   tok1z\n\n        tok2z\n\nother\n:   - tok3z\n\n        tok4z",
    ": tok1z\n\n    tok2z",
    "- a\n\n: tok1z\n\n    tok2z",
    "* * tok1z\n\n        tok2z\n\n            tok3z",
    "1. tok1z\n    - tok2z\n        1. tok3z\n\n                tok4z\n\n        tok5z",
    "- # tok1z\ntok2z\n\n    tok3z\n\n- # tok4z\n    tok5z",
    "-\ttok1z\n\n\ttok2z\n\n\t\ttok3z",
    "> tok1z\n    tok2z\n\n>     tok3z\n>\n>> tok4z",
    "!!! note\n\n    tok1z\n\n    - tok2z\n\n        tok3z\n\n            tok4z\n\ntok5z",
    "!!! note\ntok1z\n\n    tok2z",
    "tok1z\n!!! note\n    tok2z\ntok3z\n\n    tok4z",
    '=== "A"\n    - tok1z\n\n        tok2z\n\n            tok3z\n\n===! "B"\n\n    tok4z\n\n        tok5z',
    "??? note\n    tok1z\n\n    1. tok2z\n\n        tok3z\n\n    term\n    : tok4z\n\n        tok5z",
    "| tok1z |\n|---|\n| tok2z |\n\n|tok3z\n|---\n\n| tok4z | b |\n| a | b |",
    "a | `tok1z | b` | tok2z\n---|---|---\n\\`tok3z | ``a | tok4z``|tok5z",
    "tok1z\n    tok2z\n# tok3z\n    tok4z",
    "tok1z\n---\n    tok2z\n***\n    tok3z",
    "[a]: tok1z\n    'tok2z'\n\n    tok3z",
    "[a]: tok1z (tok2z)\n[b]:\n  tok3z\ntok4z\n*[tok5z]: x",
    "$$ tok1z $$ tok2z\n\n$$ tok3z\\$$\n\n\\[ tok4z \\] \\]\n\n\\begin{a}\ntok5z\n\\end{b}",
    "```\ntok1z\n  ```\ntok2z\n```\n\n    tok3z",
    "- ```\n    tok1z\n    ```\n\n    ~~~\n    tok2z\n    ~~~\n    tok3z",
    "> ```\n> tok1z\ntok2z\n> ```\n\n> ```\n> tok3z\n> > tok4z\n> ```",
    '``` { .a }\ntok1z\n```\n\n``` hl_lines="1 2-3" linenums="1"\ntok2z\n```\n\n``` hl_lines="x"\ntok3z\n```',
    "``` python\ntok1z\n\n    tok2z",
    "- ```\n    tok1z\n    ```\n    ```\n    ```\n\ntok2z",
    "``tok1z` tok2z\n\n```tok3z` tok4z ``tok5z``",
]


@pytest.mark.parametrize("page", TRICKY)
def test_a_tricky_page_is_read_as_the_engine_reads_it(page: str) -> None:
    kinds, _ = engine_kinds(page)
    scanned = scanned_kinds(page)
    assert {token: scanned[token] for token in kinds} == kinds


@settings(max_examples=250)
@given(st.randoms(use_true_random=False))
def test_code_is_what_the_engine_shows_as_code(chance: random.Random) -> None:
    page = NestedPages(chance).page()
    kinds, rest = engine_kinds(page)
    scanned = scanned_kinds(page)
    if "```" in rest or "~~~" in rest or re.search(r"<code>[^<]*\n", rest):
        # Where the engine takes a fence back (its indentation is at odds with its container's), its own marks show
        # as text; a page like that is broken for every reader, and what we call code is what its author meant.
        for token in fenced(page):
            kinds.pop(token, None)
    assert {token: scanned[token] for token in kinds} == kinds, page


@settings(max_examples=200)
@given(st.randoms(use_true_random=False))
def test_formulas_and_attributes_are_what_the_engine_makes_of_them(chance: random.Random) -> None:
    page = NestedPages(chance, plain=False).page()
    kinds, rest = engine_kinds(page)
    scanned = scanned_kinds(page)
    if "```" in rest or "~~~" in rest or "$$" in rest or re.search(r"<code>[^<]*\n", rest):
        return  # as above; and `$$` within a paragraph is a formula to us, for the sake of other engines
    assert {token: scanned[token] for token in kinds} == kinds, page


# -- time

SHAPES = [
    *("Some *words* with `code`, $x$ and [a link](b.md) {{ a }}.\n", "Some words {{ a }}.\n\n", "# head {{ a }}\n"),
    *("- item {{ a }}\n", "- item\n    - sub {{ a }}\n", "- item {{ a }}\n\n    more\n\n", "- # h\n", "a\n---\n"),
    *("> q {{ a }}\n", "> q\n>\n", "{{ ", "{{ '", "{{ \"{{ '", "{", "}} ", "` `` ``` ", "`a", "<a ", "<a '\"", "<b>"),
    *("<div>\n", "<div>", "<div markdown>\n", "</div>", "<?", "<!--", "\n<!-- ", "$ ", "$a", "\\(", "\\) \\("),
    *("[", "](", "[a](b) ", "![", "![](", "{: .a ", "{#", "|", "| a | b |\n", "| a | b |\n|---|---|\n", "|`"),
    *("!!! note\n", "!!! note\n    x\n\n", '=== "a"\n    x\n', '=== "a" " " ', "a\n: b\n", "[^a]: b\n"),
    *("[^a]: b\n\n    c\n\n", "[a]: b\n", "[a]: \n", "*[a]: b\n", "```\na\n```\n", "```\n", "``` a a a a ", "~"),
    *("- ", "-", "* ", "#", "# # ", "\\", "a\n=\n", " ", "\t", "    a\n", "\r", "\n", '--8<-- "a"\n', "---\n"),
    *(
        "$$\na\n$$\n",
        "$$\n",
        "$$ a\n# h\n",
        "\\[ a\n# h\n",
        "\\begin{a}\n",
        "\\[\n",
        "<code>",
        "\n\n<pre>x",
        ">",
        "1. ",
    ),
]


def seconds(page: str) -> float:
    start = time.process_time()
    scan(page)
    return time.process_time() - start


@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_with_the_page(shape: str) -> None:
    """Eight times the page takes eight times as long, or so; squared growth would take 64 times."""
    ratios = []
    for _ in range(4):  # a busy machine may disturb one of them
        small = max(seconds(shape * (4000 // len(shape))), 0.001)
        ratios.append(seconds(shape * (32000 // len(shape))) / small)
        if ratios[-1] < 20:
            return
    pytest.fail(f"eight times the page took {min(ratios):.0f} times as long")


def test_nesting_without_end_is_read_as_prose() -> None:
    assert found("> " * 500 + "{{ a }}") == [("a", "inline")]
    assert found("- " * 500 + "{{ a }}") == [("a", "inline")]
    page = "\n".join("    " * depth + "- {{ a }}" for depth in range(120))
    assert all(expression == "a" for expression, _ in found(page))
