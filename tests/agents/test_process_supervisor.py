"""The keeper of programs: nothing that a program started stays behind, and limits hold."""

# Why real time passes here: child processes live in real time, which no clock of ours stops.

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parlour.agents import proc, process_limits, process_supervisor
from parlour.agents.process_supervisor import TRUSTED, Limits
from parlour.errors import ConfigError
from support.waiting import PATIENCE

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and prlimit")

CHILD = "import sys, time; open(sys.argv[1], 'a').write(sys.argv[2] + '\\n'); time.sleep(60)"
FAMILY = """
import os, subprocess, sys, time
note, child = sys.argv[1:]
def start(name, **how):
    return subprocess.Popen([sys.executable, "-S", "-c", child, note, name], stdin=subprocess.DEVNULL, **how)
start("same session")
start("own session", start_new_session=True)
if os.fork() == 0:
    start("orphan", start_new_session=True)
    os._exit(0)
if ENDS:
    sys.exit(0)
time.sleep(60)
"""


def is_alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def family_of(note: Path, *, ends: bool) -> tuple[subprocess.Popen[bytes], list[int]]:
    """Return a program, and what it started, as soon as all of that runs."""
    before = set(proc.pids())
    program = process_supervisor.start(
        [sys.executable, "-S", "-c", FAMILY.replace("ENDS", str(ends)), str(note), CHILD], TRUSTED
    ).process
    while not note.exists() or len(note.read_text().splitlines()) < 3:
        time.sleep(0.01)
    text = str(note).encode()
    started = [pid for pid in set(proc.pids()) - before if text in _words(pid)]
    return program, started


def _words(pid: int) -> list[bytes]:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return []


@linux
@pytest.mark.parametrize("ends", [False, True])
def test_all_that_a_program_started_ends_with_it(tmp_path: Path, ends: bool) -> None:
    program, started = family_of(tmp_path / "note", ends=ends)
    assert len(started) >= 3
    process_supervisor.end(program)
    assert [pid for pid in started if is_alive(pid)] == []


