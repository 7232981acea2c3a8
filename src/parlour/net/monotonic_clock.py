"""The hall's clock: it never goes back, even if the machine's clock does."""

from __future__ import annotations

import math
from collections.abc import Callable

SLOWER = 0.1
"""Fraction by which time runs slower while it is ahead of the machine's clock."""
JUMP = 1.0
"""Seconds between two readings from which on the machine's clock was set forward, or the process stood still."""
MOST_AHEAD = 86_400.0
"""Maximum lead over the machine's clock at the start, in seconds; a larger one is ignored, as an earlier error."""


class MonotonicClock:
    """Returns Unix seconds. If the machine's clock is set back, time continues from where it was.

    Otherwise the deadlines of all matches would come later than announced. Time runs a little slower until the
    machine's clock has caught up. A clock that is set forward is left to the heartbeat.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen = -math.inf
        """The last reading of the machine's clock."""
        self._ahead = 0.0

    def __call__(self) -> float:
        """Return the time. Call it several times per second, as the heartbeat does."""
        seen = self._clock()
        if self._ahead or seen < self._seen:
            passed = seen - self._seen
            lost = passed if passed < 0.0 or passed > JUMP else SLOWER * passed
            self._ahead = max(0.0, self._ahead - lost)
        self._seen = seen
        return seen + self._ahead

    def go_on_from(self, moment: float) -> None:
        """Continue from a time that was already reached, if the clock is behind it by at most MOST_AHEAD."""
        behind = moment - self()
        if 0.0 < behind <= MOST_AHEAD:
            self._ahead += behind
