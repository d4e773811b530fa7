"""Our part of the theme alone: the map under each step, and Markdown's tables in reach of a keyboard."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
import jinja2
import pytest

from tinyxf.book.render import TEMPLATES


@dataclass(frozen=True, slots=True)
class Anchor:
    id: str
    children: list[Anchor] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Page:
    """As much of MkDocs' page as the map looks at."""

    title: str
    url: str
    toc: list[Anchor] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    parent: Section | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Section:
    children: list[Page]


@dataclass(frozen=True, slots=True)
class Navigation:
    pages: list[Page]


def part(number: int, name: str, *steps: int) -> Page:
    anchors = [Anchor(f"step-{step}") for step in steps]
    return Page(f"{number} {name}", f"{name.lower()}.html", [Anchor("top", [Anchor("intro"), *anchors])])


PARTS = [part(1, "Embeddings", 1, 2, 3, 4), part(2, "Attention", 5, 6, 7), part(3, "Loss", 8)]
HTML = (
    '<h1 id="top">2 Attention</h1>\n<p>Before.</p>\n'
    '<h2 id="step-5">Step 5: Norm</h2>\n<p>Five.</p>\n'
    '<h2 id="head-2">Once more</h2>\n<p>Six and seven.</p>\n'
    '<h2 id="other">Something else</h2>\n<p>Other.</p>\n'
)


def render(source: str, **context: object) -> str:
    loader = jinja2.FileSystemLoader(TEMPLATES / "theme")
    environment = jinja2.Environment(loader=loader, autoescape=False)  # noqa: S701  as MkDocs does
    environment.filters["url"] = lambda url: f"../{url}"
    return environment.from_string(source).render(**context)


def place(page: Page, html: str = HTML, parts: list[Page] = PARTS) -> str:
    source = '{% import "partials/map.html" as map with context %}{{ map.place(html) }}'
    return render(source, page=page, nav=Navigation(parts), html=html)


def parse(html: str) -> Element:
    body = html5lib.HTMLParser(namespaceHTMLElements=False, strict=True).parseFragment(html)
    assert isinstance(body, Element)
    return body


def seen(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def test_each_step_stands_in_a_section_with_its_map() -> None:
    body = parse(place(PARTS[1]))
    (section,) = body.iter("section")
    heading, chart, text = list(section)[:3]
    assert (heading.tag, seen(heading)) == ("h2", "Step 5: Norm")
    assert chart.attrib == {"class": "tx-map", "aria-label": "The model, at step 5"}
    assert seen(text) == "Five."
    assert seen(body).startswith("2 Attention Before. Step 5: Norm")
    assert seen(body).endswith("Once more Six and seven. Something else Other.")


def test_the_present_part_is_open_and_the_present_step_lit() -> None:
    chart = next(parse(place(PARTS[1])).iter("ol"))
    past, here, later = chart
    assert [part.attrib.get("class", "") for part in (past, here, later)] == ["tx-past", "tx-here", ""]
    assert [seen(part) for part in (past, here, later)] == ["1–4 Embeddings", "567Attention", "8 Loss"]
    links = {link.attrib["href"]: link.attrib for link in chart.iter("a")}
    assert list(links) == ["../embeddings.html#step-1", "#step-5", "#step-6", "#step-7", "../loss.html#step-8"]
    assert [href for href, attributes in links.items() if "aria-current" in attributes] == ["#step-5"]
    assert links["#step-6"]["aria-label"] == "step 6"


@pytest.mark.parametrize(("about", "label", "lit"), [("6-7", "6 to 7", ["6", "7"]), (8, "8", ["8"])])
def test_front_matter_says_what_another_heading_is_about(about: object, label: str, lit: list[str]) -> None:
    page = Page("The run", "run.html", meta={"steps": {"head-2": about}})
    body = parse(place(page))
    charts = [chart for chart in body.iter("ol") if chart.attrib["aria-label"] == f"The model, at step {label}"]
    (chart,) = charts
    assert [seen(link) for link in chart.iter("a") if "aria-current" in link.attrib] == lit
    hrefs = [link.attrib["href"] for link in chart.iter("a")]
    assert all(href.startswith("../") for href in hrefs)  # the steps are on other pages


def test_a_page_without_steps_stays_as_it_is() -> None:
    html = '<h2 id="a">A</h2><p>Text.</p><h2>no id</h2>'
    assert place(Page("Notes", "notes.html"), html) == html
    assert place(Page("Notes", "notes.html"), "") == ""


def test_two_chapters_with_steps_of_the_same_number_keep_apart() -> None:
    second = [part(1, "Words", 1, 2), part(2, "Counts", 5)]
    page = replace(second[1], parent=Section(second))
    second[1] = page
    chart = next(parse(place(page, '<h2 id="step-5">Step 5</h2>', PARTS + second)).iter("ol"))
    assert [seen(name) for name in chart.iter("b")] == ["Words", "Counts"]
    assert seen(chart[1]) == "5Counts"


def test_a_long_book_shows_a_stretch_of_its_parts() -> None:
    parts = [part(number, f"Part{number}", number) for number in range(1, 41)]
    html = '<h2 id="step-20">Step 20</h2>'
    chart = next(parse(place(parts[19], html, parts)).iter("ol"))
    assert [seen(name) for name in chart.iter("b")] == [f"Part{number}" for number in range(15, 27)]


def test_tables_of_markdown_get_a_box_that_scrolls() -> None:
    table = "<table>\n<tr><td>{}</td></tr>\n</table>"
    html = f"<p>a</p>{table.format(1)}<p>b</p>{table.format(2)}<table class='x'><tr><td>3</td></tr></table>"
    body = parse(render('{% import "partials/tables.html" as tables %}{{ tables.reachable(html) }}', html=html))
    boxes = [box for box in body if box.tag == "div"]
    assert [seen(box) for box in boxes] == ["1", "2"]
    assert all(box.attrib["tabindex"] == "0" and box[0].attrib == {"class": "tx-plain"} for box in boxes)
    assert [seen(part) for part in body] == ["a", "1", "b", "2", "3"]


def test_the_look_sends_for_nothing_else_and_has_nothing_inline() -> None:
    sheet = (TEMPLATES.parent / "docs" / "assets" / "book.css").read_text("utf-8")
    assert set(re.findall(r"url\(([^)]*)\)", sheet)) == {"fonts/stix-two-math.woff2"}
    assert "@import" not in sheet
    for file in (TEMPLATES / "theme").rglob("*.html"):
        text = file.read_text("utf-8")
        assert " style=" not in text
        assert "<style" not in text
        assert not re.search(r"<script(?! src=)", text)
