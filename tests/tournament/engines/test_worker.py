"""A process that plays matches ends without a word when nobody asks any more, whatever it was about to say."""

# Why real time passes here: workers are processes, which live in real time.

from __future__ import annotations

import socket
import subprocess
import sys
from multiprocessing.connection import Connection

import msgspec
import pytest

from parlour.tournament.series import Series
from tournament.test_series import plan_of


@pytest.mark.parametrize("messages", [0, 1, 2], ids=["before its plan", "with its plan", "with its first task"])
def test_a_worker_whose_driver_is_gone_ends_in_silence(messages: int) -> None:
    plan = plan_of(["greedy", "random"])
    sent = [msgspec.msgpack.encode(plan), msgspec.msgpack.encode(tuple(Series(plan).wanted()))][:messages]
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-m", "parlour.tournament.engines.worker", str(theirs.fileno())]
        worker = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with Connection(ours.detach()) as driver:  # gone long before the worker has started
        for message in sent:
            driver.send_bytes(message)
    said, _ = worker.communicate(timeout=120)
    assert (worker.returncode, said) == (0, b"")
