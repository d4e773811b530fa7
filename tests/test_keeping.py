"""What is kept between builds: never stale, never needed."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import compiled
import jinja2
import keeping
import pytest
from compiled import CompiledTemplates, PublishedTemplates


def counted(made: dict[str, str]) -> tuple[Callable[[], dict[str, str]], list[int]]:
    calls: list[int] = []

    def make() -> dict[str, str]:
        calls.append(1)
        return made

    return make, calls


def test_files_are_made_once_for_the_same_digest(tmp_path: Path) -> None:
    make, calls = counted({"a.txt": "ä"})
    place = tmp_path / "new" / "kept.json"
    for digest, made in (("one", 1), ("one", 1), ("two", 2), ("one", 3)):
        assert keeping.kept_files(place, digest, make) == {"a.txt": "ä"}
        assert len(calls) == made
    assert [path.name for path in place.parent.iterdir()] == ["kept.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"digest": "one"}', '{"digest": "one", "files": 1}', "\x00"])
def test_what_cannot_be_read_is_made_anew(tmp_path: Path, text: str) -> None:
    make, calls = counted({"a": "b"})
    (tmp_path / "kept.json").write_text(text)
    assert keeping.kept_files(tmp_path / "kept.json", "one", make) == {"a": "b"}
    assert calls


def test_a_place_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert keeping.kept_files(tmp_path / "file" / "kept.json", "one", lambda: {"a": "b"}) == {"a": "b"}


def test_a_digest_tells_values_and_versions_apart() -> None:
    digests = {
        keeping.digest_of(*parts) for parts in (("a", "b"), ("ab",), (["a", "b"],), ("a", "b", None), ({"a": "b"},))
    }
    assert len(digests) == 5
    assert keeping.digest_of({"a": 1, "b": 2}) == keeping.digest_of({"b": 2, "a": 1})
    python, jinja = keeping.versions_of("jinja2")
    assert jinja == f"jinja2 {jinja2.__version__}"
    assert python[0].isdigit()


# -- compiled templates


def environment(
    folder: Path, *made_with: str, cache: Path | None = None, **filters: Callable[..., str]
) -> jinja2.Environment:
    made = jinja2.Environment(  # noqa: S701  no page comes of it
        loader=jinja2.FileSystemLoader(folder),
        bytecode_cache=CompiledTemplates(*made_with, folder=cache or folder / "cache"),
    )
    made.filters |= filters
    return made


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    (tmp_path / "a.html").write_text('{{ "x" | shout }}')
    return tmp_path


def test_a_template_is_compiled_once(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment(templates, shout=str.upper).get_template("a.html").render() == "X"
    with monkeypatch.context() as patch:
        patch.delattr(jinja2.Environment, "_generate")
        assert environment(templates, shout=str.upper).get_template("a.html").render() == "X"
    (templates / "a.html").write_text('{{ "y" | shout }}')
    assert environment(templates, shout=str.upper).get_template("a.html").render() == "Y"


def test_what_it_was_compiled_with_counts(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter with constant arguments is worked out when its template is compiled."""
    assert environment(templates, "one", shout=str.upper).get_template("a.html").render() == "X"
    assert environment(templates, "two", shout=str.title).get_template("a.html").render() == "X"
    assert environment(templates, "two", shout=lambda text: text * 2).get_template("a.html").render() == "X"
    assert environment(templates, "three", shout=lambda text: text * 2).get_template("a.html").render() == "xx"
    monkeypatch.setattr(compiled, "versions_of", lambda *_: ["another"])
    assert environment(templates, "three", shout=lambda text: text * 3).get_template("a.html").render() == "xxx"


@pytest.mark.parametrize("damage", [b"", b"j2", b"\x00" * 100])
def test_damaged_code_is_compiled_anew(templates: Path, damage: bytes) -> None:
    environment(templates, shout=str.upper).get_template("a.html")
    (kept,) = (templates / "cache").iterdir()
    kept.write_bytes(damage)
    assert environment(templates, shout=str.upper).get_template("a.html").render() == "X"
    kept.write_bytes(jinja2.bccache.bc_magic + pickle.dumps("x")[:-3])
    assert environment(templates, shout=str.upper).get_template("a.html").render() == "X"


def test_where_nothing_can_be_kept_templates_work(templates: Path) -> None:
    (templates / "file").touch()
    cache = templates / "file" / "cache"
    assert environment(templates, cache=cache, shout=str.upper).get_template("a.html").render() == "X"


def test_a_theme_lists_what_can_be_published(tmp_path: Path) -> None:
    for name in ("a.html", "b/c.css", ".icons/x.svg", "b/.hidden/y.svg", "b/d/e.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    loader = PublishedTemplates([str(tmp_path), os.devnull])
    assert loader.list_templates() == ["a.html", "b/c.css", "b/d/e.js"]
    assert loader.get_source(jinja2.Environment(loader=loader), ".icons/x.svg")[0] == ".icons/x.svg"  # noqa: S701  a list
