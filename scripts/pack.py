"""Put the files of a release into `dist/`: the book as an archive and as a PDF, its downloads, and their checksums.

Run after a build (`make downloads`).  The archive's bytes depend on the site alone, not on when and where it is made;
the PDF's also on the browser that prints it.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from chromium import NoBrowserError
from printing import PrintError, print_book
from swap import put_in_place

ROOT = Path(__file__).parents[1]
ARCHIVE = "tinyxf-book.zip"
PAPER = "tinyxf-book.pdf"
FOLDER = "tinyxf-book"  # what the archive unpacks into
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the one date that every archive can hold and no clock can change
SUMS = "SHA256SUMS"
Printer = Callable[[Path, Path], None]  # prints the site at one path into the file at the other


def main(arguments: Sequence[str] | None = None, printer: Printer = print_book) -> int:
    """Pack the site; return 0, or 1 when there is none or it cannot be printed."""
    parser = argparse.ArgumentParser(description="Pack the built book for a release.")
    parser.add_argument("--site", type=Path, default=ROOT / "site", help="the built book")
    parser.add_argument(
        "--dist", type=Path, default=ROOT / "dist", help="where to put the files; what it holds is lost"
    )
    options = parser.parse_args(arguments)
    if not (options.site / "index.html").is_file():
        print(f"{options.site} holds no built book; run: make site", file=sys.stderr)
        return 1
    try:
        packed = pack(options.site, options.dist, printer)
    except (NoBrowserError, PrintError) as error:
        print(error, file=sys.stderr)
        return 1
    for path in packed:
        print(f"{path.stat().st_size:>9}  {path.name}")
    return 0


def pack(site: Path, dist: Path, printer: Printer) -> list[Path]:
    """Write archive, PDF, copies of the files in `site/downloads`, and the checksums; return them all.

    The files of single tables, in a folder below, are in the archive and need not stand beside it.
    """
    new = dist.with_name(f".{dist.name}.new")  # nobody finds a half-filled folder
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    try:
        write_archive(site, new / ARCHIVE)
        printer(site, new / PAPER)
        for path in (site / "downloads").glob("*"):
            if path.is_file():
                shutil.copyfile(path, new / path.name)
        packed = sorted(new.iterdir())
        lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in packed]
        (new / SUMS).write_text("".join(lines), encoding="utf-8")
        put_in_place(new, dist, SUMS)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return [dist / name for name in (*(path.name for path in packed), SUMS)]


def write_archive(site: Path, target: Path) -> None:
    """Write every file of the site, in the order of its names, all with one date and one mode."""
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(path for path in site.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{FOLDER}/{path.relative_to(site).as_posix()}", date_time=EARLIEST)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # Unix, wherever it is packed
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    sys.exit(main())
