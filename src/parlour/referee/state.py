"""The state of a match: a fold over its events, and nothing but a fold.

Rule 1: only `MatchState.fold` changes a MatchState, and it looks at nothing but the event and the state itself.
Rule 2: it decides nothing. Rulings (from an intent) and consequences (from the state alone) decide the next event.

The effect of each event is written in rules/, beside the ruling that leads to it. A fold that changes what a TableView
shows of a seat takes the seat out of `rows`; a law in the tests checks this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Standing
from parlour.core.game import Game, Happened, Outcome, Plain, Position, Seat
from parlour.core.intents import Ballot, CommStatus, PlayerType
from parlour.core.table_view import MatchStatus, SeatRow, TableView
from parlour.core.terms import PressMode, Terms, Vacancy
from parlour.core.viewers import Viewer

_PRIVATE = frozenset(kind for kind in ev.EVENTS if "privy" in vars(kind))
"""Kinds of events that not all may see. They change nothing that a TableView shows."""


# Looking up a member of an enumeration takes longer than a function call, so members that every turn needs are looked
# up once, here and in the other files of the referee.
_UNOPENED, _RUNNING, _PAUSED = MatchStatus.UNOPENED, MatchStatus.RUNNING, MatchStatus.PAUSED
_LEFT_OUT, _AWAITED = Vacancy.LEFT_OUT, Vacancy.AWAITED
_NEUTRAL, _WINDOW = Ballot.NEUTRAL, PressMode.WINDOW


@dataclass(slots=True)
class Place:
    """The state of a seat."""

    seat: Seat
    name: str | None = None
    player_type: PlayerType = PlayerType.HUMAN
    present: bool = False
    removed: bool = False
    standing: Standing | None = None
    comm_status: CommStatus = CommStatus.INACTIVE
    ballot: Ballot = Ballot.NEUTRAL
    vote_lapses: bool = False
    """True if this turn's vote is a former player's; views then show a neutral ballot."""
    bank: float = 0.0
    turns: int = 0
    """Number of own turns that have begun."""
    skips: int = 0
    """Number of own turns in a row that were skipped because of a foul."""
    notes: int = 0
    """Number of recorded fouls; bounds the size that a flood adds to the record."""
    left: bool = False
    """True if the player has left and the consequence is not decided yet; then the seat is in `unsettled`."""
    owed: ev.Fouled | None = None
    """A foul whose consequence is still to be carried out."""
    tokens: int = 0
    """Tokens used by model calls."""
    usd: float = 0.0
    calls: int = 0
    reserved: dict[int, tuple[int, float]] = field(default_factory=dict)
    """Reserved tokens and dollars of unsettled model calls, by call number."""

    # These fields concern this turn only.
    wait: bool = False
    acted: bool = False
    acted_at: float = 0.0
    """Time of the last action."""
    action: Plain = None
    defaulted: bool = False
    passed: bool = False
    asked_again: int = 0
    said: int = 0
    noted: int = 0
    sealed: bool = False
    """True if the seat sealed its plan after the last message to or from it."""
    seals: int = 0
    seal_wanted: bool = False
    """True once an action was refused for want of a seal."""
    limit: float | None = None
    """Time at which the turn's own time is up; after it the bank is used."""
    deadline: float | None = None
    bank_before: float = 0.0

    def move_deadline(self, seconds: float) -> None:
        """Give the seat that many more seconds in this turn."""
        if self.deadline is not None and self.limit is not None:
            self.deadline += seconds
            self.limit += seconds

    def draw_on_bank(self, at: float) -> None:
        """Take the time used beyond the turn's own time from the bank."""
        if self.limit is not None:
            self.bank = max(0.0, self.bank_before - max(0.0, at - self.limit))


