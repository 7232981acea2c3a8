"""Time limits that do not count our own lateness: arrived data is read first, and stalls do not count."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

READING_TURNS = 6
"""Number of loop turns that bring bytes from a socket to the task that waits for them: they are read, decoded, and
passed on by the tasks in between."""
BEAT = 0.05
"""Seconds between two checks of the loop's lateness; a smaller lateness is ignored."""

_T = TypeVar("_T")


class FairClock:
    """The loop's time without the periods in which the loop stood still, because the program or the machine was busy.

    Nobody could ask or answer in those periods. While it is started, a timer measures how late the loop is.
    """

    def __init__(self) -> None:
        self._lost = 0.0
        self._expected: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._users = 0
        self._time: Callable[[], float] = _time
        """The time function of the loop, once the clock is started."""

    def start(self) -> None:
        """Begin to watch the loop; call stop once for each start."""
        self._users += 1
        if self._timer is None:
            self._time = asyncio.get_running_loop().time
            self._beat()

    def stop(self) -> None:
        """Stop watching."""
        self._users -= 1
        if not self._users and self._timer is not None:
            self._timer.cancel()
            self._timer = self._expected = None

    def now(self) -> float:
        """Return the time in seconds; only differences mean anything."""
        now = self._time()
        if self._expected is not None and now - self._expected > BEAT:
            self._lost += now - self._expected
            self._expected = now
        return now - self._lost

    def at(self, moment: float) -> float:
        """Return a time of this clock in the loop's own time, if nothing stalls the loop until then."""
        return moment + self._lost

    def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        self.now()
        self._expected = loop.time() + BEAT
        self._timer = loop.call_at(self._expected, self._beat)


def _time() -> float:
    return asyncio.get_running_loop().time()


_clocks: WeakKeyDictionary[asyncio.AbstractEventLoop, FairClock] = WeakKeyDictionary()


def clock_of(loop: asyncio.AbstractEventLoop) -> FairClock:
    """Return the clock of the loop, which all who wait on that loop share."""
    if (clock := _clocks.get(loop)) is None:
        clock = _clocks[loop] = FairClock()
    return clock


async def all_read() -> None:
    """Let the loop read every socket, and let the bytes reach the tasks that wait for them."""
    for _ in range(READING_TURNS):
        await asyncio.sleep(0)


async def within(seconds: float, question: Awaitable[_T]) -> _T:
    """Return the answer to a question; raise TimeoutError if none comes in time.

    An answer that arrived in time but lies unread on a socket still counts.
    """
    asked = asyncio.ensure_future(question)
    limit = _WaitLimit(seconds, asked)
    task = asyncio.current_task()
    assert task is not None
    cancelled = task.cancelling()  # a cancelled task may still ask a player while it ends
    try:
        return await asked
    except asyncio.CancelledError:
        if limit.passed and task.cancelling() == cancelled:
            raise TimeoutError from None
        raise
    finally:
        limit.lift()


class _WaitLimit:
    """Cancels a question when its time is over on the loop's clock and all data that had arrived is read."""

    __slots__ = ("_asked", "_clock", "_loop", "_timer", "_until", "passed")

    def __init__(self, seconds: float, asked: asyncio.Future[Any]) -> None:
        self._asked = asked
        self.passed = False
        """True if the time limit has cancelled the question."""
        self._loop = asyncio.get_running_loop()
        self._clock = clock_of(self._loop)
        self._clock.start()
        self._until = self._clock.now() + seconds
        self._timer: asyncio.Handle = self._loop.call_later(seconds, self._look)

    def lift(self) -> None:
        """Cancel the deadline."""
        self._timer.cancel()
        self._clock.stop()

    def _look(self) -> None:
        left = self._until - self._clock.now()
        self._timer = self._loop.call_later(left, self._look) if left > 0 else self._loop.call_soon(self._read)

    def _read(self, turns: int = READING_TURNS) -> None:
        """Let the loop read for some turns, then cancel the task if its answer has still not come."""
        if turns:
            self._timer = self._loop.call_soon(self._read, turns - 1)
        else:
            self.passed = self._asked.cancel()
