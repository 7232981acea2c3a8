"""Clocks for drivers: real time, and virtual time that passes only while nobody thinks."""

from __future__ import annotations

import queue
import time
from typing import Protocol, TypeVar

T = TypeVar("T")


class Watch(Protocol):
    """A clock that can also wait for an arrival."""

    def now(self) -> float:
        """Return the time on the match's clock."""

    def get(self, arrivals: queue.SimpleQueue[T], until: float | None, busy: bool) -> T | None:
        """Return the next arrival; None once the time `until` has come, or if nothing can arrive.

        `busy` is True while a player is being called; only then can a virtual clock wait for an arrival.
        """


class RealClock:
    """Real time that continues from the end of a record, so that the time between does not count."""

    def __init__(self, start: float = 0.0) -> None:
        self._offset = start - time.monotonic()

    def now(self) -> float:
        return time.monotonic() + self._offset

    def get(self, arrivals: queue.SimpleQueue[T], until: float | None, busy: bool) -> T | None:
        try:
            return arrivals.get(timeout=None if until is None else max(0.0, until - self.now()))
        except queue.Empty:
            return None


class VirtualClock:
    """Time that stands still while a player thinks and jumps to the next deadline when none does.

    A match without time limits gets this clock: its record holds no accidents of scheduling, so that the same seed
    gives the same record, and a press window of a minute takes no longer than its messages.
    """

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def get(self, arrivals: queue.SimpleQueue[T], until: float | None, busy: bool) -> T | None:
        if busy:
            return arrivals.get()
        try:
            return arrivals.get_nowait()
        except queue.Empty:
            if until is not None:
                self._now = max(self._now, until)
            return None
