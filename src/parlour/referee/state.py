"""Where a match stands at the table: a fold over its events, and nothing but a fold.

Rule 1: only `State.fold` changes a State, and it looks at nothing but the event and the State itself.
Rule 2: it decides nothing. What may happen next is decided in rulings.py (from an intent) and consequences.py (from
the state alone), and comes back here as an event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Consequence, Standing
from parlour.core.game import Game, Happened, Outcome, Plain, Position, Seat
from parlour.core.intents import Ballot, CommStatus, PlayerType
from parlour.core.terms import Terms
from parlour.core.viewers import Viewer
from parlour.errors import ParlourError, RecordError


class Status(StrEnum):
    """How far a match has come."""

    UNOPENED = "unopened"
    FORMING = "forming"
    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"


@dataclass(slots=True)
class Place:
    """One seat's side of the state."""

    seat: Seat
    name: str | None = None
    player_type: PlayerType = PlayerType.HUMAN
    present: bool = False
    removed: bool = False
    standing: Standing | None = None
    comm_status: CommStatus = CommStatus.INACTIVE
    ballot: Ballot = Ballot.NEUTRAL
    bank: float = 0.0
    turns: int = 0
    """Own turns so far."""
    skips: int = 0
    """Own turns in a row that were skipped for being late."""
    notes: int = 0
    """Fouls written down; bounds what a flood can add to the record."""
    left: bool = False
    """Gone, and what that costs is not decided yet; then the seat is among the unsettled."""
    owed: ev.Fouled | None = None
    """A foul whose consequence is still to be carried out."""

    # Of this turn only:
    wait: bool = False
    acted: bool = False
    action: Plain = None
    defaulted: bool = False
    passed: bool = False
    asked_again: int = 0
    said: int = 0
    limit: float | None = None
    """When the turn's own time is up; then the bank runs."""
    deadline: float | None = None
    bank_before: float = 0.0


