"""The enclosure of programs: what hostile ones find of records, seeds, keys and opponents; what honest ones need."""

# Why real time passes here: child processes live in real time, which no clock of ours stops.

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from parlour.agents import enclosure, process_supervisor
from parlour.agents.enclosed import OWN_FOLDER
from parlour.agents.process_supervisor import TRUSTED, UNLIMITED, Limits
from parlour.errors import ConfigError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs namespaces")
SECRET = "orders of the opponent"


@pytest.fixture
def needs_walls() -> None:
    if not process_supervisor.has_walls():
        pytest.skip("this system gives no namespaces to us")


def printed(code: str, *words: str, limits: Limits = UNLIMITED, folder: Path | None = None) -> str:
    """Return all that a program prints, which is Python of the folder, if there is one."""
    command = [sys.executable, "-c", code]
    if folder is not None:
        (folder / "bot.py").write_text(code)
        command = [sys.executable, "bot.py"]
    kept = process_supervisor.start([*command, *words], limits)
    assert kept.process.stdout is not None
    try:
        return kept.process.stdout.read().decode()
    finally:
        process_supervisor.end(kept.process)


SEARCH = """
import os
def look(folder, depth):
    try:
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                if depth: look(entry.path, depth - 1)
            elif entry.is_file(follow_symlinks=False) and entry.stat().st_size < 10000:
                try:
                    if SECRET in open(entry.path, errors="replace").read(): print("found", entry.path)
                except OSError:
                    pass
    except OSError:
        pass
for place in PLACES: look(place, 3)
print("looked")
"""


def searching(*places: Path) -> str:
    return (
        f"SECRET = {SECRET[::-1]!r}[::-1]\nPLACES = {[*map(str, places), '/tmp', '/var/tmp', '/dev/shm']!r}\n{SEARCH}"
    )


@pytest.mark.usefixtures("needs_walls")
@pytest.mark.parametrize("where", [".", "runs"])
@pytest.mark.parametrize("when", ["before", "later", "open"])
def test_a_program_does_not_find_the_record_of_its_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, when: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    record = tmp_path / where / "match.jsonl"
    code = f"input()\n{searching(tmp_path)}"
    (tmp_path / "bot.py").write_text(code)
    with contextlib.ExitStack() as stack:
        if when == "open":
            stack.enter_context(record.open("w")).write(SECRET)
        elif when == "before":
            record.write_text(SECRET)
        hidden = () if when == "open" else (str(record),)
        kept = process_supervisor.start([sys.executable, "bot.py"], Limits(hidden=hidden))
    record.write_text(SECRET)
    assert kept.process.stdin is not None
    assert kept.process.stdout is not None
    kept.process.stdin.write(b"\n")
    assert kept.process.stdout.read() == b"looked\n"
    process_supervisor.end(kept.process)


def test_a_trusted_program_is_one_that_would_find_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "match.jsonl").write_text(SECRET)
    assert "found" in printed(searching(tmp_path), limits=TRUSTED)


@pytest.mark.usefixtures("needs_walls")
@pytest.mark.parametrize("limits", [UNLIMITED, process_supervisor.CONFINED])
def test_a_program_finds_no_key_and_no_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: Limits) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id").write_text(SECRET)
    (home / ".netrc").write_text(SECRET)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SOME_API_KEY", SECRET)
    monkeypatch.chdir(home)
    every = (
        "import glob, os\n"
        "print(len(glob.glob('/proc/[0-9]*')), 'processes')\n"
        f"secret = {SECRET[::-1]!r}[::-1]\n"
        "for path in glob.glob('/proc/[0-9]*/cmdline') + glob.glob('/proc/[0-9]*/environ'):\n"
        "    try: text = open(path, 'rb').read().decode(errors='replace')\n"
        "    except OSError: continue\n"
        "    if secret in text: print('found', path)\n"
        "if secret in str(os.environ): print('found it in the environment')\n"
    )
    assert printed(every + searching(home), limits=limits) in ("2 processes\nlooked\n", "0 processes\nlooked\n")


def test_a_program_gets_variables_of_a_closed_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", SECRET)
    monkeypatch.setenv("LC_TIME", "C")
    shown = "import os, json; print(json.dumps(dict(os.environ)))"
    given: dict[str, str] = msgspec.json.decode(printed(shown))
    own = {"HOME", "TMPDIR", "PWD", "PYTHONUSERBASE", "LC_CTYPE", "LC_TIME", process_supervisor.MARK}
    assert set(given) <= enclosure.PASSED | own
    assert given["HOME"] == given["TMPDIR"] == given["PWD"]
    assert given["LC_TIME"] == "C"
    passed = msgspec.json.decode(printed(shown, limits=Limits(passed=("SOME_API_KEY",))))
    assert passed["SOME_API_KEY"] == SECRET


