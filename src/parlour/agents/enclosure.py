"""Encloses a stranger's program: its environment, its own folder, and its view of this machine.

Without an enclosure a program could read the record of its match, the seed on our command line, and keys in our
environment and home folder; and it could stop its opponent. Therefore it gets variables of a closed list and an empty
folder of its own, which is removed with it. Where the system has namespaces, it sees only the files and processes that
it needs.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from parlour.agents.enclosed import OWN_FOLDER, remove_tree

LAUNCHER = Path(__file__).with_name("enclosed.py")
PASSED = frozenset(
    {
        *("PATH", "LANG", "LANGUAGE", "TZ", "TERM", "COLUMNS", "LINES"),
        *("PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONUTF8", "PYTHONIOENCODING"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "JAVA_HOME", "CLASSPATH", "GOROOT"),
        *("DOTNET_ROOT", "NODE_PATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
        *("SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT"),
    }
)
"""Variables that a program gets as they are; besides these, those that begin with LC_."""
_SYSTEM = (
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix",
    "/opt",
    "/proc",
    "/sbin",
    "/sys",
    "/usr",
)
"""Folders that are the same for everybody, and are never covered."""
_INSTALLED = frozenset(
    {
        *("bin", "sbin", "lib", "lib32", "lib64", "libexec", "include", "pyvenv.cfg", "conda-meta"),
        *("shims", "versions", "plugins", "toolchains", "envs", "pkgs", "release", "node_modules"),
    }
)
"""Names in an installation's folder that a program may see."""
_MOST_SHOWN = 1000
"""Maximum number of entries of a folder that are shown one by one; of a larger folder only named ones are shown."""


class Enclosure(msgspec.Struct):
    """The plan by which `enclosed.py` starts one program."""

    mark: str
    """NAME=VALUE of the variable that marks all processes of the program."""
    folder: str
    environment: dict[str, str]
    own_folder: bool = False
    """True if the folder was made for the program, and is removed with it."""
    life: int = -1
    """End of a pipe that closes when our process ends."""
    walls: bool = False
    """True if the program gets namespaces of its own."""
    network: bool = True
    room: int = 0
    """Maximum bytes of all files in the folder, which is in memory then; 0 for no limit."""
    user: int = 0
    """User id under which the program runs; 0 for the user of this process."""
    covers: list[str] = []
    """Folders whose content is hidden, except for what is shown."""
    shown: list[str] = []
    links: list[str] = []
    hidden: list[str] = []
    """Files and folders that the program cannot see, wherever they are."""


def environment(folder: str, passed: Iterable[str] = ()) -> dict[str, str]:
    """Return the variables of a program that works in this folder."""
    wanted = PASSED | set(passed)
    found = {name: value for name, value in os.environ.items() if name in wanted or name.startswith("LC_")}
    base = os.environ.get("PYTHONUSERBASE") or str(Path.home() / ".local")
    return found | {"HOME": folder, "TMPDIR": folder, "PWD": folder, "PYTHONUSERBASE": base}


def absolute(words: Sequence[str]) -> list[str]:
    """Return a command whose relative paths, also those behind `=`, mean the same in another folder."""
    first = words[0]
    found = [os.path.abspath(first) if os.sep in first else first]
    for word in words[1:]:
        option, equals, value = word.rpartition("=")
        path = value if equals and word.startswith("-") else word
        named = path and not path.startswith("-") and not os.path.isabs(path) and _exists(path)
        found.append(f"{option}{equals}{os.path.abspath(path)}" if named and path == value else word)
        if named and path == word:
            found[-1] = os.path.abspath(path)
    return found


def make_folder() -> str:
    """Return a new empty folder that only this user can open."""
    return tempfile.mkdtemp(prefix=f"{OWN_FOLDER}{os.getpid()}-")


def remove_folders_of(pid: int) -> None:
    """Remove the remaining folders that a process made for its programs; the process has ended or is ending."""
    for folder in Path(tempfile.gettempdir()).glob(f"{OWN_FOLDER}{pid}-*"):
        remove_folder(str(folder))


def remove_folder(folder: str) -> None:
    """Remove a program's folder with all that is in it."""
    remove_tree(folder)


