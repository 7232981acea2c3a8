"""The agenda: when something is due in which match. Of matches that sleep only what comes next is in memory.

What is due later is in the store, which is asked again before it can be missed: a match that sleeps takes no room here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Container

from parlour.errors import StoreError
from parlour.net.deadlines import Deadlines
from parlour.referee.live import Spawn
from parlour.store import Store

AHEAD = 600.0
"""Seconds for which the deadlines of sleeping matches are read at a time."""
MOST = 1000
"""Deadlines that are read at a time."""
RETRY = 5.0
"""Seconds after which a store that could not be read is asked again."""

_READ = ""
"""Instead of a match: when the store is to be asked again."""

_log = logging.getLogger(__name__)


class Agenda:
    """Rings for each match, awake or asleep, when something in it is due."""

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
        """Matches whose deadlines are set by themselves, so that what the store says of them is old."""
        self._deadlines = Deadlines(now, self._rung)
        self._until = 0.0
        """Whatever sleeps and is due before that is in memory."""

    def __len__(self) -> int:
        """How many deadlines are in memory."""
        return len(self._deadlines)

    async def start(self) -> None:
        """Learn what is due next, and begin to ring."""
        await self._read()
        self._deadlines.start()

    def stop(self) -> None:
        """Ring no more."""
        self._deadlines.stop()

    def set(self, match: str, due: float | None) -> None:
        """Ring for the match then, and not before; None: not at all."""
        self._deadlines.set(match, due)

    def asleep(self, match: str, due: float | None) -> None:
        """The match sleeps from now on, and the store knows when it is due."""
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
            _log.warning("the deadlines that come next cannot be read: %s", error)
            self._deadlines.set(_READ, self._now() + RETRY)

    async def _read(self) -> None:
        now = self._now()
        # Said before it is read: whoever falls asleep meanwhile and is due by then must not be forgotten here.
        self._until = until = max(self._until, now + AHEAD)
        dues = await self._store.fetch(self._store.dues, MOST, until)
        for due, match in dues:
            # One that woke and sleeps again may be due earlier than was read. To ring too early does no harm.
            if match not in self._awake and due < self._deadlines.due(match):
                self._deadlines.set(match, due)
        if len(dues) == MOST:
            self._until = until = dues[-1][0]
        # Not at once, if all of these are overdue: they have yet to be seen to.
        self._deadlines.set(_READ, max(until, now + 1.0))
