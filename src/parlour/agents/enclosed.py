"""Starts one program inside its enclosure and ends it with its host. Run as a script; imports nothing of ours.

    python -I -S enclosed.py COMMAND...

The first line of its standard input is the JSON of `parlour.agents.enclosure.Enclosure`. The script waits for this
line, builds the walls, and runs the command, which reads the rest of the input. The script stays the parent of the
command, and ends with the same exit code or signal. When the pipe `life` closes, the host has ended, and the command is
killed.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NET = 0x00020000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
READ_ONLY, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 32, 4096, 16384, 1 << 18
NO_SUID, NO_DEV = 2, 4
KEPT_FLAGS = {os.ST_NOSUID: 2, os.ST_NODEV: 4, os.ST_NOEXEC: 8, os.ST_NOATIME: 1024, os.ST_NODIRATIME: 2048}
SET_NO_NEW_PRIVILEGES, DROP_BOUNDING, LAST_CAPABILITY = 38, 24, 40
OWN_FOLDER = "parlour-program-"
"""Prefix of folders made for one program and removed with it."""
FAILED = 125
"""Exit code if the walls cannot be built: the command has not begun."""


def main() -> None:
    """Wait for the plan, build the walls, and supervise the command."""
    line, words = bytearray(), sys.argv[1:]
    while (piece := os.read(0, 1)) != b"\n":  # a byte at a time: the following bytes are for the command
        if not piece:
            os._exit(0)
        line += piece
    plan = json.loads(line)
    life = plan["life"]
    os.set_inheritable(life, False)
    above = _above(plan)
    heard, told = os.pipe()
    try:
        if plan["walls"]:
            _leave_the_system(network=plan["network"])
        pid = os.fork()
        if pid == 0:
            os.close(heard)
            os.close(life)
            _begin(plan, words, told)
    except OSError as error:
        _give_up(f"the walls around a program cannot be built: {error}")
    os.close(told)
    _watch(pid, life, plan["mark"])
    status = os.waitpid(pid, 0)[1]
    if reported := os.read(heard, 16):  # nothing is reported if the first process was killed
        status = int(reported)
    _remove(plan, above)
    _end_like(status)


def _begin(plan: dict[str, Any], words: list[str], told: int) -> None:
    """Run the command. Inside walls it is the child of a first process, which ends only with the command."""
    if plan["walls"]:
        try:
            _cover(plan)
        except OSError as error:
            _give_up(f"the walls around a program cannot be built: {error}")
        if (pid := os.fork()) != 0:
            _let_go_of_pipes()
            status = next(status for ended, status in iter(os.wait, None) if ended == pid)
            os.write(told, str(status).encode())
            os._exit(0)
    _become(plan, words)


def _give_up(reason: str) -> None:
    os.write(2, f"{reason}\n".encode(errors="replace"))
    os._exit(FAILED)


# Namespaces and mounts


def _leave_the_system(*, network: bool) -> None:
    """Create own namespaces for files, processes and messages, and for the network if the program may not use it."""
    wanted = NEW_MOUNTS | NEW_PIDS | NEW_IPC | (0 if network else NEW_NET)
    user, group = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    if user == 0 and libc.unshare(wanted) == 0:
        return
    _called(libc.unshare(wanted | NEW_USER))
    for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{file}", "w") as opened:
            opened.write(text)


def _become(plan: dict[str, Any], words: list[str]) -> None:
    """Give up all rights, and become the command. Does not return."""
    try:
        os.chdir(plan["folder"])
        if plan["walls"] and not plan["user"]:
            _drop_capabilities()
        ctypes.CDLL(None).prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        environment = plan["environment"]
        os.execvpe(words[0], words, environment)
    except (OSError, ValueError) as error:
        _give_up(f"{words[0]}: {error}")


def _cover(plan: dict[str, Any]) -> None:
    """Mount an empty folder over each covered folder, and show in it only what the program needs."""
    libc = ctypes.CDLL(None, use_errno=True)
    _mount(libc, None, "/", None, RECURSIVE | PRIVATE)
    if not plan["user"]:
        _show_public_devices(libc)
    shown = [(path, handle) for path in plan["shown"] if (handle := _handle(path)) is not None]
    links = [(path, os.readlink(path)) for path in plan["links"] if os.path.islink(path)]
    for path in plan["covers"]:
        if os.path.isdir(path):
            _mount(libc, "tmpfs", path, "tmpfs", NO_SUID | NO_DEV, "mode=0755,size=64m")
    for path, handle in shown:
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        if not os.path.lexists(path):
            _make_place(path, folder=is_folder)
        if path == plan["folder"] and plan["room"]:
            owner = f",uid={plan['user']},gid={plan['user']}" if plan["user"] else ""
            _mount(libc, "tmpfs", path, "tmpfs", NO_SUID | NO_DEV, f"mode=0700,size={plan['room']}{owner}")
        else:
            _mount(libc, f"/proc/self/fd/{handle}", path, None, BIND | RECURSIVE)
        if path != plan["folder"]:
            _make_read_only(libc, path, handle)
        os.close(handle)
    for path, target in links:
        if not os.path.lexists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(target, path)
    for path in plan["hidden"]:
        if os.path.isdir(path):
            _mount(libc, "tmpfs", path, "tmpfs", NO_SUID | NO_DEV, "mode=0755,size=1m")
        elif os.path.lexists(path):
            _mount(libc, "/dev/null", path, None, BIND)
    writable = {plan["folder"], *plan["covers"], *plan["hidden"]}
    for path in _mount_points():
        if path not in writable and (handle := _handle(path)) is not None:
            _make_read_only(libc, path, handle)
            os.close(handle)
    try:
        _mount(libc, "proc", "/proc", "proc", NO_SUID | NO_DEV | READ_ONLY)
    except OSError:  # the system allows no new /proc where parts of /proc are covered already
        _mount(libc, "tmpfs", "/proc", "tmpfs", NO_SUID | NO_DEV, "mode=0755,size=1m")


def _mount_points() -> list[str]:
    """Return the places at which something is mounted, except for /proc, which is mounted anew."""
    with open("/proc/self/mountinfo", "rb") as opened:
        found = [line.split()[4].decode("unicode_escape").encode("latin-1") for line in opened]
    return [path for path in map(os.fsdecode, found) if path != "/proc" and not path.startswith("/proc/")]


def _show_public_devices(libc: Any) -> None:
    """Show only the devices that every user may open: a program with our user could read disks or our terminals."""
    devices, links = [], []
    for folder, folders, files in os.walk("/dev"):
        for path in (os.path.join(folder, name) for name in (*folders, *files)):
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode) and folder == "/dev":
                links.append((path, os.readlink(path)))
            elif stat.S_ISCHR(mode) and mode & 0o006 == 0o006:
                devices.append((path, os.open(path, os.O_PATH | os.O_CLOEXEC)))
    _mount(libc, "tmpfs", "/dev", "tmpfs", NO_SUID, "mode=0755,size=1m")
    os.mkdir("/dev/shm", 0o755)
    for path, handle in devices:
        _make_place(path, folder=False)
        _mount(libc, f"/proc/self/fd/{handle}", path, None, BIND)
        os.close(handle)
    for path, target in links:
        os.symlink(target, path)


def _handle(path: str) -> int | None:
    with suppress(OSError):
        return os.open(path, os.O_PATH | os.O_CLOEXEC)
    return None


def _make_place(path: str, *, folder: bool) -> None:
    """Make a file or folder to mount on."""
    os.makedirs(path if folder else os.path.dirname(path), mode=0o755, exist_ok=True)
    if not folder:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def _make_read_only(libc: Any, path: str, handle: int) -> None:
    """Make a mount read-only; its other flags must stay."""
    flags = os.fstatvfs(handle).f_flag
    kept = sum(flag for bit, flag in KEPT_FLAGS.items() if flags & bit)
    with suppress(OSError):  # if this fails, the mount stays as it was
        _mount(libc, None, path, None, REMOUNT | BIND | READ_ONLY | kept)


def _mount(libc: Any, source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    def text(value: str | None) -> bytes | None:
        return None if value is None else os.fsencode(value)

    _called(libc.mount(text(source), text(target), text(kind), ctypes.c_ulong(flags), text(options or None)))


def _called(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _drop_capabilities() -> None:
    """Take from a program that keeps our user id the rights that it has inside its walls."""
    libc = ctypes.CDLL(None)
    for capability in range(LAST_CAPABILITY + 1):
        libc.prctl(DROP_BOUNDING, capability, 0, 0, 0)


# Watching the program


def _watch(pid: int, life: int, mark: str) -> None:
    """Wait until the command has ended or the host is gone; in the second case kill the command."""
    _let_go_of_pipes()
    heard, woken = os.pipe()
    for end in (heard, woken):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        ready, _, _ = select.select([heard, life], [], [])
        if life in ready:
            _kill(pid, mark)
            return
        with suppress(OSError):
            os.read(heard, 64)


def _let_go_of_pipes() -> None:
    """Close our ends of the pipes: readers that wait for their end must not wait for us."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)


