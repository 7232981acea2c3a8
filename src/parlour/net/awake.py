"""The matches of a hall that are in memory: each woken once, and put to sleep when nobody uses it."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from parlour.core.events import Event
from parlour.core.intents import Intent
from parlour.errors import ConflictError, Denied, StoreError
from parlour.net.agenda import Agenda
from parlour.net.denials import match_exists, unknown_match
from parlour.net.hosted import SLOW, HostedMatch, Means
from parlour.net.pulse import Pulse
from parlour.net.setup import HallLimits
from parlour.net.shared_work import begin_shared
from parlour.net.visited import VisitedMatch
from parlour.net.waking import MUCH, Lying, read_lying
from parlour.referee.table import Table
from parlour.store import Filter, RecordKind, Write, read_events

SWEEP = 5.0
"""Seconds between two looks at who could sleep."""
_DAY = 86_400.0

_log = logging.getLogger(__name__)


class AwakeMatches:
    """Match id to match. Whoever wants one that sleeps waits for the same waking as all others who do."""

    def __init__(
        self,
        awake: dict[str, HostedMatch],
        means: Means,
        agenda: Agenda,
        pulse: Pulse,
        limits: HallLimits,
        counts: Counter[str],
    ) -> None:
        self.given_up: list[Callable[[str], None]] = []
        """Called with each match that could not be stored: whoever watched it there hears nothing more of it."""
        self._means, self._agenda, self._pulse = means, agenda, pulse
        self._limits, self._counts = limits, counts
        self._awake = awake
        """Those used last come last; the agenda looks at it, too."""
        self._waking: dict[str, asyncio.Task[HostedMatch]] = {}
        self._opening: dict[str, asyncio.Future[None]] = {}
        self._elsewhere: dict[str, Table] = {}
        """Tables of tournaments of this server, by match."""
        self._sweeper: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        """How many there are."""
        return len(self._awake)

    def __iter__(self) -> Iterator[HostedMatch]:
        """All of them, those used last at the end."""
        return iter(tuple(self._awake.values()))

    def find(self, match: str) -> HostedMatch | None:
        """The match, if it is awake."""
        return self._awake.get(match)

    def stop(self) -> None:
        """Put nobody to sleep any more."""
        if self._sweeper is not None:
            self._sweeper.cancel()

    def clear(self) -> None:
        """Let go of all that are closed."""
        self._awake.clear()

    # Waking

    async def open(self, lying: Lying, intents: Sequence[Intent], besides: Sequence[Write]) -> HostedMatch:
        """Store a new match, with what is handed in at once and what is written besides; Denied if that cannot be."""
        hosted = HostedMatch(lying, self._means)
        name = hosted.name
        while (other := self._waking.get(name) or self._opening.get(name)) is not None:
            await asyncio.wait([other])
        # Whoever wants it as soon as it is stored waits for this very one: there may not be two.
        opening = self._opening[name] = asyncio.get_running_loop().create_future()
        try:
            await hosted.open(intents, besides)
            self._keep(hosted)
        except ConflictError:
            raise match_exists(name) from None
        finally:
            del self._opening[name]
            opening.set_result(None)
        await self._wake_agents(hosted)
        return hosted

    async def wake(self, match: str) -> HostedMatch:
        """The match, in memory; Denied if there is none."""
        hosted = self._awake.pop(match, None)
        if hosted is not None:
            self._awake[match] = hosted
        while hosted is None or hosted.closed:  # it may be put to sleep again before whoever waits for it has its turn
            waking = self._waking.get(match)
            if waking is None:
                waking = self._waking[match] = begin_shared(self._wake(match))
                waking.add_done_callback(lambda _: self._waking.pop(match, None))
            hosted = await asyncio.shield(waking)
        hosted.used = self._means.now()
        return hosted

    async def _wake(self, match: str) -> HostedMatch:
        while (opening := self._opening.get(match)) is not None:
            await asyncio.wait([opening])
        if (opened := self._awake.get(match)) is not None:
            return opened
        store, clock = self._means.store, self._means.now
        asked = clock()
        lying = await store.fetch(read_lying, store, match)
        if lying is None:
            raise unknown_match(match)
        if lying.head.parent:
            return self._visit(lying)
        hosted = HostedMatch(lying, self._means)
        self._counts["woken"] += 1
        self._pulse.look()
        now = clock()
        waited = now - asked if now - asked > SLOW else 0.0  # for a slow disk, in which time nobody could act either
        if hosted.ahead and await hosted.set_right():
            days = hosted.ahead / _DAY
            _log.warning("match %s was played %.1f days ahead of the clock, and goes on from there", match, days)
        await hosted.make_good(waited + self._pulse.between(lying.match.state.now - hosted.ahead, asked))
        self._keep(hosted)
        await self._wake_agents(hosted)
        if hosted.returning:
            self._means.returned(hosted)
        return hosted

    async def set_right(self) -> None:
        """Wake all matches that were played ahead of the clock, so that their deadlines are found again."""
        days = self._pulse.overrun / _DAY
        _log.warning("the clock is %.1f days behind the last sign of life in the store: one of them was wrong", days)
        store, wanted, after = self._means.store, Filter(kind=RecordKind.MATCH, unfinished=True), None
        while True:
            page = await store.fetch(store.page, wanted, after=after)
            for head in page.heads:
                if head.due is not None and head.updated > self._means.now() + MUCH:
                    try:
                        await self.wake(head.id)
                        self.sleep(head.id)
                    except (Denied, StoreError) as error:
                        _log.warning("match %s: %s", head.id, error)
            if page.more is None:
                return
            after = page.more

    async def _wake_agents(self, hosted: HostedMatch) -> None:
        """Let the agents of the house that sit in a match that was just woken or opened go on."""
        if not hosted.has_agents:
            return
        try:
            with hosted.in_use():
                hosted.remember(await self.whole_record(hosted))
                await hosted.staff.wake(hosted.seating)
                hosted.forget()
        except BaseException:  # a cancellation too: without its agents it would go on as if they had left
            self.give_up(hosted)
            raise

    async def whole_record(self, hosted: HostedMatch) -> list[Event]:
        """The record at least as far as the events that are in memory themselves, whatever happens meanwhile."""
        store = self._means.store
        while True:
            record = await store.fetch(read_events, store, hosted.name)
            if len(record) >= hosted.forgotten:
                return record

    # Matches that others drive

    def lodge(self, match: str, table: Table) -> Callable[[], None]:
        """Let all who may watch look at a table that a tournament drives on this loop; call to end that."""
        self._elsewhere[match] = table
        self._leave(match)

        def left() -> None:
            if self._elsewhere.get(match) is table:
                del self._elsewhere[match]
            self._leave(match)

        return left

    def _visit(self, lying: Lying) -> HostedMatch:
        """A match that its tournament drives: nothing may happen to it here, not even by itself."""
        hosted = VisitedMatch(lying, self._means, self._elsewhere.get(lying.head.id))
        self._awake[hosted.name] = hosted
        return hosted

    def _leave(self, match: str) -> None:
        if (hosted := self._awake.pop(match, None)) is not None:
            hosted.close()

    # Sleeping

    def sleep(self, match: str) -> bool:
        """Put a match to sleep, unless somebody uses it; whether it sleeps now."""
        hosted = self._awake.get(match)
        if hosted is None:
            return True
        if hosted.watchers or hosted.busy:
            return False
        hosted.close()
        del self._awake[match]
        if not hosted.visited:
            self._agenda.asleep(match, hosted.due())
        self._counts["put to sleep"] += 1
        return True

    def _keep(self, hosted: HostedMatch) -> None:
        if len(self._awake) >= self._limits.awake:
            for match in tuple(self._awake):  # those that nobody has used for longest come first
                if self.sleep(match):
                    break
        self._awake[hosted.name] = hosted
        self._agenda.set(hosted.name, hosted.due())

    def sweep(self) -> None:
        """Put to sleep what nobody has used for a while and whose deadline is far; now, and again and again."""
        now, idle = self._means.now(), self._limits.idle
        for match, hosted in tuple(self._awake.items()):
            if hosted.used > now - idle:
                break
            due = None if hosted.visited else hosted.due()
            if due is None or due > now + idle:
                self.sleep(match)
        self._sweeper = asyncio.get_running_loop().call_later(SWEEP, self.sweep)

    def give_up(self, hosted: HostedMatch) -> None:
        """What could not be stored has not happened: the match is read again when somebody wants it."""
        hosted.close()
        self._counts["given up"] += 1
        if self._awake.get(hosted.name) is hosted:
            del self._awake[hosted.name]
            for told in self.given_up:
                told(hosted.name)
