"""Find a Chromium, or install one, or say how: nothing is left out because a browser is missing."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from playwright.sync_api import BrowserType

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--no-sandbox",  # a container's root may not have one; the pages are our own
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",  # so that widths do not hang on the machine's settings
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",  # nothing leaves this machine
)
HOW = """no Chromium was found, which tests and prints the pages.  Do one of these:
    .venv/bin/python -m playwright install chromium
    apt-get update && apt-get install -y --no-install-recommends chromium     (as root)
    CHROMIUM=/path/to/chromium, in front of the command that brought you here"""


class NoBrowserError(RuntimeError):
    """There is no browser, and none could be installed."""


def find(kind: BrowserType) -> Path:
    """Return the browser to drive: $CHROMIUM, one on PATH, Playwright's own, one from apt when we are root."""
    if named := os.environ.get("CHROMIUM"):
        if not (path := shutil.which(named)):
            raise NoBrowserError(f"CHROMIUM names {named!r}, which is not a program")
        return Path(path)
    if path := _on_path():
        return Path(path)
    if (own := Path(kind.executable_path)).is_file():
        return own
    if os.geteuid() == 0 and shutil.which("apt-get"):
        return _from_apt()
    raise NoBrowserError(HOW)


def _on_path() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _from_apt() -> Path:
    """Install Debian's Chromium, one process at a time."""
    with (Path(tempfile.gettempdir()) / "tinyxf-apt.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path := _on_path():  # another process installed it while this one waited
            return Path(path)
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for arguments in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
            command = ["apt-get", "-o", "DPkg::Lock::Timeout=120", "-qq", *arguments]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=400)
            if done.returncode:
                raise NoBrowserError(f"{' '.join(command)} failed:\n{done.stderr}\n{HOW}")
    if path := _on_path():
        return Path(path)
    raise NoBrowserError(HOW)