@dataclass(slots=True)
class MatchState:
    """The whole state of a match; see the two rules at the top of the module."""

    game: Game
    now: float = 0.0
    count: int = 0
    status: MatchStatus = MatchStatus.UNOPENED
    terms: Terms = field(init=False)
    opened: ev.Opened = field(init=False)
    places: dict[Seat, Place] = field(default_factory=dict)
    position: Position | None = None
    stage: str = ""
    turn: int = 0
    to_act: tuple[Seat, ...] = ()
    turn_running: bool = False
    pending: set[Seat] = field(default_factory=set)
    """Seats whose action the turn still waits for."""
    unsettled: set[Seat] = field(default_factory=set)
    """Seats that left, or whose foul has a consequence still to be carried out."""
    in_favour: set[Seat] = field(default_factory=set)
    """Seats that voted for a draw of all in this turn."""
    partial: dict[tuple[Seat, ...], set[Seat]] = field(default_factory=dict)
    """Seats that voted for a partial draw in this turn, by its sharers."""
    turn_limit: float | None = None
    """Time at which the turn's own time is up for all seats to act; after it wait flags do not count."""
    forced: bool = False
    stands: bool = False
    """True if a moderator set a position in which nobody is to act; until a turn is forced or another is set."""
    removed_this_turn: bool = False
    paused_at: float = 0.0
    paused_by: str = ""
    quorum_waived: bool = False
    """True if a moderator resumed play without the missing players; until another player leaves."""
    window_until: float | None = None
    window_used: bool = False
    sealing: bool = False
    """True in a turn in which seats may seal their plans."""
    outcome: Outcome | None = None
    hidden: dict[tuple[tuple[Seat, ...], bool], int] = field(default_factory=dict)
    """Number of events that only some seats may see, by those seats and by the flag opens_later."""
    ahead: tuple[Position, Happened] | None = None
    """The next position and results of the turn that is about to end; saves computing them twice."""
    rows: dict[Seat, SeatRow] = field(default_factory=dict, compare=False, repr=False)
    """Rows of the last TableView, without those of seats that have changed since."""
    shown: TableView | None = field(default=None, compare=False, repr=False)
    """The last TableView; None if something has changed since."""

    def fold(self, event: Event) -> None:
        """Apply one event."""
        kind = type(event)
        _FOLDS[kind](self, event)
        self.now = event.at
        self.count += 1
        if kind not in _PRIVATE:
            self.shown = None
        elif (privy := event.privy()) is not None:
            key = (privy, event.opens_later)
            self.hidden[key] = self.hidden.get(key, 0) + 1

    # Queries

    def view(self) -> TableView:
        """Return the state as omniscient viewers see it; rows of unchanged seats are reused."""
        if self.shown is None:
            rows, seats, voted = self.rows, [], False
            for seat, place in self.places.items():
                if (row := rows.get(seat)) is None:
                    row = rows[seat] = self._row(place)
                voted = voted or row.ballot is not _NEUTRAL
                seats.append(row)
            running, paused = self.turn_running, self.status is _PAUSED
            self.shown = TableView(
                self.status,
                self.turn,
                self.stage,
                self.to_act if running else (),
                self.window_until if running else None,
                running and self.terms.press.mode is _WINDOW and self._window_due(),
                self.paused_at if paused else None,
                self.paused_by if paused else "",
                len(self.in_favour),
                self.outcome,
                self.position,
                tuple(seats),
                voted,
                self.sealing and running,
            )
        return self.shown

    def _row(self, place: Place) -> SeatRow:
        return SeatRow(
            place.seat,
            place.name,
            place.player_type,
            place.present,
            place.removed,
            place.acted and place.seat in self.to_act,
            place.wait,
            place.comm_status,
            _NEUTRAL if place.vote_lapses else place.ballot,
            place.deadline if self.turn_running else None,
        )

    def _window_due(self) -> bool:
        return not self.window_used and self.stage in self.terms.press.stages

    def stamp(self, now: float) -> float:
        """Return the time of an event that happens now: not before the last one.

        In a dated match each event has a microsecond of its own, which identifies it.
        """
        if self.status is _UNOPENED or self.opened.date is None:
            return now if now > self.now else self.now
        if now > self.now + 2e-6:  # nearly always; rounding cannot make it equal to the last event's time
            return round(now * 1e6) / 1e6
        if now <= self.now:  # consequences have the time of their cause
            return (round(self.now * 1e6) + 1) / 1e6
        return max(round(now * 1e6), round(self.now * 1e6) + 1) / 1e6

    @property
    def playing(self) -> bool:
        """Return True if play has begun and not ended."""
        return self.status is _RUNNING or self.status is _PAUSED

    @property
    def seats_stay(self) -> bool:
        """Return True if vacant seats stay in the match."""
        return self.terms.vacancy is not _LEFT_OUT

    def visible(self, viewer: Viewer) -> int:
        """Return the number of events so far that a viewer may see."""
        hidden = viewer.withheld[viewer.hindsight] if viewer.withheld else 0
        for (privy, opens_later), number in self.hidden.items():
            if not (viewer.shares(privy) or (opens_later and viewer.hindsight)):
                hidden += number
        return self.count - hidden

    def alive(self) -> tuple[Seat, ...]:
        """Return the seats that are still in the game and not removed."""
        if self.position is None:
            return ()
        places = self.places
        # A list, because a generator takes twice as long, and this function is called for every message.
        return tuple([seat for seat in self.position.alive() if not places[seat].removed])

    def present(self) -> tuple[Seat, ...]:
        """Return the seats that are in the game and have a player."""
        return tuple(seat for seat in self.alive() if self.places[seat].present)

    def anyone_present(self) -> bool:
        """Return True if any seat in the game has a player."""
        if self.position is not None:
            for seat in self.position.alive():
                if self.places[seat].present:
                    return True
        return False

    def waits_for(self, place: Place) -> bool:
        """Return True if a turn waits for that seat: it has a player, or the terms await orders for vacant seats."""
        return place.present or (self.terms.vacancy is _AWAITED and not place.removed)

    def renew_flag(self, place: Place) -> None:
        """Reset the wait flag of a seat whose player has changed, if turns wait for vacant seats too."""
        if self.terms.vacancy is _AWAITED:
            up, vacant_up = self.flags_at_first()
            place.wait = up or (vacant_up and not place.present)

    def flags_at_first(self) -> tuple[bool, bool]:
        """Return True if wait flags are up at the beginning of this turn, of all seats and of vacant ones."""
        terms = self.terms
        return terms.wait_flags_up or (bool(terms.idle_turns_last) and not self.to_act), terms.vacant_flags_up

    def standings(self) -> dict[str, Standing | None]:
        """Return the removed seats and the standing by which each is reported."""
        return {seat: place.standing for seat, place in self.places.items() if place.removed}

    # Steps that several folds share

    def settle(self, place: Place) -> None:
        """Clear the pending consequences of this seat."""
        place.left, place.owed = False, None
        self.unsettled.discard(place.seat)

    def end_turn(self) -> None:
        """End the turn: nobody is to act, and no deadline counts."""
        self.turn_running = False
        self.pending.clear()
        self.rows.clear()

    def move_deadlines(self, seconds: float) -> None:
        """Move all deadlines of this turn, and the end of the press window, by that many seconds."""
        if self.turn_limit is not None:
            self.turn_limit += seconds
        if self.window_until is not None:
            self.window_until += seconds
        for place in self.places.values():
            place.move_deadline(seconds)
        self.rows.clear()

    def set_deadlines(self, deadlines: dict[str, float]) -> None:
        """Set the deadline of each seat in the running turn; the last part of the time is the seat's bank."""
        self.turn_limit = None
        for seat in self.to_act:
            place = self.places[seat]
            place.limit = place.deadline = None
            if seat in deadlines:
                place.deadline, place.bank_before = deadlines[seat], place.bank
                place.limit = place.deadline - place.bank
                self.turn_limit = max(place.limit, self.turn_limit or place.limit)
        if not self.to_act and deadlines:  # no seat is to act, so nobody can be late
            self.turn_limit = max(deadlines.values())


_Fold = TypeVar("_Fold", bound=Callable[[MatchState, Any], None])
_FOLDS: dict[type[Any], Callable[[MatchState, Any], None]] = {}


def folds(kind: type[Any]) -> Callable[[_Fold], _Fold]:
    """Register the function that applies events of that kind to a state."""

    def register(fold: _Fold) -> _Fold:
        assert kind not in _FOLDS
        _FOLDS[kind] = fold
        return fold

    return register
