"""The book as one page for the printer: nothing stands twice, and every link leads somewhere."""

from __future__ import annotations

import re

import html5lib
import pytest

from tinyxf.book.takeaway.paper import Heading, book_facts, book_pages, name_of, print_view, read_leaf

HEAD = """<!doctype html><html><head>
<link rel="stylesheet" href="a.css"><link rel="stylesheet" href="b.css" media="print">{links}
</head><body><nav><a href="index.html" id="nav">Start</a></nav><article class="md-content">"""


def page(body: str, links: str = "") -> str:
    return f"{HEAD.replace('{links}', links)}{body}</article><footer>End</footer></body></html>"


PAGES = {
    "index.html": page('<h1 id="start">Start</h1>', '<link rel="next" href="one.html">'),
    "one.html": page('<h1 id="a">One</h1><h2 id="b">Part</h2>', '<link rel="next" href="in/two.html">'),
    "in/two.html": page('<h1 id="a">Two</h1>'),
    "404.html": page("<h1>Lost</h1>"),
}


def article(body: str, path: str = "one.html", site: str = "") -> str:
    return read_leaf(path, page(body), PAGES, site).article


def test_pages_come_in_the_order_in_which_one_names_the_next() -> None:
    assert book_pages(PAGES) == ("index.html", "one.html", "in/two.html")
    round_about = page("", '<link rel="next" href="index.html">')
    assert book_pages({"index.html": round_about}) == ("index.html",)
    lost = page("", '<link rel="next" href="gone.html">')
    assert book_pages({"index.html": lost}) == ("index.html",)
    assert book_pages({}) == ()


def test_facts_are_those_of_the_first_page() -> None:
    links = (
        '<meta name="description" content="About &amp; more">'
        '<meta property="og:site_name" content="The &quot;book&quot;">'
        '<link rel="canonical" href="https://example.org/a/index.html">'
    )
    assert book_facts(page("", links)) == ('The "book"', "About & more", "https://example.org/a/")
    assert book_facts(page("")) == ("", "", "")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<p id="x">t</p>', '<p id="one--x">t</p>'),
        ("<p  class=c id='x/a&amp;b'>t</p>", '<p  class=c id="one--x/a&amp;b">t</p>'),
        ("<label for=x>t</label>", '<label for="one--x">t</label>'),
        ('<div aria-labelledby="x y" id=z></div>', '<div aria-labelledby="one--x one--y" id="one--z"></div>'),
        ('<td headers="a b">1</td>', '<td headers="one--a one--b">1</td>'),
        ('<a href="#x">t</a>', '<a href="#one--x">t</a>'),
        ('<a href="#">t</a>', '<a href="#one">t</a>'),
        ('<a href="one.html">t</a>', '<a href="#one">t</a>'),
        ('<a href="index.html#start">t</a>', '<a href="#index--start">t</a>'),
        ('<a href="in/two.html#a/b%7Cc">t</a>', '<a href="#in.two--a/b%7Cc">t</a>'),
        ('<a href="./in/../index.html">t</a>', '<a href="#index">t</a>'),
        ('<a title=" href=x" href="#x">t</a>', '<a title=" href=x" href="#one--x">t</a>'),
        ('<a href="https://example.org/#x">t</a>', '<a href="https://example.org/#x">t</a>'),
        ('<a href="mailto:a@example.org">t</a>', '<a href="mailto:a@example.org">t</a>'),
        ('<a href="404.html">t</a>', '<a href="#404">t</a>'),
        ('<a class="c" href="downloads/x.csv" download>t</a>', '<a class="c" download>t</a>'),
        ('<a href="/elsewhere.html">t</a>', "<a>t</a>"),
    ],
)
def test_ids_and_links_are_those_of_one_page(body: str, expected: str) -> None:
    assert article(body) == expected


def test_links_from_a_folder_lead_to_the_same_pages() -> None:
    assert article('<a href="../one.html#b">t</a>', "in/two.html") == '<a href="#one--b">t</a>'
    assert article('<a href="../">t</a>', "in/two.html") == '<a href="#index">t</a>'
    assert article('<img src="../a/b.png" id="x">', "in/two.html") == '<img src="a/b.png" id="in.two--x">'
    assert article('<img src="data:x">', "in/two.html") == '<img src="data:x">'


