"""Spectators who see events later than the players, so that they cannot help a player."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from parlour.core.events import Event, Opened
from parlour.core.player import ObservedEvent
from parlour.core.viewers import SPECTATOR
from parlour.referee.history import Past
from parlour.referee.match import Match
from parlour.referee.spectators import Watcher
from parlour.referee.table import Table

if TYPE_CHECKING:
    from parlour.store import Store

_log = logging.getLogger(__name__)


class DelayedBench:
    """Spectators of a match who receive every event some seconds late."""

    def __init__(self, opened: Opened, delay: float, now: Callable[[], float]) -> None:
        self._opened = opened
        self._delay = delay
        self._now = now
        self._waiting: deque[ObservedEvent] = deque()
        self._watchers: list[Watcher] = []
        self._timer: asyncio.TimerHandle | None = None
        self._seeded = asyncio.Event()

    def __len__(self) -> int:
        """Return the number of watchers."""
        return len(self._watchers)

    def is_out(self, told: ObservedEvent) -> bool:
        """Return True if the delay of an event has passed."""
        return self._release(told) <= self._now()

    def add(self, watcher: Watcher) -> Callable[[], None]:
        """Send the watcher each released event from now on; call the result to stop."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher) if watcher in self._watchers else None

    def still_hidden(self, past: Past, first: int, now: float) -> list[ObservedEvent]:
        """Return the events before number `first` whose delay has not passed. Call it off the loop."""
        return [told for told in past.told(SPECTATOR) if told.k < first and self._release(told) > now]

    def seed(self, before: Sequence[ObservedEvent]) -> None:
        """Begin to send: first, when their delay has passed, the hidden events from before the bench was made."""
        self._waiting.extendleft(reversed([told for told in before if not self.is_out(told)]))
        self._seeded.set()
        self._wind()

    async def seeded(self) -> None:
        """Wait until the hidden events from before the bench was made are queued."""
        await self._seeded.wait()

    def told(self, told: ObservedEvent) -> None:
        """Queue an event until its delay has passed."""
        self._waiting.append(told)
        self._wind()

    def close(self) -> None:
        """Send nothing more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._waiting.clear()
        self._watchers.clear()

    def _release(self, told: ObservedEvent) -> float:
        return (self._opened.moment(told.event) or 0.0) + self._delay

    def _wind(self) -> None:
        if self._waiting and self._timer is None and self._seeded.is_set():
            left = max(0.0, self._release(self._waiting[0]) - self._now())
            self._timer = asyncio.get_running_loop().call_later(left, self._let_out)

    def _let_out(self) -> None:
        self._timer = None
        while self._waiting and self.is_out(self._waiting[0]):
            told = self._waiting.popleft()
            for watcher in tuple(self._watchers):
                try:
                    watcher(told)
                except Exception:  # a stranger's code: a watcher that fails must not harm the others
                    _log.warning("a delayed watcher failed and receives no further events", exc_info=True)
                    self._watchers.remove(watcher)
        self._wind()


class LateSpectators:
    """The delayed spectators of one match; their bench is made for the first of them."""

    def __init__(self, match: Match, table: Table, delay: float, now: Callable[[], float], store: Store) -> None:
        self._match, self._table, self._delay = match, table, delay
        self._now, self._store = now, store
        self._bench: DelayedBench | None = None
        self._unwatch: Callable[[], None] | None = None

    async def bench(self, record: Callable[[], Awaitable[Sequence[Event]]]) -> DelayedBench:
        """Return the bench, made if needed; the events that are still hidden are read from the record."""
        while True:
            if (bench := self._bench) is None:
                bench = await self._begin(record)
            await bench.seeded()
            if bench is self._bench:
                return bench

    async def _begin(self, record: Callable[[], Awaitable[Sequence[Event]]]) -> DelayedBench:
        first = self._table.seen(SPECTATOR)
        bench = self._bench = DelayedBench(self._match.state.opened, self._delay, self._now)
        self._unwatch = self._table.watch(SPECTATOR, bench.told)
        try:
            past = Past(self._match.game, await record())
            bench.seed(await self._store.fetch(bench.still_hidden, past, first, self._now()))
        except BaseException:  # a task that waits for this one begins another
            self.close()
            self._bench = None
            bench.seed(())
            raise
        return bench

    def close(self) -> None:
        """Send nothing more."""
        if self._bench is not None and self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
            self._bench.close()
