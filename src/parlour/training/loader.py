"""Makes batches ahead of the learner, on a thread of its own; the seed decides the phases of each batch."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from parlour.core import seeds
from parlour.training.batches import BatchRoom, TrainingBatch, training_batch
from parlour.training.phases import PlayedPhases

AHEAD = 4
"""Maximum number of batches that wait for the learner."""

LOOKS = 12
"""Number of sample batches from which the room is estimated."""

Rows = npt.NDArray[np.int64]
Made = tuple[TrainingBatch, int]


class Loader:
    """Numbered batches of equal size. A run that resumes at a number gets the same batch as an uncut run.

    Every phase is seen once before any is seen again. Making a batch is kernel work, for which the GIL is free.
    """

    def __init__(
        self, phases: PlayedPhases, rows: Rows, size: int, seed: int, first: int, last: int, room: BatchRoom
    ) -> None:
        self._phases, self._rows, self._size, self._seed = phases, rows, size, seed
        self._first, self._last, self._room = first, last, room
        self._orders: dict[int, Rows] = {}
        self._ready: queue.Queue[Made | BaseException] = queue.Queue(AHEAD)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="parlour batches")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        while not self._ready.empty():
            self._ready.get()
        self._thread.join()

    def __iter__(self) -> Iterator[Made]:
        for _ in range(self._first, self._last):
            made = self._ready.get()
            if isinstance(made, BaseException):
                raise made
            yield made

    def rows_of(self, number: int) -> Rows:
        """Return the phases of a batch."""
        found = []
        at, left = number * self._size, self._size
        while left:
            turn, place = divmod(at, len(self._rows))
            part = self._order(turn)[place : place + left]
            found.append(self._rows[part])
            at, left = at + len(part), left - len(part)
        return np.concatenate(found)

    def _order(self, turn: int) -> Rows:
        """Return the order of the phases in one pass over all of them; turn is the number of the pass."""
        if self._orders.get(turn) is None:
            self._orders.clear()
            rng = np.random.default_rng(seeds.training_draws(self._seed, turn))
            self._orders[turn] = rng.permutation(len(self._rows))
        return self._orders[turn]

    def _run(self) -> None:
        try:
            for number in range(self._first, self._last):
                made = batch_of(self._phases, self.rows_of(number), self._room)
                while not self._stopped.is_set():
                    try:
                        self._ready.put(made, timeout=0.1)
                        break
                    except queue.Full:
                        continue
                if self._stopped.is_set():
                    return
        except BaseException as error:  # the learner, which waits for the batch, raises it
            self._ready.put(error)


def room_for(phases: PlayedPhases, rows: Rows, size: int, seed: int) -> BatchRoom:
    """Return the room for batches of a size, from some samples. A batch that needs more is compiled again."""
    room, rng = BatchRoom.none(), np.random.default_rng(seed)
    for _ in range(LOOKS):
        batch_of(phases, rng.choice(rows, size), room)
    return room.widened()


def batch_of(phases: PlayedPhases, rows: Rows, room: BatchRoom) -> Made:
    """Return the batch of some phases, and the number of places that a node needs room for."""
    counts = phases.counts[rows].astype(np.float32)
    return training_batch(phases.inputs(rows), phases.shrunk(rows), phases.returns[rows], counts, room)
