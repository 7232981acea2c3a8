"""Keeps the processes that play: each in a session of its own, confined to limits, ended with all that it started.

What a program started is found by its parents and by a mark in its environment, so that a child in another session,
or one whose parent has ended, is found, too. Where the system has subreapers (Linux), this process is one: orphans come
to us, and not to a process that does not know them.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import itertools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

try:
    import resource
except ImportError:  # not on this system, which then has no limits
    resource = None  # type: ignore[assignment]

from parlour.errors import ConfigError

GRACE = 0.5  # seconds to end by itself
LOOK = 0.1  # seconds between two counts of a program's processes
MARK = "PARLOUR_PROGRAM"
"""The variable in the environment of a program, and so of all that it starts."""
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
_ROUNDS = 20
"""How often to look again for what was started while we looked."""
_PROC = Path("/proc")


class Limits(msgspec.Struct, frozen=True):
    """What one program may use; None is all there is."""

    cpu: int | None = None
    """Seconds of processor time of each of its processes, all in all."""
    memory: int | None = None
    """Bytes of address space of each of its processes."""
    processes: int | None = None
    """How many it may be at a time; one that becomes more is ended."""
    file_size: int | None = None
    """Bytes of each file that it writes."""
    network: bool = True
    """Whether it may use the network. Where the system cannot take it away, the record does not say that it did."""

    def check(self) -> None:
        """ConfigError if this system cannot hold a program to them."""
        if self != Limits() and not hasattr(resource, "prlimit"):
            raise ConfigError("limits of programs need Linux: leave them out, or run on Linux", field="limits")


UNLIMITED = Limits()
CONFINED = Limits(cpu=3600, memory=2 << 30, processes=64, file_size=64 << 20, network=False)
"""What a program of somebody else's may use, if nothing is said of it."""


class KeptProgram(NamedTuple):
    """A program that runs, and what it is held to."""

    process: subprocess.Popen[bytes]
    held: tuple[str, ...]


