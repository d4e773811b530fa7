"""Make the font for formulas: STIX Two Math, cut down to what the book writes.

Run by a maintainer (`make font`), never by a build: `docs/assets/fonts/stix-two-math.woff2` is committed.
The source is the font file in the PyPI package `ziamath`; its licence, the SIL Open Font License 1.1, allows both
the cutting and the embedding, and is kept in the font's own name table.
"""

from __future__ import annotations

import sys
from importlib.metadata import distribution
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

TARGET = Path(__file__).parents[1] / "docs" / "assets" / "fonts" / "stix-two-math.woff2"
LIMIT = 50_000  # bytes; every reader's first formula waits for this file

LETTERS = "".join(map(chr, range(0x20, 0x7F))) + "\u00a0"
GREEK = "ΓΔΘΛΞΠΣΥΦΨΩ" + "αβγδεζηθικλμνξοπρςστυφχψω" + "ϵϑϕϱϖ"
OPERATORS = "±×÷·¬−∓∗∘∙⋅√∑∏∫∂∇∞∝∈∉∋∅∀∃∣∥∼≃≅≈≠≡≤≥≪≫⊂⊆⊃⊇∪∩∧∨⊕⊖⊗⊙⊤⊥∎∖≔≜"
ARROWS = "←↑→↓↔↦⇐⇒⇔⟵⟶⟷⟸⟹⟺⟼"
FENCES = "⌈⌉⌊⌋⟨⟩‖⟦⟧⎴⎵⏞⏟"
MARKS = "′″‴…⋮⋯⋱ˆˇ˜¯˙¨ˉ‾_\u0302\u0303\u0304\u0305\u0307\u0308\u030c\u0331\u0332\u20d7†‡°§–—‘’“”"
PRIMES = "′″‴"  # among the marks
SETS = "ℂℕℝℤℚℙ𝔼𝟙ℓℒℎıȷ𝚤𝚥"


def span(first: int, last: int) -> str:
    """Return the characters from `first` to `last`, both included."""
    return "".join(map(chr, range(first, last + 1)))


# What a browser draws for <mi>x</mi> is not x but the letter of this block.
ALPHABETS = (
    span(0x1D434, 0x1D467)  # italic A-Z a-z; its h is U+210E
    + span(0x1D400, 0x1D433)  # bold A-Z a-z
    + span(0x1D468, 0x1D49B)  # bold italic A-Z a-z
    + span(0x1D49C, 0x1D4B5)  # script A-Z
    + span(0x1D6FC, 0x1D71B)  # italic alpha-omega and variants
    + span(0x1D7CE, 0x1D7D7)  # bold digits
)
TEXT = LETTERS + GREEK + OPERATORS + ARROWS + FENCES + MARKS + SETS + ALPHABETS


def enlarge_primes(font: TTFont) -> None:
    """Draw primes as for a script, where alone they stand: browsers make the others small and high once more."""
    names = font.getBestCmap()
    larger = {ord(prime): f"{names[ord(prime)]}.ssty" for prime in PRIMES}
    for table in font["cmap"].tables:
        table.cmap |= {prime: larger[prime] for prime in larger.keys() & table.cmap.keys()}


def narrow_roots(font: TTFont) -> None:
    """Make each size of the root sign, and each part of the tallest, as wide as the smallest.

    Chromium leaves room for the widest one behind all of them, and a gap stands there.
    """
    smallest = font.getBestCmap()[ord("√")]
    variants = font["MATH"].table.MathVariants
    roots = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(smallest)]
    own = {record.VariantGlyph for record in roots.MathGlyphVariantRecord}
    own |= {record.glyph for record in roots.GlyphAssembly.PartRecords}
    glyphs, widths = font["glyf"], font["hmtx"].metrics
    width = widths[smallest][0]
    for name in sorted(own - {smallest}):
        points = glyphs[name].coordinates
        points.scale((width / widths[name][0], 1))
        points.toInt()
        glyphs[name].recalcBounds(glyphs)
        widths[name] = (width, glyphs[name].xMin)


def main() -> int:
    """Write the font and say its size; fail when it has grown beyond the limit."""
    options = subset.Options()
    options.flavor = "woff2"
    # Dotless letters and flat accents.  Not `ssty`, letters redrawn for small scripts: it would double the size.
    options.layout_features = ["dtls", "flac"]
    options.hinting = False
    options.legacy_kern = False
    options.name_IDs = [0, 1, 2, 4, 5, 6, 7, 9, 11, 13, 14]  # copyright, names, trademark, licence
    options.notdef_outline = True
    options.drop_tables += ["DSIG", "GPOS", "meta"]
    source = distribution("ziamath")  # read, not imported
    font = subset.load_font(str(source.locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf")), options)
    enlarge_primes(font)
    maker = subset.Subsetter(options)
    maker.populate(text=TEXT)
    maker.subset(font)
    narrow_roots(font)
    font["head"].modified = font["head"].created  # the same bytes whenever it is made
    font.recalcTimestamp = False
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    subset.save_font(font, str(TARGET), options)
    font.close()
    size = TARGET.stat().st_size
    print(f"{TARGET.name}: {size} bytes, {len(font.getGlyphOrder())} glyphs, from ziamath {source.version}")
    return 0 if size <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
