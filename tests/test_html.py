"""Every page of the built site, read by a parser that forgives nothing."""

from __future__ import annotations

import re
from pathlib import Path

import html5lib
import pytest
from html5lib.html5parser import ParseError

STYLED = re.compile(r"<[a-z][^<>]*\sstyle=|<style[\s>]")
SCRIPTED = re.compile(r"<[a-z][^<>]*\son[a-z]+=")


@pytest.fixture(scope="module")
def pages(built_site: Path) -> dict[str, str]:
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted(built_site.rglob("*.html"))}
    assert len(found) > 10
    return found


def read(text: str) -> None:
    html5lib.HTMLParser(strict=True).parse(text)


def test_every_page_is_valid(pages: dict[str, str]) -> None:
    for name, text in pages.items():
        try:
            read(text)
        except ParseError as error:
            pytest.fail(f"{name}: {error}")


@pytest.mark.parametrize("broken", ["<p><table></p>", "<b><p></b></p>", "<p id=a id=b>", "&nosuch;", "<td>x</td>"])
def test_the_parser_forgives_nothing(broken: str) -> None:
    read("<!doctype html><html lang=en><title>t</title><body><p>x</p></body></html>")
    with pytest.raises(ParseError):
        read(f"<!doctype html><html lang=en><title>t</title><body>{broken}</body></html>")


def test_no_id_stands_twice(pages: dict[str, str]) -> None:
    for name, text in pages.items():
        ids = re.findall(r'\sid="([^"]*)"', re.sub(r"<(script|code)\b.*?</\1>", "", text, flags=re.DOTALL))
        assert sorted(ids) == sorted(set(ids)), name


def test_nothing_that_a_strict_policy_refuses_stands_in_a_page(pages: dict[str, str]) -> None:
    """No style and no handler in place; the theme's few inline scripts can be let in by their hash."""
    for name, text in pages.items():
        markup = re.sub(r"<(script|code)\b.*?</\1>", "", text, flags=re.DOTALL)
        assert STYLED.findall(markup) == [], name
        assert SCRIPTED.findall(markup) == [], name


def test_every_page_says_what_it_is(pages: dict[str, str]) -> None:
    titles, descriptions = set(), set()
    for text in pages.values():
        assert '<html lang="en"' in text
        assert text.count("<h1") == 1
        titles.update(re.findall(r"<title>(.+?)</title>", text))
        descriptions.update(re.findall(r'<meta name="description" content="([^"]+)">', text))
    assert len(titles) == len(pages)
    assert len(descriptions) >= len(pages) - 1  # the pages for a wrong address and for licences have the book's
