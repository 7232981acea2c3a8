"""The match: a state machine that never waits. Time and intents go in, events come out.

Rule 1: this file never waits. It has no clock, no socket, no thread; time arrives as an argument.
Rule 2: this file never imports a game or an agent. It knows only core.Game, core.Seat and the names of games.
Rule 3: same inputs, same events, always; every consequence follows from the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event, seen_by
from parlour.core.fouls import Consequence
from parlour.core.game import Game, Outcome, Plain, Position, Seat, Seed, View, Violation
from parlour.core.intents import Intent, Refusal, RefusalCode
from parlour.core.table_view import MatchStatus, TableView
from parlour.core.terms import Terms
from parlour.core.viewers import Viewer, seated_on
from parlour.errors import ConfigError, RecordError, RuleError
from parlour.games import games, load_game
from parlour.referee.audit import audit
from parlour.referee.consequences import due, next_event
from parlour.referee.rulings import rule
from parlour.referee.state import MatchState

_UNOPENED, _OVER, _ASK_AGAIN = MatchStatus.UNOPENED, MatchStatus.OVER, Consequence.ASK_AGAIN


_WANTED = Refusal(
    RefusalCode.UNSEALED, "seal your plan first, since the terms require it; or act once more, and the record says so"
)


class Ask(msgspec.Struct, frozen=True, gc=False):
    """A question to a seat for an action; with a violation if it is asked again because its answer was not allowed."""

    seat: Seat
    turn: int
    deadline: float | None
    violation: Violation | None = None


class Reaction(msgspec.Struct, frozen=True, gc=False):
    """The results of an input: events to record and send, seats to ask, and the refusal if it was not accepted."""

    events: tuple[Event, ...] = ()
    views: tuple[TableView, ...] = ()
    """State of the match after each of the events, as omniscient viewers see it; empty if the match is not viewed."""
    position: Position | None = None
    """Position after the last of the events."""
    first: int = 0
    """Number of the first of the events in the record."""
    asks: tuple[Ask, ...] = ()
    refusal: Refusal | None = None


class Match:
    """A play of a game. Only the match writes its record."""

    def __init__(
        self, game: Game, config: dict[str, Plain], terms: Terms, seed: Seed, name: str = "", *, dated: bool = False
    ) -> None:
        """Make a match that is not open yet.

        Args:
            game: Rules to play by.
            config: Configuration of the game; {} for its defaults.
            terms: Clocks, conduct and press.
            seed: Seed of all random choices.
            name: Name of the match, for its record.
            dated: True if the times that the match receives are Unix seconds.

        Raises:
            ConfigError: The configuration, the terms or the seed is invalid.
        """
        # A bad configuration or bad terms fail here, not when the match opens.
        game.seats(config)
        terms.check()
        if not -(2**63) <= seed < 2**64:
            raise ConfigError("seed: expected a whole number of 64 bits", field="seed")
        self._begin(game, ev.Opened(0.0, game.name, config, terms, seed, name, 0.0 if dated else None, ev.VERSION))

    def _begin(self, game: Game, opening: ev.Opened) -> None:
        self.game = game
        self.opening = opening
        """The first event: game, configuration and terms; its time is set when the match opens."""
        self.state = MatchState(game)
        self.record: list[Event] = []
        """All events; in a match made by from_state only those since then. state.count counts all."""
        self.viewed = True
        """False if nobody needs the state after each event."""
        self._views: list[TableView] = []
        """State after each event since the last reaction, if the match is viewed."""
        self._given = 0
        """Number of events that were part of a reaction, or that the match was resumed with."""
        # Number of events when no consequence was left; until it changes, the match does not look again.
        self._settled_count: int | None = None
        # Number of events when `_due` was computed, which stays valid until the number changes.
        self._due_count: int | None = None
        self._due: float | None = None

    @classmethod
    def resume(cls, record: Iterable[Event], game: Game | None = None) -> Match:
        """Return the match at the end of a record, after checking every event; consequences that are due await a tick.

        Args:
            record: Events of the record.
            game: Rules to play by; by default the game that the record names.

        Raises:
            RecordError: The record does not follow the rules.
        """
        events = list(record)
        opened = opening(events)
        match = cls.__new__(cls)
        match._begin(game or game_of(opened), opened)
        for event in events:
            audit(match.state, event)
        match.record = events
        match._given = match.state.count
        return match

    @classmethod
    def from_state(cls, state: MatchState, after: Iterable[Event] = ()) -> Match:
        """Return the match in that state, followed by these events, which are not checked.

        For callers that have stored the state or the whole record. The match's own record begins after these events.

        Args:
            state: State of an opened match; the match takes it over.
            after: Events since that state.
        """
        match = cls.__new__(cls)
        match._begin(state.game, state.opened)
        match.state = state
        for event in after:
            state.fold(event)
        match._given = state.count
        return match

    # Entry points

    def start(self, now: float) -> Reaction:
        """Open the match for players to join, and return the events that follow. Opening twice changes nothing.

        Args:
            now: Present time on the match's clock.
        """
        if self.state.status is MatchStatus.UNOPENED:
            at = self.state.stamp(float(now))
            date = None if self.opening.date is None else at
            self.opening = msgspec.structs.replace(self.opening, at=at, date=date)
            self._take(self.opening)
        return self.tick(now)

    def handle(self, intent: Intent, now: float) -> Reaction:
        """Process an intent, after deadlines that have passed, and return the events that follow or the refusal.

        Args:
            intent: Wish of a player, moderator or host.
            now: Present time on the match's clock.
        """
        state = self.state
        # The time of the record counts: rounded, or moved on by earlier events, it may be at a deadline before which
        # the clock still stands.
        at = state.stamp(float(now))
        if self._settled_count != state.count or ((when := self.due()) is not None and at >= when):
            # In a downtime nobody could act, so deadlines that passed in it do not count.
            self._settle(state.now if type(intent) is it.Downtime else at)
            at = state.stamp(at)
        ruling = rule(state, intent, at)
        if isinstance(ruling, Refusal):
            return self._reaction(ruling)
        self._take(ruling)
        if ruling.inert:
            self._stay_settled()
        self._settle(now)
        return self._reaction(_WANTED if type(ruling) is ev.SealWanted else None)

    def tick(self, now: float) -> Reaction:
        """Let time pass, and return what followed: clocks that ran out, press windows that closed.

        Args:
            now: Present time on the match's clock.
        """
        self._settle(now)
        return self._reaction()

    def due(self) -> float | None:
        """Return the time of the next tick that has an effect; None if only an intent can have one."""
        state = self.state
        if state.turn_limit is None and state.window_until is None:
            return None
        if self._due_count != state.count:
            self._due_count, self._due = state.count, due(state)
        return self._due

    # Queries

    @property
    def config(self) -> dict[str, Plain]:
        """Return the configuration of the game."""
        return self.opening.config

    @property
    def terms(self) -> Terms:
        """Return the terms of the match."""
        return self.opening.terms

    @property
    def is_timed(self) -> bool:
        """Return True if any seat's time to act is limited."""
        clock = self.terms.clock
        return clock.per_turn is not None or clock.first_turn is not None or bool(clock.per_stage)

    @property
    def over(self) -> bool:
        """Return True if the match has ended."""
        return self.state.status is _OVER

    @property
    def outcome(self) -> Outcome | None:
        """Return the outcome; None before the end."""
        return self.state.outcome

    @property
    def position(self) -> Position:
        """Return the current position; raise RuleError before the start."""
        if self.state.position is None:
            raise RuleError("the match has not started, so there is no position yet")
        return self.state.position

    @property
    def turn(self) -> int:
        """Return the number of the current turn; 0 before the first."""
        return self.state.turn

    def is_removed(self, seat: Seat) -> bool:
        """Return True if the seat was removed from the match."""
        return seat in self.state.places and self.state.places[seat].removed

    def asks(self) -> tuple[Ask, ...]:
        """Return all open questions of this turn, for a driver that starts in the middle of a match."""
        state = self.state
        return tuple(Ask(s, state.turn, state.places[s].deadline) for s in state.to_act if s in state.pending)

    def view(self, seat: Seat, position: Position | None = None) -> View:
        """Return a seat's view of the current position, or of another that is given."""
        state = self.state
        deadline = state.places[seat].deadline if seat in state.places else None
        remaining = None if deadline is None else max(0.0, deadline - state.now)
        return View(seat, (position or self.position).view(seated_on(seat)), state.turn, deadline, remaining)

    def seen_by(self, event: Event, viewer: Viewer) -> Event | None:
        """Return the event as that viewer may see it; None if the viewer may not see it."""
        return seen_by(event, viewer, self.state.game)

    # State machine

    def _reaction(self, refusal: Refusal | None = None) -> Reaction:
        state = self.state
        if not (fresh := state.count - self._given):
            return Reaction(refusal=refusal)
        events, first, self._given = tuple(self.record[-fresh:]), self._given, state.count
        views: tuple[TableView, ...] = ()
        if self._views:
            views = tuple(self._views)
            self._views.clear()
        return Reaction(events, views, state.position, first, self._asks(events), refusal)

    def _settle(self, now: float) -> None:
        """Apply all consequences: those due at the time of the last event, then those due now."""
        state = self.state
        if state.status is _UNOPENED:
            return
        if self._settled_count != state.count:
            self._follow(state.now)
        # Before the time `when` no event follows without an intent.
        if (when := self.due()) is not None and now >= when and now > state.now:
            self._follow(float(now))
        self._settled_count = state.count

    def _stay_settled(self) -> None:
        """Note that nothing follows from the last event, an inert one, unless a deadline has passed with it."""
        state = self.state
        if self._due_count == state.count - 1:
            self._due_count = state.count
        if (when := self.due()) is None or state.stamp(state.now) < when:
            self._settled_count = state.count

    def _follow(self, now: float) -> None:
        state = self.state
        dated = state.opened.date is not None
        while (event := next_event(state, state.stamp(now) if dated else now)) is not None:
            state.fold(event)
            self.record.append(event)
            if self.viewed:
                self._views.append(state.view())

    def _take(self, event: Event) -> None:
        state = self.state
        state.fold(event)
        self.record.append(event)
        if self.viewed:
            self._views.append(state.view())

    def _asks(self, events: Sequence[Event]) -> tuple[Ask, ...]:
        """Return the questions that follow from these events, to seats whose action is still missing."""
        state = self.state
        if not (pending := state.pending):
            return ()
        turn, places, last = state.turn, state.places, events[-1]
        if type(last) is ev.TurnBegan:  # nearly always; then the earlier events do not matter
            return tuple([Ask(seat, turn, places[seat].deadline) for seat in last.to_act if seat in pending])
        if last.inert and len(events) == 1:
            return ()
        asks: dict[Seat, Violation | None] = {}
        for event in events:
            if type(event) is ev.TurnBegan:
                asks = dict.fromkeys(event.to_act)
            elif type(event) is ev.Fouled and event.does is _ASK_AGAIN:
                asks[event.seat] = event.violation
            elif type(event) is ev.Joined or type(event) is ev.SealWanted:
                asks[event.seat] = None
        return tuple([Ask(seat, turn, places[seat].deadline, why) for seat, why in asks.items() if seat in pending])


