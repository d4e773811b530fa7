"""The one command line for authors and CI.  `build.py --help` lists what it does.

Exit status: 0 good, 1 problems found, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import loading
from bundling import make_downloads
from clock import keep_date
from configuration import ROOT, Configuration, navigation_problems, read_configuration
from reading import read_edition, read_text
from stating import statement_problems, write_statement
from swap import NoSiteError, alone, put_in_place, refuse_other_files, workshop_for
from theming import theme_problems

if TYPE_CHECKING:
    from tinyxf.book.edition import Edition
    from tinyxf.errors import Problem

GOOD, PROBLEMS = 0, 1
WORKSHOP = ROOT / ".cache" / "build"  # half-built sites; on the same disk as site/, out of everyone's sight


class Book:
    """The book as the commands need it, read when it is first asked for."""

    def __init__(self, configuration: Configuration, code: str) -> None:
        self.configuration = configuration
        self.code = code  # the digest of our sources
        self.ledger_path = configuration.docs / "numbers.csv"

    @cached_property
    def edition(self) -> Edition:
        """The pages and the catalog, as they are now.  Raises loading.BrokenError where the code cannot be run."""
        return read_edition(self.configuration)

    @property
    def ledger(self) -> str | None:
        """The committed ledger, or None."""
        return read_text(self.ledger_path) if self.ledger_path.exists() else None

    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the book."""
        from tinyxf.book.checks.check import check_edition
        from tinyxf.book.markdown import Converter
        from tinyxf.book.takeaway.offered import file_names
        from tinyxf.errors import BookError

        converter = Converter(self.configuration.extensions, self.configuration.options, self.edition.mark_included)
        taken = file_names(table.id for table in self.edition.catalog.tables)
        found = check_edition(self.edition, converter.convert, self.ledger, [*self.configuration.assets, *taken])
        try:
            make_downloads(self.edition.catalog, self.configuration.chapters, self.code, "")
        except BookError as error:
            found = (*found, *error.problems)
        return tuple(sorted({*found, *navigation_problems(), *theme_problems()}))


def check(book: Book, options: argparse.Namespace) -> int:
    """Find every problem of the book, without building it."""
    from tinyxf.book.history.report import report

    problems = book.problems()
    sys.stdout.write(report(problems, options.format))
    if options.format == "text":
        count = sum(1 for _ in book.edition.catalog.published())
        pages = len(book.edition.pages)
        kinds = Counter(problem.kind for problem in problems)
        listing = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
        found = f"{len(problems)} problems ({listing})" if problems else "0 problems"
        print(f"{found}, {count} published numbers, {pages} pages", file=sys.stderr)
    return PROBLEMS if problems else GOOD


def build(book: Book, options: argparse.Namespace) -> int:
    """Check, build beside, reconcile, and only then put the new site in place."""
    options.format = "text"
    if check(book, options):
        return PROBLEMS
    target = (options.site or book.configuration.site).absolute()
    try:
        return build_beside(book, target)
    except NoSiteError as error:
        print(f"not built: {error}", file=sys.stderr)
    except OSError as error:
        print(f"not built: the site cannot be put at {target.name}: {error.strerror}", file=sys.stderr)
    return PROBLEMS


def build_beside(book: Book, target: Path) -> int:
    """Build into a folder of its own, and put that in place of the target once it is good."""
    refuse_other_files(target)
    workshop = workshop_for(target, WORKSHOP)
    with alone(WORKSHOP.with_suffix(".lock")):
        if workshop.exists():
            shutil.rmtree(workshop)  # left by a build that was killed
        workshop.mkdir(parents=True)
        fresh = Path(tempfile.mkdtemp(dir=workshop))
        fresh.chmod(0o755)
        try:
            if run_mkdocs(fresh):
                return PROBLEMS
            write_statement(fresh, book.edition.catalog)
            if reconcile_folder(book, fresh, target.name):
                return PROBLEMS
            put_in_place(fresh, target)
        finally:
            shutil.rmtree(workshop)
    return GOOD


def run_mkdocs(site: Path) -> int:
    """Build the site with MkDocs into a folder, strictly; what it says is shown when it fails.

    Never with --quiet: that hides warnings from the count that --strict goes by.
    """
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.stdout.write(done.stdout + done.stderr)
    return done.returncode


def reconcile(book: Book, options: argparse.Namespace) -> int:
    """Compare a built site with the catalog, number by number."""
    site = options.site or book.configuration.site
    return reconcile_folder(book, site, site.name, exported=options.exported)


def reconcile_folder(book: Book, site: Path, name: str, *, exported: bool = False) -> int:
    """Read a site back and report every number that is not the catalog's; `name` is what problems call the folder.

    An `exported` one was built by another engine.
    """
    from tinyxf.book.history.report import report
    from tinyxf.book.readback.expected import expected_pages, exported_pages
    from tinyxf.book.readback.reconcile import reconcile as compare

    if not site.is_dir():
        print(f"{name}: no such folder; build the site first", file=sys.stderr)
        return PROBLEMS
    files = {
        path.relative_to(site).as_posix(): read_text(path)
        for path in sorted(site.rglob("*"))
        if path.suffix in (".html", ".csv", ".json") and path.is_file()
    }
    catalog = book.edition.catalog
    problems = compare(catalog, (exported_pages if exported else expected_pages)(book.edition), files, name)
    problems = (*problems, *statement_problems(files, catalog, name))
    sys.stdout.write(report(problems))
    return PROBLEMS if problems else GOOD


