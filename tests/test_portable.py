"""An edition as plain Markdown: files written out, ids once, formulas that need no script."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from markdown import markdown

from tests.invented import mix
from tests.reading import parse_html
from tinyxf.book.edition import Edition, Manuscript
from tinyxf.book.portable import portable_page, write_formulas, written_page
from tinyxf.book.render import Renderer

TABLE = '{{ table("mix.words") }}'


def edition(pages: Mapping[str, str], snippets: Mapping[str, str] | None = None) -> Edition:
    return Edition(
        mix(),
        [Manuscript(f"docs/{uri}", uri, text) for uri, text in pages.items()],
        Renderer(mix()),
        lambda page, target: f"{page}>{target}",
        [Manuscript(f"docs/snippets/{uri}", uri, text) for uri, text in (snippets or {}).items()],
    )


def test_included_files_are_written_out_with_their_numbers() -> None:
    snippets = {
        "part.md": f'So {{{{ n("loss") }}}}.\n{{{{ claim(n("loss") > 1) }}}}\n\n{TABLE}\n\n--8<-- "deep.md"',
        "deep.md": '*{{ n("total") }}*',
        "code.py": 'print("{{ n(1) }}")\n',
    }
    page = '!!! note\n    --8<-- "part.md"\n\n```python\n--8<-- "code.py"\n```\n\n{{ n("total") }}\n'
    written = portable_page(edition({"a.md": page}, snippets), "a.md")
    loss = '<data value="1.168960112" data-address="mix.losses/before">1.1690</data>'
    (total,) = set(re.findall(r"<data [^>]*>123,578,112</data>", written))
    assert "--8<--" not in written
    assert written.startswith(f'!!! note\n    So {loss}.\n\n    <span id="mix.words"></span>**')
    assert f"\n    *{total}*\n" in written
    assert '```python\nprint("{{ n(1) }}")\n\n```' in written
    assert written.endswith(f"\n\n{total}\n")


def test_cells_have_their_ids_once() -> None:
    book = edition({"a.md": f"{TABLE}\n\n{TABLE}", "b.md": f"{TABLE}\n\n<div>\n{TABLE}\n</div>"})
    for uri, expected in (("a.md", 1), ("b.md", 0)):
        page = parse_html(markdown(portable_page(book, uri), extensions=["tables"]))
        ids = [own.get("id") for own in page.iter() if own.get("id")]
        assert ids.count("mix.words") == expected
        assert ids.count("mix.words/a/percent") == expected
        assert len(ids) == len(set(ids))
        assert len(list(page.iter("table"))) == 2


@pytest.mark.parametrize(
    ("page", "written"),
    [
        ("a $x$ b", "a <math><mi>x</mi></math> b"),
        (r"a \(x\) b", "a <math><mi>x</mi></math> b"),
        ("| a |\n|---|\n| $x$ |", "| a |\n|---|\n| <math><mi>x</mi></math> |"),
        ("> b\n> $x\n> y$ c", "> b\n> <math><mi>x</mi><mi>y</mi></math> c"),
        (
            '!!! note "a $-x$"\n    b\n',
            """!!! note "a <math><mo lspace='0' rspace='0'>−</mo><mi>x</mi></math>"\n    b\n""",
        ),
        ("a $x$\n:   b $y$\n", "a <math><mi>x</mi></math>\n:   b <math><mi>y</mi></math>\n"),
        ("\ufeff$$\nx\n$$", '\ufeff<div class="tx-maths" {}><math display="block"><mi>x</mi></math></div>'),
        ("- a\n\n    $$\n    x\n    $$\n", '- a\n\n    <math display="block"><mi>x</mi></math>\n'),
        ("\\[x\\]\n", '<div class="tx-maths" {}><math display="block"><mi>x</mi></math></div>\n'),
        (r"$\text{*}$", "<math><mtext>&#42;</mtext></math>"),
        ("## $x$ {#y}\n", "## <math><mi>x</mi></math> {#y}\n"),
        (
            "## a $x$\n\n$y$ b\n===\n",
            "## a <math><mi>x</mi></math> {#a-x}\n\n<math><mi>y</mi></math> b {#y-b}\n===\n",
        ),
        (
            "`$x$` $5 and $6 or \\$y\n\n    $x$\n\n```\n$x$\n```",
            "`$x$` $5 and $6 or \\$y\n\n    $x$\n\n```\n$x$\n```",
        ),
        (r"$\unknown$ x", r"$\unknown$ x"),
        ("---\ntitle: $x$\n---\n<p>$x$</p>\n", "---\ntitle: $x$\n---\n<p>$x$</p>\n"),
        ("![$x$](a.png)", "![$x$](a.png)"),
    ],
)
def test_formulas_are_mathml_where_they_can_be(page: str, written: str) -> None:
    box = 'role="group" aria-label="formula" tabindex="0"'
    assert write_formulas(page) == written.replace("{}", box, 1)


def test_formulas_hold_their_numbers() -> None:
    book = edition({"a.md": '$p = {{ n("mix.words/a/percent") }}$'})
    assert written_page(book, "a.md") == r"$p = 31.1\%$"
    assert "<mn>31.1</mn><mi>%</mi>" in portable_page(book, "a.md")
