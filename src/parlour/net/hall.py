"""The hall: all matches of a server. It opens, finds and wakes them, and puts them to sleep.

A match that nobody uses has no task and no memory: it stays in the store until an intent, a viewer or its deadline
wakes it. The hall is independent of protocols and of rights; doors use it through sessions.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any

import msgspec

from parlour.agents.house_specs import ReadSpec, remote_spec
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Plain, Seat
from parlour.core.intents import Intent
from parlour.core.viewers import Viewer
from parlour.errors import ConfigError, Denied, StoreError
from parlour.net.accounts.limits import Buckets
from parlour.net.accounts.names import TakenNames
from parlour.net.accounts.passwords import Passwords
from parlour.net.accounts.principals import NOBODY, Principal, of_account
from parlour.net.awake import SWEEP, AwakeMatches
from parlour.net.crash_guard import CrashGuard
from parlour.net.fair_pool import FairPlaces, FairPool, Requester, SharedAnswers
from parlour.net.heartbeat import TRIED, Heartbeat
from parlour.net.hosted import SERVER, HostedMatch
from parlour.net.monotonic_clock import MonotonicClock
from parlour.net.onlookers import LONG, PATIENCE, Eyes, begin_to_watch
from parlour.net.opening import new_match
from parlour.net.permission_errors import bad_value, closing, not_allowed, too_many, unknown_match
from parlour.net.quotas import AROUND, Quotas
from parlour.net.record_pages import RecordPages, SeenEvent
from parlour.net.schedule import MatchSchedule, TickPace
from parlour.net.setup import HallLimits, MatchSetup, check_terms
from parlour.net.shared_work import PendingSubmission, begin_shared
from parlour.net.stand_ins import Sitter, StandIns
from parlour.net.thinking_places import ThinkingPlaces
from parlour.net.thought_lane import Aside
from parlour.net.threads import on_thread
from parlour.net.veils import Cursors, Veils
from parlour.net.views import MatchView, has_settled, page_of, past_of, standing_of
from parlour.net.waking import StoredMatch
from parlour.referee.deadline_grace import all_read
from parlour.referee.history import Past
from parlour.referee.match import Match
from parlour.referee.spectators import Watcher
from parlour.referee.table import INSTANT, Answer, Submission
from parlour.store import Filter, Page, Permission, RecordHead, RecordKind, Store, Write, read_events

_EVERYTHING = Filter(kind=RecordKind.MATCH)
_STANDARD = HallLimits()
REACTIONS = "reactions"
"""Name of the count of reactions of all matches, including private ones."""
MAX_ROLES = 1000
"""Maximum number of accounts with a role in one match."""
USED_UP = "nothing more of it is kept: it has used up all the bytes that a match may have on this server"
WHOLE_READS = 2
"""Maximum number of whole records in memory for pictures and lists of turns."""
GUESSES_PER_MINUTE = 10.0
"""Wrong passwords of a match that one account may give, at once and per minute."""
MOST_LET_IN = 10_000

_log = logging.getLogger(__name__)


class Hall:
    """All matches of a server, on one store and one event loop. Call start before use, and close at the end."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], float] = time.time,
        limits: HallLimits = _STANDARD,
        aside: Aside = on_thread,
        passwords: Passwords | None = None,
        read_spec: ReadSpec = remote_spec,
        guard: CrashGuard | None = None,
        names: TakenNames | None = None,
        usual: Mapping[str, Plain] = MappingProxyType({}),
    ) -> None:
        """Make a hall that is not started yet; `read_spec` decides which house agents may be named."""
        self.usual = usual
        """Values of options, such as the map, for matches that players open without them."""
        self.guard = guard
        """Holds back matches whose agents crash the server; only a server with its own process has one."""
        self.store = store
        self.passwords = passwords or Passwords(threads=1)
        """Computes digests of seat passwords, apart from the threads of sign-ins."""
        self.guesses = Buckets(GUESSES_PER_MINUTE / 60.0, GUESSES_PER_MINUTE)
        """Rate limit on wrong match passwords."""
        self.names = names or TakenNames(store)
        """The skeletons of account names, so that nobody sits under another account's name."""
        self.cursors = Cursors(store)
        self.let_in: dict[tuple[str, Principal], None] = {}
        """Matches whose watchers need a password, each with a principal who gave it; the oldest are dropped."""
        self.veils = Veils()
        """Matches whose end or pause is still hidden from spectators."""
        self._own_passwords = passwords is None
        self.pool = FairPool()
        """Runs slow work that anybody may request: drawing, judging, listing orders."""
        self.answers = SharedAnswers(self.pool)
        self.limits = limits
        self.counts: Counter[str] = Counter()
        """Counts since the start of the server, for operators."""
        self.unheard: dict[tuple[str, Seat], Callable[[str], str]] = {}
        """By match and seat, for doors that cannot carry every text: returns the reason why a text does not arrive."""
        self.stand_ins = StandIns(self)
        self.places = ThinkingPlaces(limits.thinking, limits.thinking_of_one, guard)
        """The threads in which house agents think."""
        self.started: list[Callable[[str], None]] = []
        """Called with the id of each match that starts."""
        self.happenings: list[Callable[[HostedMatch, Sequence[Event]], None]] = []
        """Called with a match and events in it that have been stored and sent."""
        self.aside, self.read_spec = aside, read_spec
        """Runs the calls of house agents off the loop; parses the spec of one, see agents.house_specs."""
        self.clock = steady = MonotonicClock(clock)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._pages = RecordPages(store)
        self.whole_reads = FairPlaces(WHOLE_READS)
        """Limits concurrent work on whole records, which takes much memory."""
        self._telling = FairPlaces(1, patience=PATIENCE)
        self.heartbeat = Heartbeat(store, steady, self._stalled, self.spawn)
        """Measures downtime."""
        self.quotas = Quotas(limits, steady)
        self._pace = TickPace(steady)
        self._closing = False
        self._in_memory = awake = dict[str, HostedMatch]()
        self._schedule = MatchSchedule(store, steady, self._due, self.spawn, awake)
        self._awake = AwakeMatches(self, awake, self._schedule)
        self.given_up = self._awake.given_up
        """Called with the id of each match that could not be stored: its watchers receive no further events."""

    async def start(self) -> None:
        """Read the downtime and the next deadlines from the store, and start the timers."""
        if (down := await self.heartbeat.start()) > 1.0:
            _log.info("no server was alive for %.1f seconds", down)
        try:
            if self.guard is not None:
                await self.guard.start()
            await self.veils.start(self.store, self.clock())
            await self._schedule.start()  # last: from now on deadlines take effect
        except StoreError:
            await self.heartbeat.stop()  # a hall that did not start must not count as alive
            raise
        self._awake.sweep()
        if self.heartbeat.overrun:
            self.spawn(self._awake.set_right())

    async def close(self) -> None:
        """Refuse further calls, wait until all events are stored, and end all tasks."""
        self._closing = True
        self._schedule.stop()
        self._awake.stop()
        for hosted in self._awake:
            await hosted.table.settled()
            hosted.close()
        self._awake.clear()
        self.places.close()
        for task in (tasks := tuple(self._tasks)):
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self.heartbeat.stop()
        self.pool.close()
        if self.guard is not None:
            self.guard.close()
        if self._own_passwords:
            self.passwords.close()

    @property
    def trouble(self) -> str:
        """The reason why nothing can be stored now; empty while the store works."""
        return self.heartbeat.trouble

    def now(self, match: str = "") -> float:
        """Return the hall's time in Unix seconds or, if an awake match is named, the time in that match."""
        hosted = self._in_memory.get(match) if match else None
        return self.clock() if hosted is None else hosted.now()

    # Opening and finding

    async def open(self, setup: MatchSetup, *, owner: Principal = NOBODY, besides: Sequence[Write] = ()) -> str:
        """Open a new match and return its id; raise Denied, with nothing stored, if it cannot be opened.

        The writes in `besides` are stored together with it.
        """
        self._refuse_if_closing()
        setup.check()
        check_terms(setup.terms, self.limits)
        self.quotas.demand(owner.key, (setup.config, setup.terms, setup.extras, setup.intents), besides)
        unfinished = Filter(kind=RecordKind.MATCH, unfinished=True)
        if await self.store.fetch(self.store.count, unfinished) >= self.limits.matches:
            raise too_many("matches", self.limits.matches)
        new = new_match(setup, owner, self.clock(), self.read_spec)
        hosted = await self._awake.open(new, besides)
        self.counts["opened"] += 1
        return hosted.name

    async def head(self, match: str) -> RecordHead:
        """Return the head of a match; raise Denied if there is none."""
        if (hosted := self._in_memory.get(match)) is not None:
            return hosted.head
        head = await self.store.fetch(self.store.head, match)
        if head is None or head.kind is not RecordKind.MATCH:
            raise unknown_match(match)
        return self._made_good(head)

    async def page(
        self, wanted: Filter = _EVERYTHING, *, limit: int = 100, after: int | None = None, newest_first: bool = True
    ) -> Page:
        """Return a page of heads of matches, without reading their records."""
        wanted = msgspec.structs.replace(wanted, kind=RecordKind.MATCH)
        page = await self.store.fetch(self.store.page, wanted, limit=limit, after=after, newest_first=newest_first)
        return msgspec.structs.replace(page, heads=tuple(self._made_good(head) for head in page.heads))

    def _made_good(self, head: RecordHead) -> RecordHead:
        """Return a head with its deadline moved by the downtime since its last update, as waking the match will do."""
        down = 0.0 if head.due is None else self.heartbeat.between(head.updated, self.clock())
        return head if not down else msgspec.structs.replace(head, due=(head.due or 0.0) + down)

    # Intents

    def submit(self, match: str, *intents: Intent, sitter: Sitter | None = None) -> Submission:
        """Submit intents without checking rights; see Session.submit.

        With a sitter there must be one intent only, by which the sitter takes a seat.
        """
        if (hosted := self.at_hand(match)) is not None:
            return hosted.submit(intents, sitter=sitter)

        async def later() -> list[Answer]:
            return await (await self.ready(match)).submit(intents, sitter=sitter)

        return PendingSubmission(self.begin(later()))

    def at_hand(self, match: str) -> HostedMatch | None:
        """Return the match if intents can be submitted without waiting; None otherwise, see `ready`."""
        self._refuse_if_closing()
        hosted = self._in_memory.get(match)
        if hosted is None or hosted.in_tournament or hosted.closed:
            return None
        hosted.used = self.clock()
        return hosted

    async def ready(self, match: str) -> HostedMatch:
        """Wait until the match is at hand, and return it; raise Denied if there is none, or a tournament plays it.

        Other tasks always run meanwhile, because a door asks repeatedly until the match is at hand.
        """
        await asyncio.sleep(0)
        hosted = await self.wake(match)
        while hosted.closed:  # the match was put to sleep, or given up, meanwhile
            hosted = await self.wake(match)
        if hosted.in_tournament:
            raise not_allowed("the tournament that it belongs to", "change this match")
        await hosted.compensate_downtime()
        return hosted

    def hurry(self, match: str) -> None:
        """Store the submissions of a match now: a caller waits for them."""
        if (hosted := self._in_memory.get(match)) is not None:
            hosted.table.hurry()

    async def seat_agent(self, match: str, seat: Seat, spec: str, who: Principal = NOBODY, by: str = "") -> Answer:
        """Put a house agent on a vacant seat, for an account; raise Denied for an agent that cannot be made.

        `by` is the moderator who seats it.
        """
        hosted = await self.ready(match)
        with hosted.in_use():
            try:
                read, agent = await hosted.agents.make(seat, spec)
                async with self._awake.whole_record(hosted):
                    undo = hosted.agents.seat(seat, agent)
                    joins = it.Join(spec, seat, read.player_type, by)
                    (answer,) = await self.submit(match, joins, sitter=Sitter(spec, who, spec))
            except ConfigError as error:
                raise bad_value(str(error)) from None
            if answer.refusal is not None:
                undo()
            elif (place := hosted.match.state.places[seat]).acted and place.wait and hosted.agents.lowers_flags:
                # Earlier orders stand, so the agent is not asked and would not lower the flag that holds up the turn.
                await self.submit(match, it.SetWait(seat, False))
            return answer

    async def permit(self, hosted: HostedMatch, permission: Permission) -> None:
        """Give an account a role in a match, or remove it; raise Denied if too many accounts have one."""
        who = of_account(permission.account)
        if permission.role and who not in hosted.roles and len(hosted.roles) >= MAX_ROLES:
            raise too_many("roles in this match", MAX_ROLES)
        await self.store.keep(permission)
        hosted.appoint(who, permission.role)

    # Reading

    async def watch(
        self,
        match: str,
        viewer: Viewer,
        watcher: Watcher,
        since: int | None = None,
        eyes: Eyes | None = None,
    ) -> Callable[[], None]:
        """Send the watcher the viewer's events from number `since` of its view (None: only future ones).

        No event is left out or sent twice. Call the result to stop. Whenever rights change, `eyes` is asked for the
        viewer as which the watcher may look from then on; without `eyes` the viewer stays the same.
        """
        hosted = await self.wake(match)
        if hosted.watchers >= self.limits.watchers:
            raise too_many("watchers of this match", self.limits.watchers)
        is_long = since is not None and hosted.match.state.count - since > LONG
        turn = self._telling.place(Requester(hosted.head.owner)) if is_long else nullcontext()
        async with turn:
            return await begin_to_watch(
                hosted, viewer, watcher, since, lambda: self.record(match), lambda: self.past(match, viewer), eyes
            )

    async def view(self, match: str, viewer: Viewer) -> MatchView:
        """Return the state of a match as the viewer may see it; spectators of a delayed match see an earlier one."""
        hosted = await self.wake(match)
        while not await has_settled(hosted):
            hosted = await self.wake(match)
        return await standing_of(hosted, self.store, viewer)

    async def seen(self, match: str, viewer: Viewer, since: int, limit: int) -> list[SeenEvent]:
        """Return a page of the events that the viewer may see by now; see page_of."""
        return await page_of(await self.wake(match), self.store, self._pages, viewer, since, limit)

    async def past(self, match: str, viewer: Viewer | None = None) -> Past:
        """Return the record of a match: all of it, or the part that a viewer may see by now."""
        return await past_of(await self.wake(match), self.store, viewer)

    async def record(self, match: str) -> list[Event]:
        """Return the stored record."""
        return await self.store.fetch(read_events, self.store, match)

    # Waking and sleeping

    @property
    def awake(self) -> int:
        """Return the number of matches in memory."""
        return len(self._awake)

    def found_awake(self, match: str) -> HostedMatch | None:
        """Return the match if it is in memory, for a look without waiting; None otherwise."""
        return self._in_memory.get(match)

    async def wake(self, match: str) -> HostedMatch:
        """Return the match, read into memory if needed; raise Denied if there is none."""
        self._refuse_if_closing()
        self.heartbeat.look()
        return await self._awake.wake(match)

    def sleep(self, match: str) -> bool:
        """Put a match to sleep, unless it is in use; return True if it sleeps now."""
        return self._awake.sleep(match)

    async def attend(self, match: Match, head: RecordHead, *, again: bool = False) -> HostedMatch:
        """Host a match that a tournament plays on this loop; call leave when the tournament has finished it.

        Watchers see it like every other match, and only the tournament acts in it. With `again` it continues from the
        store if it is there.
        """
        self._refuse_if_closing()
        return await self._awake.attend(StoredMatch(head, match), again=again)

    def give_up(self, hosted: HostedMatch) -> None:
        """Drop a match whose events could not be stored; it is read again on demand."""
        self._awake.give_up(hosted)

    def leave(self, hosted: HostedMatch) -> None:
        """End the hosting of a tournament's match; its stored record stays."""
        self._awake.leave(hosted)

    # Time

    def _due(self, match: str) -> None:
        if not self.is_held(match):
            self.spawn(self._tick(match))

    def is_held(self, match: str) -> bool:
        """Return True for a match that stays asleep; see the crash guard."""
        return self.guard is not None and self.guard.is_held(match)

    async def release(self, match: str) -> None:
        """Allow a match to wake again that was held back because its agents crashed the server."""
        if self.guard is not None:
            await self.guard.release(match)
        self._schedule.set(match, (await self.head(match)).due)

    async def _tick(self, match: str) -> None:
        """Let a match's deadline take effect, if it is still due once all input that has arrived is read."""
        if self.heartbeat.trouble:  # nobody can act, so nobody is late
            self._schedule.set(match, self.clock() + TRIED)
            return
        try:
            hosted = await self.wake(match)
            if hosted.head.owner and (wait := self.quotas.wait(hosted.head.owner, AROUND)):
                self._schedule.set(match, self.clock() + max(wait, SWEEP))
                return
            if wait := self._pace.wait(match, hosted.head.owner):
                self._schedule.set(match, self.clock() + wait)
                return
            with hosted.in_use():
                await all_read()
                await hosted.table.settled()
                self.heartbeat.look()
                await hosted.compensate_downtime()
                if hosted.volume.total >= self.quotas.of_match:
                    await hosted.table.handle(it.Cancel(SERVER, USED_UP))
                else:
                    await hosted.table.tick()
            if (due := hosted.due()) is not None:  # a record's time is coarser than the clock's
                self._schedule.set(match, max(due, self.clock() + INSTANT))
        except (Denied, StoreError) as error:
            _log.warning("match %s: %s", match, error)
            self._schedule.set(match, self.clock() + SWEEP)

    def let_watch(self, match: str, who: Principal) -> None:
        """Remember that a principal has given the password of a match."""
        self.let_in.pop((match, who), None)
        self.let_in[match, who] = None
        if len(self.let_in) > MOST_LET_IN:
            del self.let_in[next(iter(self.let_in))]

    def happened(self, hosted: HostedMatch) -> None:
        """Count a reaction of a match whose events have been stored and sent, and note its next deadline."""
        self.counts[REACTIONS] += 1
        if hosted.about.delay:
            self.veils.look(hosted.head)
        if (due := hosted.due()) != hosted.rings_at:
            hosted.rings_at = due
            self._schedule.set(hosted.name, due)

    def _stalled(self, seconds: float) -> None:
        """Compensate a stall of the server in all awake matches: deadlines move by its length."""
        self.counts["stalls"] += 1
        for hosted in self._awake:
            if hosted.owed(seconds):
                hosted.owing += seconds
                self.spawn(hosted.compensate_downtime())

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task of the hall, which ends when the hall is closed."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def begin(self, work: Coroutine[Any, Any, list[Answer]]) -> asyncio.Task[list[Answer]]:
        """Start a task for a waiting caller, who receives its error; it ends when the hall is closed."""
        task = begin_shared(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            level = logging.WARNING if isinstance(error, StoreError) else logging.ERROR
            _log.log(level, "a task of the hall failed: %r", error)

    def _refuse_if_closing(self) -> None:
        if self._closing:
            raise closing()