STOP = """
import os, signal
for pid in [VICTIM, *range(2, 400)]:
    for number in (signal.SIGSTOP, signal.SIGKILL):
        try:
            if pid != os.getpid(): os.kill(pid, number); print("signalled", pid)
        except OSError:
            pass
print("done")
"""


@pytest.mark.usefixtures("needs_walls")
def test_a_program_cannot_stop_its_opponent() -> None:
    opponent = process_supervisor.start([sys.executable, "-S", "-c", "print('up', flush=True)\ninput()\nprint('well')"])
    assert opponent.process.stdin is not None
    assert opponent.process.stdout is not None
    assert opponent.process.stdout.readline() == b"up\n"
    assert printed(STOP.replace("VICTIM", str(opponent.process.pid))) == "done\n"
    opponent.process.stdin.write(b"\n")
    assert opponent.process.stdout.readline() == b"well\n"
    process_supervisor.end(opponent.process)


@pytest.mark.usefixtures("needs_walls")
def test_a_program_cannot_lift_its_covers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "match.jsonl").write_text(SECRET)
    lift = (
        "import ctypes, os, subprocess\nlibc = ctypes.CDLL(None)\n"
        f"for path in ({str(tmp_path)!r}, '/tmp', '/proc', '/'): libc.umount2(path.encode(), 2)\n"
        f"subprocess.run(['unshare', '-Ur', 'sh', '-c', 'umount -l {tmp_path}; umount -l /tmp; cat {tmp_path}/*'])\n"
        "for number in range(3, 30):\n"
        "    try: print('handle', os.readlink(f'/proc/self/fd/{number}'))\n"
        "    except OSError: pass\n"
    )
    found = printed(lift + searching(tmp_path))
    assert SECRET not in found
    assert "found" not in found
    assert str(tmp_path) not in found


def test_a_program_works_in_a_folder_of_its_own_that_is_removed_with_it() -> None:
    code = "import os; open('note', 'w').write('mine'); print(os.getcwd(), os.listdir(), flush=True); input()"
    kept = process_supervisor.start([sys.executable, "-S", "-c", code])
    assert kept.process.stdout is not None
    folder, listed = kept.process.stdout.readline().decode().split(maxsplit=1)
    assert listed.strip() == "['note']"
    assert folder != str(Path.cwd())
    process_supervisor.end(kept.process)
    assert not Path(folder).exists()


@pytest.mark.usefixtures("needs_walls")
@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_a_program_changes_nothing_but_its_folder_and_opens_no_device_of_ours(tmp_path: Path, mode: int) -> None:
    code = """
import os, stat
nodes = [os.path.join(folder, name) for folder, _, names in os.walk("/dev") for name in names]
nodes = [node for node in nodes if stat.S_IFMT(os.stat(node).st_mode) in (stat.S_IFBLK, stat.S_IFCHR)]
nodes = [node for node in nodes if os.stat(node).st_mode & 0o006 != 0o006]
for path in ["/etc/passwd", "/proc/sys/kernel/core_pattern", "/proc/self/comm", *nodes]:
    for way in (os.O_RDONLY, os.O_WRONLY) if path in nodes else (os.O_WRONLY,):
        try: os.close(os.open(path, way | os.O_NONBLOCK)); print("opened", path)
        except OSError: pass
open("/dev/null", "w").write(open("note", "w").name)
print("done")
"""
    (tmp_path / "bot.py").write_text(code)
    (tmp_path / "bot.py").chmod(mode)  # a program whose file only we may read keeps our user
    kept = process_supervisor.start([sys.executable, "-S", str(tmp_path / "bot.py")])
    assert kept.process.stdout is not None
    assert kept.process.stdout.read() == b"done\n"
    process_supervisor.end(kept.process)


@pytest.mark.usefixtures("needs_walls")
def test_a_program_with_limits_cannot_fill_the_disk_with_many_files() -> None:
    code = """
try:
    for number in range(10):
        with open(str(number), "wb") as file: file.write(bytes(400_000))
except OSError as error: print(number, error.strerror)
"""
    limits = Limits(file_size=1_000_000)
    assert printed(code, limits=limits) == "2 No space left on device\n"
    kept = process_supervisor.start([sys.executable, "-S", "-c", ""], limits)
    process_supervisor.end(kept.process)
    assert "1,000,000 bytes of files in all" in kept.held


def test_a_folder_is_removed_however_deep_it_is_and_whatever_its_rights(tmp_path: Path) -> None:
    handle = os.open(tmp_path, os.O_RDONLY)
    for _ in range(2 * sys.getrecursionlimit()):
        os.mkdir("deep", dir_fd=handle)
        above, handle = handle, os.open("deep", os.O_RDONLY, dir_fd=handle)
        os.close(above)
    os.close(handle)
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked" / "file").touch()
    (tmp_path / "locked").chmod(0)
    (tmp_path / "elsewhere").symlink_to(Path(__file__).parent)
    enclosure.remove_folder(str(tmp_path))
    assert not tmp_path.exists()
    assert Path(__file__).exists()


