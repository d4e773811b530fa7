"""Read mkdocs.yml without MkDocs: what the checks and the export need of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from loading import BrokenError

if TYPE_CHECKING or not yaml.__with_libyaml__:
    from yaml import SafeLoader
else:
    from yaml import CSafeLoader as SafeLoader  # ten times as fast
if TYPE_CHECKING:
    from tinyxf.errors import Problem

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "mkdocs.yml"


@dataclass(frozen=True, slots=True)
class Configuration:
    """The book's configuration.

    `pages` are the documents in the order of the navigation, those outside it last, relative to `docs`, with `titles`
    for those that it names; `assets` are the other published files; `extensions` are Python-Markdown's, with
    `options` for each.
    """

    docs: Path
    site: Path
    title: str
    chapters: tuple[str, ...]
    pages: tuple[str, ...]
    assets: tuple[str, ...]
    titles: dict[str, str]
    extensions: tuple[str, ...]
    options: dict[str, dict[str, Any]]


class _Loader(SafeLoader):
    """YAML as MkDocs reads it: `!ENV` takes a variable or its default, other tags are names that we do not need."""


def _environment(loader: _Loader, node: yaml.Node) -> object:
    if isinstance(node, yaml.ScalarNode):
        return os.environ.get(node.value)
    if isinstance(node, yaml.SequenceNode):
        *names, default = loader.construct_sequence(node)
        return next((os.environ[name] for name in names if name in os.environ), default)
    return None


_Loader.add_constructor("!ENV", _environment)
_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda _loader, suffix, _node: suffix)


def read_configuration(file: Path = FILE) -> Configuration:
    """Read the configuration.  Raises BrokenError where the file is no configuration of ours."""
    try:
        return _configuration(file, read_raw(file))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise BrokenError(file.name, line, f"this is no YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BrokenError(file.name, 1, f"this is no YAML: {' '.join(str(error).split())}") from error
    except (AttributeError, KeyError, TypeError) as error:
        wanted = "site_name, extra.chapters and lists of pages and extensions"
        raise BrokenError(
            file.name, 1, f"the configuration needs {wanted} ({type(error).__name__}: {error})"
        ) from error


def read_raw(file: Path = FILE) -> dict[str, Any]:
    """Return the configuration as it is written, variables filled in."""
    raw: dict[str, Any] = yaml.load(file.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506  a SafeLoader
    return raw


def _configuration(file: Path, raw: dict[str, Any]) -> Configuration:
    docs = file.parent / raw.get("docs_dir", "docs")
    excluded = [line.strip() for line in raw.get("exclude_docs", "").splitlines() if line.strip()]
    found = sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))
    left_out = tuple(name.lstrip("/") for name in excluded)
    documents = [uri for uri in found if not uri.startswith(left_out)]
    files = sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*") if path.is_file())
    listed = [uri for uri in _pages(raw.get("nav", documents)) if uri in documents]
    options: dict[str, dict[str, Any]] = {}
    for entry in raw.get("markdown_extensions", []):
        options |= {name: own or {} for name, own in entry.items()} if isinstance(entry, dict) else {entry: {}}
    for own in options.values():
        if "base_path" in own:  # found from wherever a command is called
            own["base_path"] = [str(file.parent / path) for path in own["base_path"]]
    return Configuration(
        docs=docs,
        site=file.parent / raw.get("site_dir", "site"),
        title=raw["site_name"],
        chapters=tuple(raw["extra"]["chapters"]),
        pages=(*listed, *(uri for uri in documents if uri not in listed)),
        assets=tuple(uri for uri in files if not uri.endswith(".md") and not uri.startswith(left_out)),
        titles=dict(_titles(raw.get("nav"))),
        extensions=tuple(options),
        options={name: own for name, own in options.items() if own},
    )


def _pages(nav: object) -> Iterator[str]:
    """Yield the documents that a navigation names, in order."""
    match nav:
        case str():
            yield nav
        case list():
            for entry in nav:
                yield from _pages(entry)
        case dict():
            for entry in nav.values():
                yield from _pages(entry)


def _titles(nav: object) -> Iterator[tuple[str, str]]:
    """Yield each document that a navigation names in its own words, with those."""
    match nav:
        case list():
            for entry in nav:
                yield from _titles(entry)
        case dict():
            for title, entry in nav.items():
                if isinstance(entry, str):
                    yield entry, str(title)
                else:
                    yield from _titles(entry)


def navigation_problems(file: Path = FILE) -> tuple[Problem, ...]:
    """Report pages that the navigation names and that are not there, and those that it leaves out."""
    from tinyxf.errors import Problem, nearest

    text = file.read_text(encoding="utf-8")
    top = yaml.compose(text, Loader=_Loader)
    fields = {key.value: value for key, value in top.value} if isinstance(top, yaml.MappingNode) else {}
    if "nav" not in fields:
        return ()
    configuration = read_configuration(file)
    named = list(_named(fields["nav"]))
    there = set(configuration.pages)
    missing = [
        Problem(
            file.name,
            node.start_mark.line + 1,
            node.start_mark.column + 1,
            f'the navigation names "{node.value}", which is no page{nearest(node.value, sorted(there))}',
            "link",
        )
        for node in named
        if node.value.endswith(".md") and not (configuration.docs / node.value).is_file()
    ]
    listed = {node.value for node in named}
    left_out = [
        Problem(
            f"{configuration.docs.name}/{uri}", 1, 1, 'no entry of "nav" in mkdocs.yml leads to this page', "link"
        )
        for uri in configuration.pages
        if uri not in listed and "not_in_nav" not in fields
    ]
    return tuple(sorted({*missing, *left_out}))


def _named(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    """Yield the documents that a navigation names, with their places."""
    match node:
        case yaml.ScalarNode():
            yield node
        case yaml.SequenceNode():
            for entry in node.value:
                yield from _named(entry)
        case yaml.MappingNode():
            for _, value in node.value:
                yield from _named(value)
