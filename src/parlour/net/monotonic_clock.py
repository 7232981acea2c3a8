"""The time of day as a hall keeps it: it never goes back, whatever becomes of the machine's clock."""

from __future__ import annotations

import math
from collections.abc import Callable

SLOWER = 0.1
"""The part of each second that is left out for as long as we are ahead of the machine's clock."""
JUMP = 1.0
"""Seconds between two looks that are more than time passing by: then that clock was set forward, or all stood still."""
MOST_AHEAD = 86_400.0
"""Seconds by which we go on ahead of a clock at most when we begin; one that was further off was wrong before."""


class MonotonicClock:
    """Gives Unix seconds. Where the machine's clock is set back, time goes on from where it was.

    Else the deadlines of all matches, which have been told, would stand still for as long as it was set back. It goes a
    little slower until that clock has caught up. What happens when it is set forward is for the heartbeat to report.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen = -math.inf
        """What that clock said when we last looked."""
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
        """Begin no earlier than that: so late it was already when somebody last looked."""
        behind = moment - self()
        if 0.0 < behind <= MOST_AHEAD:
            self._ahead += behind
