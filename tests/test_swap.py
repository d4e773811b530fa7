"""A finished folder takes the place of another in one step, or nothing happens."""

from __future__ import annotations

import ctypes
import errno
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import swap
from swap import NoSiteError, alone, put_in_place


def folder(path: Path, **files: str) -> Path:
    path.mkdir(parents=True)
    for name, text in files.items():
        (path / f"{name}.html").write_text(text, encoding="utf-8")
    return path


def texts(path: Path) -> dict[str, str]:
    return {file.stem: file.read_text(encoding="utf-8") for file in path.iterdir()}


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.iterdir())


def test_a_new_place_is_taken(tmp_path: Path) -> None:
    put_in_place(folder(tmp_path / "new", index="1"), tmp_path / "deep" / "site")
    assert texts(tmp_path / "deep" / "site") == {"index": "1"}
    assert names(tmp_path) == ["deep"]


@pytest.mark.parametrize("exchanging", [True, False], ids=["exchange", "two renames"])
def test_an_old_site_goes_and_the_new_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, exchanging: bool
) -> None:
    if not exchanging:
        monkeypatch.setattr(swap, "_exchange", lambda *_: False)
    site = folder(tmp_path / "site", index="old", gone="old")
    put_in_place(folder(tmp_path / "work" / "new", index="new"), site)
    assert texts(site) == {"index": "new"}
    assert names(tmp_path / "work") == []


def test_an_empty_folder_is_taken_and_a_link_is_followed(tmp_path: Path) -> None:
    site = folder(tmp_path / "real")
    (tmp_path / "site").symlink_to(site)
    put_in_place(folder(tmp_path / "new", index="1"), tmp_path / "site")
    assert (tmp_path / "site").is_symlink()
    assert texts(site) == {"index": "1"}


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    new = folder(tmp_path / "new", index="1")
    with pytest.raises(NoSiteError, match="docs holds other files than a site"):
        put_in_place(new, folder(tmp_path / "docs", notes="mine"))
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(NoSiteError, match="file is a file"):
        put_in_place(new, tmp_path / "file")
    assert texts(tmp_path / "docs") == {"notes": "mine"}
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"
    assert texts(new) == {"index": "1"}


def test_the_old_site_comes_back_where_the_new_one_cannot_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swap, "_exchange", lambda *_: False)
    site, new = folder(tmp_path / "site", index="old"), folder(tmp_path / "new", index="new")
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self == new:
            raise OSError(errno.EROFS, "Read-only file system")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(OSError, match="Read-only"):
        put_in_place(new, site)
    assert texts(site) == {"index": "old"}
    assert names(tmp_path) == ["new", "site"]


def system(result: int, number: int) -> SimpleNamespace:
    """Return a C library whose exchange ends like this."""
    return SimpleNamespace(renameat2=lambda *_: result, renamex_np=lambda *_: result, number=number)


@pytest.mark.parametrize("platform", ["linux", "darwin"])
@pytest.mark.parametrize(
    ("result", "number", "done"), [(0, 0, True), (-1, errno.ENOSYS, False), (-1, errno.EINVAL, False)]
)
def test_systems_that_cannot_exchange_say_so(
    platform: str, result: int, number: int, monkeypatch: pytest.MonkeyPatch, *, done: bool
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: system(result, number))
    monkeypatch.setattr(ctypes, "get_errno", lambda: number)
    assert swap._exchange(Path("a"), Path("b")) is done


def test_a_refusal_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: system(-1, errno.EACCES))
    monkeypatch.setattr(ctypes, "get_errno", lambda: errno.EACCES)
    with pytest.raises(PermissionError):
        swap._exchange(Path("a"), Path("b"))
    monkeypatch.setattr(sys, "platform", "plan9")
    assert not swap._exchange(Path("a"), Path("b"))


def test_one_at_a_time_holds_the_lock(tmp_path: Path) -> None:
    lock, seen = tmp_path / "deep" / "build.lock", []

    def work(name: str) -> None:
        with alone(lock):
            seen.append(f"{name} in")
            time.sleep(0.05)
            seen.append(f"{name} out")

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [before[0] == after[0] for before, after in zip(seen[::2], seen[1::2], strict=True)] == [True] * 3


def test_where_there_are_no_locks_work_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with alone(tmp_path / "build.lock"):
        pass
