"""Put a finished folder in place of another in one step.

On Linux and macOS the kernel exchanges two names at once, so there is no moment without a whole site; elsewhere two
renames come as near as they can.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2  # Linux: renameat2(2)
_RENAME_SWAP = 2  # macOS: renamex_np(2)


class NoSiteError(Exception):
    """A place that cannot take a site: what is there was made by somebody else."""


def put_in_place(new: Path, place: Path, mark: str = "index.html") -> None:
    """Make `new` the folder at `place`, on the same disk; what we put there before is removed.

    `mark` is the file by which a folder of ours is known.  Raises NoSiteError, and leaves everything as it is, where
    the place holds anything else; OSError where the system refuses.
    """
    place = place.resolve()
    refuse_other_files(place, mark)
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists():
        new.rename(place)
        return
    if _exchange(new, place):
        shutil.rmtree(new)
        return
    old = new.with_name(new.name + ".old")
    place.rename(old)
    try:
        new.rename(place)
    except OSError:
        old.rename(place)
        raise
    shutil.rmtree(old)


def refuse_other_files(place: Path, mark: str = "index.html") -> None:
    """Raise NoSiteError where a place holds what no build has made."""
    if place.exists() and not place.is_dir():
        raise NoSiteError(f"{place.name} is a file; name the folder of a site, or one that is not there yet")
    if place.is_dir() and any(place.iterdir()) and not (place / mark).is_file():
        raise NoSiteError(f"{place.name} holds other files than a site; name another folder, or empty it first")


def workshop_for(place: Path, usual: Path) -> Path:
    """Return the folder to build in: the usual one, unless the place lies on another disk."""
    usual.parent.mkdir(parents=True, exist_ok=True)
    near = next(folder for folder in place.parents if folder.exists())
    if near.stat().st_dev == usual.parent.stat().st_dev:
        return usual
    return near / f".{place.name}.building"


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False where the system cannot."""
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform.startswith("linux") and hasattr(libc, "renameat2"):
        done = libc.renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)
    elif sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        done = libc.renamex_np(os.fsencode(one), os.fsencode(other), _RENAME_SWAP)
    else:
        return False
    if done == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number), str(other))


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Hold a lock file while the block runs; a second process waits.  A killed one leaves no lock behind."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        try:
            import fcntl
        except ImportError:
            yield
            return
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
