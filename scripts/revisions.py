"""What any revision of the book publishes, computed by that revision's own code in a process of its own.

For `build.py diff`.  A revision is unpacked into a temporary folder, since a second work tree would leave marks in
the repository; its `scripts/build.py snapshot` prints the record that the two sides are compared by.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "snapshot"

# Runs in the new process: the editable install points at the working tree, so make sure of whose code this is.
_START = """
import importlib.util, os, pathlib, runpy, sys
root = pathlib.Path(os.getcwd()).resolve()
spec = importlib.util.find_spec("tinyxf")
if spec is None or not pathlib.Path(spec.origin or "").resolve().is_relative_to(root):
    sys.exit(f"tinyxf comes from {spec and spec.origin}, expected it in {root}")
script = str(root / "scripts" / "build.py")
sys.path.insert(0, str(root / "scripts"))
sys.argv = [script, *sys.argv[1:]]
runpy.run_path(script, run_name="__main__")
"""


class RevisionError(Exception):
    """A revision that is unknown, or that cannot say what it publishes."""


def split_range(given: str, root: Path = ROOT) -> tuple[str, str | None]:
    """Return the two sides that a `REV`, `A..B` or `A...B` means; None is the working tree.

    A missing end of a range is HEAD, as git has it; three dots start from where the two parted.
    """
    old, dots, new = given.partition("...") if "..." in given else given.partition("..")
    if not dots:
        return given, None
    old, new = old or "HEAD", new or "HEAD"
    if dots == "...":
        old = _git("merge-base", commit(old, root), commit(new, root), root=root).decode().strip()
    return old, new


def commit(revision: str, root: Path = ROOT) -> str:
    """Return the full name of a revision's commit.  Raises RevisionError where there is none."""
    if revision.startswith("-"):
        raise RevisionError(f'a revision is expected, found the option "{revision}"')
    try:
        return _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", root=root).decode().strip()
    except RevisionError as error:
        raise RevisionError(str(error) or f'unknown revision "{revision}"') from error


def snapshots_of(given: str, root: Path = ROOT) -> tuple[str, str]:
    """Return the records of the two sides that a `REV`, `A..B` or `A...B` means, computed at the same time."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        old, new = pool.map(lambda side: snapshot_of(side, root), split_range(given, root))
    return old, new


def snapshot_of(revision: str | None, root: Path = ROOT) -> str:
    """Return the record that a revision prints about itself; None is the working tree."""
    if revision is None:
        return _run(root, "the working tree")
    name = commit(revision, root)
    with tempfile.TemporaryDirectory(prefix="tinyxf-") as folder:
        with tarfile.open(fileobj=io.BytesIO(_git("archive", "--format=tar", name, root=root))) as archive:
            archive.extractall(folder, filter="data")
        return _run(Path(folder), f'revision "{revision}"')


def _run(folder: Path, side: str) -> str:
    """Run a side's own `build.py snapshot`; it neither finds the working tree's code nor writes beside its own."""
    if not (folder / "scripts" / "build.py").is_file():
        raise RevisionError(f"{side} has no scripts/build.py, so it cannot say what it publishes")
    done = subprocess.run(
        [sys.executable, "-B", "-c", _START, COMMAND],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode == 2:  # noqa: PLR2004  argparse: wrong usage
        raise RevisionError(f"{side} does not know the command {COMMAND}, so it cannot say what it publishes")
    if done.returncode:
        raise RevisionError(f"{side} cannot be computed:\n{done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def _git(*arguments: str, root: Path = ROOT) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False)
    except FileNotFoundError:
        raise RevisionError("git is needed to compare revisions") from None
    if done.returncode:
        raise RevisionError(done.stderr.decode("utf-8", "replace").strip())
    return done.stdout
