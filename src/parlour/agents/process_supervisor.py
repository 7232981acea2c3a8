"""Keeps the processes that play: each in a session of its own, confined to limits, ended with all that it started.

Descendants of a program are found by their parents and by a mark in their environment, also in other sessions or after
their parents have ended. Where the system has subreapers (Linux), this process becomes one, so that it is the new
parent of orphans. A program waits until all its limits are set. It sees only the part of this machine that its
enclosure shows.
"""

from __future__ import annotations

import atexit
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
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

try:
    import resource
except ImportError:  # the module does not exist on this system, so there are no limits
    resource = None  # type: ignore[assignment]

from parlour.agents import enclosure, proc, process_limits
from parlour.agents.enclosure import Enclosure
from parlour.agents.process_limits import Fence, OwnUser
from parlour.errors import ConfigError

GRACE = 0.5  # seconds that a program has to end on request
LOOK = 0.1  # seconds between two counts of a program's processes
MARK = "PARLOUR_PROGRAM"
"""The variable in the environment of a program, and so of all that it starts."""
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
_ROUNDS = 20
"""Number of further searches for processes that were started during a search."""
THREADS = 8
"""Threads that the system allows per process of a program; an honest process may need several."""


class Limits(msgspec.Struct, frozen=True):
    """Limits of one program; None means no limit."""

    cpu: int | None = None
    """Seconds of processor time of each of its processes, in total."""
    memory: int | None = None
    """Maximum bytes of address space of each process."""
    processes: int | None = None
    """Maximum number of processes; a program with more is ended. Processes are counted ten times per
    second. Between two counts only the system's own limit holds, if there is one: see process_limits."""
    file_size: int | None = None
    """Maximum bytes of each file that the program writes and, where the system has namespaces, of all together."""
    network: bool = True
    """True if the program may use the network. The record claims a ban only if the system enforces it."""
    enclosed: bool = True
    """False for a program of our own: it keeps our environment and works in our folder."""
    passed: tuple[str, ...] = ()
    """Names of variables of our environment that the program gets besides the usual ones."""
    hidden: tuple[str, ...] = ()
    """Files and folders that the program may not see, such as the record of its match; they need not exist yet."""

    @property
    def is_bounded(self) -> bool:
        """True if there is a limit that the system must enforce."""
        return msgspec.structs.replace(self, enclosed=True, passed=(), hidden=()) != Limits()

    def check(self) -> None:
        """Raise ConfigError if this system cannot enforce the limits."""
        if self.is_bounded and not hasattr(resource, "prlimit"):
            raise ConfigError("limits of programs need Linux: leave them out, or run on Linux", field="limits")


UNLIMITED = Limits()
TRUSTED = Limits(enclosed=False)
CONFINED = Limits(cpu=3600, memory=2 << 30, processes=64, file_size=64 << 20, network=False)
"""Default limits of a stranger's program."""


class KeptProgram(NamedTuple):
    """A running program, and its limits as phrases."""

    process: subprocess.Popen[bytes]
    held: tuple[str, ...]


def start(words: Sequence[str], limits: Limits = UNLIMITED) -> KeptProgram:
    """Return a new process with pipes to its standard input and output; OSError if it does not start."""
    adopt_orphans()
    _end_at_exit()
    mark = f"{os.getpid()}.{next(_numbers)}."
    limits.check()
    if shutil.which(words[0]) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), words[0])
    trace = _Trace(mark)
    threads = (limits.processes or 0) * THREADS
    try:
        trace.fence = process_limits.build(mark, words, threads) if threads else None
        process, plan = _open(words, limits, trace)
    except OSError:
        trace.remove()
        raise
    _kept[process.pid] = trace
    held = _limit(process.pid, limits)
    if trace.fence is not None:
        try:
            trace.fence.admit(process.pid)
        except OSError:  # the fence was made, but accepts no process
            trace.fence.remove()
            trace.fence = None
    if limits.processes is not None:
        # Two of the counted processes are ours if the program is enclosed, otherwise one.
        _watched[process.pid] = limits.processes + 1 + plan.walls
        _watch()
        by = ", by our own count" if trace.fence is None else f" and, by {trace.fence.said}, {threads} threads"
        held.append(f"at most {limits.processes} processes{by}")
    held += protections(plan) if limits.is_bounded else []  # without limits the record must not depend on the system
    assert process.stdin is not None
    with contextlib.suppress(OSError):  # the process may have ended already
        process.stdin.write(msgspec.json.encode(plan) + b"\n")
    return KeptProgram(process, tuple(held))