def test_other_files_are_linked_where_the_book_is_published() -> None:
    link = '<a href="../downloads/x.csv#y">t</a>'
    assert (
        article(link, "in/two.html", "https://example.org/a/")
        == '<a href="https://example.org/a/downloads/x.csv#y">t</a>'
    )
    assert article(link, "in/two.html", "https://example.org/a") == article(
        link, "in/two.html", "https://example.org/a/"
    )


def test_drawings_and_formulas_stay_as_they_are_but_for_their_ids() -> None:
    drawing = (
        '<svg viewBox="0 0 1 1" aria-labelledby="t"><title id="t">T</title><linearGradient id="g"/>'
        '<rect fill="url(#g)" style="clip-path:url(#c)"/><use xlink:href="#g"/></svg>'
    )
    assert article(drawing) == (
        '<svg viewBox="0 0 1 1" aria-labelledby="one--t"><title id="one--t">T</title><linearGradient id="one--g"/>'
        '<rect fill="url(#one--g)" style="clip-path:url(#one--c)"/><use xlink:href="#one--g"/></svg>'
    )
    formula = "<math><mi>x</mi><mo>&lt;</mo><mspace width='1em'/><mo>&#8722;</mo><mo>&ApplyFunction;</mo></math>"
    assert article(formula) == formula


def test_what_paper_cannot_do_is_left_out_or_opened() -> None:
    assert article("<p>a</p><script>if (a < b) { '</p>' }</script><style>p {}</style><p>b</p>") == "<p>a</p><p>b</p>"
    assert (
        article('<details class="x"><summary>s</summary>t</details>')
        == '<details open class="x"><summary>s</summary>t</details>'
    )
    assert article("<details open>t</details>") == "<details open>t</details>"
    assert article('<script src="x"/><p>a</p>') == "<p>a</p>"


def test_headings_are_read_without_their_marks() -> None:
    body = (
        '<h1 id="a">One &amp; <em>only</em><a class="headerlink" href="#a">&para;</a></h1>'
        '<h2 id="b">Part <math><mi>x</mi></math></h2><h2>No id</h2><h3 id="c">Deep &#8722;</h3><h4 id="d">Deeper</h4>'
    )
    leaf = read_leaf("one.html", page(body), PAGES)
    assert leaf.headings == (
        Heading(1, "one--a", "One & only"),
        Heading(2, "one--b", "Part x"),
        Heading(3, "one--c", "Deep −"),
    )
    assert leaf.title == "One & only"
    assert [part.id for part in leaf.parts] == ["one--b"]
    assert "headerlink" not in leaf.article
    assert leaf.article.startswith('<h1 id="one--a">One &amp; <em>only</em></h1>')
    assert read_leaf("one.html", page("<p>t</p>"), PAGES).title == "one"


def test_only_the_article_is_taken() -> None:
    leaf = read_leaf("one.html", page("<p>in</p>"), PAGES)
    assert leaf.article == "<p>in</p>"


BOOK = {path: text for path, text in PAGES.items() if path != "404.html"}


def test_the_view_is_valid_and_holds_the_chapters_in_order() -> None:
    view = print_view(BOOK, "A <book>", 'About "it"')
    html5lib.HTMLParser(strict=True).parse(view)
    assert "<title>A &lt;book&gt;</title>" in view
    assert re.findall(r'<article [^>]*id="([^"]*)"', view) == [name_of(path) for path in BOOK]
    ids = re.findall(r'\sid="([^"]*)"', view)
    assert len(ids) == len(set(ids))
    assert view.count('<link rel="stylesheet" href="a.css">') == 1
    assert '<link rel="stylesheet" href="b.css" media="print">' in view
    assert "<script" not in view


def test_the_contents_lead_to_every_chapter_and_part() -> None:
    view = print_view(BOOK, "T", "D", "", {"one": 3, "one--b": 4})
    contents = view[view.index("<nav") : view.index("</nav>")]
    assert re.findall(r'<a href="#([^"]*)"><span>([^<]*)</span>(?:<span>(\d+)</span>)?</a>', contents) == [
        ("index", "Start", ""),
        ("one", "One", "3"),
        ("one--b", "Part", "4"),
        ("in.two", "Two", ""),
    ]
    for target in re.findall(r'href="#([^"]*)"', contents):
        assert f'id="{target}"' in view


def test_the_cover_says_where_the_book_is_published() -> None:
    assert '<a href="https://example.org/a/">https://example.org/a/</a>' in print_view(
        BOOK, "T", "D", "https://example.org/a/"
    )
    assert "http" not in print_view(BOOK, "T", "D")