def test_no_folder_is_left_by_programs_of_a_process_that_is_dead() -> None:
    code = (
        "import os, signal, sys\nfrom parlour.agents import process_supervisor\n"
        "kept = process_supervisor.start([sys.executable, '-S', '-c', 'import time; time.sleep(60)'])\n"
        "print(process_supervisor._kept[kept.process.pid].folder, flush=True)\n"
        "os.kill(kept.process.pid, signal.SIGSTOP)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as dead:
        folder = Path(dead.communicate()[0].strip())
    assert folder.name.startswith(OWN_FOLDER)
    process_supervisor.end_marked_by(dead.pid)
    assert not folder.exists()


def test_paths_of_a_command_mean_the_same_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weights.txt").write_text("7")
    (tmp_path / "beside.py").write_text("WORD = 'here'")
    code = "import sys, beside\nprint(beside.WORD, open(sys.argv[1]).read(), open(sys.argv[2][4:]).read(), sys.argv[3])"
    found = printed(code, "weights.txt", "--w=weights.txt", "no-such-file", folder=tmp_path)
    assert found == "here 7 7 no-such-file\n"


def test_a_program_finds_what_is_installed_where_we_run() -> None:
    assert printed("import msgspec, parlour; print(parlour.__name__)") == "parlour\n"


@pytest.mark.usefixtures("needs_walls")
def test_a_program_may_be_a_link_to_one_in_a_covered_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, home = tmp_path / "a", tmp_path / "z"
    for folder in (here / "bin", home / "tools" / "bin"):
        folder.mkdir(parents=True)
    installed = home / "tools" / "bin" / "bot"
    installed.write_text("#!/bin/sh\necho it runs\n")
    installed.chmod(0o755)
    (here / "bin" / "bot").symlink_to(installed)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(here)
    kept = process_supervisor.start([str(here / "bin" / "bot")])
    assert kept.process.stdout is not None
    assert kept.process.stdout.read() == b"it runs\n"
    process_supervisor.end(kept.process)


HOST = """
import sys, time
from parlour.agents import process_supervisor
from parlour.agents.process_supervisor import Limits
stubborn = "import os, time, signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); os.setsid() if os.fork() == 0 else 0"
code = stubborn + "; print('up', flush=True); time.sleep(600)"
command = [sys.executable, "-S", "-c", code]
kept = [process_supervisor.start(command, Limits(enclosed=enclosed)) for enclosed in (True, False)]
for one in kept: one.process.stdout.readline()
print(*(one.process.pid for one in kept), flush=True)
time.sleep(600)
"""


def marked_by(pid: int) -> list[int]:
    from parlour.agents import proc

    wanted = f"{process_supervisor.MARK}={pid}.".encode()
    return [one for one in proc.pids() if any(part.startswith(wanted) for part in proc.environment(one))]


@pytest.fixture
def host() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, "-c", HOST], stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def test_whatever_ends_the_host_ends_its_programs(host: subprocess.Popen[str], tmp_path: Path) -> None:
    assert host.stdout is not None
    launchers = [int(word) for word in host.stdout.readline().split()]
    assert len(marked_by(host.pid)) >= 4
    handles = [os.pidfd_open(pid) for pid in launchers]
    host.send_signal(signal.SIGKILL)
    host.wait()
    for handle in handles:  # each launcher goes when all of its program is gone
        import select

        assert select.select([handle], [], [], 30)[0]
        os.close(handle)
    assert marked_by(host.pid) == []


def test_what_protects_and_what_does_not_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "can read your files" in process_supervisor.promise(TRUSTED)
    monkeypatch.setattr(process_supervisor, "has_walls", lambda **_: True)
    assert "not your home" in process_supervisor.promise(UNLIMITED)
    assert "--confined" in process_supervisor.promise(UNLIMITED)
    assert "nor the network" in process_supervisor.promise(process_supervisor.CONFINED)
    monkeypatch.setattr(process_supervisor, "has_walls", lambda **_: False)
    assert "no namespaces" in process_supervisor.promise(UNLIMITED)


def test_a_variable_that_is_to_be_passed_must_be_there() -> None:
    from parlour.cli.options.confining import limits_of

    with pytest.raises(ConfigError, match="pass-env: there is no 'NOT_SET_HERE'"):
        limits_of(confined=False, passed=["NOT_SET_HERE"])
    with pytest.raises(ConfigError, match="got both"):
        limits_of(confined=True, trusted=True)
