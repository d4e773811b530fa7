"""The files of a release."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pack
import pytest

from tests.building import ROOT


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    (site / "downloads").mkdir(parents=True)
    (site / "index.html").write_text("<p>home")
    (site / "downloads" / "numbers.csv").write_text("address,display,value\n")
    return site


def test_packs_the_book_its_downloads_and_their_checksums(site: Path, tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / "old.txt").touch()
    assert pack.main(["--site", str(site), "--dist", str(dist)]) == 0
    assert sorted(path.name for path in dist.iterdir()) == ["SHA256SUMS", "numbers.csv", "tinyxf-book.zip"]
    with zipfile.ZipFile(dist / "tinyxf-book.zip") as archive:
        assert archive.namelist() == ["tinyxf-book/downloads/numbers.csv", "tinyxf-book/index.html"]
        assert archive.read("tinyxf-book/index.html") == b"<p>home"
    for line in (dist / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((dist / name).read_bytes()).hexdigest() == digest


def test_the_same_site_gives_the_same_bytes(site: Path, tmp_path: Path) -> None:
    first = [path.read_bytes() for path in pack.pack(site, tmp_path / "one")]
    for path in site.rglob("*"):
        path.chmod(0o700)
        os.utime(path, (1, 1))
    assert [path.read_bytes() for path in pack.pack(site, tmp_path / "two")] == first


def test_a_site_without_downloads_is_packed(site: Path, tmp_path: Path) -> None:
    (site / "downloads" / "numbers.csv").unlink()
    (site / "downloads").rmdir()
    assert [path.name for path in pack.pack(site, tmp_path / "dist")] == ["tinyxf-book.zip", "SHA256SUMS"]


def test_no_site_is_said_and_nothing_is_touched(tmp_path: Path) -> None:
    command = [sys.executable, "scripts/pack.py", "--site", str(tmp_path), "--dist", str(tmp_path / "dist")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "run: make site" in done.stderr
    assert list(tmp_path.iterdir()) == []
