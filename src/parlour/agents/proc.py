"""Facts from /proc about the processes of this machine; empty on systems without /proc."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")
_EXEC_ROUNDS = 200
_EXEC_PAUSE = 0.001
"""Seconds between two looks at a process in the middle of exec."""


def pids() -> Iterator[int]:
    """Yield the number of each process."""
    with contextlib.suppress(OSError):
        yield from [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal()]


def parents() -> dict[int, int]:
    """Return the parent of each process."""
    found = {}
    for pid in pids():
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name in parentheses may hold anything, so what follows is counted from the last of them.
            found[pid] = int((_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[1])
    return found


def descendants(pid: int) -> list[int]:
    """Return the processes below a process, without itself; orphans that got another parent are not found."""
    of = parents()
    found = [pid]
    for one in found:
        found.extend(child for child, parent in of.items() if parent == one)
    return found[1:]


def environment(pid: int) -> list[bytes]:
    """Return the variables that a process was started with; none if it is gone, or not ours.

    During exec a process has neither arguments nor variables for a moment; this function waits until it has.
    """
    folder = _PROC / str(pid)
    try:
        for _ in range(_EXEC_ROUNDS):
            if found := (folder / "environ").read_bytes():
                return found.split(b"\0")
            (folder / "exe").readlink()  # fails for threads of the kernel and for processes that have ended
            if (folder / "cmdline").read_bytes():
                break
            time.sleep(_EXEC_PAUSE)
    except OSError:
        pass
    return []


def of_user(user: int) -> list[int]:
    """Return the processes of a user."""
    found = []
    for pid in pids():
        with contextlib.suppress(OSError):
            if (_PROC / str(pid)).stat().st_uid == user:
                found.append(pid)
    return found


def threads(pid: int) -> int:
    """Return the number of threads of a process, its first one included; 0 if it is gone."""
    try:
        return sum(1 for _ in (_PROC / str(pid) / "task").iterdir())
    except OSError:
        return 0
