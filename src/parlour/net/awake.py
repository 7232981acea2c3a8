"""The matches of a hall that are in memory: each is woken once, and put to sleep when nobody uses it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from parlour.core.events import Event
from parlour.errors import ConflictError, Denied, StoreError
from parlour.net.fair_pool import FairPlaces, Requester
from parlour.net.hosted import SLOW, HostedMatch
from parlour.net.onlookers import LONG, PATIENCE
from parlour.net.opening import MatchToOpen
from parlour.net.permission_errors import held_back, match_exists, unknown_match
from parlour.net.schedule import MatchSchedule
from parlour.net.shared_work import begin_shared
from parlour.net.waking import MUCH, StoredMatch, read_stored
from parlour.referee.live import TableClock
from parlour.referee.match import Reaction
from parlour.store import Filter, RecordKind, Write, read_events

if TYPE_CHECKING:
    from parlour.net.hall import Hall

LOOKED_AT = 50
"""Maximum number of matches that are examined to put one to sleep: strangers may keep thousands busy."""
SWEEP = 5.0
"""Seconds between two checks for matches that can sleep."""
_DAY = 86_400.0

_log = logging.getLogger(__name__)


class AwakeMatches:
    """Matches by id. All who want a sleeping match wait for the same waking."""

    def __init__(self, hall: Hall, awake: dict[str, HostedMatch], schedule: MatchSchedule) -> None:
        self.given_up: list[Callable[[str], None]] = []
        """Called with the id of each match that could not be stored: its watchers receive no further events."""
        self._hall, self._schedule = hall, schedule
        self._awake = awake
        """Matches in memory, the most recently used last; the schedule reads it, too."""
        self._waking: dict[str, asyncio.Task[HostedMatch]] = {}
        self._opening: dict[str, asyncio.Future[None]] = {}
        self._rising: dict[str, HostedMatch] = {}
        """Matches that are being opened or woken; a downtime during that time moves their deadlines, too."""
        self._sweeper: asyncio.TimerHandle | None = None
        self._recalling = FairPlaces(1, patience=PATIENCE)
        """The turn of the match whose long record is in memory, by the match's owner."""

    def __len__(self) -> int:
        """Return the number of matches in memory."""
        return len(self._awake)

    def __iter__(self) -> Iterator[HostedMatch]:
        """Yield all matches in memory, then those that are being opened or woken."""
        return iter((*self._awake.values(), *self._rising.values()))

    def stop(self) -> None:
        """Stop putting matches to sleep."""
        if self._sweeper is not None:
            self._sweeper.cancel()

    def clear(self) -> None:
        """Drop all matches."""
        self._awake.clear()

    # Waking

    async def open(self, new: MatchToOpen, besides: Sequence[Write]) -> HostedMatch:
        """Store a new match, together with other writes; raise Denied if that is not possible."""
        hosted = HostedMatch(new.stored, self._hall)
        name = hosted.name
        while (other := self._waking.get(name) or self._opening.get(name)) is not None:
            await asyncio.wait([other])
        # A caller that wants the match right after the write waits for this future, so that it is not in memory twice.
        self._opening[name] = asyncio.get_running_loop().create_future()
        try:
            with self._about_to_be(hosted):
                await hosted.open(new, besides)
        except ConflictError:
            raise match_exists(name) from None
        finally:
            self._opened(name)
        await self._wake_agents(hosted)
        return hosted

    async def wake(self, match: str) -> HostedMatch:
        """Return the match, read into memory if needed; raise Denied if there is none."""
        hosted = self._awake.pop(match, None)
        if hosted is not None:
            self._awake[match] = hosted
        while hosted is None or hosted.closed:  # the match may sleep again before this task resumes
            hosted = await asyncio.shield(self._begin_to_wake(match))
        hosted.used = self._hall.clock()
        return hosted

    def _begin_to_wake(self, match: str) -> asyncio.Task[HostedMatch]:
        """Return the running task that wakes a match; start it if there is none.

        A task that is done is not returned: awaiting it would not let other tasks run.
        """
        waking = self._waking.get(match)
        if waking is None or waking.done():
            waking = self._waking[match] = begin_shared(self._wake(match))
            waking.add_done_callback(partial(self._woken, match))
        return waking

    def _woken(self, match: str, waking: asyncio.Task[HostedMatch]) -> None:
        if self._waking.get(match) is waking:
            del self._waking[match]

    async def _wake(self, match: str) -> HostedMatch:
        if self._hall.is_held(match):
            raise held_back(match)
        while (opening := self._opening.get(match)) is not None:
            await asyncio.wait([opening])
        if (opened := self._awake.get(match)) is not None:
            return opened
        store, clock = self._hall.store, self._hall.clock
        asked = clock()
        stored = await store.fetch(read_stored, store, match)
        if stored is None:
            raise unknown_match(match)
        hosted = HostedMatch(stored, self._hall)
        if hosted.in_tournament:  # a match of another program: neither its deadlines nor its house agents are ours
            if (played := self._awake.get(match)) is not None:
                return played
            self._awake[match] = hosted
            return hosted
        self._hall.counts["woken"] += 1
        self._hall.heartbeat.look()
        now = clock()
        waited = now - asked if now - asked > SLOW else 0.0  # nobody could act while a slow disk was read
        lost = waited + self._hall.heartbeat.between(stored.match.state.now - hosted.ahead, asked)
        with self._about_to_be(hosted):
            if hosted.ahead and await hosted.set_right():
                days = hosted.ahead / _DAY
                _log.warning("match %s was played %.1f days ahead of the clock, and continues from there", match, days)
            await hosted.compensate_downtime(lost)
        await self._wake_agents(hosted)
        if hosted.returning:
            self._hall.stand_ins.look(hosted)
        return hosted

    async def set_right(self) -> None:
        """Wake all matches that were played ahead of the clock, which corrects their stored deadlines."""
        days = self._hall.heartbeat.overrun / _DAY
        _log.warning("the clock is %.1f days behind the last heartbeat in the store: one of them was wrong", days)
        store, wanted, after = self._hall.store, Filter(kind=RecordKind.MATCH, unfinished=True), None
        while True:
            page = await store.fetch(store.page, wanted, after=after)
            for head in page.heads:
                if head.due is not None and head.updated > self._hall.clock() + MUCH:
                    try:
                        await self.wake(head.id)
                        self.sleep(head.id)
                    except (Denied, StoreError) as error:
                        _log.warning("match %s: %s", head.id, error)
            if page.more is None:
                return
            after = page.more

    async def _wake_agents(self, hosted: HostedMatch) -> None:
        """Resume the house agents of a match that was just woken or opened."""
        if not hosted.has_agents:
            return
        try:
            with hosted.in_use():
                async with self.whole_record(hosted):
                    await hosted.agents.wake(hosted.seating)
        except BaseException:  # a cancellation too: without its agents the match would continue as if they had left
            self.give_up(hosted)
            raise

    @asynccontextmanager
    async def whole_record(self, hosted: HostedMatch) -> AsyncIterator[None]:
        """Keep the whole record in memory during the block, for agents that join; of long records one at a time."""
        is_long = hosted.match.state.count > LONG
        async with self._recalling.place(Requester(hosted.head.owner)) if is_long else nullcontext():
            hosted.remember(await self._stored_record(hosted))
            try:
                yield
            finally:
                hosted.forget()

    async def _stored_record(self, hosted: HostedMatch) -> list[Event]:
        """Return the stored record, at least up to the first event in memory, even if events are stored meanwhile."""
        store = self._hall.store
        while True:
            durable = hosted.forgotten
            record = await store.fetch(read_events, store, hosted.name)
            if len(record) >= hosted.forgotten:
                return record
            if len(record) < durable:
                raise StoreError(f"match {hosted.name}: the store has lost stored events")

    # Matches that tournaments play

    async def attend(self, stored: StoredMatch, *, again: bool) -> HostedMatch:
        """Host a match that a tournament plays on this loop; with `again` it may be in the store already.

        Callers find it as soon as its first event is stored.
        """
        name, store = stored.head.id, self._hall.store
        if again:
            found = await store.fetch(read_stored, store, name)
            stored = stored if found is None else found
        hosted = HostedMatch(stored, self._hall, TableClock(stored.match))
        if stored.match.state.count:
            hosted.remember(await self._stored_record(hosted))
            self._show(hosted)
        else:
            self._opening[name] = asyncio.get_running_loop().create_future()
            hosted.table.follow(_Once(partial(self._show, hosted)))
        return hosted

    def leave(self, hosted: HostedMatch) -> None:
        """Release a match that its tournament no longer plays here: readers then get it from the store."""
        hosted.clock = None
        hosted.close()
        self._opened(hosted.name)
        if self._awake.get(hosted.name) is hosted:
            del self._awake[hosted.name]

    def _show(self, hosted: HostedMatch) -> None:
        if (before := self._awake.pop(hosted.name, None)) is not None:
            before.close()
        self._awake[hosted.name] = hosted
        self._opened(hosted.name)

    def _opened(self, match: str) -> None:
        """Wake the callers that wait for a new match."""
        if (opening := self._opening.pop(match, None)) is not None:
            opening.set_result(None)

    # Sleeping

    def sleep(self, match: str) -> bool:
        """Put a match to sleep, unless it is in use; return True if it sleeps now."""
        hosted = self._awake.get(match)
        if hosted is None:
            return True
        if hosted.watchers or hosted.busy:
            return False
        hosted.close()
        del self._awake[match]
        self._schedule.asleep(match, hosted.due())
        self._hall.counts["put to sleep"] += 1
        return True

    @contextmanager
    def _about_to_be(self, hosted: HostedMatch) -> Iterator[None]:
        """Put the match into memory if the block succeeds."""
        self._rising[hosted.name] = hosted
        try:
            yield
            self._keep(hosted)
        finally:
            del self._rising[hosted.name]

    def _keep(self, hosted: HostedMatch) -> None:
        if len(self._awake) >= self._hall.limits.awake:
            for match in tuple(islice(self._awake, LOOKED_AT)):  # the least recently used come first
                if self.sleep(match):
                    break
                self._in_use(match)
        self._awake[hosted.name] = hosted
        self._schedule.set(hosted.name, hosted.due())

    def _in_use(self, match: str) -> None:
        """Note that an awake match is in use, so that others are put to sleep before it."""
        hosted = self._awake.pop(match)
        hosted.used = self._hall.clock()
        self._awake[match] = hosted

    def sweep(self) -> None:
        """Put unused matches with far deadlines to sleep, now and periodically."""
        now, idle = self._hall.clock(), self._hall.limits.idle
        for match, hosted in tuple(self._awake.items()):
            if hosted.used > now - idle:
                break
            due = hosted.due()
            if (due is None or due > now + idle) and not self.sleep(match):
                self._in_use(match)
        self._sweeper = asyncio.get_running_loop().call_later(SWEEP, self.sweep)

    def give_up(self, hosted: HostedMatch) -> None:
        """Drop a match whose events could not be stored; it is read again on demand."""
        if hosted.closed:
            return
        hosted.close()
        self._hall.counts["given up"] += 1
        if self._awake.get(hosted.name) is hosted:
            del self._awake[hosted.name]
            for told in self.given_up:
                told(hosted.name)


class _Once:
    """A follower of a table that calls a function once, at the first reaction."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act: Callable[[], None] | None = act

    def reacted(self, reaction: Reaction) -> None:
        if self._act is not None:
            act, self._act = self._act, None
            act()
