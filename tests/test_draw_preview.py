"""The picture for shared links: drawn from the run, by whatever browser is named, and kept small."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import draw_preview
import pytest

from tests.building import ROOT
from tinyxf.chapter import catalog

BROWSER = """#!/bin/sh
for argument in "$@"; do
  case "$argument" in --screenshot=*) target=${argument#--screenshot=} ;; file://*) page=${argument#file://} ;; esac
done
cp "$page" "$target"
"""


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of the picture; a browser that saves the page itself stands in for one that draws it."""
    browser = tmp_path / "browser"
    browser.write_text(BROWSER)
    browser.chmod(0o755)
    monkeypatch.setenv("CHROMIUM", str(browser))
    monkeypatch.setattr(draw_preview, "TARGET", tmp_path / "preview.png")
    return tmp_path / "preview.png"


def test_the_triangle_is_shaded_and_the_mask_is_not() -> None:
    cells = draw_preview.cells(catalog())
    assert len(cells) == 16
    assert [bool(shade) for _, _, shade in cells] == [j <= i for i in range(4) for j in range(4)]
    assert cells[0] == (draw_preview.LEFT, draw_preview.TOP, "1")


def test_the_picture_shows_words_and_no_number(target: Path) -> None:
    assert draw_preview.main() == 0
    page = target.read_text("utf-8")
    words = " ".join(re.findall(r"<text[^>]*>([^<]*)", page))
    assert words == "a woodchuck would chuck … A transformer you can check by hand"
    assert page.count("<rect") == 17


def test_no_browser_and_a_picture_too_large_are_failures(
    target: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(draw_preview, "LIMIT", 10)
    assert draw_preview.main() == 1
    assert "preview.png: " in capsys.readouterr().out
    monkeypatch.setenv("CHROMIUM", str(target.parent / "nothing"))
    assert draw_preview.main() == 1
    assert "no Chromium was found" in capsys.readouterr().err


def test_the_committed_picture_is_of_the_size_that_the_page_says() -> None:
    picture = (ROOT / "docs" / "assets" / "preview.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(picture) <= draw_preview.LIMIT
    width, height = struct.unpack(">II", picture[16:24])
    theme = (ROOT / "templates" / "theme" / "main.html").read_text("utf-8")
    assert re.findall(r'og:image:(?:width|height)" content="(\d+)"', theme) == [str(width), str(height)]