def _open(words: Sequence[str], limits: Limits, trace: _Trace) -> tuple[subprocess.Popen[bytes], Enclosure]:
    """Start the process that starts the program."""
    before: tuple[str, ...] = () if trace.fence is None else trace.fence.before
    name, folder = f"{MARK}={trace.mark}", str(Path.cwd())
    plan = Enclosure(name, folder, dict(os.environ), network=limits.network)
    if limits.enclosed:
        words = enclosure.absolute(words)
        trace.folder = folder = enclosure.make_folder()
        variables = enclosure.environment(folder, limits.passed)
        walls = has_walls(network=limits.network, own=bool(before))
        room = (limits.file_size or 0) if walls else 0
        plan = Enclosure(name, folder, variables, own_folder=True, walls=walls, network=limits.network, room=room)
        plan = enclosure.surround(plan, words, limits.hidden) if plan.walls else plan
        as_other = not before and (not walls or has_walls(network=limits.network, own=True))
        if as_other and (user := process_limits.other_user(words, plan.covers)) is not None:
            trace.user, before = user, process_limits.become(user)
        if before:
            plan.user = _user_of(trace)
            os.chown(folder, plan.user, plan.user)
    elif not limits.network and has_walls(network=False, own=bool(before)):
        plan.walls = True
    plan.environment[MARK] = trace.mark
    return _launch(plan, [*before, *words]), plan


def _user_of(trace: _Trace) -> int:
    return trace.fence.user if isinstance(trace.fence, OwnUser) else trace.user


