"""The only file that knows MkDocs' events: it hands pages to the edition and takes them back.

`mkdocs build` fails with every problem of the book; `mkdocs serve` shows them where they are and lives on.
"""

from __future__ import annotations

import gc
import html
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent))  # MkDocs takes it off again once this file is loaded

import loading
from bundling import make_arithmetic, try_downloads
from clock import keep_date
from compiled import CompiledTemplates, PublishedTemplates, compile_once
from configuration import navigation_problems
from conversions import Conversions
from lasting import lasting, living
from licensing import licences
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException, PluginError
from mkdocs.plugins import CombinedEvent, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink
from mkdocs.theme import Theme
from mkdocs.utils import get_relative_url
from reading import read_manuscript, read_snippets
from theming import theme_fault, theme_problems

if TYPE_CHECKING:
    from mkdocs.livereload import LiveReloadServer

    from tinyxf.book.edition import Edition
    from tinyxf.book.finish import Finisher
    from tinyxf.catalog import Catalog
    from tinyxf.errors import Problem

log = logging.getLogger("mkdocs.hooks.tinyxf")
SNIPPETS = "pymdownx.snippets"


class _Build:
    """What one build has at hand; `broken` holds the problem when the code itself cannot be loaded."""

    serving = False
    code = ""  # the digest of our sources
    edition: Edition | None = None
    finisher: Finisher | None = None  # of the edition, which a build forgets once it has looked for problems
    before: Edition | None = None  # of the build before, from the same code
    conversions = Conversions()
    downloads: Mapping[str, str]
    marked = ("", "")  # the content of the page at hand, and its words, which the search index reads
    faults: tuple[Problem, ...] = ()
    broken: loading.BrokenError | None = None


_build = _Build()


def _fail(error: Exception) -> None:
    _build.broken = broken = loading.place(error)
    if not _build.serving:
        raise PluginError(str(broken)) from error
    log.error("%s", broken)


_living = living(PluginError, _fail)


def on_startup(*, command: str, **_: object) -> None:
    """Remember whether we serve; then nothing may end the server."""
    _build.serving = command == "serve"
    if _build.serving:
        sys.dont_write_bytecode = True  # a .pyc under a watched folder would cause a second build
    else:
        gc.disable()  # until all is loaded that stays to the end: looking through it took 5 % of a build


class _Theme(Theme):
    """The theme, with templates that stay compiled, and without a walk through its ten thousand icons."""

    def get_env(self) -> Any:  # noqa: ANN401  Jinja's environment
        env = compile_once(super().get_env(), self.dirs)
        env.globals["licences"] = licences
        return env

    @classmethod
    def like(cls, theme: Theme) -> _Theme:
        """Return the same theme of our kind."""
        named = {"custom_dir": theme.custom_dir, "static_templates": theme.static_templates}
        return cls(**{**theme, **named, "locale": str(theme.locale)})


@event_priority(100)  # before any plugin asks the theme for its templates
@_living
def on_config(config: MkDocsConfig, /) -> MkDocsConfig:
    """Read our code as it is now, and keep headings' ids free of numbers."""
    keep_date()
    config.theme = _Theme.like(config.theme)
    code = loading.begin(config.extra.get("chapters") or (), again=_build.serving)
    _build.before = _build.edition if _build.serving and code == _build.code else None
    _build.code, _build.edition, _build.finisher, _build.broken = code, None, None, None
    from tinyxf.book.markdown import IncludedExtension, heading_slug

    config.mdx_configs.setdefault("toc", {})["slugify"] = heading_slug
    extensions: list[Any] = config.markdown_extensions  # typed as names; Python-Markdown takes objects too
    extensions.append(IncludedExtension(_mark_included))
    if SNIPPETS in config.mdx_configs:  # found from wherever MkDocs is called
        home, options = Path(config.config_file_path).parent, config.mdx_configs[SNIPPETS]
        options["base_path"] = [str(home / path) for path in options.get("base_path", ())]
    return config


