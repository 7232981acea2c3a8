"""Time without holding our own lateness against anyone: what has arrived is read first, and stalls do not count."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

READING_TURNS = 6
"""Turns of the loop in which what has arrived gets from its socket to whoever waits for it: read, understood, passed on
through the tasks in between."""
BEAT = 0.05
"""Seconds between two looks at whether the loop is in time; being late by less than that counts as being in time."""

_T = TypeVar("_T")


class FairClock:
    """The loop's time without the stretches in which the loop stood still, because we or the machine were busy.

    Nobody could ask or answer in those. While it is started it looks every now and then whether it is called in time.
    """

    def __init__(self) -> None:
        self._lost = 0.0
        self._expected: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._users = 0

    def start(self) -> None:
        """Begin to watch the loop; once for each stop."""
        self._users += 1
        if self._timer is None:
            self._beat()

    def stop(self) -> None:
        """Watch no more."""
        self._users -= 1
        if not self._users and self._timer is not None:
            self._timer.cancel()
            self._timer = self._expected = None

    def now(self) -> float:
        """Seconds, of which only differences mean anything."""
        now = asyncio.get_running_loop().time()
        if self._expected is not None and now - self._expected > BEAT:
            self._lost += now - self._expected
            self._expected = now
        return now - self._lost

    def at(self, moment: float) -> float:
        """When that moment comes by the loop's own time, if nothing stalls it until then."""
        return moment + self._lost

    def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        self.now()
        self._expected = loop.time() + BEAT
        self._timer = loop.call_at(self._expected, self._beat)


async def all_read() -> None:
    """Let the loop look at every socket, and let what it finds there reach whoever waits for it."""
    for _ in range(READING_TURNS):
        await asyncio.sleep(0)


async def within(seconds: float, question: Coroutine[Any, Any, _T], clock: FairClock | None = None) -> _T:
    """What the question gives; TimeoutError if it gives nothing in time.

    When time is over, an answer that lies unread on a socket because we were busy still counts.
    """
    clock = clock or FairClock()
    clock.start()
    asked = asyncio.ensure_future(question)
    try:
        until = clock.now() + seconds
        while not asked.done() and (left := until - clock.now()) > 0:
            await asyncio.wait((asked,), timeout=left)
        if not asked.done():
            await all_read()
        if not asked.done():
            raise TimeoutError
        return asked.result()
    finally:
        clock.stop()
        if not asked.done():
            asked.cancel()
            await asyncio.wait((asked,))
