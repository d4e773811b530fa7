"""The whole book as one page for the printer.

After the build, from the finished pages: their articles one after the other, under a cover and a table of contents.
Ids get the name of their page in front, so that none stands twice, and links between pages become links within this
one.  A browser prints it; nothing here knows one.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

from tinyxf.book.render import environment

MARK = "--"  # between the name of a page and an id of that page

_IDS = frozenset({"id", "for", "headers", "aria-controls", "aria-describedby", "aria-labelledby", "aria-owns"})
_LINKS = frozenset({"href", "xlink:href"})
_GONE = frozenset({"script", "style"})
_ATTRIBUTE = re.compile(r"""(\s+)([^\s=>/"']+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)""")
_REFERENCE = re.compile(r"url\(#([^)]*)\)")
_STYLE = re.compile(r'<link rel="stylesheet" href="[^"]*"[^>]*>')
_NEXT = re.compile(r'<link rel="next" href="([^"]*)">')
_NAME = re.compile(r'<meta property="og:site_name" content="([^"]*)">')
_DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)">')
_CANONICAL = re.compile(r'<link rel="canonical" href="([^"]*)">')


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a page: its level, its id in the printed page, and its words."""

    level: int
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """A page of the site, cut down to what is printed: its id there, its article, and its headings."""

    id: str
    article: str
    headings: tuple[Heading, ...]

    @property
    def title(self) -> str:
        """The words of the first heading."""
        return self.headings[0].text if self.headings else self.id

    @property
    def parts(self) -> tuple[Heading, ...]:
        """The headings of the second level."""
        return tuple(heading for heading in self.headings if heading.level == 2)  # noqa: PLR2004  <h2>


def book_pages(files: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths of the book's pages in their order: from `index.html` on, each page names the next."""
    path, order = "index.html", dict[str, None]()
    while path in files and path not in order:
        order[path] = None
        following = _NEXT.search(files[path])
        if following:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), html.unescape(following[1])))
    return tuple(order)


def book_facts(index: str) -> tuple[str, str, str]:
    """Return title, subject and published address (or nothing) of the book, as its first page has them."""
    title, description, address = (
        html.unescape(found[1]) if (found := pattern.search(index)) else ""
        for pattern in (_NAME, _DESCRIPTION, _CANONICAL)
    )
    return title, description, urljoin(address, ".") if address else ""


def print_view(
    pages: Mapping[str, str], title: str, description: str, site: str = "", numbers: Mapping[str, int] | None = None
) -> str:
    """Return the book as one page of HTML that stands at the top of the site.

    `pages` are the site's pages in the order of the book, by their paths; `site` is the address where the book is
    published, or empty: then links to files that are not printed become words.  `numbers` says on which sheet each id
    is found, once that is known.
    """
    styles = "\n".join(dict.fromkeys(style for text in pages.values() for style in _STYLE.findall(text)))
    leaves = [read_leaf(path, text, pages, site) for path, text in pages.items()]
    template = environment().get_template("print.html.jinja")
    facts = {"title": title, "description": description, "site": site}
    return template.render(facts, styles=styles, leaves=leaves, numbers=numbers or {})


def name_of(path: str) -> str:
    """Return the id under which a page stands in the printed one."""
    return path.removesuffix(".html").replace("/", ".")


def read_leaf(path: str, text: str, pages: Mapping[str, str], site: str = "") -> Leaf:
    """Return the article of a page of the site, ready to stand beside those of the others."""
    reader = _Reader(path, pages, site)
    reader.feed(text)
    reader.close()
    return Leaf(name_of(path), "".join(reader.out).strip(), tuple(reader.headings))


class _Reader(HTMLParser):
    """Copies the article as it stands, but for ids, links, and what paper cannot do."""

    def __init__(self, path: str, pages: Mapping[str, str], site: str) -> None:
        super().__init__(convert_charrefs=False)
        self.path, self.pages, self.site = path, pages, site
        self.name = name_of(path)
        self.out: list[str] = []
        self.headings: list[Heading] = []
        self._inside = False
        self._gone = ""  # the tag whose end ends what is left out
        self._heading: tuple[int, str, list[str]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if not self._inside or self._gone:
            self._inside = self._inside or tag == "article"
            return
        if tag in _GONE or "headerlink" in (given.get("class") or "").split():
            self._gone = tag
            return
        if tag in ("h1", "h2", "h3") and given.get("id"):
            self._heading = (int(tag[1]), self._marked(given["id"] or ""), [])
        raw = _ATTRIBUTE.sub(self._attribute, self.get_starttag_text() or "")
        if tag == "details" and "open" not in given:
            raw = raw.replace("<details", "<details open", 1)
        self.out.append(raw)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _GONE:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._gone:
            self._gone = "" if tag == self._gone else self._gone
            return
        if tag == "article":
            self._inside = False
        if self._heading and tag == f"h{self._heading[0]}":
            level, name, words = self._heading
            self.headings.append(Heading(level, name, " ".join(html.unescape("".join(words)).split())))
            self._heading = None
        self._copy(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._copy(data, words=data)

    def handle_entityref(self, name: str) -> None:
        self._copy(f"&{name};", words=f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._copy(f"&#{name};", words=f"&#{name};")

    def _copy(self, raw: str, words: str = "") -> None:
        if self._inside and not self._gone:
            self.out.append(raw)
            if self._heading:
                self._heading[2].append(words)

    def _marked(self, name: str) -> str:
        return f"{self.name}{MARK}{name}"

    def _attribute(self, found: re.Match[str]) -> str:
        space, name, equals, written = found.groups()
        value = html.unescape(written[1:-1] if written[0] in "\"'" else written)
        key = name.lower()
        if key in _IDS:
            changed: str | None = " ".join(map(self._marked, value.split()))
        elif key in _LINKS:
            changed = self._link(value)
        elif key == "src" and not urlsplit(value).scheme:
            changed = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), value))
        elif "url(#" in value:
            changed = _REFERENCE.sub(lambda own: f"url(#{self._marked(own[1])})", value)
        else:
            return found[0]
        return f'{space}{name}{equals}"{html.escape(changed)}"' if changed is not None else ""

    def _link(self, value: str) -> str | None:
        """Return where a link leads on paper; None for nowhere."""
        parts = urlsplit(value)
        if parts.scheme or parts.netloc:
            return value
        here = posixpath.join(posixpath.dirname(self.path), unquote(parts.path)) if parts.path else self.path
        target = posixpath.normpath(here + "index.html" if here.endswith("/") else here)
        if target in self.pages:
            return f"#{name_of(target)}" + (f"{MARK}{parts.fragment}" if parts.fragment else "")
        return urljoin(f"{self.site.rstrip('/')}/{self.path}", value) if self.site else None