@linux
def test_one_that_hides_its_mark_is_found_among_the_orphans() -> None:
    hides = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    os.execve('/bin/sleep', ['sleep', '60'], {}) if os.fork() == 0 else os._exit(0)\n"
        "time.sleep(0.2)\n"
    )
    # In a process of its own, because this one has children that are not to be killed.
    code = (
        "import os, sys\nfrom parlour.agents import process_supervisor as supervisor, proc\n"
        f"program = supervisor.start([sys.executable, '-S', '-c', {hides!r}], supervisor.TRUSTED).process\n"
        "program.wait()\n"
        "orphans = lambda: [pid for pid, parent in proc.parents().items() if parent == os.getpid()]\n"
        "found = orphans(); supervisor.end(program); supervisor.end_orphans(); print(len(found), len(orphans()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found, left = map(int, done.stdout.split())
    assert found >= 1
    assert left == 0


@linux
def test_a_program_that_was_started_as_an_interrupt_came_does_not_stay_behind() -> None:
    """Between the system's having started it and our noting that, a Ctrl-C may come."""
    code = (
        "import sys\n"
        "from parlour.agents import process_supervisor\n"
        "program = process_supervisor.start([sys.executable, '-S', '-c', 'import time; time.sleep(60)']).process\n"
        "process_supervisor._kept.clear()\n"
        "print(program.pid, flush=True)\n"
        "raise KeyboardInterrupt\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    assert not is_alive(int(done.stdout))


def test_a_program_that_ends_by_itself_is_not_killed(tmp_path: Path) -> None:
    note = tmp_path / "note"
    program = process_supervisor.start(
        [sys.executable, "-S", "-c", f"input(); open({str(note)!r}, 'w').close()"], TRUSTED
    ).process
    assert program.stdin is not None
    program.stdin.write(b"\n")
    process_supervisor.end(program)
    assert note.exists()
    assert program.returncode == 0


@linux
def test_processor_time_is_limited() -> None:
    program = process_supervisor.start([sys.executable, "-S", "-c", "while True: pass"], Limits(cpu=1)).process
    assert program.wait(PATIENCE) == -signal.SIGXCPU
    assert process_supervisor.why_ended(program) == "the program has used up its processor time"
    process_supervisor.end(program)


@linux
def test_memory_is_limited() -> None:
    wants = "import sys\ntry:\n    x = bytearray(1 << 30)\nexcept MemoryError:\n    sys.exit(3)"
    program = process_supervisor.start(
        [sys.executable, "-S", "-c", f"import time; time.sleep(0.2)\n{wants}"], Limits(memory=1 << 29)
    ).process
    assert program.wait(PATIENCE) == 3
    assert process_supervisor.why_ended(program) == "the program has ended with exit code 3"
    process_supervisor.end(program)


def test_limits_that_cannot_be_held_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    Limits().check()
    monkeypatch.setattr(process_supervisor, "resource", None)
    with pytest.raises(ConfigError, match="need Linux"):
        Limits(cpu=1).check()


def test_why_a_program_ended() -> None:
    killed = process_supervisor.start(["/bin/cat"]).process
    assert process_supervisor.why_ended(killed) == "the program has ended"
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert process_supervisor.why_ended(killed) == "the program was ended by signal 9 (Killed)"
    process_supervisor.end(killed)


FORK = """
import os, time
def fork():
    try:
        return os.fork()
    except OSError:
        return -1
"""
BOMBS = {
    # Each would go on for ever, but ends by itself at 150, 200 or 128, for the sake of whoever runs the tests.
    "slow": "for _ in range(150):\n  if not fork(): time.sleep(60)\n  time.sleep(0.01)",
    "fast": "for _ in range(200):\n  if not fork(): time.sleep(60)",
    "doubling": "for _ in range(7): fork()",
}


@linux
@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("network", [True, False])
def test_a_fork_bomb_is_ended_with_all_that_it_started(bomb: str, network: bool) -> None:
    code = f"{FORK}{BOMBS[bomb]}\ntime.sleep(60)"
    kept = process_supervisor.start([sys.executable, "-S", "-c", code], Limits(processes=5, network=network))
    assert kept.process.wait(PATIENCE) != 0
    assert process_supervisor.why_ended(kept.process) == "the program had started too many processes"
    process_supervisor.end(kept.process)
    assert not [pid for pid in proc.pids() if code.encode() in _words(pid) and is_alive(pid)]


@linux
def test_a_program_within_its_number_of_processes_is_left_alone() -> None:
    calm = "import subprocess, sys\np = subprocess.Popen(['sleep', '60'])\nprint(p.pid, flush=True)\ninput()\np.kill()"
    kept = process_supervisor.start([sys.executable, "-S", "-c", calm], Limits(processes=2))
    assert kept.held[0].startswith("at most 2 processes")
    assert kept.process.stdout is not None
    assert kept.process.stdout.readline().strip().isdigit()
    time.sleep(4 * process_supervisor.LOOK)
    assert kept.process.poll() is None
    process_supervisor.end(kept.process)


@linux
def test_one_process_more_than_it_may_be_is_one_too_many() -> None:
    family = "import subprocess\nps = [subprocess.Popen(['sleep', '60']) for _ in range(2)]\ninput()"
    kept = process_supervisor.start([sys.executable, "-S", "-c", family], Limits(processes=2))
    assert kept.process.wait(PATIENCE) == -signal.SIGKILL
    assert process_supervisor.why_ended(kept.process) == "the program had started too many processes"
    process_supervisor.end(kept.process)


class NoFence:
    """One that only remembers what was asked of it."""

    said = "nothing"
    before = ()

    def __init__(self) -> None:
        self.asked: list[str] = []

    def admit(self, pid: int) -> None:
        self.asked.append("admit")

    def members(self) -> list[int]:
        return []

    def clear(self) -> None:
        self.asked.append("clear")

    def remove(self) -> None:
        self.asked.append("remove")


@linux
@pytest.mark.parametrize("by_all", [False, True])
def test_a_fence_is_told_of_and_taken_away(monkeypatch: pytest.MonkeyPatch, by_all: bool) -> None:
    fence = NoFence()
    monkeypatch.setattr(process_limits, "build", lambda *_: fence)
    kept = process_supervisor.start(["/bin/cat"], Limits(processes=3, enclosed=False))
    assert kept.held == ("at most 3 processes and, by nothing, 24 threads",)
    assert fence.asked == ["admit"]
    if by_all:
        monkeypatch.setattr(process_supervisor, "_kept", {kept.process.pid: process_supervisor._kept[kept.process.pid]})
        monkeypatch.setattr(
            process_supervisor, "end_orphans", lambda: None
        )  # this process has children that are not programs
        process_supervisor.end_all()
    process_supervisor.end(kept.process)
    assert fence.asked == ["admit", "clear", "remove"]


@linux
def test_a_fence_that_lets_nobody_in_is_not_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    class Shut(NoFence):
        def admit(self, pid: int) -> None:
            raise PermissionError

    fence = Shut()
    monkeypatch.setattr(process_limits, "build", lambda *_: fence)
    kept = process_supervisor.start(["/bin/cat"], Limits(processes=3, enclosed=False))
    assert kept.held == ("at most 3 processes, by our own count",)
    process_supervisor.end(kept.process)
    assert fence.asked == ["remove"]


@linux
def test_without_a_fence_the_count_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_limits, "build", lambda *_: None)
    kept = process_supervisor.start(["/bin/cat"], Limits(processes=3, enclosed=False))
    assert kept.held == ("at most 3 processes, by our own count",)
    process_supervisor.end(kept.process)


@linux
def test_a_program_with_limits_gets_its_input_whole() -> None:
    kept = process_supervisor.start(["/bin/cat"], Limits(cpu=5))
    assert kept.process.stdin is not None
    assert kept.process.stdout is not None
    kept.process.stdin.write(b"first\nsecond\n")
    assert [kept.process.stdout.readline() for _ in range(2)] == [b"first\n", b"second\n"]
    process_supervisor.end(kept.process)


@linux
def test_files_are_limited(tmp_path: Path) -> None:
    path = tmp_path / "big"
    writer = f"input()\nwith open({str(path)!r}, 'wb') as file:\n    file.write(b'x' * 5_000_000)"
    kept = process_supervisor.start([sys.executable, "-S", "-c", writer], Limits(file_size=1_000_000, enclosed=False))
    assert kept.process.stdin is not None
    kept.process.stdin.write(b"\n")
    kept.process.wait(PATIENCE)
    assert path.stat().st_size <= 1_000_000
    assert kept.held == ("1,000,000 bytes a file",)
    process_supervisor.end(kept.process)


REACH = """
import socket
try:
    socket.create_connection(("127.0.0.1", PORT), 2)
    print("in")
except OSError:
    print("out")
"""


@linux
@pytest.mark.parametrize("network", [True, False])
def test_the_network_is_taken_away_where_the_system_can(network: bool) -> None:
    import socket

    if not network and not process_supervisor.has_walls(network=False):
        pytest.skip("this system gives no namespaces to us")
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = REACH.replace("PORT", str(server.getsockname()[1]))
        kept = process_supervisor.start([sys.executable, "-S", "-c", code], Limits(network=network, enclosed=False))
        assert kept.process.stdout is not None
        assert kept.process.stdout.readline().strip() == (b"in" if network else b"out")
        assert kept.held == (() if network else ("no network",))
        process_supervisor.end(kept.process)


@linux
def test_what_does_not_exist_does_not_start_behind_walls_either() -> None:
    with pytest.raises(FileNotFoundError):
        process_supervisor.start(["/no/such/program"], process_supervisor.CONFINED)


def test_without_namespaces_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_supervisor, "has_walls", lambda **_: False)
    kept = process_supervisor.start(["/bin/cat"], Limits(network=False, enclosed=False))
    assert kept.held == ()
    process_supervisor.end(kept.process)
    kept = process_supervisor.start(["/bin/cat"], Limits(network=False))
    assert kept.held[:1] == ("a folder and an environment of its own",)
    assert not {"its own view of files and processes", "no network"} & set(kept.held)
    process_supervisor.end(kept.process)
