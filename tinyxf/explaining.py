"""`tinyxf explain ADDRESS`: the worked arithmetic of one number, in the terminal.

Beside the command line, which prints what this returns.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from tinyxf.chapters import CHAPTER, load_chapter
from tinyxf.cli import given_run, offer_run
from tinyxf.trace.telling import tell_data, tell_markdown, tell_text
from tinyxf.trace.work import read_workbook

MOST_DEPTH = 40  # deeper than any chain of published numbers in the chapter


def answer_explain(argv: Sequence[str]) -> str:
    """Return the worked arithmetic that the arguments ask for.

    Raises UnknownNameError with the nearest right name; wrong usage exits with 2, as argparse does.
    """
    parser = argparse.ArgumentParser(
        prog="tinyxf explain", description="Show how a published number is made of others.", allow_abbrev=False
    )
    parser.add_argument("address", help="such as attention.h1.scores/chuck/a, or a scalar such as loss.before")
    parser.add_argument("--depth", type=_depth, default=1, metavar="N", help="explain operands too, N levels deep")
    parser.add_argument("--format", choices=("text", "md", "json"), default="text", help="how to write")
    parser.add_argument("--chapter", default=CHAPTER, metavar="MODULE", help=f"another chapter (default: {CHAPTER})")
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--chapter", default=CHAPTER)
    chapter = load_chapter(first.parse_known_args(argv)[0].chapter)
    offer_run(parser, chapter)
    options = parser.parse_args(argv)
    explained = read_workbook(chapter(**given_run(options))).explain(options.address, options.depth)
    match options.format:
        case "md":
            return tell_markdown(explained)
        case "json":
            data = [{"level": level, **tell_data(work)} for level, work in explained]
            return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
        case _:
            return tell_text(explained)


def _depth(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_DEPTH:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {MOST_DEPTH}, found {text!r}")
    return int(text)
