"""The files of a release."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pack
import pytest
from chromium import NoBrowserError
from printing import PrintError

from tests.building import ROOT


def fake_print(site: Path, target: Path) -> None:
    """Stand in for the browser, which has tests of its own."""
    target.write_bytes(b"%PDF of " + (site / "index.html").read_bytes())


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    (site / "downloads" / "tables").mkdir(parents=True)
    (site / "index.html").write_text("<p>home")
    (site / "downloads" / "numbers.csv").write_text("address,display,value\n")
    (site / "downloads" / "tables" / "a.csv").write_text("token\n")
    return site


def test_packs_the_book_its_downloads_and_their_checksums(site: Path, tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / "old.txt").touch()
    (dist / "SHA256SUMS").touch()  # from an earlier pack
    assert pack.main(["--site", str(site), "--dist", str(dist)], fake_print) == 0
    assert sorted(path.name for path in dist.iterdir()) == [
        "SHA256SUMS",
        "numbers.csv",
        "tinyxf-book.pdf",
        "tinyxf-book.zip",
    ]
    assert (dist / "tinyxf-book.pdf").read_bytes() == b"%PDF of <p>home"
    with zipfile.ZipFile(dist / "tinyxf-book.zip") as archive:
        assert archive.namelist() == [
            "tinyxf-book/downloads/numbers.csv",
            "tinyxf-book/downloads/tables/a.csv",
            "tinyxf-book/index.html",
        ]
        assert archive.read("tinyxf-book/index.html") == b"<p>home"
    sums = (dist / "SHA256SUMS").read_text().splitlines()
    assert len(sums) == 3
    for line in sums:
        digest, name = line.split("  ")
        assert hashlib.sha256((dist / name).read_bytes()).hexdigest() == digest


def test_the_same_site_gives_the_same_bytes(site: Path, tmp_path: Path) -> None:
    first = [path.read_bytes() for path in pack.pack(site, tmp_path / "one", fake_print)]
    for path in site.rglob("*"):
        path.chmod(0o700)
        os.utime(path, (1, 1))
    assert [path.read_bytes() for path in pack.pack(site, tmp_path / "two", fake_print)] == first


def test_a_site_without_downloads_is_packed(site: Path, tmp_path: Path) -> None:
    shutil.rmtree(site / "downloads")
    packed = pack.pack(site, tmp_path / "dist", fake_print)
    assert [path.name for path in packed] == ["tinyxf-book.pdf", "tinyxf-book.zip", "SHA256SUMS"]


@pytest.mark.parametrize("error", [PrintError("the pages ask for x.css"), NoBrowserError("no Chromium was found")])
def test_why_it_cannot_be_printed_is_said_and_the_last_good_files_stay(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def fail(_: Path, target: Path) -> None:
        target.touch()
        raise error

    pack.pack(site, tmp_path / "dist", fake_print)
    before = sorted(tmp_path.rglob("*"))
    assert pack.main(["--site", str(site), "--dist", str(tmp_path / "dist")], fail) == 1
    assert sorted(tmp_path.rglob("*")) == before
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"{error}\n")


def test_no_site_is_said_and_nothing_is_touched(tmp_path: Path) -> None:
    command = [sys.executable, "scripts/pack.py", "--site", str(tmp_path), "--dist", str(tmp_path / "dist")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "run: make site" in done.stderr
    assert list(tmp_path.iterdir()) == []