def surround(plan: Enclosure, words: Sequence[str], secret: Iterable[str] = ()) -> Enclosure:
    """Return the plan for a command: the covered and shown folders, and the hidden files, which need not exist yet."""
    own = _own_folders(words)
    covers = _outermost([*_shared_places(), os.path.realpath(os.getcwd()), *own])
    named = [word for word in words if os.path.isabs(word) and _exists(word)]
    shown = {*_needed(words), *named, *map(os.path.realpath, named)}
    links: set[str] = set()
    for folder in own:
        if folder in _shared_places():
            continue
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        for entry in entries if len(entries) <= _MOST_SHOWN else ():
            (links if entry.is_symlink() else shown).add(entry.path)
    hidden = {*map(os.path.realpath, secret), *_open_for_writing()}
    places = {os.path.dirname(path) for path in hidden if not _exists(path)}
    hidden |= {place for place in places if place not in own and place not in covers and not _is_system(place)}
    visible = [path for path in shown if path not in hidden and any(_is_in(path, cover) for cover in covers)]
    return msgspec.structs.replace(
        plan,
        covers=[cover for cover in covers if not _is_system(cover)] + ["/dev/shm"],
        shown=sorted({plan.folder, *_outermost(path for path in visible if path not in covers and _exists(path))}),
        links=sorted(links),
        hidden=sorted(hidden),
    )


def _shared_places() -> list[str]:
    """Return folders that all users share: only named entries of them are shown."""
    found = [str(Path.home()), tempfile.gettempdir(), "/tmp", "/var/tmp", "/run/user"]
    return [path for path in map(os.path.realpath, found) if path != "/" and os.path.isdir(path)]


def _own_folders(words: Sequence[str]) -> list[str]:
    """Return the folders of the files that a command names: a script may need others that lie beside it."""
    files = [word for word in words if os.path.isabs(word) and _exists(word)]
    folders = {os.path.realpath(word if os.path.isdir(word) else os.path.dirname(word)) for word in files}
    return sorted(folder for folder in folders if folder != "/" and not _is_system(folder) and not _is_bin(folder))


def _is_bin(folder: str) -> bool:
    return os.path.basename(folder) in ("bin", "shims")


def _needed(words: Sequence[str]) -> list[str]:
    """Return the folders in which the command and the programs on its path are installed."""
    import parlour

    found = [str(Path(parlour.__file__).parent), str(Path.home() / ".local" / "lib")]
    program = shutil.which(words[0]) or words[0]
    folders = [os.path.dirname(path) for path in _chain(program)]
    folders += [entry for entry in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(entry)]
    for folder in {*folders, *map(os.path.realpath, folders)}:
        above = os.path.dirname(folder)
        if _is_bin(folder):
            found += [os.path.join(above, name) for name in _INSTALLED]
        elif folder not in _shared_places():
            found.append(folder)
    for name in ("PYTHONPATH", "LD_LIBRARY_PATH", "CLASSPATH"):
        found += [entry for entry in os.environ.get(name, "").split(os.pathsep) if os.path.isabs(entry)]
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME"):
        if os.environ.get(name):
            found += [os.path.join(os.environ[name], part) for part in _INSTALLED]
    return [path for path in found if _exists(path) and path != "/"]


def _chain(path: str) -> list[str]:
    """Return a path, the target of each symbolic link that it leads to, and its resolved form."""
    found = [os.path.abspath(path)]
    while os.path.islink(found[-1]) and len(found) < 40:
        found.append(os.path.normpath(os.path.join(os.path.dirname(found[-1]), os.readlink(found[-1]))))
    return [*found, os.path.realpath(path)]


def _open_for_writing() -> set[str]:
    """Return the files that this process writes: records, stores, logs."""
    found: set[str] = set()
    try:
        handles = os.listdir("/proc/self/fd")
    except OSError:
        return found
    for handle in handles:
        try:
            path, flags = os.readlink(f"/proc/self/fd/{handle}"), _flags(handle)
            if flags & os.O_ACCMODE != os.O_RDONLY and stat.S_ISREG(os.stat(path).st_mode):
                found.add(path)
        except (OSError, ValueError):
            continue
    return found


def _flags(handle: str) -> int:
    for line in Path(f"/proc/self/fdinfo/{handle}").read_text().splitlines():
        if line.startswith("flags:"):
            return int(line.split()[1], 8)
    return 0


def _outermost(paths: Iterable[str]) -> list[str]:
    """Return the paths that lie in none of the others, in an order in which they can be covered."""
    every = sorted(set(paths))
    return [path for path in every if not any(path != other and _is_in(path, other) for other in every)]


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _is_system(path: str) -> bool:
    return any(_is_in(path, folder) for folder in _SYSTEM)


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:  # a word that cannot be a path
        return False


def launcher() -> tuple[str, ...]:
    """Return the launcher of enclosed programs; an empty tuple on systems without POSIX."""
    return (sys.executable, "-I", "-S", str(LAUNCHER)) if os.name == "posix" and sys.executable else ()
