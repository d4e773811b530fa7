"""Draw the picture that stands for the book where its address is shared: docs/assets/preview.png.

Run by a maintainer after a change to its template or to the look of the book, never by a build, which has no
browser: `.venv/bin/python scripts/draw_preview.py`.  It shows the attention weights of head 1 as shades and prints no
number, so it cannot go stale in a way that a reader could check.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tinyxf.book.figures.drawing import first_column, read_rows, share
from tinyxf.book.render import Renderer
from tinyxf.catalog import Catalog
from tinyxf.chapter import catalog as chapter_catalog

TARGET = Path(__file__).parents[1] / "docs" / "assets" / "preview.png"
LIMIT = 40_000  # bytes
LEFT, TOP, PITCH = 712, 104, 104  # of the triangle's cells


def cells(catalog: Catalog) -> list[tuple[int, int, str]]:
    """Return the triangle of weights, and the masked cells without a shade."""
    table = catalog.table("attention.h1.weights")
    size = len(table.rows)
    shades = [[share(max(weight.value, 0.08)) for weight in row] for row in read_rows(catalog, table)]
    return [
        (LEFT + j * PITCH, TOP + i * PITCH, row[j] if j < len(row) else "")
        for i, row in enumerate(shades)
        for j in range(size)
    ]


def main() -> int:
    """Write the picture and say its size; fail where there is no browser, or when it has grown beyond the limit."""
    browser = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if browser is None:
        sys.stderr.write("no Chromium was found; name one in CHROMIUM\n")
        return 1
    catalog = chapter_catalog()
    tokens = first_column(catalog.table("embed.input"))
    drawing = Renderer(catalog).render("preview.svg.jinja", tokens=tokens, cells=cells(catalog))
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "preview.html")
        page.write_text(f"<!doctype html><meta charset=utf-8><style>body{{margin:0}}</style>{drawing}", "utf-8")
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-lcd-text"]
        command = [browser, *flags, "--window-size=1200,630", f"--screenshot={TARGET}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    size = TARGET.stat().st_size
    print(f"{TARGET.name}: {size} bytes")
    return 0 if size <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
