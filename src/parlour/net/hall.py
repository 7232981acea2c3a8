"""The hall: where all matches of a server stand. It opens, finds, wakes them and puts them to sleep.

A match that nobody uses has no task and no memory: it lies in the store until an intent, a viewer or its deadline wakes
it. The hall knows no protocol and nobody's rights; doors come to it through sessions.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

import msgspec

from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.intents import Intent
from parlour.core.viewers import Viewer
from parlour.errors import ConfigError, Denied, StoreError
from parlour.net.accounts.passwords import Passwords
from parlour.net.agenda import Agenda
from parlour.net.awake import SWEEP, AwakeMatches
from parlour.net.denials import bad_value, closing, not_allowed, too_many, unknown_match
from parlour.net.hosted import HostedMatch, Means, Sitter
from parlour.net.house import Aside, type_of
from parlour.net.onlookers import begin_to_watch
from parlour.net.opening import new_match, refuse_model
from parlour.net.pulse import Pulse
from parlour.net.setup import HallLimits, MatchSetup
from parlour.net.stand_ins import StandIns
from parlour.net.steady import SteadyClock
from parlour.net.views import MatchView, view_of
from parlour.net.waking import state_at
from parlour.referee.gallery import Watcher
from parlour.referee.past import Past
from parlour.referee.patience import all_read
from parlour.referee.table import INSTANT, Answer, Handed, Table
from parlour.store import Filter, Page, Permission, RecordHead, RecordKind, Store, Write, read_events
from parlour.tournament.threads import on_thread

_EVERYTHING = Filter(kind=RecordKind.MATCH)
_STANDARD = HallLimits()
_TAKEN, _REFUSED = "intents taken", "intents refused"

_log = logging.getLogger(__name__)


class Hall:
    """All matches of a server, on one store and one event loop. start it before use, and close it."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], float] = time.time,
        limits: HallLimits = _STANDARD,
        aside: Aside = on_thread,
        passwords: Passwords | None = None,
    ) -> None:
        self.store = store
        self.passwords = passwords or Passwords()
        """Makes the digests of what one must say to take a seat."""
        self._own_passwords = passwords is None
        self.limits = limits
        self.counts: Counter[str] = Counter()
        """What happened since the start, for those who look after the server."""
        self.unheard: dict[tuple[str, Seat], Callable[[str], str]] = {}
        """For seats whose door cannot carry everything: why a text does not reach them; empty if it does."""
        self.stand_ins = StandIns(self)
        self._clock = steady = SteadyClock(clock)
        self._tasks: set[asyncio.Task[None]] = set()
        self._pulse = Pulse(store, steady, self._stalled, self.spawn)
        self._closing = False
        self._means = Means(
            store,
            steady,
            self._pulse.look,
            self.spawn,
            asyncio.Semaphore(limits.thinking),
            aside,
            limits.snapshot_every,
            self._happened,
            self.stand_ins.look,
        )
        awake: dict[str, HostedMatch] = {}
        self._agenda = Agenda(store, steady, self._due, self.spawn, awake)
        self._awake = AwakeMatches(awake, self._means, self._agenda, self._pulse, limits, self.counts)
        self.given_up = self._awake.given_up
        """Called with each match that could not be stored: whoever watched it there hears nothing more of it."""

    async def start(self) -> None:
        """Learn from the store for how long nobody was here and what is due, and begin to watch the time."""
        if (down := await self._pulse.start()) > 1.0:
            _log.info("no server was alive for %.1f seconds", down)
        try:
            await self._agenda.start()
        except StoreError:
            await self._pulse.stop()  # a hall that did not begin is not alive, and nobody could act in it
            raise
        self._awake.sweep()
        if self._pulse.overrun:
            self.spawn(self._awake.set_right())

    async def close(self) -> None:
        """Take nothing more in, and wait until all that happened is stored."""
        self._closing = True
        self._agenda.stop()
        self._awake.stop()
        for hosted in self._awake:
            await hosted.table.settled()
            hosted.close()
        self._awake.clear()
        for task in (tasks := tuple(self._tasks)):
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._pulse.stop()
        if self._own_passwords:
            self.passwords.close()

    def now(self, match: str = "") -> float:
        """The time by which deadlines are kept, in Unix seconds; by those of a match that is awake if it is named."""
        hosted = self._awake.find(match) if match else None
        return self._clock() if hosted is None else hosted.now()

    # Opening and finding

    async def open(self, setup: MatchSetup, *intents: Intent, owner: str = "", besides: Sequence[Write] = ()) -> str:
        """Open a new match; its name. Denied if that cannot be, and then there is none.

        What is handed in at once, and what is written besides, is stored together with it.
        """
        self._refuse_if_closing()
        setup.check()
        unfinished = Filter(kind=RecordKind.MATCH, unfinished=True)
        if await self.store.fetch(self.store.count, unfinished) >= self.limits.matches:
            raise too_many("matches", self.limits.matches)
        new = new_match(setup, owner, self._clock(), self.limits)
        hosted = await self._awake.open(new.lying, (*new.joins, *intents), besides)
        self.counts["opened"] += 1
        return hosted.name

    async def head(self, match: str) -> RecordHead:
        """The head of a match; Denied if there is none."""
        if (hosted := self._awake.find(match)) is not None:
            return hosted.head
        head = await self.store.fetch(self.store.head, match)
        if head is None or head.kind is not RecordKind.MATCH:
            raise unknown_match(match)
        return self._made_good(head)

    async def page(
        self, wanted: Filter = _EVERYTHING, *, limit: int = 100, after: int | None = None, newest_first: bool = True
    ) -> Page:
        """Heads of matches, without reading a record."""
        wanted = msgspec.structs.replace(wanted, kind=RecordKind.MATCH)
        page = await self.store.fetch(self.store.page, wanted, limit=limit, after=after, newest_first=newest_first)
        return msgspec.structs.replace(page, heads=tuple(self._made_good(head) for head in page.heads))

    def _made_good(self, head: RecordHead) -> RecordHead:
        """The head of a match that has slept through a downtime, with the deadline that it will have when it wakes."""
        down = 0.0 if head.due is None else self._pulse.between(head.updated, self._clock())
        return head if not down else msgspec.structs.replace(head, due=(head.due or 0.0) + down)

    # Intents

    async def handle(self, match: str, intent: Intent) -> Answer:
        """Hand in an intent; answered when what followed is durable and told, or with the refusal of that very intent.

        Denied if there is no such match; StoreError if nothing can be kept now.
        """
        return await self._handle(await self.wake(match), intent)

    async def handle_together(self, hosted: HostedMatch, intents: Sequence[Intent]) -> list[Answer]:
        """The same for several in a match that was just woken: with nothing in between, and stored together."""
        hosted = await self._ready(hosted)
        try:
            answers = await hosted.handle_together(intents)
        except StoreError:
            self._awake.give_up(hosted)
            raise
        for answer in answers:
            self._count(answer)
        return answers

    def at_hand(self, match: str) -> HostedMatch | None:
        """The match, if something may be done in it at this moment, without waiting for anything; see ready."""
        if self._closing:
            raise closing()
        now = self._pulse.look()
        hosted = self._awake.find(match)
        if hosted is None or hosted.visited or hosted.closed or hosted.owing:
            return None
        hosted.used = now
        return hosted

    async def ready(self, match: str) -> None:
        """Wait until the match is at hand; Denied if there is none, or nothing may be done in it."""
        hosted = await self._ready(await self.wake(match))
        await hosted.make_good()

    def hand_in(self, hosted: HostedMatch, intents: Sequence[Intent], *, leisurely: bool = False) -> Handed:
        """Hand in intents in a match that is at hand, and do not wait until what follows is durable and told.

        What is leisurely may be stored a moment later, with what others do meanwhile.
        """
        try:
            handed = hosted.table.hand_in(intents, leisurely=leisurely)
        except StoreError:
            self._awake.give_up(hosted)
            raise
        if handed.storing is not None and handed.storing is not hosted.handed_in:
            hosted.handed_in = handed.storing
            handed.storing.then(partial(self._settled, hosted))
        for answer in handed.answers:
            self.counts[_REFUSED if answer.refusal is not None else _TAKEN] += 1
        return handed

    def hurry(self, match: str) -> None:
        """Somebody waits for what was handed in: let it be stored now."""
        if (hosted := self._awake.find(match)) is not None:
            hosted.table.hurry()

    def _settled(self, hosted: HostedMatch, error: Exception | None) -> None:
        hosted.handed_in = None
        if error is not None:
            self._awake.give_up(hosted)

    async def join(self, match: str, intent: it.Join | it.Substitute, account: str = "") -> Answer:
        """The same for somebody who sits down: whose seat it is is stored together with what follows."""
        hosted = await self.wake(match)
        answer = await self._handle(hosted, intent, Sitter(intent.name, account))
        if answer.refusal is None and intent.seat is not None:
            hosted.staff.dismiss(intent.seat)
        return answer

    async def seat_agent(self, match: str, seat: Seat, spec: str, account: str = "") -> Answer:
        """Let an agent of the house take a vacant seat, for an account; Denied if there is no such agent or seat."""
        hosted = await self._ready(await self.wake(match))
        with hosted.in_use():
            try:
                refuse_model(spec, self.limits)
                agent = hosted.staff.make(seat, spec)
                hosted.remember(await self._awake.whole_record(hosted))
                undo = hosted.staff.seat(seat, agent)
            except ConfigError as error:
                raise bad_value(str(error)) from None
            try:
                answer = await self._handle(hosted, it.Join(spec, seat, type_of(agent)), Sitter(spec, account, spec))
            finally:
                hosted.forget()
            if answer.refusal is not None:
                undo()
            elif (place := hosted.match.state.places[seat]).acted and place.wait and hosted.staff.lowers_flags:
                # What was ordered there before stands, so that the agent is not asked: nor does the turn wait for it.
                await self._handle(hosted, it.SetWait(seat, False))
            return answer

    async def permit(self, hosted: HostedMatch, permission: Permission) -> None:
        """Appoint an account to something in a match, or to nothing any more."""
        await self.store.keep(permission)
        hosted.appoint(permission.account, permission.role)

    # Looking

    async def watch(
        self,
        match: str,
        viewer: Viewer,
        watcher: Watcher,
        since: int | None = None,
        eyes: Callable[[HostedMatch], Viewer | None] | None = None,
    ) -> Callable[[], None]:
        """Tell the watcher what the viewer may see: from number since of its view on (None: only what is to come).

        Nothing is left out and nothing told twice. Call what is returned to end it. Eyes says as whom the watcher may
        look whenever somebody's rights change (None: not at all): if it is another, so it is told what follows.
        """
        hosted = await self.wake(match)
        if hosted.watchers >= self.limits.watchers:
            raise too_many("watchers of this match", self.limits.watchers)
        return await begin_to_watch(
            hosted, viewer, watcher, since, lambda: self.record(match), lambda: self.past(match, viewer), eyes
        )

    async def view(self, match: str, viewer: Viewer) -> MatchView:
        """The match as it stands, as the viewer may see it; for spectators of a delayed match as it stood."""
        hosted = await self.wake(match)
        await hosted.make_good()  # or its deadline would seem to have passed just after the clock was set forward
        await hosted.table.settled()  # what is not durable has not happened
        if hosted.delays(viewer):
            until = hosted.now() - hosted.about.delay
            state = await self.store.fetch(state_at, self.store, hosted.head, until)
            return view_of(hosted.head, state, viewer, state.visible(viewer), hosted.now())
        return view_of(hosted.head, hosted.match.state, viewer, hosted.table.seen(viewer), hosted.now())

    async def past(self, match: str, viewer: Viewer | None = None) -> Past:
        """What has happened, all of it or as much as may be told to that viewer by now."""
        hosted = await self.wake(match)
        events = await self.record(match)
        if viewer is not None and hosted.delays(viewer):
            until = hosted.now() - hosted.about.delay
            events = [event for event in events if event.at <= until]
        return Past(hosted.match.game, events)

    async def record(self, match: str) -> list[Event]:
        """The record as it is stored."""
        return await self.store.fetch(read_events, self.store, match)

    # Waking and sleeping

    @property
    def awake(self) -> int:
        """How many matches are in memory."""
        return len(self._awake)

    async def wake(self, match: str) -> HostedMatch:
        """The match, in memory; Denied if there is none."""
        self._refuse_if_closing()
        self._pulse.look()
        return await self._awake.wake(match)

    def sleep(self, match: str) -> bool:
        """Put a match to sleep, unless somebody uses it; whether it sleeps now."""
        return self._awake.sleep(match)

    def lodge(self, match: str, table: Table) -> Callable[[], None]:
        """Let all who may watch look at a table that a tournament drives on this loop; call to end that."""
        return self._awake.lodge(match, table)

    async def _handle(self, hosted: HostedMatch, intent: Intent, sitter: Sitter | None = None) -> Answer:
        hosted = await self._ready(hosted)
        try:
            answer = await hosted.handle(intent, sitter)
        except StoreError:
            self._awake.give_up(hosted)
            raise
        self._count(answer)
        return answer

    async def _ready(self, hosted: HostedMatch) -> HostedMatch:
        """A match in which something may be done, though it was put to sleep while somebody was about to do it."""
        if hosted.visited:
            raise not_allowed("the tournament that it belongs to", "change this match")
        return await self.wake(hosted.name) if hosted.closed else hosted

    def _count(self, answer: Answer) -> None:
        self.counts[_REFUSED if answer.refusal is not None else _TAKEN] += 1

    # Time

    def _due(self, match: str) -> None:
        self.spawn(self._tick(match))

    async def _tick(self, match: str) -> None:
        """Something is due in a match: it happens once all that has arrived is read, and if it is still due then."""
        try:
            hosted = await self.wake(match)
            with hosted.in_use():
                await all_read()
                await hosted.table.settled()
                self._pulse.look()
                await hosted.make_good()
                await hosted.table.tick()
            if (due := hosted.due()) is not None:  # the record's time is coarser than ours: not this very instant
                self._agenda.set(match, max(due, self._clock() + INSTANT))
        except (Denied, StoreError) as error:
            _log.warning("match %s: %s", match, error)
            if (found := self._awake.find(match)) is not None:
                self._awake.give_up(found)
            self._agenda.set(match, self._clock() + SWEEP)

    def _happened(self, hosted: HostedMatch) -> None:
        self.counts["reactions"] += 1
        self._agenda.set(hosted.name, hosted.due())

    def _stalled(self, seconds: float) -> None:
        """Everything stood still for so long: whoever was to act meanwhile gets that time back."""
        self.counts["stalls"] += 1
        for hosted in self._awake:
            if hosted.owed(seconds):
                hosted.owing += seconds
                self.spawn(hosted.make_good())

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin some work of the hall, which ends before it is closed."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("something went wrong in the hall: %r", error)

    def _refuse_if_closing(self) -> None:
        if self._closing:
            raise closing()