def _launch(plan: Enclosure, words: Sequence[str]) -> subprocess.Popen[bytes]:
    plan.life = _life(os.getpid())
    return subprocess.Popen(
        [*enclosure.launcher(), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
        env=plan.environment,
        cwd=plan.folder,
        pass_fds=(plan.life,),
    )


@cache
def _life(pid: int) -> int:
    """Return the end of a pipe that closes when this process ends, for any reason."""
    heard, _open_until_we_end = os.pipe()
    return heard


@cache
def has_walls(*, network: bool = True, own: bool = False) -> bool:
    """True if this system gives programs their own namespaces; with `own`, also those that become another user."""
    if sys.platform != "linux":
        return False
    folder = enclosure.make_folder()
    plan = Enclosure(
        f"{MARK}=probe", folder, enclosure.environment(folder), own_folder=True, walls=True, network=network
    )
    try:
        plan = enclosure.surround(plan, ["true"])
        plan.user = process_limits.USERS[-1] if own else 0
        with _launch(plan, [*(process_limits.become(plan.user) if own else ()), "true"]) as tried:
            tried.communicate(msgspec.json.encode(plan) + b"\n", timeout=10)
            return tried.returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        enclosure.remove_folder(folder)


def promise(limits: Limits) -> str:
    """Return in words what protects this machine from programs within these limits, and what does not."""
    if not limits.enclosed:
        return "programs are trusted: they can read your files, keys and the record, and stop one another"
    net = "" if limits.network else ", nor the network"
    if not has_walls(network=limits.network):
        seen = "they can still read what you can, the record included, and stop one another"
        return f"programs get an environment and a folder of their own, but this system gives no namespaces: {seen}"
    free = "processor time, memory and the network are theirs: --confined limits them" if limits.network else ""
    hidden = "not your home, your folder, your keys, the record, or other processes"
    return f"programs see their own files and the system's, {hidden}{net}" + (f"; {free}" if free else "")


def protections(plan: Enclosure) -> list[str]:
    """Return the protections of a program with this plan, each as a phrase."""
    if not plan.own_folder:
        return ["no network"] if plan.walls and not plan.network else []
    found = ["a folder and an environment of its own"]
    if plan.walls:
        found.append("its own view of files and processes")
    if plan.user:
        found.append("a user of its own")
    if plan.walls and not plan.network:
        found.append("no network")
    if plan.room:
        found.append(f"{plan.room:,} bytes of files in all")
    return found


def end(process: subprocess.Popen[bytes]) -> None:
    """Close the program's input, wait a moment for it to end, then kill it and all that it started."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    kept = _kept.pop(process.pid, None)
    _watched.pop(process.pid, None)
    family = proc.descendants(process.pid)
    if kept is not None:
        family += kept.clear()
    _kill_group(process.pid)
    process.wait()
    _kill_all(family)
    if kept is not None:
        _kill_marked(kept.mark)
        kept.remove()
    process.stdout.close()  # last, so that closed output does not interrupt a program that still writes


def end_all() -> None:
    """Kill all programs at once, with all that they started, because the driver of this process is gone."""
    for pid in tuple(_kept):
        kept = _kept.pop(pid)
        family = proc.descendants(pid) + kept.clear()
        _kill_group(pid)
        _kill_all(family)
        _kill_marked(kept.mark)
        kept.remove()
    end_orphans()


def end_marked_by(pid: int) -> None:
    """Kill the programs of another process of ours that is dead, with all that they started."""
    groups = process_limits.groups_of(f"{pid}.")
    for group in groups:
        group.clear()
    _kill_marked(f"{pid}.")
    for group in groups:
        group.remove()
    enclosure.remove_folders_of(pid)


def end_orphans() -> None:
    """Kill all orphaned processes that this process adopted; for a process that starts nothing but players."""
    for _ in range(_ROUNDS):
        orphans = [pid for pid, parent in proc.parents().items() if parent == os.getpid() and pid not in _kept]
        if not _kill_all(orphans):
            return


def why_ended(process: subprocess.Popen[bytes]) -> str:
    """Return the cause of the end of a process whose pipes are closed, as far as it is known."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.05)  # the pipes of a process close a moment before it ends
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


@dataclass(slots=True)
class _Trace:
    """The marks by which a started program is found again."""

    mark: str
    fence: Fence | None = None
    folder: str = ""
    """The program's own working folder, if it has one."""
    user: int = 0
    """User id of the program, if it has one that does not serve as its limit."""

    def clear(self) -> list[int]:
        """Kill all processes of the program and return their ids."""
        members = [] if self.fence is None else self.fence.members()
        if self.fence is not None:
            self.fence.clear()
        return members

    def remove(self) -> None:
        """Remove the program's limit and its folder."""
        if self.fence is not None:
            self.fence.remove()
        if self.user:
            process_limits.free_user(self.user)
        if self.folder:
            enclosure.remove_folder(self.folder)


_kept: dict[int, _Trace] = {}
_watched: dict[int, int] = {}
"""Maximum number of processes per program."""
_too_many: set[int] = set()
"""Programs that were ended because they had too many processes."""
_numbers = itertools.count(time.monotonic_ns())
"""Numbers for marks; an earlier process with the same process id cannot have used them."""


@cache
def adopt_orphans() -> None:
    """Become the parent of orphaned processes below this one, if the system has subreapers."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


@cache
def _end_at_exit() -> None:
    """End all programs when this process ends, even programs that were not registered because of an interrupt."""
    atexit.register(lambda: end_marked_by(os.getpid()))


def _limit(pid: int, limits: Limits) -> list[str]:
    """Set the limits of a process, and return them as phrases.

    The parent sets the limits, because Python must not run between fork and exec in a program with threads.
    """
    wanted = (
        ("RLIMIT_CPU", limits.cpu, 1, "{} s of processor time"),
        ("RLIMIT_AS", limits.memory, 0, "{:,} bytes of memory"),
        ("RLIMIT_FSIZE", limits.file_size, 0, "{:,} bytes a file"),
    )
    held = []
    for name, most, grace, said in wanted:
        if most is not None:
            with contextlib.suppress(ProcessLookupError):  # the process may have ended already
                resource.prlimit(pid, getattr(resource, name), (most, most + grace))
            held.append(said.format(most))
    return held


def _watch() -> None:
    """Start the thread that counts the processes of limited programs, if it does not run."""
    with _watching:
        if not _watchers:
            thread = threading.Thread(target=_count_all, daemon=True, name="parlour supervisor")
            _watchers.append(thread)
            thread.start()


_watching = threading.Lock()
_watchers: list[threading.Thread] = []


def _count_all() -> None:
    while True:
        time.sleep(LOOK)
        for pid, most in tuple(_watched.items()):
            kept = _kept.get(pid)
            if kept is None:  # the program has been ended meanwhile
                continue
            family = {pid, *proc.descendants(pid), *(kept.fence.members() if kept.fence is not None else ())}
            if len(family) > most:
                _too_many.add(pid)
                _watched.pop(pid, None)
                _freeze(family)
                kept.clear()
                _kill_group(pid)
                _kill_marked(kept.mark)
        with _watching:
            if not _watched:
                _watchers.clear()
                return


def _freeze(family: Collection[int]) -> None:
    """Stop processes before they are killed, so that none starts another meanwhile."""
    for pid in family:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGSTOP)


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _kill_all(pids: Collection[int]) -> bool:
    """Kill the processes, and reap our own; return True if there were any."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        if pid not in _kept:  # the owner of a program must learn how it ended
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
    return bool(pids)


def _kill_marked(mark: str) -> None:
    """Kill processes with a mark of this prefix until none is left, since more may be started meanwhile."""
    wanted = f"{MARK}={mark}".encode()
    for _ in range(_ROUNDS):
        if not _kill_all(
            [pid for pid in proc.pids() if any(part.startswith(wanted) for part in proc.environment(pid))]
        ):
            return
