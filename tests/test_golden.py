"""The kept texts are compared whole, and nobody rewrites them by accident."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden_texts import FLAG, Golden, may_rewrite


def test_a_text_must_be_the_kept_one_to_the_last_byte(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x\r\ny\n")
    Golden(tmp_path, rewrite=False).check("a.txt", "x\r\ny\n")
    with pytest.raises(AssertionError):
        Golden(tmp_path, rewrite=False).check("a.txt", "x\ny\n")
    with pytest.raises(AssertionError, match=f"{FLAG} writes it"):
        Golden(tmp_path, rewrite=False).check("b.txt", "")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_the_flag_rewrites(tmp_path: Path) -> None:
    Golden(tmp_path, rewrite=True).check("new/a.txt", "α\n")
    assert (tmp_path / "new" / "a.txt").read_bytes() == "α\n".encode()


def test_the_flag_is_refused_in_ci(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytestconfig.option, "rewrite_golden", True)
    monkeypatch.delenv("CI", raising=False)
    assert may_rewrite(pytestconfig)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.UsageError, match="for people"):
        may_rewrite(pytestconfig)
    monkeypatch.setattr(pytestconfig.option, "rewrite_golden", False)
    assert not may_rewrite(pytestconfig)
