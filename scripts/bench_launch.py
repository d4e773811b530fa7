"""Run one command and print what it took, as JSON: a small parent, since a child begins with its parent's memory.

Imports hardly anything, on purpose.  Called by `bench_timing.py`.
"""

from __future__ import annotations

import os
import sys
import time


def main(command: list[str]) -> int:
    """Run a command whose output goes to our standard error; print seconds, processor seconds, memory and status."""
    start = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, 2, 1)])
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - start
    figures = (wall, used.ru_utime + used.ru_stime, used.ru_maxrss, os.waitstatus_to_exitcode(status))
    print("[" + ", ".join(map(repr, figures)) + "]")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