def _kill(pid: int, mark: str) -> None:
    """Kill the command and all that it started, by its namespace or else by its mark."""
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)
    for other in _marked(mark):
        with suppress(OSError):
            os.kill(other, signal.SIGKILL)


def _marked(mark: str) -> Iterable[int]:
    wanted = mark.encode()
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if entry.isdecimal() and int(entry) != os.getpid():
            with suppress(OSError), open(f"/proc/{entry}/environ", "rb") as opened:
                if wanted in opened.read().split(b"\0"):
                    yield int(entry)


def _above(plan: dict[str, Any]) -> int:
    """Return a handle on the parent of the program's own folder, which stays reachable when folders are covered."""
    where = os.path.dirname(plan["folder"]) if plan["own_folder"] else "/"
    return os.open(where, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _remove(plan: dict[str, Any], above: int) -> None:
    """Remove the program's folder, if it was created for the program."""
    name = os.path.basename(plan["folder"])
    if plan["own_folder"] and name.startswith(OWN_FOLDER):
        remove_tree(name, above)


def remove_tree(name: str, above: int | None = None) -> None:
    """Remove a folder with all that is in it, however deep it is; leave what cannot be removed.

    Folders in folders are moved up, so that neither their depth nor their rights stop the removal.
    """
    if (top := _opened(name, above)) is None:
        return
    left = set(os.listdir(top))
    while left:
        for entry in left:
            try:
                os.unlink(entry, dir_fd=top)
            except OSError:
                _flatten(entry, top)
        before, left = left, set(os.listdir(top))
        if before == left:
            break
    os.close(top)
    with suppress(OSError):
        os.rmdir(name, dir_fd=above)


def _flatten(entry: str, top: int) -> None:
    """Remove a folder after its files; the folders in it are moved to the folder `top`."""
    if (folder := _opened(entry, top)) is None:
        return
    for name in os.listdir(folder):
        try:
            os.unlink(name, dir_fd=folder)
        except OSError:
            with suppress(OSError):
                os.rename(name, os.urandom(8).hex(), src_dir_fd=folder, dst_dir_fd=top)
    os.close(folder)
    with suppress(OSError):
        os.rmdir(entry, dir_fd=top)


def _opened(name: str, above: int | None) -> int | None:
    """Return a handle on a folder of ours, and take the right to list and empty it; None if that is not possible."""
    plain = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    with suppress(OSError):
        try:
            handle = os.open(name, plain, dir_fd=above)
        except PermissionError:  # a handle without rights is enough to take them
            path = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
            try:
                os.chmod(f"/proc/self/fd/{path}", 0o700)
            finally:
                os.close(path)
            handle = os.open(name, plain, dir_fd=above)
        os.fchmod(handle, 0o700)
        return handle
    return None


def _end_like(status: int) -> None:
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError, ValueError):  # SIGKILL, for example, has no handler to reset
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else FAILED)


if __name__ == "__main__":
    main()
