"""The readers' command line: the numbers of the pages, in a terminal.

Last in the flow.  Knows a chapter only through its catalog, whose stages become flags.  The chapter is handed in, and
so are formats that need templates, so that this module needs numpy alone.
"""

from __future__ import annotations

import argparse
import inspect
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tinyxf.catalog import Catalog
from tinyxf.data import tables_csv, tables_json
from tinyxf.errors import TinyxfError
from tinyxf.formatting import MOST_DIGITS
from tinyxf.table import Table
from tinyxf.text import text_header, text_list, text_table

Chapter = Callable[..., Catalog]  # takes `prompt` and `target` by name where it can run another one
Writer = Callable[[Catalog, Sequence[Table]], str]
Command = Callable[[Sequence[str]], str]
GOOD, BAD_INPUT = 0, 1  # argparse itself exits with 2 for wrong usage


def write_text(catalog: Catalog, tables: Sequence[Table]) -> str:
    """Return header and tables as the terminal shows them."""
    return "\n".join([text_header(catalog), *(text_table(catalog, table) for table in tables)])


def write_csv(_: Catalog, tables: Sequence[Table]) -> str:
    """Return the tables as one CSV file, one line a cell."""
    return tables_csv(tables)


PLAIN_WRITERS: Mapping[str, Writer] = {"text": write_text, "csv": write_csv, "json": tables_json}


def main(
    chapter: Chapter,
    argv: Sequence[str] | None = None,
    *,
    name: str = "tinyxf",
    writers: Mapping[str, Writer] = PLAIN_WRITERS,
    commands: Mapping[str, Command] = MappingProxyType({}),
    load: Callable[[str], Chapter] | None = None,
) -> int:
    """Run the command line; return 0, or 1 for bad input.  Wrong usage exits with 2, as argparse does.

    `name` is how it was called; `writers` maps each `--format` to what writes it, `commands` the first word to what
    answers instead of the tables; `load` finds another chapter by its name.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # the same bytes under every locale
            stream.reconfigure(encoding="utf-8", newline="\n", errors="backslashreplace")
    words = sys.argv[1:] if argv is None else argv
    try:
        command = commands.get(words[0]) if words else None
        said = command(words[1:]) if command else answer(chapter, words, name, writers, commands, load)
        sys.stdout.write(said)
        sys.stdout.flush()
    except TinyxfError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # Whoever reads has seen enough; the interpreter's own flush at exit must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return GOOD


def answer(
    chapter: Chapter,
    argv: Sequence[str],
    name: str = "tinyxf",
    writers: Mapping[str, Writer] = PLAIN_WRITERS,
    commands: Mapping[str, Command] = MappingProxyType({}),
    load: Callable[[str], Chapter] | None = None,
) -> str:
    """Return what the command line prints for these arguments.  Raises TinyxfError for bad input."""
    if load:
        first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
        first.add_argument("--chapter")
        chosen, _ = first.parse_known_args(argv)
        chapter = load(chosen.chapter) if chosen.chapter is not None else chapter
    standard = chapter()
    parser = _parser(name, standard, writers)
    offer_run(parser, chapter)
    if commands:
        parser.epilog = f"{parser.epilog}  Other commands: {', '.join(f'{name} {word} --help' for word in commands)}"
    if load:
        parser.add_argument("--chapter", metavar="MODULE", help="another chapter: a module with catalog()")
    options = parser.parse_args(argv)
    given = given_run(options)
    catalog = chapter(**given) if given else standard
    if options.digits is not None:
        catalog = catalog.with_digits(options.digits)
    if options.list:
        return text_list(catalog)
    return writers[options.format](catalog, _chosen_tables(catalog, options))


def offer_run(parser: argparse.ArgumentParser, chapter: Chapter) -> None:
    """Add the options by which a chapter takes another run, as far as it does."""
    taken = inspect.signature(chapter).parameters
    if "prompt" in taken:
        parser.add_argument("--prompt", metavar='"WORDS"', help="another prompt, words separated by spaces")
    if "target" in taken:
        parser.add_argument("--target", metavar="WORD", help="another word that should have come next")


def given_run(options: argparse.Namespace) -> dict[str, Any]:
    """Return the run that the options ask for, as arguments of the chapter."""
    given = {word: value for word in ("prompt", "target") if (value := getattr(options, word, None)) is not None}
    return given | {"prompt": given["prompt"].split()} if "prompt" in given else given


def _parser(name: str, catalog: Catalog, writers: Mapping[str, Writer]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=name,
        description=f"{catalog.title}: every number that the book prints, step by step.",
        epilog="Without a stage, all of them are shown.",
        allow_abbrev=False,
    )
    stages = parser.add_argument_group("stages, any of them together")
    for stage in catalog.stages:
        needs = f" (with {', '.join(stage.needs)})" if stage.needs else ""
        stages.add_argument(f"--{stage.name}", action="store_true", help=f"{stage.title}{needs}")
    parser.add_argument("--format", choices=list(writers), default="text", help="how to write (default: text)")
    parser.add_argument("--digits", type=_digits, metavar="N", help="decimals to show, instead of each table's own")
    parser.add_argument("--companions", action="store_true", help="also the tables of intermediate values")
    parser.add_argument("--list", action="store_true", help="every table's id, step and title, and nothing else")
    return parser


def _digits(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 to {MOST_DIGITS}, found {text!r}")
    return int(text)


def _chosen_tables(catalog: Catalog, options: argparse.Namespace) -> list[Table]:
    """Return the tables to show: those of the chosen stages, companions on request.

    A stage that has nothing but companions shows them when it is asked for by name.
    """
    named = {stage.name for stage in catalog.stages if getattr(options, stage.name)}
    needed = {need for stage in catalog.stages if stage.name in named for need in stage.needs}
    shown = named | needed or {stage.name for stage in catalog.stages}
    main_stages = {table.stage for table in catalog.tables if not table.companion}
    return [
        table
        for table in catalog.tables
        if table.stage in shown
        and (not table.companion or options.companions or (table.stage in named and table.stage not in main_stages))
    ]
