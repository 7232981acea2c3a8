"""A process that plays matches: reads a plan, then tasks, from the socket of its start; ends when the socket closes.

It is started anew and not forked, so that it has nothing of the driver but the messages it receives. Prints of bots do
not interfere: the socket is not a standard stream.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import NoReturn

import msgspec

from parlour.agents import process_supervisor
from parlour.agents.loading import is_command
from parlour.agents.watched import reason_of
from parlour.tournament.engines.base import Failure
from parlour.tournament.engines.playing import play_sitting
from parlour.tournament.plan import Plan
from parlour.tournament.results import Delivery
from parlour.tournament.schedules.blocks import Sitting

GATHERED = 0.025
"""Seconds after which results of an unfinished task are sent: the play that is lost if a worker is killed."""
_plans = msgspec.msgpack.Decoder(Plan)
_tasks = msgspec.msgpack.Decoder(tuple[Sitting, ...])


class WorkerAnswer(msgspec.Struct, frozen=True):
    """The result of the next match of a task, or the reason for which it was not played."""

    delivery: Delivery | None = None
    failure: Failure | None = None


def played(plan: Plan, sitting: Sitting) -> WorkerAnswer:
    """Play a match, and return its result or, after any error, a failure."""
    try:
        return WorkerAnswer(play_sitting(plan, sitting))
    except Exception as error:  # an error in Parlour's own code must not end the other matches
        return WorkerAnswer(failure=Failure((sitting.number,), reason_of(error)))


def serve(connection: Connection) -> None:
    """Play the tasks that arrive until the connection ends."""
    plan = _plans.decode(_received(connection))
    _send(connection, ())  # any crash from now on may be caused by a match
    tasks: queue.SimpleQueue[tuple[Sitting, ...]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, tasks), daemon=True).start()
    programs = any(is_command(plan.game, contender.agent) for contender in plan.contenders)
    while True:
        unsent: list[WorkerAnswer] = []
        sent = time.monotonic()
        task = tasks.get()
        for left, sitting in zip(range(len(task) - 1, -1, -1), task, strict=True):
            unsent.append(played(plan, sitting))
            # The driver is woken once for many short matches, since they share their processors with it.
            if not left or time.monotonic() - sent >= GATHERED:
                _send(connection, unsent)
                unsent, sent = [], time.monotonic()
            if programs:
                process_supervisor.end_orphans()


def _listen(connection: Connection, tasks: queue.SimpleQueue[tuple[Sitting, ...]]) -> None:
    """Queue the tasks that arrive, also while a match is played."""
    while True:
        tasks.put(_tasks.decode(_received(connection)))


def _received(connection: Connection) -> bytes:
    """Return the driver's next message."""
    try:
        return connection.recv_bytes()
    except (EOFError, OSError):
        _leave()


def _send(connection: Connection, answers: Sequence[WorkerAnswer]) -> None:
    """Send answers to the driver; a lost driver is noticed when the next task is read."""
    with contextlib.suppress(OSError):
        connection.send_bytes(msgspec.msgpack.encode(answers))


def _leave() -> NoReturn:
    """End at once, even in the middle of a match: the driver is gone."""
    process_supervisor.end_all()
    os._exit(0)


def main(arguments: Sequence[str]) -> None:
    """Serve on the socket whose file descriptor is given."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt of the driver is not meant for workers
    os.dup2(2, 1)
    serve(Connection(int(arguments[0])))


if __name__ == "__main__":
    main(sys.argv[1:])
