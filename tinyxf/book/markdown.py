"""What the book needs of Python-Markdown, beside its usual extensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markdown import Extension, Markdown
from markdown.extensions.toc import slugify
from markdown.preprocessors import Preprocessor

from tinyxf.book.fill import TOKEN
from tinyxf.book.reading.source import Source

_AFTER_SNIPPETS = 31  # pymdownx.snippets includes files at 32; fences are found at 25


def heading_slug(value: str, separator: str) -> str:
    """Slug a heading without its placeholders, so that anchors do not move with numbers."""
    return slugify(" ".join(TOKEN.sub(" ", value).split()), separator)


class IncludedExtension(Extension):
    """Marks the placeholders that an included file brought into a page; `mark` takes the page's text and gives it."""

    def __init__(self, mark: Callable[[str], str]) -> None:
        super().__init__()
        self.mark = mark

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  Python-Markdown's name
        """Register the preprocessor behind the one that includes files."""
        md.preprocessors.register(_Included(md, self.mark), "tinyxf-included", _AFTER_SNIPPETS)


class _Included(Preprocessor):
    def __init__(self, md: Markdown, mark: Callable[[str], str]) -> None:
        super().__init__(md)
        self.mark = mark

    def run(self, lines: list[str]) -> list[str]:
        return self.mark("\n".join(lines)).split("\n") if any("{{ " in line for line in lines) else lines


class Converter:
    """Python-Markdown alone, with the extensions that the book's configuration names."""

    def __init__(
        self, extensions: Sequence[str], options: Mapping[str, Mapping[str, Any]], mark: Callable[[str], str]
    ) -> None:
        configs = {name: dict(own) for name, own in options.items()}
        configs.setdefault("toc", {})["slugify"] = heading_slug
        self._markdown = Markdown(extensions=[*extensions, IncludedExtension(mark)], extension_configs=configs)

    def convert(self, text: str) -> str:
        """Return a page, given without or with its front matter, as HTML."""
        self._markdown.reset()
        return self._markdown.convert(text[Source(text).front :].removeprefix("\ufeff"))