@dataclass(slots=True)
class State:
    """A match's whole state; see the two rules above."""

    game: Game
    check_replay: bool = False
    """Whether results in the record are compared with what the rules give now."""
    now: float = 0.0
    count: int = 0
    status: Status = Status.UNOPENED
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
    """Seats that voted for a draw in this turn."""
    turn_limit: float | None = None
    """When wait flags stop counting."""
    forced: bool = False
    removed_this_turn: bool = False
    paused_at: float = 0.0
    window_until: float | None = None
    window_used: bool = False
    outcome: Outcome | None = None
    hidden: dict[tuple[tuple[Seat, ...], bool], int] = field(default_factory=dict)
    """How many events only these seats may know of, and whether that ends with the match."""
    ahead: tuple[Position, Happened] | None = None
    """What the rules gave for the turn that is about to end; saves computing it twice."""

    def fold(self, event: Event) -> None:
        """Take in one event."""
        _FOLDS[type(event)](self, event)
        self.now = event.at
        self.count += 1
        if (privy := event.privy()) is not None:
            key = (privy, event.opens_later)
            self.hidden[key] = self.hidden.get(key, 0) + 1

    def visible(self, viewer: Viewer) -> int:
        """How many of the events so far that viewer may see."""
        hidden = 0
        for (privy, opens_later), number in self.hidden.items():
            if not (viewer.shares(privy) or (opens_later and viewer.hindsight)):
                hidden += number
        return self.count - hidden

    def alive(self) -> tuple[Seat, ...]:
        """Seats that are still in the game and not removed."""
        if self.position is None:
            return ()
        return tuple(seat for seat in self.position.alive() if not self.places[seat].removed)

    def present(self) -> tuple[Seat, ...]:
        """Seats that are in the game and have a player."""
        return tuple(seat for seat in self.alive() if self.places[seat].present)

    def anyone_present(self) -> bool:
        """Whether any seat in the game has a player."""
        if self.position is not None:
            for seat in self.position.alive():
                if self.places[seat].present:
                    return True
        return False

    def standings(self) -> dict[str, Standing | None]:
        """The removed seats and how they are reported."""
        return {seat: place.standing for seat, place in self.places.items() if place.removed}

    def actions(self) -> dict[Seat, Plain]:
        """The actions submitted in this turn."""
        return {seat: self.places[seat].action for seat in self.to_act if self.places[seat].acted}

    # Folds, one per event.

    def _opened(self, event: ev.Opened) -> None:
        self.opened, self.terms = event, event.terms
        self.status = Status.FORMING
        bank = event.terms.clock.bank
        self.places = {seat: Place(seat, bank=bank) for seat in self.game.seats(event.config)}

    def _joined(self, event: ev.Joined) -> None:
        place = self.places[event.seat]
        place.name, place.player_type = event.name, event.player_type
        place.present, place.left = True, False
        place.comm_status = CommStatus.INACTIVE
        if place.owed is None:
            self.unsettled.discard(event.seat)
        if self.turn_running and event.seat in self.to_act and not (place.acted or place.passed):
            self.pending.add(event.seat)

    def _left(self, event: ev.Left) -> None:
        place = self.places[event.seat]
        place.present = False
        if self.status is Status.FORMING:
            place.name = None
        else:
            place.left = True
            self.unsettled.add(event.seat)
            self.pending.discard(event.seat)

    def _started(self, event: ev.Started) -> None:
        self.status = Status.RUNNING
        self.position = self.game.decode(event.position)
        self.places = {
            seat: self.places[seat] for seat in self.places if seat in event.seats or self.places[seat].removed
        }

    def _turn_began(self, event: ev.TurnBegan) -> None:
        if self.check_replay and self.position is not None and event.to_act != self.position.to_act():
            raise RecordError(f"the rules ask {self.position.to_act()}, the record {event.to_act}", number=self.count)
        self.turn, self.stage, self.to_act = event.turn, event.stage, event.to_act
        self.turn_running, self.forced, self.removed_this_turn = True, False, False
        self.window_until, self.window_used, self.turn_limit = None, False, None
        flags_up = self.terms.wait_flags_up
        pending = self.pending
        pending.clear()
        self.in_favour.clear()
        for place in self.places.values():
            place.ballot, place.wait, place.said = Ballot.NEUTRAL, flags_up, 0
        for seat in event.to_act:
            place = self.places[seat]
            place.acted = place.passed = place.defaulted = False
            place.action, place.asked_again = None, 0
            place.turns += 1
            place.limit = place.deadline = None
            if seat in event.deadlines:
                place.deadline, place.bank_before = event.deadlines[seat], place.bank
                place.limit = place.deadline - place.bank
                self.turn_limit = max(place.limit, self.turn_limit or place.limit)
            if place.present:
                pending.add(seat)

    def _acted(self, event: ev.Acted) -> None:
        place = self.places[event.seat]
        place.acted, place.action, place.defaulted = True, event.action, not event.given
        place.passed = False
        if event.given:
            place.skips = 0
        self._settle(place)
        self._draw_on_bank(place, event.at)
        self.pending.discard(event.seat)

    def _retracted(self, event: ev.Retracted) -> None:
        place = self.places[event.seat]
        place.acted, place.action = False, None
        if place.present:
            self.pending.add(event.seat)

    def _wait_set(self, event: ev.WaitSet) -> None:
        self.places[event.seat].wait = event.wait

    def _comm_status_set(self, event: ev.CommStatusSet) -> None:
        self.places[event.seat].comm_status = event.status

    def _said(self, event: ev.Said) -> None:
        self.places[event.seat].said += 1

    def _press_opened(self, event: ev.PressOpened) -> None:
        self.window_until, self.window_used = event.until, True

    def _press_closed(self, event: ev.PressClosed) -> None:
        self.window_until = None

    def _voted(self, event: ev.Voted) -> None:
        self.places[event.seat].ballot = event.ballot
        (self.in_favour.add if event.ballot is Ballot.YES else self.in_favour.discard)(event.seat)

    def _fouled(self, event: ev.Fouled) -> None:
        place = self.places[event.seat]
        self._settle(place)
        place.notes += 1
        match event.does:
            case Consequence.ASK_AGAIN:
                place.asked_again += 1
            case Consequence.SKIP:
                place.skips += 1
                place.passed = True
                self._draw_on_bank(place, event.at)
                self.pending.discard(event.seat)
            case Consequence.REMOVE:
                place.owed = event
                self.unsettled.add(event.seat)
            case Consequence.DEFAULT if event.seat in self.pending:
                place.owed = event
                self.unsettled.add(event.seat)
            case _:
                pass

    def _removed(self, event: ev.Removed) -> None:
        place = self.places[event.seat]
        place.removed, place.standing, place.present = True, event.standing, False
        self._settle(place)
        self.in_favour.discard(event.seat)
        self.pending.discard(event.seat)
        if self.position is not None:
            self.position = self.position.without(event.seat)
            self.removed_this_turn = True

    def _turn_ended(self, event: ev.TurnEnded) -> None:
        assert self.position is not None
        if self.check_replay:
            self._check_actions(event)
        if self.ahead is None:
            actions = {Seat(seat): action for seat, action in event.actions.items()}
            self.ahead = self.position.apply(actions)
            if self.check_replay and self.ahead[1] != event.happened:
                raise RecordError("the rules give another result than the record", number=self.count)
        self.position = self.ahead[0]
        self.ahead, self.turn_running = None, False
        self.pending.clear()
        for place in self.places.values():
            place.comm_status = CommStatus.BUSY

    def _check_actions(self, event: ev.TurnEnded) -> None:
        """What a seat is said to have done is what it submitted, unless a removal made that impossible."""
        for seat, action in self.actions().items():
            if event.actions.get(seat, action) != action or (seat not in event.actions and not self.removed_this_turn):
                raise RecordError(f"{seat} submitted another action than the turn ended with", number=self.count)

    def _position_set(self, event: ev.PositionSet) -> None:
        self.position = self.game.decode(event.position)
        for seat in self.position.alive():
            if self.places[seat].removed:
                self.position = self.position.without(seat)
        self.turn_running = False
        self.pending.clear()

    def _paused(self, event: ev.Paused) -> None:
        self.status, self.paused_at = Status.PAUSED, event.at

    def _resumed(self, event: ev.Resumed) -> None:
        self.status = Status.RUNNING
        pause = event.at - self.paused_at
        if self.turn_limit is not None:
            self.turn_limit += pause
        if self.window_until is not None:
            self.window_until += pause
        for place in self.places.values():
            if place.deadline is not None and place.limit is not None:
                place.deadline += pause
                place.limit += pause

    def _turn_forced(self, event: ev.TurnForced) -> None:
        self.forced = True
        self.pending.clear()

    def _ended(self, event: ev.Ended) -> None:
        self.status, self.outcome = Status.OVER, event.outcome
        self.turn_running = False
        self.pending.clear()

    def _settle(self, place: Place) -> None:
        place.left, place.owed = False, None
        self.unsettled.discard(place.seat)

    @staticmethod
    def _draw_on_bank(place: Place, at: float) -> None:
        if place.limit is not None:
            place.bank = max(0.0, place.bank_before - max(0.0, at - place.limit))