def _mark_included(text: str) -> str:
    return text if _build.edition is None else _build.edition.mark_included(text)


@_living
def on_nav(nav: Navigation, /, *, config: MkDocsConfig, files: Files) -> Navigation:
    """Run the chapters once, and expand every page in the order of the navigation."""
    if _build.broken is not None:
        return nav
    from tinyxf.book.edition import Edition
    from tinyxf.book.render import Renderer

    catalog = loading.load_catalog(config.extra.get("chapters") or ())
    listed = [page.file for page in nav.pages]
    others = [file for file in files.documentation_pages(inclusion=_inclusion()) if file not in listed]
    docs = Path(config.docs_dir)
    urls = {file.src_uri: file.url for file in files}
    pages = [read_manuscript(docs, file.src_uri) for file in (*listed, *others)]

    def link(page: str, target: str) -> str:
        name, mark, anchor = target.partition("#")
        return get_relative_url(urls.get(name, name), urls[page]) + mark + anchor

    renderer = Renderer(catalog, compiled=CompiledTemplates(_build.code))
    edition = Edition(catalog, pages, renderer, link, read_snippets(docs), slim=True, before=_build.before)
    _add_downloads(catalog, config, files)
    _build.edition, _build.finisher = edition, edition.finisher
    if _build.serving:
        toc = config.mdx_configs["toc"] | {"slugify": loading.digest_of_sources("tinyxf.book")}  # whose it is
        _build.conversions.begin(config.markdown_extensions, config.mdx_configs | {"toc": toc}, urls)
    else:
        gc.freeze()
        gc.enable()
    return nav


def _inclusion() -> Callable[[InclusionLevel], bool]:
    """Say which pages MkDocs converts: drafts are shown while we serve."""
    return InclusionLevel.is_in_serve if _build.serving else InclusionLevel.is_included


def _add_downloads(catalog: Catalog, config: MkDocsConfig, files: Files) -> None:
    """Make what readers can take away, and publish it beside the pages."""
    chapters, site = config.extra["chapters"], config.site_url or ""
    _build.downloads, _build.faults = try_downloads(catalog, chapters, _build.code, site)
    for uri, text in _build.downloads.items():
        files.append(File.generated(config, uri, content=text, inclusion=InclusionLevel.INCLUDED))


def on_page_read_source(*, page: Page, **_: object) -> str | None:
    """Give MkDocs the page with a token in place of each placeholder."""
    if _build.edition is None:
        return f"# {Path(page.file.src_uri).stem}\n\n{_broken_box()}\n"
    marked = _build.edition.marked(page.file.src_uri)
    return marked.replace("\r\n", "\n").replace("\r", "\n")  # as MkDocs itself reads a page


def _broken_box() -> str:
    """Show in every page why none can be shown."""
    return f'<div class="tx-problem" role="alert">{html.escape(str(_build.broken), quote=False)}</div>'


@_living
def on_page_markdown(markdown: str, /, *, page: Page, **_: object) -> str:
    """Expand the front matter before anyone reads a title."""
    if _build.edition is None:
        return markdown
    page.meta = _build.edition.front(page.meta)
    return _build.conversions.ask(page, markdown) if _build.serving else markdown