def accept(book: Book, options: argparse.Namespace) -> int:  # noqa: ARG001  every command has this form
    """Write the published numbers anew, unless something else is wrong."""
    from tinyxf.book.history.ledger import drift, ledger_entries, read_ledger, write_ledger
    from tinyxf.book.history.report import report

    others = [problem for problem in book.problems() if problem.kind not in ("drift", "ledger")]
    if others:
        sys.stdout.write(report(others))
        print("not accepted: first mend the problems above", file=sys.stderr)
        return PROBLEMS
    changes = tuple(drift(read_ledger(book.ledger or "").entries, ledger_entries(book.edition.catalog)))
    print(*changes, f"published numbers that moved: {len(changes) or 'none'}", sep="\n")
    written = book.ledger_path.with_suffix(".csv.new")
    written.write_bytes(write_ledger(book.edition.catalog).encode())
    written.replace(book.ledger_path)
    return GOOD


def names(book: Book, options: argparse.Namespace) -> int:
    """List addresses and scalars with their values."""
    from tinyxf.book.history.names import names as find
    from tinyxf.book.history.names import names_text, no_names

    catalog = book.edition.catalog
    found = find(catalog, options.pattern)
    sys.stdout.write(names_text(found))
    if not found:
        print(no_names(catalog, options.pattern), file=sys.stderr)
    return GOOD if found else PROBLEMS


def diff(book: Book, options: argparse.Namespace) -> int:  # noqa: ARG001  each side reads itself
    """Show which published numbers moved between two revisions, and the sentences that they stand in."""
    from revisions import RevisionError, snapshots_of

    from tinyxf.book.history.diff import DIFFS, compare_snapshots
    from tinyxf.book.history.snapshot import read_snapshot
    from tinyxf.errors import TinyxfError

    try:
        old, new = map(read_snapshot, snapshots_of(options.revision))
    except (RevisionError, TinyxfError) as error:
        print(f"build.py diff: {error}", file=sys.stderr)
        return PROBLEMS
    sys.stdout.write(DIFFS[options.format](compare_snapshots(old, new)))
    return GOOD


def snapshot(book: Book, options: argparse.Namespace) -> int:  # noqa: ARG001  named by MkDocs
    """Print what this revision publishes, for a comparison with another."""
    from tinyxf.book.history.snapshot import write_snapshot

    sys.stdout.write(write_snapshot(book.edition.snapshot()))
    return GOOD


def export(book: Book, options: argparse.Namespace) -> int:
    """Write the book as plain Markdown, with a configuration, for any other engine."""
    if book.edition.problems:
        from tinyxf.book.history.report import report

        sys.stdout.write(report(book.edition.problems))
        return PROBLEMS
    from exporting import OtherFilesError, export_book

    try:
        export_book(book.edition, book.configuration, book.code, options.folder.absolute())
    except OtherFilesError as error:
        print(f"not exported: {error}", file=sys.stderr)
        return PROBLEMS
    return GOOD


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="build.py", description="Build the book and check it.", allow_abbrev=False)
    commands = parser.add_subparsers(metavar="COMMAND")
    parser.set_defaults(run=build, site=None)

    def add(run: Callable[[Book, argparse.Namespace], int], words: str | None = None) -> argparse.ArgumentParser:
        text = words or (run.__doc__ or "").partition("\n")[0]
        own = commands.add_parser(run.__name__, help=text, description=text, allow_abbrev=False)
        own.set_defaults(run=run)
        return own

    add(build).add_argument("--site", type=Path, metavar="DIR", help="where the site goes, instead of site/")
    add(check).add_argument("--format", choices=("text", "github", "json"), default="text", help="for whom to write")
    add(accept)
    comparing = add(diff)
    comparing.add_argument("revision", nargs="?", default="HEAD", metavar="REV", help="a commit, or A..B")
    comparing.add_argument("--format", choices=("text", "json", "md"), default="text", help="for whom to write")
    add(names).add_argument("pattern", nargs="?", default="", help="a part of a name, a pattern with *, or a number")
    reading = add(reconcile)
    reading.add_argument("--site", type=Path, metavar="DIR", help="the site, instead of site/")
    reading.add_argument("--exported", action="store_true", help="another engine built it from an export")
    add(export).add_argument(
        "folder", type=Path, metavar="DIR", help="a folder that is new or empty, or an earlier export"
    )
    add(snapshot)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", newline="\n")  # the same bytes under every locale
    options = _parser().parse_args(argv)
    keep_date()
    try:
        configuration = read_configuration()
        book = Book(configuration, loading.begin(configuration.chapters))
        status: int = options.run(book, options)
    except loading.BrokenError as error:
        print(error)
        return PROBLEMS
    return status


if __name__ == "__main__":
    sys.exit(main())
