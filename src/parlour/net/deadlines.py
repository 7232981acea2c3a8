"""One timer for the deadlines of all matches, awake or asleep."""

from __future__ import annotations

import asyncio
import heapq
import math
from collections.abc import Callable

LONGEST = 30.0
"""Seconds after which the timer looks at the clock again, which may have been set meanwhile."""
FEW = 8
"""Deadlines that were moved and may lie about all the same."""


class Deadlines:
    """Rings for each match when something in it is due."""

    def __init__(self, now: Callable[[], float], ring: Callable[[str], None]) -> None:
        self._now = now
        self._ring = ring
        self._due: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []
        """May hold deadlines that were moved since; those are passed over."""
        self._timer: asyncio.TimerHandle | None = None
        self._running = False

    def __len__(self) -> int:
        """How many matches have one."""
        return len(self._due)

    def start(self) -> None:
        """Begin to ring."""
        self._running = True
        self._wind()

    def stop(self) -> None:
        """Ring no more."""
        self._running = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def due(self, match: str) -> float:
        """When the match is rung for; infinity if it is not."""
        return self._due.get(match, math.inf)

    def set(self, match: str, due: float | None) -> None:
        """Ring for the match then, and not before; None: not at all."""
        if due is None:
            self._due.pop(match, None)
        elif self._due.get(match) != due:
            self._due[match] = due
            heapq.heappush(self._heap, (due, match))
            if self._heap[0] == (due, match):
                self._wind()
        if len(self._heap) > FEW + 2 * len(self._due):
            self._heap = [(due, match) for match, due in self._due.items()]
            heapq.heapify(self._heap)

    def _wind(self) -> None:
        """Set the timer to the first deadline that still holds."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        if self._running and self._heap:
            left = min(LONGEST, max(0.0, self._heap[0][0] - self._now()))
            self._timer = asyncio.get_running_loop().call_later(left, self._look)

    def _look(self) -> None:
        """Ring for whatever is due now. Whoever is rung for sets a new deadline, or none."""
        self._timer = None
        now = self._now()
        while self._heap and self._heap[0][0] <= now:
            due, match = heapq.heappop(self._heap)
            if self._due.get(match) == due:
                del self._due[match]
                self._ring(match)
        self._wind()
