"""What the book asks of Python-Markdown: ids without numbers, and marks for what included files bring in."""

from __future__ import annotations

import pytest
from markdown import Markdown

from tinyxf.book.markdown import Converter, IncludedExtension, heading_slug


@pytest.mark.parametrize(
    ("heading", "slug"),
    [
        ("The loss", "the-loss"),
        ("The loss is tx0n0x nats", "the-loss-is-nats"),
        ("tx0n0x tokens", "tokens"),
        ("tx0n0x", ""),
        ("atx0n0xb", "a-b"),
        ("tx and tx0nx", "tx-and-tx0nx"),
    ],
)
def test_a_heading_is_slugged_without_its_numbers(heading: str, slug: str) -> None:
    assert heading_slug(heading, "-") == slug


def convert(text: str, extensions: tuple[str, ...] = ("toc",), **options: dict[str, object]) -> str:
    return Converter(extensions, options, lambda page: page.replace("{{ x }}", "MARK")).convert(text)


def test_headings_of_numbers_alone_still_have_ids_of_their_own() -> None:
    page = convert("# tx0n0x\n\n# tx0n1x\n\n## A tx0n2x\n\n## A\n")
    assert [part.partition('"')[0] for part in page.split('id="')[1:]] == ["_1", "_2", "a", "a_1"]


def test_front_matter_is_no_part_of_the_page() -> None:
    assert convert("---\ntitle: x\n---\ntext") == "<p>text</p>"
    assert convert("\ufeff---\ntitle: x\n---\ntext") == "<p>text</p>"
    assert convert("\ufefftext") == "<p>text</p>"
    assert convert("---\n\ntext\n\n---\n").startswith("<hr")


def test_a_converter_forgets_the_page_before() -> None:
    converter = Converter(("footnotes", "toc"), {}, str)
    page = "# A\n\nx[^1]\n\n[^1]: y\n"
    assert converter.convert(page) == converter.convert(page)
    assert "[^1]" in converter.convert("x[^1]")


def test_options_reach_the_extensions_and_stay_as_they_are() -> None:
    options: dict[str, dict[str, object]] = {"toc": {"permalink": True}}
    assert 'class="headerlink"' in Converter(("toc",), options, str).convert("# A")
    assert options == {"toc": {"permalink": True}}


def test_placeholders_are_marked_before_code_is_found() -> None:
    md = Markdown(
        extensions=["pymdownx.superfences", IncludedExtension(lambda page: page.replace("{{ x }}", "MARK"))]
    )
    assert md.convert("{{ x }}\n\n    {{ x }}") == "<p>MARK</p>\n<pre><code>MARK\n</code></pre>"  # fmt: skip


def test_a_page_without_placeholders_is_not_looked_at() -> None:
    def refuse(page: str) -> str:
        raise AssertionError(page)

    assert Converter((), {}, refuse).convert("{{x}} and { { x } }") == "<p>{{x}} and { { x } }</p>"
