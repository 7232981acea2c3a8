"""The engine of one machine: several processes, each with a socket of its own.

If a process dies, only its unplayed matches come back as failed, and another process takes its place.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from typing import cast

import msgspec

from parlour.agents import process_supervisor
from parlour.errors import ParlourError
from parlour.tournament.engines.base import Failure, Happening
from parlour.tournament.engines.worker import WorkerAnswer
from parlour.tournament.plan import Plan
from parlour.tournament.results import Delivery
from parlour.tournament.schedules.blocks import Sitting

STILLBORN = 50
"""Number of processes in a row that end before they can play, after which the engine gives up."""
PATIENCE = 5.0
"""Seconds for a worker to end when it is no longer needed."""
_answers = msgspec.msgpack.Decoder(tuple[WorkerAnswer, ...])


class LocalEngine:
    """Plays matches in processes on this machine."""

    task_time = 0.1

    def __init__(self, plan: Plan, places: int) -> None:
        self._plan = msgspec.msgpack.encode(plan)
        self.places = places
        self.depth = 2 * places  # one task is played and one waits, so that no worker is idle
        process_supervisor.adopt_orphans()
        self._workers = [_Worker(self._plan) for _ in range(places)]
        self._stillborn = 0

    def submit(self, sittings: Sequence[Sitting]) -> None:
        """Send the task to the worker with the fewest tasks."""
        worker = min(self._workers, key=lambda each: len(each.tasks))
        worker.submit(sittings)

    def wait(self, seconds: float) -> Happening:
        """Return the results and failures of the workers, after at most this time."""
        deliveries: list[Delivery] = []
        failures: list[Failure] = []
        idle = 0
        by_connection = {worker.connection: worker for worker in self._workers}
        for ready in wait(list(by_connection), seconds):
            worker = by_connection[cast("Connection", ready)]
            answers = worker.receive()
            if answers is None:
                idle += len(worker.tasks)
                failures += worker.lost()
                worker.close()
                self._stillborn = 0 if worker.ready else self._stillborn + 1
                if self._stillborn >= STILLBORN:
                    raise ParlourError(f"{STILLBORN} processes in a row ended before they could play: {worker.end}")
                self._workers[self._workers.index(worker)] = _Worker(self._plan)
                continue
            deliveries += [answer.delivery for answer in answers if answer.delivery is not None]
            failures += [answer.failure for answer in answers if answer.failure is not None]
            idle += sum(worker.count() for _ in answers)
        return Happening(tuple(deliveries), tuple(failures), idle)

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.connection.close()
        for worker in self._workers:
            worker.close()
        self._workers = []


class _Worker:
    """A process and its tasks."""

    def __init__(self, plan: bytes) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "parlour.tournament.engines.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C is for the driver
                # One thread each: there are as many workers as processors.
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
            )
        self.connection = Connection(ours.detach())
        self.ready = False
        """True after the first answer of the process: it can play."""
        self.tasks: deque[deque[int]] = deque()
        """Numbers of the matches that have no result yet, by task."""
        self._send(plan)

    def submit(self, sittings: Sequence[Sitting]) -> None:
        """Send a task, which is played after all earlier ones."""
        self.tasks.append(deque(sitting.number for sitting in sittings))
        self._send(msgspec.msgpack.encode(tuple(sittings)))

    def receive(self) -> tuple[WorkerAnswer, ...] | None:
        """Return the next answers; None if the worker is dead."""
        try:
            answers = _answers.decode(self.connection.recv_bytes())
        except (EOFError, OSError):
            return None
        self.ready = True
        return answers

    def count(self) -> int:
        """Count one result of the first task; return 1 if the task is now over, otherwise 0."""
        self.tasks[0].popleft()
        if self.tasks[0]:
            return 0
        self.tasks.popleft()
        return 1

    def lost(self) -> list[Failure]:
        """Return the tasks without results: the first was under way if the worker could play; the others waited."""
        return [Failure(tuple(task), self.end, begun=self.ready and not at) for at, task in enumerate(self.tasks)]

    @property
    def end(self) -> str:
        """The reason why the process ended."""
        code = self.process.wait()
        return f"the process that played it was ended by signal {-code}" if code < 0 else "its process ended"

    def close(self) -> None:
        """End the worker and all processes that it started."""
        self.connection.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        process_supervisor.end_marked_by(self.process.pid)

    def _send(self, message: bytes) -> None:
        with contextlib.suppress(OSError):  # the worker is dead, which the next receive reports
            self.connection.send_bytes(message)
