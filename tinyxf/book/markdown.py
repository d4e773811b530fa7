"""What the book needs of Python-Markdown, beside its usual extensions."""

from __future__ import annotations

from markdown.extensions.toc import slugify

from tinyxf.book.fill import TOKEN


def heading_slug(value: str, separator: str) -> str:
    """Slug a heading without its placeholders, so that anchors do not move with numbers."""
    return slugify(" ".join(TOKEN.sub(" ", value).split()), separator)
