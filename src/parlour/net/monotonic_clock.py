"""The hall's time of day: it never goes back, even if the machine's clock does."""

from __future__ import annotations

import math
from collections.abc import Callable

SLOWER = 0.1
"""The part of each second that is left out for as long as we are ahead of the machine's clock."""
JUMP = 1.0
"""Seconds between two looks that are more than time passing by: then that clock was set forward, or all stood still."""
MOST_AHEAD = 86_400.0
"""Maximum lead over the machine's clock at the start, in seconds; a larger one means that it was wrong before."""


class MonotonicClock:
    """Gives Unix seconds. If the machine's clock is set back, time continues from where it was.

    Otherwise the announced deadlines of all matches would stand still. Time runs a little slower until the machine's
    clock has caught up. The heartbeat reports a clock that is set forward.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen = -math.inf
        """The machine's clock at the last look."""
        self._ahead = 0.0

    def __call__(self) -> float:
        """Return the time; to be asked several times a second, as the heartbeat does."""
        seen = self._clock()
        passed = seen - self._seen
        self._seen = seen
        if passed < 0.0:
            self._ahead -= passed
        elif self._ahead:
            self._ahead = max(0.0, self._ahead - (passed if passed > JUMP else SLOWER * passed))
        return seen + self._ahead

    def go_on_from(self, moment: float) -> None:
        """Begin no earlier than that time, which was already reached before."""
        behind = moment - self()
        if 0.0 < behind <= MOST_AHEAD:
            self._ahead += behind
