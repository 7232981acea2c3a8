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

from parlour.agents import keeper
from parlour.agents.keeper import Limits
from parlour.errors import ConfigError

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
    """A program, and what it started, as soon as all of that runs."""
    before = set(keeper._pids())
    program = keeper.start([sys.executable, "-S", "-c", FAMILY.replace("ENDS", str(ends)), str(note), CHILD])
    while not note.exists() or len(note.read_text().splitlines()) < 3:
        time.sleep(0.01)
    text = str(note).encode()
    started = [pid for pid in set(keeper._pids()) - before if text in _words(pid)]
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
    keeper.end(program)
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
        "import os, sys\nfrom parlour.agents import keeper\n"
        f"program = keeper.start([sys.executable, '-S', '-c', {hides!r}])\n"
        "program.wait()\n"
        "orphans = lambda: [pid for pid, parent in keeper._parents().items() if parent == os.getpid()]\n"
        "found = orphans(); keeper.end(program); keeper.end_orphans(); print(len(found), len(orphans()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found, left = map(int, done.stdout.split())
    assert found >= 1
    assert left == 0


def test_a_program_that_ends_by_itself_is_not_killed(tmp_path: Path) -> None:
    note = tmp_path / "note"
    program = keeper.start([sys.executable, "-S", "-c", f"input(); open({str(note)!r}, 'w').close()"])
    assert program.stdin is not None
    program.stdin.write(b"\n")
    keeper.end(program)
    assert note.exists()
    assert program.returncode == 0


@linux
def test_processor_time_is_limited() -> None:
    program = keeper.start([sys.executable, "-S", "-c", "while True: pass"], Limits(cpu=1))
    assert program.wait(30) == -signal.SIGXCPU
    assert keeper.why_ended(program) == "the program has used up its processor time"
    keeper.end(program)


@linux
def test_memory_is_limited() -> None:
    wants = "import sys\ntry:\n    x = bytearray(1 << 30)\nexcept MemoryError:\n    sys.exit(3)"
    program = keeper.start(
        [sys.executable, "-S", "-c", f"import time; time.sleep(0.2)\n{wants}"], Limits(memory=1 << 29)
    )
    assert program.wait(30) == 3
    assert keeper.why_ended(program) == "the program has ended with exit code 3"
    keeper.end(program)


def test_limits_that_cannot_be_held_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    Limits().check()
    monkeypatch.setattr(keeper, "resource", None)
    with pytest.raises(ConfigError, match="need Linux"):
        Limits(cpu=1).check()


def test_why_a_program_ended() -> None:
    killed = keeper.start(["/bin/cat"])
    assert keeper.why_ended(killed) == "the program has ended"
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert keeper.why_ended(killed) == "the program was ended by signal 9 (Killed)"
    keeper.end(killed)
