"""The schedule of deadlines by match. Of sleeping matches only the next deadlines are in memory.

Later deadlines are in the store, which is read again in time: most sleeping matches take no memory.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
import math
from collections import OrderedDict
from collections.abc import Callable, Container

from parlour.errors import StoreError
from parlour.net.accounts.limits import Buckets
from parlour.net.framing.connection import LineRate
from parlour.referee.live import Spawn
from parlour.store import Store

AHEAD = 600.0
"""Seconds ahead for which the deadlines of sleeping matches are read."""
MOST = 1000
"""Maximum number of deadlines read at a time."""
LONGEST = 30.0
"""Maximum seconds until the timer looks at the clock again, which may have been set meanwhile."""
FEW = 8
"""Number of outdated entries that the heap may always hold."""
RETRY = 5.0
"""Seconds until a store that could not be read is read again."""

TICKS_PER_SECOND, TICKS_AT_ONCE = 50.0, 200.0
"""Limits on the deadlines of one owner that take effect; turns that end because all have acted do not count."""
FEW_PER_SECOND, FEW_AT_ONCE = 2.0, 20.0
"""Deadlines of one owner that wait for no other owner's."""
MANY_PER_SECOND, MANY_AT_ONCE = 200.0, 50.0
"""Limits on the other deadlines of all owners together."""
MOST_OWNERS, MOST_BOOKED = 10_000, 100_000
_READ = ""
"""The entry, in place of a match, for the next read of the store."""

_log = logging.getLogger(__name__)


class Deadlines:
    """Calls back for each match when its deadline is due."""

    def __init__(self, now: Callable[[], float], ring: Callable[[str], None]) -> None:
        self._now = now
        self._ring = ring
        self._due: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []
        """Deadlines with their matches; outdated ones are skipped."""
        self._timer: asyncio.TimerHandle | None = None
        self._running = False

    def __len__(self) -> int:
        """Return the number of matches with a deadline."""
        return len(self._due)

    def start(self) -> None:
        """Begin to call back."""
        self._running = True
        self._wind()

    def stop(self) -> None:
        """Stop calling back."""
        self._running = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def due(self, match: str) -> float:
        """Return the deadline of a match; infinity without one."""
        return self._due.get(match, math.inf)

    def set(self, match: str, due: float | None) -> None:
        """Call back for the match at that time instead of any earlier one set; None: never."""
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
        """Call back for all matches that are due now. Each then sets a new deadline, or none."""
        self._timer = None
        now = self._now()
        while self._heap and self._heap[0][0] <= now:
            due, match = heapq.heappop(self._heap)
            if self._due.get(match) == due:
                del self._due[match]
                self._ring(match)
        self._wind()


class MatchSchedule:
    """Calls back for each match, in memory or asleep, when its deadline is due."""

    def __init__(
        self,
        store: Store,
        now: Callable[[], float],
        ring: Callable[[str], None],
        spawn: Spawn,
        awake: Container[str],
    ) -> None:
        self._store = store
        self._now = now
        self._ring = ring
        self._spawn = spawn
        self._awake = awake
        """Matches in memory: they set their own deadlines, and the store's may be outdated."""
        self._deadlines = Deadlines(now, self._rung)
        self._until = 0.0
        """Time up to which all deadlines of sleeping matches are in memory."""

    def __len__(self) -> int:
        """Return the number of deadlines in memory."""
        return len(self._deadlines)

    async def start(self) -> None:
        """Read the next deadlines, and begin to call back."""
        await self._read()
        self._deadlines.start()

    def stop(self) -> None:
        """Stop calling back."""
        self._deadlines.stop()

    def set(self, match: str, due: float | None) -> None:
        """Call back for the match at that time instead of any earlier one set; None: never."""
        self._deadlines.set(match, due)

    def asleep(self, match: str, due: float | None) -> None:
        """Note that a match sleeps: keep its deadline in memory only if it is near."""
        self._deadlines.set(match, due if due is not None and due < self._until else None)

    def _rung(self, match: str) -> None:
        if match == _READ:
            self._spawn(self._read_on())
        else:
            self._ring(match)

    async def _read_on(self) -> None:
        try:
            await self._read()
        except StoreError as error:
            _log.warning("the next deadlines cannot be read: %s", error)
            self._deadlines.set(_READ, self._now() + RETRY)

    async def _read(self) -> None:
        now = self._now()
        # Set before the read, so that a match that falls asleep meanwhile keeps its deadline in memory.
        self._until = until = max(self._until, now + AHEAD)
        dues = await self._store.fetch(self._store.dues, MOST, until)
        for due, match in dues:
            # A match that woke and sleeps again may be due earlier than was read. Calling back too early does no harm.
            if match not in self._awake and due < self._deadlines.due(match):
                self._deadlines.set(match, due)
        if len(dues) == MOST:
            self._until = until = dues[-1][0]
        # Not at once, even if all of these are overdue: they must be handled first.
        self._deadlines.set(_READ, max(until, now + 1.0))


class TickPace:
    """Rate limits for the deadlines of one owner's matches and of all owners with many, so that the loop stays free."""

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        per_second: float = TICKS_PER_SECOND,
        at_once: float = TICKS_AT_ONCE,
        many_per_second: float = MANY_PER_SECOND,
        many_at_once: float = MANY_AT_ONCE,
    ) -> None:
        self._clock = clock
        self._per_second, self._at_once = per_second, at_once
        self._few = Buckets(FEW_PER_SECOND, FEW_AT_ONCE, max_keys=MOST_OWNERS)
        self._many = LineRate(many_per_second, many_at_once, clock=clock)
        self._rates: OrderedDict[str, LineRate] = OrderedDict()
        self._booked: OrderedDict[str, None] = OrderedDict()
        """Matches that had to wait; they do not wait the next time."""

    def wait(self, match: str, owner: str) -> float:
        """Return the seconds that a deadline of a match must wait; 0 if it may take effect now."""
        if not owner:
            return 0.0
        if match in self._booked:
            del self._booked[match]
            return 0.0
        rate = self._rates.pop(owner, None) or LineRate(self._per_second, self._at_once, clock=self._clock)
        self._rates[owner] = rate
        if len(self._rates) > MOST_OWNERS:
            self._rates.popitem(last=False)
        wait = rate.line()
        if self._few.take(owner, self._clock()):
            wait = max(wait, self._many.line())
        if wait:
            self._booked[match] = None
            if len(self._booked) > MOST_BOOKED:
                self._booked.popitem(last=False)
        return wait
