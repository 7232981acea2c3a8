"""However a verb is ended, no program that plays is left behind."""

# Why real time passes here: signals reach another process in real time.

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parlour.agents import proc
from parlour.cli.terminal.stopping import stoppable
from support.waiting import PATIENCE

PROGRAM = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(100)", __file__], start_new_session=True)
time.sleep(100)
"""


def running(bot: Path, *, child: bool = False) -> list[int]:
    """The processes that have the name of a bot on their command lines; or only those that it started."""
    found = []
    for pid in proc.pids():
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            dead = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
            if str(bot).encode() in words and (not child or b"-c" in words) and not dead:
                found.append(pid)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        ("play fish greedy", signal.SIGTERM),
        ("play fish greedy", signal.SIGKILL),
        ("tournament fish greedy", signal.SIGTERM),
        ("tournament fish greedy", signal.SIGKILL),
        ("check player fish", signal.SIGHUP),
    ],
)
def test_no_program_is_left_behind(tmp_path: Path, arguments: str, number: int) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(PROGRAM)
    command = f"{sys.executable} -S {bot}"
    verb = subprocess.Popen(
        [sys.executable, "-m", "parlour", *arguments.split(), command, "--time-per-turn", "100"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    while not running(bot, child=True) and verb.poll() is None:
        time.sleep(0.05)
    verb.send_signal(number)
    _, err = verb.communicate(timeout=PATIENCE)
    assert verb.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 1), err.decode()
    while number == signal.SIGKILL and running(bot):  # nobody is left who could say when
        time.sleep(0.05)
    assert running(bot) == []


def be_stopped() -> None:
    with stoppable():
        try:
            os.kill(os.getpid(), signal.SIGHUP)
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)


def test_only_the_first_signal_counts_and_ignored_ones_stay_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt):
            be_stopped()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


RUN_TIME = """
import os, signal, sys
from parlour.cli.terminal.stopping import stoppable
try:
    with stoppable():
        exec("os.kill(os.getpid(), signal.SIGTERM)")
except KeyboardInterrupt:
    sys.exit(1)
"""


def test_whoever_is_stopped_in_code_that_is_made_at_run_time_ends_as_it_means_to(tmp_path: Path) -> None:
    (tmp_path / "stopped.py").write_text(RUN_TIME)
    command = [sys.executable, "-m", "stopped"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (1, b"")


LEAVING = """
import atexit
from parlour.cli.terminal.stopping import leave_at_once

class Kept:
    def __del__(self):
        print("taken apart")

kept = Kept()
kept.itself = kept
atexit.register(print, "what is to be done at the end")
print("said")
leave_at_once(7)
"""


def test_who_leaves_at_once_does_what_is_due_and_does_not_take_itself_apart() -> None:
    done = subprocess.run([sys.executable, "-c", LEAVING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (7, "said\nwhat is to be done at the end\n")