def start(words: Sequence[str], limits: Limits = UNLIMITED) -> KeptProgram:
    """A new process with pipes to its standard input and output; OSError if it does not start."""
    adopt_orphans()
    mark = f"{os.getpid()}.{next(_numbers)}."
    walls = _walls(limits)
    if walls and shutil.which(words[0]) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), words[0])
    process = subprocess.Popen(
        [*walls, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
        env=os.environ | {MARK: mark},
    )
    _kept[process.pid] = mark
    held = _limit(process.pid, limits)
    if limits.processes is not None:
        _watched[process.pid] = limits.processes
        _watch()
        held.append(f"at most {limits.processes} processes")
    if walls:
        held.append("no network")
    return KeptProgram(process, tuple(held))


def end(process: subprocess.Popen[bytes]) -> None:
    """Close its input, wait a moment for it to end, and kill it with all that it started."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    mark = _kept.pop(process.pid, "")
    _watched.pop(process.pid, None)
    family = _descendants(process.pid)
    _kill_group(process.pid)
    process.wait()
    _kill_all(family)
    if mark:
        _kill_marked(mark)
    process.stdout.close()  # last, so that who writes to it is not interrupted for that


def end_all() -> None:
    """Kill all programs at once, with all that they started: the driver of this process is gone."""
    for pid in tuple(_kept):
        family = _descendants(pid)
        _kill_group(pid)
        _kill_all(family)
        _kill_marked(_kept.pop(pid))
    end_orphans()


def end_marked_by(pid: int) -> None:
    """Kill the programs of another process of ours that is dead, with all that they started."""
    _kill_marked(f"{pid}.")


def end_orphans() -> None:
    """Kill what came to us when its parent ended, whatever it is; for a process that starts nothing but players."""
    for _ in range(_ROUNDS):
        orphans = [pid for pid, parent in _parents().items() if parent == os.getpid() and pid not in _kept]
        if not _kill_all(orphans):
            return


def why_ended(process: subprocess.Popen[bytes]) -> str:
    """What ended a process whose pipes are shut, as far as it can be told."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.05)  # its pipes are shut a moment before it is gone
    code = process.returncode
    if code is None or code == 0:
        return "the program has ended"
    if process.pid in _too_many:
        return "the program had started too many processes"
    if code == -signal.SIGXCPU:
        return "the program has used up its processor time"
    if code < 0:
        return f"the program was ended by signal {-code} ({signal.strsignal(-code)})"
    return f"the program has ended with exit code {code}"


_kept: dict[int, str] = {}
"""The mark of each program that was started and not ended."""
_watched: dict[int, int] = {}
"""How many processes a program may be."""
_too_many: set[int] = set()
"""Programs that were ended because they were more."""
_numbers = itertools.count(time.monotonic_ns())
"""Numbers that no earlier process of this number can have given."""


@cache
def adopt_orphans() -> None:
    """Become the parent of whatever is left alone below this process, where the system has that."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _walls(limits: Limits) -> list[str]:
    """What to start a program by so that it has no network: namespaces of its own, where the system lets us have them.

    Its processes are then in a namespace of their own, too, in which all end with the first.
    """
    return list(_NAMESPACES) if not limits.network and _has_namespaces() else []


_NAMESPACES = ("unshare", "--map-current-user", "--net", "--pid", "--fork", "--kill-child", "--")


@cache
def _has_namespaces() -> bool:
    try:
        done = subprocess.run([*_NAMESPACES, "true"], capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _limit(pid: int, limits: Limits) -> list[str]:
    """Set the limits from outside: what runs between fork and exec could not be Python of a program with threads.

    Gives what it is held to.
    """
    if limits == UNLIMITED:
        return []
    limits.check()
    wanted = (
        ("RLIMIT_CPU", limits.cpu, 1, "{} s of processor time"),
        ("RLIMIT_AS", limits.memory, 0, "{:,} bytes of memory"),
        ("RLIMIT_FSIZE", limits.file_size, 0, "{:,} bytes a file"),
    )
    held = []
    if limits.processes is not None:
        # The system counts all of a user, and nothing of root: it is the first wall, and we count ourselves besides.
        with contextlib.suppress(ProcessLookupError, ValueError):
            crowd = limits.processes + _processes_of(os.getuid())
            resource.prlimit(pid, resource.RLIMIT_NPROC, (crowd, crowd))
    with contextlib.suppress(ProcessLookupError):  # it has ended already
        for name, most, grace, said in wanted:
            if most is not None:
                for one in (pid, *_descendants(pid)):  # a wall may have let it start meanwhile
                    with contextlib.suppress(ProcessLookupError):
                        resource.prlimit(one, getattr(resource, name), (most, most + grace))
                held.append(said.format(most))
    return held


def _processes_of(user: int) -> int:
    """How many processes and threads a user has now."""
    count = 0
    for pid in _pids():
        with contextlib.suppress(OSError):
            if (_PROC / str(pid)).stat().st_uid == user:
                count += sum(1 for _ in (_PROC / str(pid) / "task").iterdir())
    return count


def _watch() -> None:
    """Look after those that may be only so many, from now on and until there is none."""
    with _watching:
        if not _watchers:
            thread = threading.Thread(target=_count_all, daemon=True, name="parlour keeper")
            _watchers.append(thread)
            thread.start()


_watching = threading.Lock()
_watchers: list[threading.Thread] = []


def _count_all() -> None:
    while True:
        time.sleep(LOOK)
        for pid, most in tuple(_watched.items()):
            family = _descendants(pid)
            if len(family) > most:
                _too_many.add(pid)
                _watched.pop(pid, None)
                _freeze(family)
                _kill_group(pid)
                _kill_marked(_kept.get(pid, MARK))
        with _watching:
            if not _watched:
                _watchers.clear()
                return


def _freeze(family: Sequence[int]) -> None:
    """Stop them before they are killed, so that none starts another meanwhile."""
    for pid in family:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGSTOP)


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _kill_all(pids: Collection[int]) -> bool:
    """Kill them, and take leave of those that are ours; whether there was any."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
    return bool(pids)


def _kill_marked(mark: str) -> None:
    """Kill what has a mark that begins so until there is nothing left, for more may be started meanwhile."""
    wanted = f"{MARK}={mark}".encode()
    for _ in range(_ROUNDS):
        if not _kill_all([pid for pid in _pids() if any(part.startswith(wanted) for part in _environment(pid))]):
            return


def _environment(pid: int) -> list[bytes]:
    try:
        return (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:  # it is gone, or not ours
        return []


def _descendants(pid: int) -> list[int]:
    """All that a process started and that was not left alone by its parent, it itself left out."""
    parents = _parents()
    found = [pid]
    for one in found:
        found.extend(child for child, parent in parents.items() if parent == one)
    return found[1:]


def _parents() -> dict[int, int]:
    """The parent of each process; of none where there is no /proc."""
    found = {}
    for pid in _pids():
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name in parentheses may hold anything, so what follows is counted from the last of them.
            found[pid] = int((_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[1])
    return found


def _pids() -> Iterator[int]:
    with contextlib.suppress(OSError):
        yield from [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal()]
