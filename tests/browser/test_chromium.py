"""The order in which a browser is looked for, on machines that are not this one."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import chromium
import pytest
from playwright.sync_api import BrowserType


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "bin" / "chromium"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BrowserType:
    """A Playwright that brought no browser, on a machine with an empty PATH, for a user who is not root."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return cast("BrowserType", SimpleNamespace(executable_path=str(tmp_path / "own")))


def test_the_variable_comes_first(kind: BrowserType, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", str(program))
    assert chromium.find(kind) == program


def test_a_wrong_variable_is_named(kind: BrowserType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", "no-such-browser")
    with pytest.raises(chromium.NoBrowserError, match="CHROMIUM names 'no-such-browser'"):
        chromium.find(kind)


def test_then_the_path(kind: BrowserType, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(kind.executable_path).touch()
    monkeypatch.setenv("PATH", str(program.parent))
    assert chromium.find(kind) == program


def test_then_what_playwright_brought(kind: BrowserType) -> None:
    Path(kind.executable_path).touch()
    assert chromium.find(kind) == Path(kind.executable_path)


def test_else_the_commands_are_named(kind: BrowserType) -> None:
    with pytest.raises(chromium.NoBrowserError, match="playwright install chromium") as caught:
        chromium.find(kind)
    assert "apt-get install" in str(caught.value)


def test_root_installs_it(kind: BrowserType, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = program.parent / "log"
    apt = program.with_name("apt-get")  # one that puts a browser beside itself when asked to install
    apt.write_text(f'#!/bin/sh\necho "$*" >> {log}\ncase "$*" in *install*) /bin/mv {program}.off {program};; esac\n')
    apt.chmod(0o755)
    program.rename(f"{program}.off")
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert chromium.find(kind) == program
    assert [line.split()[-1] for line in log.read_text().splitlines()] == ["update", "chromium"]


def test_a_failed_installation_says_why(kind: BrowserType, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apt = program.with_name("apt-get")
    apt.write_text("#!/bin/sh\necho 'no such package' >&2\nexit 100\n")
    apt.chmod(0o755)
    program.unlink()
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(chromium.NoBrowserError, match="no such package") as caught:
        chromium.find(kind)
    assert "playwright install" in str(caught.value)