_FOLDS: dict[type[Any], Callable[[State, Any], None]] = {
    ev.Opened: State._opened,
    ev.Joined: State._joined,
    ev.Left: State._left,
    ev.Started: State._started,
    ev.TurnBegan: State._turn_began,
    ev.Acted: State._acted,
    ev.Retracted: State._retracted,
    ev.WaitSet: State._wait_set,
    ev.CommStatusSet: State._comm_status_set,
    ev.Said: State._said,
    ev.PressOpened: State._press_opened,
    ev.PressClosed: State._press_closed,
    ev.Voted: State._voted,
    ev.Fouled: State._fouled,
    ev.Removed: State._removed,
    ev.TurnEnded: State._turn_ended,
    ev.PositionSet: State._position_set,
    ev.Paused: State._paused,
    ev.Resumed: State._resumed,
    ev.TurnForced: State._turn_forced,
    ev.Ended: State._ended,
}


def refold(state: State, event: Event) -> None:
    """Fold an event that was stored; whatever it does not fit becomes a RecordError that names it."""
    number = state.count
    try:
        if (state.status is Status.UNOPENED) != isinstance(event, ev.Opened):
            raise RecordError("a record opens with one opened event", number=number)
        state.fold(event)
    except RecordError:
        raise
    except (ParlourError, LookupError, TypeError, ValueError, AssertionError, AttributeError) as error:
        because = f": {error}" if str(error) else ""
        kind = str(event.__struct_config__.tag)
        raise RecordError(f"{kind!r} does not follow from what came before{because}", number=number) from error
