"""One match that is awake: its table, who sits at it and may see what, and what of it goes to the store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import msgspec

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.intents import Intent
from parlour.core.viewers import SPECTATOR, Viewer
from parlour.net.delays import DelayedBench
from parlour.net.denials import bad_value
from parlour.net.house import Aside
from parlour.net.punctual import PunctualTable
from parlour.net.setup import about_of
from parlour.net.staff import Staff
from parlour.net.stand_ins import forgotten_return
from parlour.net.views import phase_of
from parlour.net.waking import Lying, ahead_of
from parlour.referee.live import Spawn
from parlour.referee.match import Reaction
from parlour.referee.past import Past
from parlour.referee.snapshots import freeze
from parlour.referee.state import MatchStatus
from parlour.referee.table import INSTANT, Answer, Storing, Table
from parlour.store import Finished, Journal, Permission, Progress, Seating, Snapshot, Store, Write

SERVER = "server"
"""As whom the hall itself is in a record."""
VEILED = "veiled"
"""What nobody in particular is appointed to in a match at which somebody sat who is not of the house."""
SLIGHT = 0.005
"""The part of the time that is left to a deadline that need not be made good."""
SLOW = 0.1
"""Seconds for which a write may keep everybody waiting before that is looked at."""


class Sitter(NamedTuple):
    """Who is about to sit down, beyond what the match itself needs to know."""

    name: str
    account: str = ""
    agent: str = ""


class Means(NamedTuple):
    """What a hall gives to all of its matches."""

    store: Store
    now: Callable[[], float]
    look: Callable[[], float]
    """Notices whether everything has stood still."""
    spawn: Spawn
    places: asyncio.Semaphore
    """For agents of the house that think."""
    aside: Aside
    """Where they think."""
    snapshot_every: int
    happened: Callable[[HostedMatch], None]
    """Called when something happened in a match and has been told."""
    returned: Callable[[HostedMatch], None]
    """Called when something happened at a table where somebody waits for a seat again."""

    def ahead(self, seconds: float) -> Means:
        """The same for a match in which it is so much later."""
        return self._replace(now=lambda: self.now() + seconds) if seconds else self


class HostedMatch:
    """A match in memory. Its hall wakes it, rings when something is due, and puts it to sleep."""

    visited = False
    """Whether another drives it, so that it can only be looked at here."""

    def __init__(self, lying: Lying, means: Means) -> None:
        self.head = lying.head
        self.about = about_of(lying.head)
        self.match = lying.match
        self.seating, self.roles = lying.seating, lying.roles
        self.returning = lying.returning
        """Who wants a seat again at which an agent plays for him; see StandIns."""
        self._seats_of: dict[str, tuple[Seat, ...]] = {}
        """By account, of those who sit here, as far as somebody has asked."""
        self._players = self._seated_players()
        self._heeding: list[Callable[[], None]] = []
        """Whoever has to know at once that somebody may do or see something else than before."""
        self.ahead = 0.0 if self.visited else ahead_of(lying, means.now())
        """Seconds by which the time in it is ahead of the hall's: it was played when a clock was wrong."""
        means = means.ahead(self.ahead)
        self.table: Table = self._make_table(means)
        self.staff = Staff(self.match, self.table, means, paced=self.about.paced)
        self.watchers = 0
        self.owing = 0.0
        """Seconds in which nobody could act and that are yet to be made good, before anything else happens."""
        self._good_until = self.match.state.now
        """All time before is made good, or was not lost: what is lost for two reasons at once counts once."""
        self.handed_in: Storing | None = None
        """What was handed in last, until it is stored."""
        self.closed = False
        """Whether it was put to sleep or given up: whatever comes of it then is too late."""
        self.used = 0.0
        """When somebody last had to do with it."""
        self._means = means
        self._journal: Journal[Event] = Journal(means.store, self.head, length=self.match.state.count)
        self._snapshot = lying.snapshot
        self._sitters: list[Sitter] = []
        self._first_writes: Sequence[Write] = ()
        """What is stored together with the opening."""
        self._users = 0
        self._whole = False
        """Whether the whole record is in memory, for agents that are about to sit down."""
        self._delayed: DelayedBench | None = None
        self._end_delayed: Callable[[], None] = _nothing
        self._told = self.match.state.count
        self._unfollow = self.table.follow(self)

    def _make_table(self, means: Means) -> Table:
        return PunctualTable(self, means)

    @property
    def name(self) -> str:
        """What the match is called."""
        return self.head.id

    def now(self) -> float:
        """The time in this match."""
        return self._means.now()

    def due(self) -> float | None:
        """When something is due in it, by the hall's time."""
        return None if (due := self.match.due()) is None else due - self.ahead

    @property
    def busy(self) -> bool:
        """Whether something is being stored, somebody is in the middle of something, or an agent thinks."""
        return self._users > 0 or self.table.busy or self.staff.thinking

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Stay awake for the time of the block."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1

    @property
    def forgotten(self) -> int:
        """How many events of the record are in the store only."""
        return self.match.state.count - len(self.match.record)

    def seats_of(self, account: str) -> tuple[Seat, ...]:
        """Where an account sits."""
        found = self._seats_of.get(account)
        if found is None:
            found = tuple(
                seat for seat, sitting in self.seating.items() if sitting.account == account and not sitting.agent
            )
            if found:
                self._seats_of[account] = found
        return found

    # Who may see what

    @property
    def unveiled(self) -> bool:
        """Whether whoever watches sees all: the house alone plays, and nobody else has ever sat here."""
        return self.about.unveiled and self.roles.get("") != VEILED

    def heed_rights(self, act: Callable[[], None]) -> Callable[[], None]:
        """Act whenever somebody's rights change, before anything else is told; call what is returned to end that."""
        self._heeding.append(act)
        return lambda: self._heeding.remove(act) if act in self._heeding else None

    def appoint(self, account: str, role: str) -> None:
        """An account is appointed to something from now on."""
        self.roles[account] = role
        self._rights_changed()

    def _rights_changed(self) -> None:
        self._seats_of.clear()
        for act in tuple(self._heeding):
            act()

    # What goes in

    async def open(self, intents: Sequence[Intent], besides: Sequence[Write]) -> None:
        """Store a new match, with what is handed in at once and what is written besides; whoever joins is an agent.

        Denied, and nothing is stored, if something is refused.
        """
        self._sitters += [Sitter(intent.name, agent=intent.name) for intent in intents if isinstance(intent, it.Join)]
        self._first_writes = besides
        _, *answers = await self.table.open(*intents)
        for intent, answer in zip(intents, answers, strict=True):
            if answer.refusal is not None:
                where = f"agents: {intent.seat}: " if isinstance(intent, it.Join) else ""
                raise bad_value(f"{where}{answer.refusal.reason}")

    async def handle(self, intent: Intent, sitter: Sitter | None = None) -> Answer:
        """Hand in an intent; who sits down with it is stored together with what follows from it."""
        if sitter is None:
            return await self.table.handle(intent)
        # Sitters wait in the order in which they are handled, so that namesakes are not taken for one another.
        self._means.look()
        while self.owing:
            await self.make_good()
        waiting = self._sitters
        waiting.append(sitter)
        try:
            return await self.table.handle(intent)
        finally:
            waiting[:] = [other for other in waiting if other is not sitter]

    async def handle_together(self, intents: Sequence[Intent]) -> list[Answer]:
        """Hand in several intents of somebody who sits already."""
        if self.owing:
            await self.make_good()
        return await self.table.handle_together(intents)

    def owed(self, seconds: float) -> float:
        """How much of a time in which nobody could act is to be made good; 0 if it matters to no deadline."""
        state, due, now = self.match.state, self.match.due(), self._means.now()
        if due is None or state.status is not MatchStatus.RUNNING or self.match.terms.downtime_counts:
            return 0.0
        seconds = min(seconds, now - self._good_until - INSTANT)
        return seconds if seconds > max(0.0, SLIGHT * (due - now)) else 0.0

    async def make_good(self, seconds: float = 0.0) -> None:
        """Nobody could act for so long, and for what is owed already: deadlines move by that much, if it matters.

        What follows from it has happened before this waits for anything, so whoever comes next finds it done.
        """
        if (downtime := self.downtime(seconds)) is not None:
            await self.table.handle(downtime)

    def downtime(self, seconds: float = 0.0) -> it.Downtime | None:
        """What is to be handed in before anything else, so that nothing is owed any more."""
        seconds, self.owing = seconds + self.owing, 0.0
        owed = self.owed(seconds) if seconds and not self.closed else 0.0
        if not owed:
            return None
        self._good_until = self._means.now()
        return it.Downtime(SERVER, owed)

    # What of the record is in memory

    @property
    def has_agents(self) -> bool:
        """Whether agents of the house are to play on."""
        return not self.visited and not self.match.over and any(sitting.agent for sitting in self.seating.values())

    def remember(self, record: Sequence[Event]) -> None:
        """Hold the whole record until forget is called: agents that are about to sit down can be told all of it."""
        self.match.record = [*record[: self.forgotten], *self.match.record]
        self._whole = True

    def forget(self) -> None:
        """Hold no more of the record than is not yet told: the rest is in the store."""
        self._whole = False
        record = self.match.record
        del record[: len(record) - (self.match.state.count - self._told)]

    # Spectators

    def delays(self, viewer: Viewer) -> bool:
        """Whether that viewer hears of everything later than the players."""
        return self.about.delay > 0 and viewer.gaze is SPECTATOR.gaze

    async def delayed(self, record: Callable[[], Awaitable[Sequence[Event]]]) -> DelayedBench:
        """Those who hear of everything later; what is still to come out is found in the record."""
        if self._delayed is None:
            first = self.table.seen(SPECTATOR)
            bench = self._delayed = DelayedBench(self.match.state.opened, self.about.delay, self._means.now)
            self._end_delayed = self.table.watch(SPECTATOR, bench.told)
            past = Past(self.match.game, await record()).told(SPECTATOR)
            bench.seed(told for told in past if told.k < first)
        await self._delayed.seeded()
        return self._delayed

    def close(self) -> None:
        """Let go of agents and spectators, and take nothing more in.

        What holds one another is let go of here, so that all of it is gone at once: the collector of a server seldom
        looks.
        """
        self.closed = True
        self._unfollow()
        self._end_delayed()
        self._unfollow = self._end_delayed = _nothing
        if self._delayed is not None:
            self._delayed.close()
        self.staff.close()
        if isinstance(self.table, PunctualTable):
            self.table.close()

    # What follows

    def reacted(self, reaction: Reaction) -> None:
        """Something has been stored and told: what is in the store need not be in memory too."""
        self._told += len(reaction.events)
        if not self._whole:
            self.forget()
        self._means.happened(self)
        if self.returning:
            self._means.returned(self)

    def keep(self, events: Sequence[Event]) -> asyncio.Future[None]:
        """Store what happened, with all that follows from it."""
        # Not a coroutine: it would begin in another turn of the loop, when the match may be ahead of these events.
        kept = self._journal.keep(events, *self._besides(events))
        kept.add_done_callback(partial(self._kept, events, self._means.now()))
        return kept

    def _kept(self, events: Sequence[Event], since: float, kept: asyncio.Future[None]) -> None:
        """Make good for what kept everybody waiting.

        To store that costs time, too, which is made good if it was much more: a slow disk would never come to rest.
        """
        if kept.cancelled() or kept.exception() is not None:
            return
        if (took := self._means.now() - since) <= SLOW:
            return
        stalls = [event.seconds for event in events if isinstance(event, ev.Stalled)]
        lost = len(stalls) < len(events) or took > 2 * sum(stalls)
        if lost and (self.owing or self.owed(took)):
            self._means.spawn(self.make_good(took))

    def _besides(self, events: Sequence[Event]) -> list[Write]:
        """What follows from events for head, seats and snapshot; the match stands right after these events."""
        writes: list[Write] = []
        if not self._journal.length:
            writes += self._first_writes
        ended = False
        for event in events:
            if type(event) is ev.Joined:
                writes += self._seated(event)
            elif type(event) is ev.Left:
                writes += self._seating(Seating(self.name, event.seat))
            elif type(event) is ev.Ended:
                ended = True
        state, head = self.match.state, self.head
        status, phase, due = state.status.value, phase_of(state.position), self.due()
        players = self._players
        known = head.status, head.turn, head.phase, head.due, head.players
        if (status, state.turn, phase, due, players) != known:
            now = self._means.now() - self.ahead
            self.head = self._journal.head = msgspec.structs.replace(
                head, status=status, turn=state.turn, phase=phase, due=due, players=players, updated=now
            )
            if self._journal.length:
                writes.append(Progress(head.id, status, state.turn, phase, due, now))
        if ended or state.count - self._snapshot >= self._means.snapshot_every:
            self._snapshot = state.count
            writes.append(Snapshot(self.name, state.count, freeze(state)))
        if ended:
            result = msgspec.json.encode(self.match.outcome)
            self.head = msgspec.structs.replace(self.head, result=result)
            writes.append(Finished(self.name, result))
        return writes

    async def set_right(self) -> bool:
        """Store when something is due by the hall's time; False if that is known already."""
        if (due := self.due()) == self.head.due:
            return False
        now = self._means.now() - self.ahead
        self.head = self._journal.head = head = msgspec.structs.replace(self.head, due=due, updated=now)
        await self._means.store.keep(Progress(head.id, head.status, head.turn, head.phase, due, now))
        return True

    def _seated(self, event: ev.Joined) -> Iterator[Write]:
        sitter = next((sitter for sitter in self._sitters if sitter.name == event.name), Sitter(event.name))
        self._sitters[:] = [other for other in self._sitters if other is not sitter]
        if self.unveiled and not sitter.agent:
            # For good: what somebody has said and ordered stays theirs when they are gone and the house plays again.
            yield Permission(self.name, "", VEILED)
            self.roles[""] = VEILED
        yield from self._seating(Seating(self.name, event.seat, event.name, sitter.account, sitter.agent))

    def _seating(self, sitting: Seating) -> Iterator[Write]:
        seat = Seat(sitting.seat)
        self.seating[seat] = sitting
        self._players = self._seated_players()
        self._rights_changed()
        yield sitting
        if self.returning.pop(seat, None) is not None:
            yield forgotten_return(self.name, seat)

    def _seated_players(self) -> dict[str, str]:
        return {seat: sitting.player for seat, sitting in self.seating.items() if sitting.player}


def _nothing() -> None:
    pass
