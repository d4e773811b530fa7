"""`python -m tinyxf`, and the installed command `tinyxf`: the command line with every format and command."""

from __future__ import annotations

import sys

from tinyxf.book.render import write_html, write_markdown, write_tex
from tinyxf.chapter import catalog
from tinyxf.chapters import load_chapter
from tinyxf.cli import PLAIN_WRITERS, main
from tinyxf.explaining import answer_explain


def run() -> int:
    """Run the command line with the formats that come from templates, too."""
    return main(
        catalog,
        writers={**PLAIN_WRITERS, "md": write_markdown, "html": write_html, "tex": write_tex},
        commands={"explain": answer_explain},
        load=load_chapter,
    )


if __name__ == "__main__":
    sys.exit(run())
