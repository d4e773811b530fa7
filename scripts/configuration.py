"""Read mkdocs.yml without MkDocs: what the checks and the export need of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "mkdocs.yml"


@dataclass(frozen=True, slots=True)
class Configuration:
    """The book's configuration.

    `pages` are the documents in the order of the navigation, those outside it last, relative to `docs`; `extensions`
    are Python-Markdown's, with `options` for each.
    """

    docs: Path
    site: Path
    title: str
    chapters: tuple[str, ...]
    pages: tuple[str, ...]
    extensions: tuple[str, ...]
    options: dict[str, dict[str, Any]]


class _Loader(yaml.SafeLoader):
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
    """Read the configuration.  Raises yaml.YAMLError or KeyError where the file is no configuration of ours."""
    raw = yaml.load(file.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506  a SafeLoader
    docs = file.parent / raw.get("docs_dir", "docs")
    excluded = [line.strip() for line in raw.get("exclude_docs", "").splitlines() if line.strip()]
    found = sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))
    documents = [uri for uri in found if not any(uri.startswith(folder) for folder in excluded)]
    listed = [uri for uri in _pages(raw.get("nav", documents)) if uri in documents]
    options: dict[str, dict[str, Any]] = {}
    for entry in raw.get("markdown_extensions", []):
        options |= {name: own or {} for name, own in entry.items()} if isinstance(entry, dict) else {entry: {}}
    return Configuration(
        docs=docs,
        site=file.parent / raw.get("site_dir", "site"),
        title=raw["site_name"],
        chapters=tuple(raw["extra"]["chapters"]),
        pages=(*listed, *(uri for uri in documents if uri not in listed)),
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
