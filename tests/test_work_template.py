"""The worked example in a page: every number is the catalog's, and the arithmetic is right as it is printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
import pytest

from tests.formula_reader import calculate
from tests.golden_texts import Golden
from tests.invented import mix
from tests.little_chapter import little_chapter
from tinyxf.book.edition import Edition, Manuscript
from tinyxf.book.readback.site import read_site_page
from tinyxf.book.render import Renderer
from tinyxf.book.worked import view_work, work_words
from tinyxf.catalog import Catalog
from tinyxf.chapter import catalog
from tinyxf.formatting import format_number
from tinyxf.trace.notation import join_pieces
from tinyxf.trace.work import Workbook, read_workbook

MATHS = "{http://www.w3.org/1998/Math/MathML}math"


@pytest.fixture(scope="module")
def workbook() -> Workbook:
    return read_workbook(catalog())


def target(address: str) -> str:
    return f"page.html#{address}" if "/" in address else ""


def render(workbook: Workbook, *names: str) -> tuple[str, ...]:
    renderer = Renderer(workbook.trace.catalog)
    return tuple(renderer.render("work.html.jinja", view=view_work(workbook, name, target)) for name in names)


def tree(markup: str) -> Element:
    """Parse a fragment as browsers do; nothing in it may be malformed."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    root: Element = parser.parseFragment(markup)
    return root


@pytest.fixture(scope="module")
def pages(workbook: Workbook) -> dict[str, Element]:
    """Every work of the chapter as a page shows it."""
    names = [work.number.address for work in workbook.works()]
    return dict(zip(names, map(tree, render(workbook, *names)), strict=True))


def of_class(root: Element, name: str) -> Iterator[Element]:
    return (own for own in root.iter() if name in own.get("class", "").split())


def text(element: Element) -> str:
    return " ".join("".join(element.itertext()).replace("\u00a0", " ").replace("\N{MINUS SIGN}", "-").split())


def test_every_work_reads_as_it_is(workbook: Workbook, pages: dict[str, Element]) -> None:
    published = {number.address: number for number in workbook.trace.catalog.published()}
    for work in workbook.works():
        root = pages[work.number.address]
        for number in root.iter("data"):
            own = published[number.get("data-address", "")]
            assert (number.text, number.get("value")) == (own.display, own.full)
        lines = [text(line).removeprefix("= ") for line in of_class(root, "tx-work-line")]
        assert lines[-1].startswith(work.number.display)
        if work.substituted:
            assert lines[0] == join_pieces(work.substituted)
        assert len(list(root.iter(MATHS))) >= (work.kind not in ("given", "copy"))
        links = [own for own in root.iter("a") if own.get("data-to")]
        cells = [piece for piece in work.substituted if "/" in piece.address]
        assert [(own.get("href"), text(own)) for own in links] == [
            (f"page.html#{piece.address}", piece.text) for piece in cells
        ]


def test_what_is_printed_comes_to_what_is_printed(workbook: Workbook, pages: dict[str, Element]) -> None:
    """A pocket calculator that reads the page gets what the page says a pencil gets."""
    checked = 0
    for work in workbook.works():
        if work.kind in ("given", "copy"):
            continue
        root = pages[work.number.address]
        line = text(next(of_class(root, "tx-work-line"))).removeprefix("= ")
        form = workbook.trace.by_address[work.number.address].number.format
        assert format_number(round(calculate(line), 12), form) == work.pencil  # a calculator shows no more
        said = text(root)
        assert (f"A pencil gets {work.pencil} from the printed numbers" in said) == (work.units > 0)
        checked += 1
    assert checked > 400


def test_operands_stand_by_where_they_were_made(workbook: Workbook) -> None:
    root = tree(*render(workbook, "attention.h1.scores/chuck/a"))
    groups = [text(item) for item in next(of_class(root, "tx-work-operands")).iter("li")]
    assert groups == [
        "step 6.1 h1.q0[chuck] = -0.6561 h1.k0[a] = -1.7320 h1.q1[chuck] = 1.7265 h1.k1[a] = 0.5773",
        "constants scale = 1.4142",
    ]
    root = tree(*render(workbook, "ffn.pre/chuck/u7"))
    groups = [text(item) for item in next(of_class(root, "tx-work-operands")).iter("li")]
    assert [group.split()[0] for group in groups] == ["step", "weights"]


