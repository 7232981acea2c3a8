"""A match in memory: its table, its players and viewers with their rights, and its writes to the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING

import msgspec

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Seat, phase_of
from parlour.core.intents import Ballot, Intent, Refusal
from parlour.core.table_view import MatchStatus
from parlour.core.viewers import SPECTATOR, Viewer
from parlour.errors import ConflictError, StoreError
from parlour.net.accounts.credential import Credential
from parlour.net.accounts.principals import NOBODY, Principal, holder_of, owner_of
from parlour.net.arrivals import Arrivals
from parlour.net.delays import LateSpectators
from parlour.net.house_agents import MatchAgents
from parlour.net.match_roles import PLAYING, SEES_ALL, MatchRole
from parlour.net.opening import MatchToOpen
from parlour.net.permission_errors import bad_value
from parlour.net.setup import about_of
from parlour.net.stand_ins import Sitter, forgotten_return
from parlour.net.tenures import secrets_of
from parlour.net.waking import StateBehind, StoredMatch, ahead_of
from parlour.referee.live import TableClock
from parlour.referee.match import Reaction
from parlour.referee.snapshots import freeze
from parlour.referee.table import INSTANT, Answer, Submission, Table
from parlour.store import Finished, Journal, Permission, Progress, Seating, Snapshot, Write

if TYPE_CHECKING:
    from parlour.net.hall import Hall

SERVER = "server"
"""Name of the server itself in a record."""
VEILED = "veiled"
"""Mark of a match that a player other than a house agent has joined."""
TAKEN, REFUSED = "intents taken", "intents refused"
"""Names of the counts of accepted and refused intents."""
SLIGHT = 0.005
"""Fraction of the time left to a deadline; a shorter downtime is not compensated."""
SLOW = 0.1
"""Seconds that a write may take before its time is compensated."""

_TAKES_A_SEAT = frozenset((it.Join, it.Substitute))
_encode = msgspec.json.Encoder().encode


class HostedMatch:
    """A match in memory. Its hall wakes it, ticks it when it is due, and puts it to sleep."""

    def __init__(self, stored: StoredMatch, hall: Hall, clock: TableClock | None = None) -> None:
        self._hall = hall
        self.head = stored.head
        self.in_tournament = bool(stored.head.parent)
        """True for a match of a tournament: only the tournament acts in it, and its time passes only in play."""
        self.clock = clock
        """The clock of a tournament's match while the tournament plays it here; None for every other match."""
        self.abandoned: Callable[[Exception], None] = lambda error: None
        """Called when an event could not be stored, for the tournament that plays the match."""
        self.about = about_of(stored.head)
        self.match = stored.match
        self.seating, self.roles = stored.seating, stored.roles
        self.tenures = stored.tenures
        """Former holders of seats."""
        self.volume = stored.volume
        """Number of stored bytes, by seat."""
        self.returning = stored.returning
        """Players who asked for their seat back from an agent; see StandIns."""
        self._seats_of: dict[Principal, tuple[Seat, ...]] = {}
        """Cached seats of each principal in this match."""
        self._players = self._seated_players() or dict(self.head.players)
        self._heeding: list[Callable[[], None]] = []
        """Functions that are called at once when rights change."""
        self.ahead = ahead = 0.0 if self.in_tournament else ahead_of(stored, hall.clock())
        """Seconds by which the match's time is ahead of the hall's, if it was played while the clock was wrong."""
        self.now: Callable[[], float] = (lambda: hall.clock() + ahead) if ahead else hall.clock
        """Returns the time in this match. Not a method: the table would keep a reference cycle through it."""
        # Only doors watch, which encode events and do not change them.
        self.table = Table(
            self.match,
            self.now if clock is None else clock.now,
            keep=self.keep,
            failed=self.failed,
            strangers=False,
            owed=self._owed_first,
            refuse=self.refusal,
        )
        self.agents = MatchAgents(self.match, self.table, hall, self.head.owner, paced=self.about.paced)
        self.watchers = 0
        self.owing = 0.0
        """Seconds of downtime that are still to be compensated, before any other intent."""
        self._good_until = self.match.state.now
        """Time up to which downtime has been compensated, so that no time is compensated twice."""
        self.closed = False
        """True once the match was put to sleep or given up: it accepts nothing more."""
        self.rings_at: float | None = None
        """Deadline that the hall's schedule has for this match."""
        self.used = 0.0
        """Time of the last use."""
        self._journal: Journal[Event] = Journal(hall.store, self.head, length=self.match.state.count)
        self._snapshot = stored.snapshot
        self.arrivals = Arrivals()
        self._first_writes: Sequence[Write] = ()
        """Writes that are stored together with the opening."""
        self._users = 0
        self._whole = False
        """True while the whole record is in memory, for agents that are about to join."""
        self.late = LateSpectators(self.match, self.table, self.about.delay, self.now, hall.store)
        self._told = self.match.state.count
        self._unfollow = self.table.follow(self)

    @property
    def name(self) -> str:
        """Return the id of the match."""
        return self.head.id

    @cached_property
    def behind(self) -> StateBehind:
        """The match as delayed spectators see it."""
        return StateBehind(self.head)

    def due(self) -> float | None:
        """Return the next deadline in the hall's time; None without one, and for a match of a tournament."""
        return None if self.in_tournament or (due := self.match.due()) is None else due - self.ahead

    @property
    def busy(self) -> bool:
        """Return True if events are being stored, a caller or a tournament uses the match, or an agent thinks."""
        return self._users > 0 or self.clock is not None or self.table.busy or self.agents.thinking

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the match awake for the time of the block."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1

    @property
    def forgotten(self) -> int:
        """Return the number of events that are only in the store."""
        return self.match.state.count - len(self.match.record)

    def seats_of(self, who: Principal) -> tuple[Seat, ...]:
        """Return the seats that a principal plays now."""
        found = self._seats_of.get(who)
        if found is None:
            held = (seat for seat, sitting in self.seating.items() if holder_of(sitting) == who and not sitting.agent)
            found = tuple(seat for seat in held if seat not in self.arrivals)
            if found:
                self._seats_of[who] = found
        return found

    @property
    def people(self) -> set[Principal]:
        """Return the principals that have a seat, also one that a stand-in plays."""
        return {who for sitting in self.seating.values() if (who := holder_of(sitting))}

    @property
    def seeking(self) -> dict[Seat, Principal]:
        """Return the seats whose players look for a replacement, with these players."""
        holders = {seat: holder_of(sitting) for seat, sitting in self.seating.items() if not sitting.agent}
        return {seat: who for seat, who in holders.items() if self.roles.get(who) == MatchRole.SEEKS}

    # Views

    def as_held(self, viewer: Viewer, who: Principal, seats: Sequence[Seat]) -> Viewer:
        """Return a viewer limited to the periods in which a principal held its present seats; see Tenures."""
        return self.tenures.viewer(viewer, who, seats) if self.tenures or viewer.spans else viewer

    def seen_from(self, viewer: Viewer) -> Viewer:
        """Return the viewer of one seat, limited to the period of its present holder."""
        (seat,) = viewer.seats
        sitting = self.seating.get(seat)
        return self.as_held(viewer, NOBODY if sitting is None else holder_of(sitting), viewer.seats)

    @property
    def unveiled(self) -> bool:
        """Return True if watchers see everything: only house agents play, and nobody else has ever joined."""
        return self.about.unveiled and self.roles.get(NOBODY) != VEILED

    def heed_rights(self, act: Callable[[], None], credential: Credential | None = None) -> Callable[[], None]:
        """Call a function whenever rights in the match or a credential change, before further events are sent.

        Call the result to stop.
        """
        unheed = _nothing if credential is None else credential.heed(act)
        self._heeding.append(act)

        def end() -> None:
            unheed()
            if act in self._heeding:
                self._heeding.remove(act)

        return end

    def appoint(self, who: Principal, role: str) -> None:
        """Give a principal a role in the match; empty for none."""
        self.roles[who] = role
        self._rights_changed()

    def _rights_changed(self) -> None:
        self._seats_of.clear()
        for act in tuple(self._heeding):
            act()

    # Input

    async def open(self, new: MatchToOpen, besides: Sequence[Write]) -> None:
        """Store a new match with its first intents and other writes; players that join by them are house agents.

        Raise Denied, with nothing stored, if an intent is refused.
        """
        self.arrivals.add_agents(intent.name for intent in new.intents if isinstance(intent, it.Join))
        self._first_writes = besides
        _, *answers = await self.table.open(*new.intents)
        for intent, answer in zip(new.intents, answers, strict=True):
            if answer.refusal is not None:
                where = f"agents: {intent.seat}: " if isinstance(intent, it.Join) else ""
                raise bad_value(f"{where}{answer.refusal.reason}")

    def submit(self, intents: Sequence[Intent], *, leisurely: bool = False, sitter: Sitter | None = None) -> Submission:
        """Submit intents without checking rights; with a sitter, the only intent takes the sitter's seat."""
        submission = self.table.submit(intents, leisurely=leisurely)
        counts = self._hall.counts
        for intent, answer in zip(intents, submission.answers, strict=False):
            if not isinstance(intent, it.Seal):  # the counts are public, and the number of seals is secret
                counts[REFUSED if answer.refusal is not None else TAKEN] += 1
        if sitter is not None and submission.answers[0].refusal is None:
            self.arrivals.add(sitter, submission.answers[0].events)
            self._rights_changed()
            self._clear_votes(submission.answers[0])
            if not sitter.agent:
                submission.then(partial(self._seat_taken, submission.answers[0]))
        return submission

    def _seat_taken(self, answer: Answer, error: Exception | None) -> None:
        """Release the house agents of the seats that players have joined."""
        for event in answer.events if error is None else ():
            if isinstance(event, ev.Joined):
                self.agents.dismiss(event.seat)

    def _clear_votes(self, answer: Answer) -> None:
        """Reset the votes of this turn of a seat with a new player: they were the former player's."""
        for seat in [event.seat for event in answer.events if isinstance(event, ev.Joined)]:
            state = self.match.state
            voted = [among for among, voters in state.partial.items() if seat in voters]
            if state.places[seat].ballot is not Ballot.NEUTRAL:
                voted.append(())
            if voted:
                self.table.submit([it.Vote(seat, Ballot.NEUTRAL, among) for among in voted])

    def refusal(self, intent: Intent) -> Refusal | None:
        """Return the refusal of an intent that exceeds the quota of its match, seat or account; None if it fits."""
        # The moderator, the player, or the owner for house agents is charged. Taking a seat counts for the seat only.
        payer: str = getattr(intent, "by", "") or self._account_on(getattr(intent, "seat", None))
        if payer == SERVER or type(intent) in _TAKES_A_SEAT:
            payer = ""
        return self._hall.quotas.refusal(intent, self.volume, len(self.match.state.places), payer)

    def _account_on(self, seat: str | None) -> str:
        sitting = None if seat is None else self.seating.get(Seat(seat))
        return self.head.owner if sitting is None or sitting.agent else sitting.account

    def owed(self, seconds: float) -> float:
        """Return the part of a downtime to compensate; 0 if it affects no deadline."""
        state, due, now = self.match.state, self.match.due(), self.now()
        if due is None or state.status is not MatchStatus.RUNNING or self.match.terms.downtime_counts:
            return 0.0
        if self.in_tournament:  # a tournament's clock stops while the server is down
            return 0.0
        # At most the time since the match opened, even if the downtime began before.
        since = max(self._good_until, state.opened.at)
        seconds = min(seconds + self._hall.heartbeat.ongoing(), now - since - INSTANT)
        return seconds if seconds > max(0.0, SLIGHT * (due - now)) else 0.0

    async def compensate_downtime(self, seconds: float = 0.0) -> None:
        """Move the deadlines by a downtime, and by the one still owed, if it affects them.

        The intent is handled before this waits, so the next caller finds it done.
        """
        if (downtime := self.downtime(seconds)) is not None:
            await self.table.handle(downtime)

    def _owed_first(self, now: float) -> it.Downtime | None:
        """Return the downtime to compensate before any other intent, given the table's time; None if there is none."""
        self._hall.heartbeat.look(None if self.in_tournament else now - self.ahead)
        return self.downtime() if self.owing else None

    def downtime(self, seconds: float = 0.0) -> it.Downtime | None:
        """Return the intent for the owed downtime and these seconds; None if nothing is to be compensated."""
        seconds, self.owing = seconds + self.owing, 0.0
        owed = self.owed(seconds) if seconds and not self.closed else 0.0
        if not owed:
            return None
        self._good_until = self.now()
        return it.Downtime(SERVER, owed)

    # Memory

    @property
    def has_agents(self) -> bool:
        """Return True if the match is not over and has house agents."""
        return not self.match.over and any(sitting.agent for sitting in self.seating.values())

    def remember(self, record: Sequence[Event]) -> None:
        """Keep the whole record in memory until forget is called, for agents that are about to join."""
        self.match.record = [*record[: self.forgotten], *self.match.record]
        self._whole = True

    def forget(self) -> None:
        """Drop all events that have been sent: they are in the store."""
        self._whole = False
        record = self.match.record
        del record[: len(record) - (self.match.state.count - self._told)]

    # Spectators

    def delays(self, viewer: Viewer) -> bool:
        """Return True if that viewer sees events later than the players."""
        return self.about.delay > 0 and viewer.visibility is SPECTATOR.visibility

    def close(self) -> None:
        """Release agents and spectators, and refuse everything further.

        Reference cycles are broken here, so that the memory is freed at once: a server's garbage collector runs seldom.
        """
        self.closed = True
        self._unfollow()
        self._unfollow = _nothing
        self.late.close()
        self.agents.close()
        self.table.close(f"match {self.name} has just been put to sleep")

    # Reactions

    def failed(self, error: Exception) -> None:
        """Give up the match after a failed write: the next caller reads it again."""
        self._hall.give_up(self)
        self.abandoned(error)

    def reacted(self, reaction: Reaction) -> None:
        """Process a stored reaction: drop its events from memory, and inform the hall."""
        if self.clock is not None:
            self.clock.release()
        self._told += len(reaction.events)
        if not self._whole:
            self.forget()
        self._hall.happened(self)
        for happening in self._hall.happenings:
            happening(self, reaction.events)
        if self.match.turn <= 1 and any(type(event) is ev.Started for event in reaction.events):
            for call in self._hall.started:
                call(self.name)
        if self.returning:
            self._hall.stand_ins.look(self)

    def keep(self, events: Sequence[Event]) -> asyncio.Future[None]:
        """Store events, together with the changes of head, seats and snapshot."""
        # Not a coroutine: it would begin in another turn of the loop, when the match may be ahead of these events.
        if self.clock is not None:
            self.clock.hold()
        hall, inert, bodies = self._hall, True, []
        now = self.now()
        for event in events:
            inert = inert and event.inert
            bodies.append(body := _encode(event))
            if payer := self._account_on(self.volume.add(event, len(body)) or None):
                hall.quotas.spend(payer, len(body), now - self.ahead)
        # After inert events alone, head and seats are as before.
        same = inert and self._journal.length and self.match.state.count - self._snapshot < hall.limits.snapshot_every
        kept = self._journal.append(bodies, *(() if same else self._besides(events)))
        kept.add_done_callback(partial(self._kept, events, now))
        return kept

    def _kept(self, events: Sequence[Event], since: float, kept: asyncio.Future[None]) -> None:
        """Report success or failure to the heartbeat, and compensate the time that a slow write took.

        Storing a compensation takes time too, and is compensated only if it took much longer: else it would never end.
        """
        if kept.cancelled():
            return
        if (error := kept.exception()) is not None:
            if isinstance(error, StoreError) and not isinstance(error, ConflictError):
                self._hall.heartbeat.failed(error, since - self.ahead)
            return
        self._hall.heartbeat.kept()
        if (took := self.now() - since) <= SLOW:
            return
        stalls = [event.seconds for event in events if isinstance(event, ev.Stalled)]
        lost = len(stalls) < len(events) or took > 2 * sum(stalls)
        if lost and (self.owing or self.owed(took)):
            self._hall.spawn(self.compensate_downtime(took))

    def _besides(self, events: Sequence[Event]) -> list[Write]:
        """Return the writes of head, seats and snapshot after these events, which are the last of the match.

        A tournament has its own seating and resumes its matches from the record, so these writes are left out there.
        """
        writes: list[Write] = []
        if not self._journal.length:
            writes += self._first_writes
        alone, ended = not self.in_tournament, False
        for place, event in enumerate(events, 1):
            if type(event) is ev.Joined and alone:
                writes += self._seated(event, events[place:])
            elif type(event) is ev.Left and alone:
                writes += self._risen(event, events[place:])
            elif type(event) is ev.Ended:
                ended = True
        state, head = self.match.state, self.head
        status, phase, due = state.status.value, phase_of(state.position), self.due()
        players = self._players
        known = head.status, head.turn, head.phase, head.due, head.players
        if (status, state.turn, phase, due, players) != known:
            now = self.now() - self.ahead
            self.head = self._journal.head = msgspec.structs.replace(
                head, status=status, turn=state.turn, phase=phase, due=due, players=players, updated=now
            )
            if self._journal.length and (alone or status != head.status):
                writes.append(Progress(head.id, status, state.turn, phase, due, now))
        if alone and (ended or state.count - self._snapshot >= self._hall.limits.snapshot_every):
            self._snapshot = state.count
            writes.append(Snapshot(self.name, state.count, freeze(state)))
            writes.append(self.volume.kept(self.name))
        if ended:
            result = msgspec.json.encode(self.match.outcome)
            self.head = msgspec.structs.replace(self.head, result=result)
            writes.append(Finished(self.name, result))
        return writes

    async def set_right(self) -> bool:
        """Store the next deadline in the hall's time; return False if it has not changed."""
        if (due := self.due()) == self.head.due:
            return False
        now = self.now() - self.ahead
        self.head = self._journal.head = head = msgspec.structs.replace(self.head, due=due, updated=now)
        await self._hall.store.keep(Progress(head.id, head.status, head.turn, head.phase, due, now))
        return True

    def _seated(self, event: ev.Joined, later: Sequence[Event]) -> Iterator[Write]:
        sitter = self.arrivals.stored(event)
        if self.unveiled and not sitter.agent:
            # Permanent: what a player said and ordered stays private even after the player has left.
            yield Permission(self.name, NOBODY.key, VEILED)
            self.roles[NOBODY] = VEILED
        if not sitter.agent and self._could_moderate(sitter.who):
            yield self._cast(sitter.who, MatchRole.PLAYS)
        sitting = Seating(self.name, event.seat, event.name, sitter.who.key, sitter.agent)
        yield from self._seating(sitting, event, later)

    def _risen(self, event: ev.Left, later: Sequence[Event]) -> Iterator[Write]:
        who = holder_of(sitting) if (sitting := self.seating.get(event.seat)) is not None else NOBODY
        if self.match.state.status is MatchStatus.FORMING and self.roles.get(who) in PLAYING:
            yield self._cast(who, "")  # the role of a player ends if play has not begun
        yield from self._seating(Seating(self.name, event.seat), event, later)

    def _could_moderate(self, who: Principal) -> bool:
        """Return True if that account moderates or sees the whole match, and loses that by taking a seat."""
        staff = owner_of(self.head) == who or self.roles.get(who) in SEES_ALL
        return bool(who) and staff and not self.about.admission.playing_moderator

    def _cast(self, who: Principal, role: str) -> Permission:
        self.roles[who] = role
        return Permission(self.name, who.key, role)

    def _seating(self, sitting: Seating, event: ev.Joined | ev.Left, later: Sequence[Event]) -> Iterator[Write]:
        seat, state, had = Seat(sitting.seat), self.match.state, bool(self.tenures)
        before, secrets = self.seating.get(seat), secrets_of(seat, state.hidden, later)
        if secrets or state.status is not MatchStatus.FORMING:  # before the start nobody has ordered anything
            if sitting.player:
                self.tenures.taken(seat, before, sitting, event.at, secrets)
            else:
                self.tenures.left(seat, before, event.at, secrets)
            if had or self.tenures:
                yield self.tenures.kept(self.name)
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
