"""Fences around programs: the system's own limit of threads, which holds however fast a program starts them.

The usual limit of the system (RLIMIT_NPROC) counts all threads of a user, but none of root. Therefore, if Parlour runs
as root, a program gets a control group of its own (pids.max, version 1 or 2) where the system allows one. Otherwise it
gets a user of its own, so that the limit counts this program alone. A process is put behind the fence before it runs
the program. Without a fence only the supervisor counts processes, and finds a fast program late.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import shutil
import signal
import stat
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

try:
    import pwd
    import resource
except ImportError:  # the modules do not exist on this system, so there are no limits
    pwd = resource = None  # type: ignore[assignment]

from parlour.agents import proc

GROUP = "parlour."
"""Prefix of the names of our control groups; the mark of the program follows."""
USERS = range(61184, 65520)
"""User ids that systemd reserves for temporary users; none of them owns a file."""
_ROUNDS = 20
"""Number of further searches for processes that were started during a search."""


class Fence(Protocol):
    """A means of the system to limit the number of a program's threads."""

    said: str
    """The limit's description for the record."""
    before: tuple[str, ...]
    """Command prefix that starts the program once the process is behind the fence."""

    def admit(self, pid: int) -> None:
        """Put a process under the limit before it runs the program; raise OSError if that is not possible."""

    def members(self) -> list[int]:
        """Return all processes within this limit; empty where they cannot be distinguished from others."""

    def clear(self) -> None:
        """Kill all processes within this limit; they can start nothing meanwhile."""

    def remove(self) -> None:
        """Remove the fence, which must be empty."""


class ControlGroup:
    """A control group whose number of threads the kernel limits, for any user."""

    said = "a control group"
    before: tuple[str, ...] = ()

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def admit(self, pid: int) -> None:
        """Move a process into the group."""
        (self._folder / "cgroup.procs").write_text(str(pid))

    def members(self) -> list[int]:
        """Return all processes of the group, including orphans and those in sessions of their own."""
        with contextlib.suppress(OSError):
            return [int(line) for line in (self._folder / "cgroup.procs").read_text().split()]
        return []

    def clear(self) -> None:
        """Forbid new threads, and kill all processes of the group."""
        with contextlib.suppress(OSError):
            (self._folder / "pids.max").write_text("0")
        _kill(self.members())

    def remove(self) -> None:
        """Remove the group; a group that is not empty yet is removed when the next is made."""
        with contextlib.suppress(OSError):
            self._folder.rmdir()


class OwnUser:
    """A user id that no other process has, with the system's limit for it."""

    said = "a user of its own"

    def __init__(self, user: int, threads: int) -> None:
        self.user, self._threads = user, threads
        self.before: tuple[str, ...] = become(user)

    def admit(self, pid: int) -> None:
        """Set the limit while the process still has our user id; its later user cannot raise the limit."""
        resource.prlimit(pid, resource.RLIMIT_NPROC, (self._threads, self._threads))

    def members(self) -> list[int]:
        """Return all processes of this user."""
        return proc.of_user(self.user)

    def clear(self) -> None:
        """Stop all processes, then kill them. Stopped processes still count for the limit, so no new ones can start."""
        stopped: set[int] = set()
        for _ in range(_ROUNDS):
            running = set(self.members()) - stopped
            if not running:
                break
            _signal(running, signal.SIGSTOP)
            stopped |= running
        _kill(self.members())

    def remove(self) -> None:
        """Release the user id, once no process of this user is left."""
        free_user(self.user)


class SharedUser:
    """The system's limit for our own user (not root): the user's present threads, and those of the program."""

    said = "the limit of its user"
    before: tuple[str, ...] = ()

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def admit(self, pid: int) -> None:
        """Set the limit."""
        crowd = self._threads + sum(proc.threads(one) for one in proc.of_user(os.getuid()))
        with contextlib.suppress(ValueError):  # a lower limit is already set
            resource.prlimit(pid, resource.RLIMIT_NPROC, (crowd, crowd))

    def members(self) -> list[int]:
        """Return an empty list: other programs run as this user, too."""
        return []

    def clear(self) -> None:
        """Do nothing: other programs run as this user, too."""

    def remove(self) -> None:
        """Do nothing: the limit ends with the program."""


def build(mark: str, words: Sequence[str], threads: int) -> Fence | None:
    """Return the best limit that this system allows for a program; None if it allows none."""
    if resource is None or not hasattr(resource, "prlimit"):
        return None
    if os.getuid() != 0:
        return SharedUser(threads)
    group = make_group(mark, threads)
    if group is not None:
        return group
    if is_open_to_all(words) and can_be_others():
        user = _free_user()
        return None if user is None else OwnUser(user, threads)
    return None


# Control groups


def make_group(mark: str, threads: int) -> ControlGroup | None:
    """Return a new control group below our own; None if the system allows none."""
    home = _home()
    if home is None:
        return None
    _sweep(home)
    folder = home / f"{GROUP}{mark}"
    try:
        folder.mkdir()
    except OSError:
        return None
    try:
        (folder / "pids.max").write_text(str(threads))
    except OSError:  # the group has no limit of processes
        folder.rmdir()
        return None
    return ControlGroup(folder)