def test_a_given_number_and_a_copy_say_so(workbook: Workbook) -> None:
    given = text(tree(*render(workbook, "weights.b2/f0")))
    assert given == "Worked out weights.b2/f0 = 0.0 This number is given, not computed."
    copy = text(tree(*render(workbook, "logits.prediction/wood/percent")))
    assert "= 0.3107 = 31.1%" in copy
    assert "The same number as logits.prediction/wood/probability, once more." in copy


def test_a_number_of_another_form_is_no_cell_of_the_catalog() -> None:
    """Formulas leave out thousands separators, so such a number is a link but not the published text."""
    book = read_workbook(catalog())
    (markup,) = render(book, "params.simple/gpt2_large/simple")
    assert "64328960</a>" in markup
    assert ">64328960</data>" not in markup


@pytest.mark.parametrize(
    "name", ["bill.rows/apples/share", "bill.rows/pears@2/percent", "bill.sum/total", "bill.year"]
)
def test_the_text_as_it_is(golden: Golden, name: str) -> None:
    (markup,) = render(read_workbook(little_chapter()), name)
    golden.check(f"little.work.{re.sub('[/@]', '.', name.removeprefix('bill.'))}.html", markup)


def test_signs_in_tokens_are_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.little_chapter.ROWS", ("<b>", 'x"y', "a&b"))
    book = read_workbook(little_chapter())
    works = list(book.works())
    for work, markup in zip(works, render(book, *(own.number.address for own in works)), strict=True):
        root = tree(markup)
        assert [text(own) for own in root.iter("b")] == ["Worked out", work.number.display]
    assert "cost[<b>]" in text(tree(*render(book, "bill.rows/%3Cb%3E/share")))


def test_words_for_a_search(workbook: Workbook) -> None:
    words = work_words(workbook.work("attention.h1.weights/chuck/a"))
    assert words == "A1[chuck, a] = X1[chuck, a] / h1.total[chuck] = 0.4464 / 1.8130 = 0.2462"
    assert work_words(workbook.work("weights.b2/f0")) == "b2[f0] = 0.0"


# -- in a page


def edition(shown: Catalog, *pages: str) -> Edition:
    manuscripts = [Manuscript(f"docs/p{number}.md", f"p{number}.md", own) for number, own in enumerate(pages)]
    return Edition(shown, manuscripts, Renderer(shown), lambda page, wanted: f"{page}>{wanted}")


ALL = '{{ table("bill.rows") }}\n\n{{ table("bill.sum") }}\n'


def finished(book: Edition, uri: str) -> str:
    html = book.marked(uri).replace("\n", "")
    return book.finish(uri, book.content(uri, f"<p>{html}</p>"))


def test_links_lead_from_the_page_to_where_each_cell_is() -> None:
    book = edition(little_chapter(), '{{ work("bill.rows", "apples", "share") }}', ALL)
    assert book.problems == ()
    page = finished(book, "p0.md")
    assert 'href="p0.md&gt;p1.md#bill.rows/apples/cost"' in page
    assert 'href="p0.md&gt;p1.md#bill.sum/total"' in page
    assert book.first_pages == {"bill.rows": "p1.md", "bill.sum": "p1.md"}


def test_a_page_without_the_table_has_no_links() -> None:
    book = edition(little_chapter(), '{{ work("bill.sum/total") }}')
    assert "<a " not in finished(book, "p0.md")
    assert 'data-address="bill.rows/apples/cost"' in finished(book, "p0.md")


def test_its_numbers_are_found_in_the_site() -> None:
    book = edition(little_chapter(), '{{ work("bill.rows", "apples", "share") }}', ALL)
    found = read_site_page(finished(book, "p0.md"))
    assert [number.key for number in found.numbers] == [
        "bill.rows/apples/cost",
        "bill.sum/total",
        "bill.rows/apples/share",
    ]
    assert book.blocks_of("p0.md")[0] in finished(book, "p0.md")


def test_a_search_finds_it() -> None:
    book = edition(little_chapter(), '{{ work("bill.rows", "apples", "share") }}', ALL)
    content = book.content("p0.md", f"<p>{book.marked('p0.md')}</p>")
    assert "share[apples] = cost[apples] / total = 0.37 / 5.78 = 0.064" in content


def test_a_chapter_without_a_trace_has_nothing_to_work_out() -> None:
    shown: Any = mix()
    book = edition(shown, 'Look:\n\n{{ work("mix.words/a/share") }}')
    (problem,) = [own for own in book.problems if own.kind == "work"]
    assert str(problem).startswith("docs/p0.md:3:1: ")
    assert "has no traced run" in problem.message
