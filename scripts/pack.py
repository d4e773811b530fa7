"""Put the files of a release into `dist/`: the book as one archive, its downloads, and their checksums.

Run after a build (`make downloads`).  The archive's bytes depend on the site alone, not on when and where it is made.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
ARCHIVE = "tinyxf-book.zip"
FOLDER = "tinyxf-book"  # what the archive unpacks into
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the one date that every archive can hold and no clock can change
SUMS = "SHA256SUMS"


def main(arguments: Sequence[str] | None = None) -> int:
    """Pack the site; return 0, or 1 when there is none."""
    parser = argparse.ArgumentParser(description="Pack the built book for a release.")
    parser.add_argument("--site", type=Path, default=ROOT / "site", help="the built book")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where to put the files; emptied first")
    options = parser.parse_args(arguments)
    if not (options.site / "index.html").is_file():
        print(f"{options.site} holds no built book; run: make site", file=sys.stderr)
        return 1
    for path in pack(options.site, options.dist):
        print(f"{path.stat().st_size:>9}  {path.name}")
    return 0


def pack(site: Path, dist: Path) -> list[Path]:
    """Write the archive, copies of what `site/downloads` holds, and the checksums; return them all."""
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    write_archive(site, dist / ARCHIVE)
    downloads = site / "downloads"
    if downloads.is_dir():
        for path in sorted(downloads.iterdir()):
            shutil.copyfile(path, dist / path.name)
    packed = sorted(dist.iterdir())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in packed]
    (dist / SUMS).write_text("".join(lines), encoding="utf-8")
    return [*packed, dist / SUMS]


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