def groups_of(mark: str) -> list[ControlGroup]:
    """Return the control groups of the programs whose marks begin with this text."""
    home = _home()
    return [] if home is None else [ControlGroup(folder) for folder in home.glob(f"{GROUP}{mark}*")]


def _home() -> Path | None:
    """Return the folder of our own control group that counts processes."""
    try:
        ours, mounts = (Path("/proc/self", name).read_text() for name in ("cgroup", "mountinfo"))
    except OSError:
        return None
    return find_home(ours, mounts)


def find_home(ours: str, mounts: str) -> Path | None:
    """Return the folder of a control group that counts processes, as in /proc/PID/cgroup and mountinfo."""
    for line in ours.splitlines():
        number, controllers, path = line.split(":", 2)
        version = "cgroup2" if number == "0" else "cgroup"
        if version == "cgroup2" or "pids" in controllers.split(","):
            for mount in mounts.splitlines():
                folder = _mounted(mount, version, path)
                if folder is not None and (version == "cgroup" or _counts(folder)):
                    return folder
    return None


def _mounted(mount: str, version: str, path: str) -> Path | None:
    """Return the path of a control group in a line of mountinfo; None if it has none."""
    before, _, after = mount.partition(" - ")
    kind, _, options = after.split(" ", 2)
    root, at = before.split()[3:5]
    if kind != version or (version == "cgroup" and "pids" not in options.split(",")):
        return None
    inside = Path(path)
    return Path(at) / inside.relative_to(root) if inside.is_relative_to(root) else None


def _counts(folder: Path) -> bool:
    """Return True if child groups of this control group (version 2) count processes, or can be made to."""
    try:
        if "pids" not in (folder / "cgroup.controllers").read_text().split():
            return False
        control = folder / "cgroup.subtree_control"
        if "pids" not in control.read_text().split():
            control.write_text("+pids")
    except OSError:
        return False
    return True


def _sweep(home: Path) -> None:
    """Remove the empty groups of processes that are gone."""
    running = set(map(str, proc.pids()))
    for folder in home.glob(f"{GROUP}*"):
        if folder.name.removeprefix(GROUP).partition(".")[0] not in running:
            ControlGroup(folder).remove()


# Separate users for programs

_given: set[int] = set()
"""System users under which programs run at the moment."""


def become(user: int) -> tuple[str, ...]:
    """Return the command prefix that runs a program permanently as another user."""
    return ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs", "--")


@cache
def can_be_others() -> bool:
    """Return True if this process may start processes of other users."""
    return starts([*become(USERS[-1]), "true"])


def starts(words: Sequence[str]) -> bool:
    """Return True if a trial command exits with code 0."""
    try:
        return subprocess.run(words, capture_output=True, timeout=5, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def other_user(words: Sequence[str], covers: Sequence[str]) -> int | None:
    """Return a separate user id for a program whose enclosure covers these folders; None if that is not possible."""
    if resource is None or os.getuid() != 0 or not is_open_to_all(words, covers) or not can_be_others():
        return None
    return _free_user()


def free_user(user: int) -> None:
    """Release a user id for other programs."""
    _given.discard(user)


def is_open_to_all(words: Sequence[str], covers: Sequence[str] = ()) -> bool:
    """Return True if an unprivileged user can start a command and read the files that it names.

    Covered folders are replaced by new ones that everybody may enter.
    """
    program = shutil.which(words[0])
    if program is None:
        return False
    files = [Path(word) for word in words[1:] if not word.startswith("-")]
    return all(_lets_in(file, covers) for file in (Path(program), *files) if _exists(file))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # the word cannot be a path
        return False


def _lets_in(path: Path, covers: Sequence[str] = ()) -> bool:
    """Return True if anybody may read this file, or enter this folder, under the given path and the resolved one."""
    for way in {path.absolute(), path.resolve()}:
        for above in way.parents:
            made_anew = any(Path(cover).is_relative_to(above) for cover in covers if way.is_relative_to(cover))
            if not made_anew and not above.stat().st_mode & stat.S_IXOTH:
                return False
    mode = path.stat().st_mode
    return bool(mode & (stat.S_IXOTH if stat.S_ISDIR(mode) else stat.S_IROTH))


def _free_user() -> int | None:
    """Return a user id that no account, process or program of ours has; None if all are taken."""
    first = random.randrange(len(USERS))
    for number in itertools.islice(itertools.cycle(USERS), first, first + len(USERS)):
        if number not in _given and not _is_known(number) and not proc.of_user(number):
            _given.add(number)
            return number
    return None


def _is_known(number: int) -> bool:
    try:
        pwd.getpwuid(number)
    except KeyError:
        return False
    return True


def _signal(targets: set[int], number: signal.Signals) -> None:
    for pid in targets:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _kill(targets: Sequence[int]) -> None:
    _signal(set(targets), signal.SIGKILL)
