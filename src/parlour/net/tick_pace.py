"""Limits the turns of one owner's matches that end by their clocks, so that others keep their share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from parlour.net.framing.connection import LineRate

TICKS_PER_SECOND, TICKS_AT_ONCE = 50.0, 200.0
"""Deadlines of one owner that take effect; turns that end because all have acted do not count."""
MOST_OWNERS, MOST_BOOKED = 10_000, 100_000


class TickPace:
    """Gives deadlines of one owner's matches their times, so that many short clocks cannot keep the loop busy."""

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        per_second: float = TICKS_PER_SECOND,
        at_once: float = TICKS_AT_ONCE,
    ) -> None:
        self._clock = clock
        self._per_second, self._at_once = per_second, at_once
        self._rates: OrderedDict[str, LineRate] = OrderedDict()
        self._booked: OrderedDict[str, None] = OrderedDict()
        """Matches that were told to wait: when they come again it is their turn."""

    def wait(self, match: str, owner: str) -> float:
        """Return the seconds for which a deadline of a match must wait, 0 if it may take effect now."""
        if not owner:
            return 0.0
        if match in self._booked:
            del self._booked[match]
            return 0.0
        rate = self._rates.pop(owner, None) or LineRate(self._per_second, self._at_once, clock=self._clock)
        self._rates[owner] = rate
        if len(self._rates) > MOST_OWNERS:
            self._rates.popitem(last=False)
        if wait := rate.line():
            self._booked[match] = None
            if len(self._booked) > MOST_BOOKED:
                self._booked.popitem(last=False)
        return wait