@_living
def on_page_content(content: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fill numbers and formulas in; titles and the table of contents get plain numbers."""
    edition = _build.edition
    if edition is None:
        return content
    if _build.serving:
        content = _build.conversions.answer(page, content, files.get_file_from_path)
    page.title = edition.plain(str(page.title or ""))
    todo: list[AnchorLink] = list(page.toc)
    while todo:
        anchor = todo.pop()
        anchor.title = edition.plain(anchor.title)
        todo.extend(anchor.children)
    from tinyxf.book.takeaway.offered import finish_links

    filled = edition.content(page.file.src_uri, content)
    return finish_links(filled, edition.catalog, _build.downloads, config.site_url or "")


def on_env(env: Any, *, config: MkDocsConfig, files: Files, **_: object) -> Any:  # noqa: ANN401  Jinja's environment
    """Every page is converted: report all problems, and end the build if there are any."""
    if _build.serving and any(theme_problems()):  # with the theme's own templates, there are pages to show them on
        env.loader = PublishedTemplates([folder for folder in config.theme.dirs if folder != config.theme.custom_dir])
        env.cache.clear()
    if _build.edition is None:
        return env
    found = files.documentation_pages(inclusion=_inclusion())
    pages = {file.src_uri: file.page for file in found if file.page is not None}
    try:
        _report(_build.edition, pages, config, files)
        _add_arithmetic(_build.edition, pages, config, files)
    except PluginError:
        raise
    except Exception as error:  # noqa: BLE001  whatever an author's edit can raise
        _fail(error)
        for page in pages.values():
            page.content = _broken_box()
    if not _build.serving:
        _build.edition = None  # a hundred pages' worth of memory
    return env


def _report(edition: Edition, pages: Mapping[str, Page], config: MkDocsConfig, files: Files) -> None:
    """Tell all problems; show those at the top of their pages that stand nowhere in them."""
    from tinyxf.book.checks.anchors import anchor_problems

    contents = {uri: page.content or "" for uri, page in pages.items()}
    assets = [file.src_uri for file in files if not file.is_documentation_page()]
    nav = navigation_problems(Path(config.config_file_path))
    theme = tuple(theme_problems())
    problems = sorted({*edition.problems, *anchor_problems(edition, contents, assets), *_build.faults, *nav, *theme})
    if problems and not _build.serving:
        raise PluginError("\n".join(map(str, problems)))
    for problem in problems:
        log.error("%s", problem)
    for uri, page in pages.items():
        path = edition.manuscripts[uri].path
        own = [problem for problem in problems if problem.page == path or problem in theme]
        page.content = edition.finisher.with_problems(uri, contents[uri], own)


def _add_arithmetic(edition: Edition, pages: Mapping[str, Page], config: MkDocsConfig, files: Files) -> None:
    """Publish the scripts from which a number's arithmetic is shown."""
    homes = {
        table: (pages[uri].url, str(pages[uri].title)) for table, uri in edition.first_pages.items() if uri in pages
    }
    for path, text in make_arithmetic(edition, homes, _build.code).items():
        files.append(File.generated(config, path, content=text))


@event_priority(100)
def _hide_marks(context: Any, /, *, page: Page, **_: object) -> Any:  # noqa: ANN401  the template's variables
    """Let the search index read words alone: a fifth of its time went into the comments between them."""
    if _build.finisher is not None and page.content:
        _build.marked = page.content, _build.finisher.words(page.content)
        page.content = _build.marked[1]
    return context


@event_priority(-100)
def _show_marks(context: Any, /, *, page: Page, **_: object) -> Any:  # noqa: ANN401  the template's variables
    if page.content is _build.marked[1]:  # else another plugin has changed it, and its words stay
        page.content = _build.marked[0]
    return context


on_page_context = CombinedEvent(_hide_marks, _show_marks)


@_living
def on_post_page(output: str, /, *, page: Page, **_: object) -> str:
    """Put tables and figures into the finished page, after the search index has read it."""
    return output if _build.finisher is None else _build.finisher.finish(page.file.src_uri, output)


def on_build_error(*, error: Exception, **_: object) -> None:
    """Place what the theme's templates got wrong, and leave any other error as it is."""
    fault = theme_fault(error)
    if fault is not None and not _build.serving:
        raise PluginError(str(fault)) from error


def on_serve(server: LiveReloadServer, /, **_: object) -> LiveReloadServer:
    """Let the server answer, whatever a build runs into."""
    server.builder = lasting(server.builder, Path(server.root), MkDocsException, log)
    return server
