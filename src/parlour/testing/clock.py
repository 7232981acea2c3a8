"""FakeClock: time that a test moves, or that jumps to the next deadline when a player stays silent."""

from __future__ import annotations

import queue
from typing import TypeVar

T = TypeVar("T")


class FakeClock:
    """A clock for LocalTable under which a deadline of an hour passes in an instant.

    The clock waits `grace` real seconds for players that still think, then jumps to the deadline.

    Args:
        start: First time.
        grace: Real seconds to wait for players that still think.
    """

    def __init__(self, start: float = 0.0, grace: float = 0.05) -> None:
        self.time = start
        self.grace = grace

    def now(self) -> float:
        """Return the present time of the clock."""
        return self.time

    def advance(self, seconds: float) -> float:
        """Let time pass, and return the new time.

        Args:
            seconds: Time to add.
        """
        self.time += seconds
        return self.time

    def get(self, arrivals: queue.SimpleQueue[T], until: float | None, busy: bool) -> T | None:
        """Return the next arrival; None if none comes, after a jump to the time `until` if it is given.

        Args:
            arrivals: Queue of arrivals.
            until: Deadline.
            busy: True while a player thinks.
        """
        try:
            return arrivals.get(timeout=(self.grace if until is not None else None) if busy else 0)
        except queue.Empty:
            if until is not None:
                self.time = max(self.time, until)
            return None
