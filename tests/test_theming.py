"""Mistakes in the theme's templates: found before a build, placed when one fails, and never the end of a server."""

from __future__ import annotations

import logging
from pathlib import Path

import jinja2
import pytest
from lasting import lasting
from theming import THEME, theme_fault, theme_problems

from tests.project import Project, tea_project


def test_our_own_templates_parse(tmp_path: Path) -> None:
    assert theme_problems(cache=tmp_path) == ()
    assert (THEME / "main.html").is_file()


def test_every_template_that_does_not_parse_is_named(tmp_path: Path) -> None:
    for name, text in {
        "a.html": "x\n{% if %}\n",
        "b/c.html": "{{ a b }}",
        "good.html": "{% trans %}x{% endtrans %}{{ y.z | nofilter }}",
        "note.css": "{% if %}",
        "d.txt": "\n\n{% endif %}",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "e.xml").write_bytes(b"\xff")
    found = [(problem.page, problem.line, problem.kind) for problem in theme_problems(tmp_path, tmp_path)]
    assert found == [
        (name, line, "template") for name, line in (("a.html", 2), ("c.html", 1), ("d.txt", 3), ("e.xml", 1))
    ]


def test_what_was_good_is_not_parsed_again_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, cache = tmp_path / "theme" / "a.html", tmp_path / "cache"
    page.parent.mkdir()
    page.write_text("{{ x }}")
    assert theme_problems(page.parent, cache) == ()
    with monkeypatch.context() as patch:
        patch.delattr(jinja2, "Environment")
        assert theme_problems(page.parent, cache) == ()
    page.write_text("{{ x }")
    assert len(theme_problems(page.parent, cache)) == 1
    page.write_text("{{ y }}")
    assert theme_problems(page.parent, cache) == ()


def test_an_error_is_placed_in_the_innermost_template(tmp_path: Path) -> None:
    (tmp_path / "outer.html").write_text("x\n{% include 'inner.html' %}", encoding="utf-8")
    (tmp_path / "inner.html").write_text("\n\n{{ 1 // 0 }}", encoding="utf-8")
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(tmp_path))  # noqa: S701  no page comes of it
    with pytest.raises(ZeroDivisionError) as error:
        env.get_template("outer.html").render()
    fault = theme_fault(error.value, tmp_path)
    assert str(fault) == "inner.html:3:1: ZeroDivisionError: integer division or modulo by zero"
    assert theme_fault(error.value, tmp_path / "elsewhere") is None
    assert theme_fault(ValueError("x"), tmp_path) is None


@pytest.fixture
def tea(tmp_path: Path) -> Project:
    """A book with a theme of its own."""
    project = tea_project(tmp_path / "tea")
    project.replace("mkdocs.yml", "  font: false", "  font: false\n  custom_dir: templates/theme")
    return project


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{% extends "base.html" %}\n{% block x %}\n', "templates/theme/main.html:2:1: "),
        (
            '{% extends "base.html" %}\n\n{% block content %}{{ 1 // 0 }}{% endblock %}\n',
            "templates/theme/main.html:3:1: ZeroDivisionError: ",
        ),
    ],
    ids=["syntax", "failure"],
)
def test_a_build_with_a_broken_theme_fails_in_one_line(text: str, message: str, tea: Project) -> None:
    tea.write("templates/theme/main.html", text)
    done = tea.mkdocs("build", "-q")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert message in done.stderr
    assert ("main.html:2" in tea.build_py("check").stdout) == ("main.html:2" in message)


# -- a build that goes on


class ToldError(Exception):
    """An error that says all there is to say."""


def build(error: Exception | None) -> None:
    if error is not None:
        raise error


@pytest.mark.parametrize(
    ("error", "trace"),
    [(ToldError("mine & <yours>"), False), (ValueError("mine & <yours>"), True)],
    ids=["told", "unknown"],
)
def test_a_failing_build_is_told_and_shown(
    error: Exception, tmp_path: Path, caplog: pytest.LogCaptureFixture, *, trace: bool
) -> None:
    lasting(lambda: build(error), tmp_path, ToldError, logging.getLogger("x"))()
    (record,) = caplog.records
    assert record.getMessage() == "mine & <yours>"
    assert bool(record.exc_info) == trace
    assert "mine &amp; &lt;yours&gt;</p>" in (tmp_path / "404.html").read_text(encoding="utf-8")


def test_pages_that_are_left_stay(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "index.html").write_text("x", encoding="utf-8")
    lasting(lambda: build(ToldError("x")), tmp_path, ToldError, logging.getLogger("x"))()
    lasting(lambda: build(None), tmp_path, ToldError, logging.getLogger("x"))()
    assert len(caplog.records) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
