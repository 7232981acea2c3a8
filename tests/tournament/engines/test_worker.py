"""A process that plays matches: answers in order, minds no interruption, and ends without a word when nobody asks."""

# Why real time passes here: workers are processes, which live in real time.

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
import pytest

from parlour.agents import proc
from parlour.tournament.engines.playing import play_sitting
from parlour.tournament.engines.worker import WorkerAnswer
from parlour.tournament.results_state import ResultsState
from support.tournament.plans import plan_of
from support.waiting import PATIENCE


def begun(errors: int) -> tuple[subprocess.Popen[bytes], Connection]:
    """Return a worker, and the driver's end of its socket."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-m", "parlour.tournament.engines.worker", str(theirs.fileno())]
        worker = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdout=subprocess.PIPE, stderr=errors)
    return worker, Connection(ours.detach())


@pytest.mark.parametrize("messages", [0, 1, 2], ids=["before its plan", "with its plan", "with its first task"])
def test_a_worker_whose_driver_is_gone_ends_in_silence(messages: int) -> None:
    plan = plan_of(["greedy", "random"])
    sent = [msgspec.msgpack.encode(plan), msgspec.msgpack.encode(tuple(ResultsState(plan).wanted()))][:messages]
    worker, connection = begun(subprocess.STDOUT)
    with connection as driver:  # gone long before the worker has started
        for message in sent:
            driver.send_bytes(message)
    said, _ = worker.communicate(timeout=PATIENCE)
    assert (worker.returncode, said) == (0, b"")


NOISY = """
import os

from parlour.agents.fish.simple import Greedy


class Noisy(Greedy):
    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        os.write(1, b"hello")
"""


def test_a_worker_says_that_it_is_ready_and_answers_each_task_in_order_whoever_interrupts_it(tmp_path: Path) -> None:
    (tmp_path / "noisy.py").write_text(NOISY)
    plan = plan_of([f"{tmp_path / 'noisy.py'}:Noisy", "random"])
    sittings = tuple(ResultsState(plan).wanted())
    worker, connection = begun(subprocess.PIPE)
    answers: list[WorkerAnswer] = []
    with connection as driver:
        driver.send_bytes(msgspec.msgpack.encode(plan))
        assert msgspec.msgpack.decode(driver.recv_bytes()) == []
        worker.send_signal(signal.SIGINT)
        for task in (sittings[:1], sittings[1:4]):
            driver.send_bytes(msgspec.msgpack.encode(task))
        while len(answers) < 4:
            answers += msgspec.msgpack.decode(driver.recv_bytes(), type=tuple[WorkerAnswer, ...])
    said, aside = worker.communicate(timeout=PATIENCE)
    assert (worker.returncode, said) == (0, b""), "what bots print does not come between"
    assert b"hello" in aside
    played = [answer.delivery.played.timeless() for answer in answers if answer.delivery]
    assert played == [play_sitting(plan, sitting).played.timeless() for sitting in sittings[:4]]


DEAF = "import time; time.sleep(600)"


def test_a_worker_whose_driver_is_gone_takes_the_programs_with_it(tmp_path: Path) -> None:
    script = tmp_path / "deaf.py"
    script.write_text(DEAF)

    def runs() -> bool:
        return any(str(script).encode() in words_of(pid) for pid in proc.pids())

    plan = plan_of([f"{sys.executable} {script}", "random"])
    worker, connection = begun(subprocess.DEVNULL)
    with connection as driver:
        driver.send_bytes(msgspec.msgpack.encode(plan))
        driver.send_bytes(msgspec.msgpack.encode(tuple(ResultsState(plan).wanted())))
        assert until(runs)
    worker.communicate(timeout=PATIENCE)
    assert until(lambda: not runs())


def words_of(pid: int) -> list[bytes]:
    """Return the command line of a process; nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def until(holds: Callable[[], bool]) -> bool:
    """Return True if a condition holds within a minute."""
    for _ in range(6000):
        if holds():
            return True
        time.sleep(0.01)
    return False
