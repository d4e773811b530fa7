"""The font for formulas: remade from its source, and with a sign for everything that the book writes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import html5lib
import make_font
import pytest
from fontTools.ttLib import TTFont

UNSEEN = {"Cf", "Mn", "Zs", "Zl", "Cc"}  # invisible operators, marks that choose a variant, blanks


@pytest.fixture(scope="module")
def font() -> Iterator[TTFont]:
    with TTFont(make_font.TARGET) as font:
        yield font


def test_it_is_what_the_script_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    committed = make_font.TARGET.read_bytes()
    monkeypatch.setattr(make_font, "TARGET", tmp_path / "fonts" / "font.woff2")
    assert make_font.main() == 0
    assert make_font.TARGET.read_bytes() == committed, "the committed font is another; run: make font"


def test_a_font_that_grew_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_font, "TARGET", tmp_path / "font.woff2")
    monkeypatch.setattr(make_font, "LIMIT", 1000)
    assert make_font.main() == 1


def test_it_stretches_brackets_and_roots(font: TTFont) -> None:
    variants = font["MATH"].table.MathVariants
    tall = set(variants.VertGlyphCoverage.glyphs)
    names = font.getBestCmap()
    assert {names[ord(sign)] for sign in "()[]{}|√∑∏∫⌊⌋⌈⌉⟨⟩‖"} <= tall


def test_no_root_is_wider_than_the_smallest(font: TTFont) -> None:
    variants = font["MATH"].table.MathVariants
    smallest = font.getBestCmap()[ord("√")]
    roots = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(smallest)]
    sizes = [record.VariantGlyph for record in roots.MathGlyphVariantRecord]
    parts = [record.glyph for record in roots.GlyphAssembly.PartRecords]
    assert len(sizes) > 2
    assert len(parts) > 2
    assert {font["hmtx"][name][0] for name in sizes + parts} == {font["hmtx"][smallest][0]}
    for name in sizes + parts[-1:]:  # the last part is the topmost
        assert font["glyf"][name].xMax >= font["hmtx"][name][0], "the sign must reach the bar"


def test_primes_are_drawn_for_where_they_stand(font: TTFont) -> None:
    names = font.getBestCmap()
    for prime in make_font.PRIMES:
        outline = font["glyf"][names[ord(prime)]]
        assert outline.yMin < 100, "one that is raised already would be raised once more"
        assert outline.yMax - outline.yMin > 400


def test_it_keeps_its_licence(font: TTFont) -> None:
    assert "SIL Open Font License" in font["name"].getDebugName(13)
    assert "STIX Fonts Project" in font["name"].getDebugName(0)


def test_every_letter_of_every_formula_is_in_it(font: TTFont, built_site: Path) -> None:
    has = font.getBestCmap()
    missing: dict[str, str] = {}
    formulas = 0
    for page in sorted(built_site.rglob("*.html")):
        tree = html5lib.parse(page.read_text(encoding="utf-8"), namespaceHTMLElements=False)
        for formula in tree.iter("{http://www.w3.org/1998/Math/MathML}math"):
            formulas += 1
            text = "".join(letters(formula))
            missing |= {c: page.name for c in text if ord(c) not in has and unicodedata.category(c) not in UNSEEN}
    assert formulas > 5
    assert missing == {}


def letters(formula: ET.Element) -> list[str]:
    """Return what a browser draws: a lone letter in <mi> is the italic one."""
    texts = []
    for element in formula.iter():
        if element.tag.rpartition("}")[2] == "annotation":
            continue
        text = element.text or ""
        alone = element.tag.rpartition("}")[2] == "mi" and len(text) == 1 and element.get("mathvariant") != "normal"
        texts.append(italic(text) if alone else text)
    return texts


def italic(letter: str) -> str:
    for first, last, block in (("A", "Z", 0x1D434), ("a", "z", 0x1D44E), ("α", "ω", 0x1D6FC)):
        if first <= letter <= last and letter != "h":
            return chr(ord(letter) - ord(first) + block)
    return "ℎ" if letter == "h" else letter


def test_the_italic_letters_are_the_ones_that_unicode_names() -> None:
    for letter in "AZagzαω":
        assert unicodedata.normalize("NFKC", italic(letter)) == letter
    assert unicodedata.normalize("NFKC", italic("h")) == "h"