def replay(record: Iterable[Event], game: Game | None = None, at: int | None = None) -> MatchState:
    """Return the state after the event with number `at`, or after the last event if it is None.

    Args:
        record: Events of the record.
        game: Rules to play by; by default the game that the record names.
        at: Number of an event.

    Raises:
        RecordError: The record does not follow the rules.
        IndexError: The record has no event with that number.
    """
    events = list(record)
    state = MatchState(game or game_of(opening(events)))
    if at is not None and not 0 <= at < len(events):
        raise IndexError(f"the record has events 0 to {len(events) - 1}, so there is no event {at}")
    for event in events if at is None else events[: at + 1]:
        audit(state, event)
    return state


def opening(record: Sequence[Event]) -> ev.Opened:
    """Return the first event of a record; raise RecordError if it is not an opened event."""
    if not record:
        raise RecordError("the record is empty: nothing has happened yet")
    if not isinstance(record[0], ev.Opened):
        raise RecordError("a record opens with an opened event", number=0)
    return record[0]


def game_of(opened: ev.Opened) -> Game:
    """Return the game that a record names; raise RecordError if it is unknown."""
    if opened.game not in games():
        raise RecordError(f"game: expected one of {', '.join(games())}, got {opened.game[:40]!r}", number=0)
    return load_game(opened.game)
