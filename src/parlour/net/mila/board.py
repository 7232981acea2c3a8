"""What all may know of a match now: who plays what since when, who has ordered, who waits, and how far it has come.

A fold over events as any viewer sees them. What only some may see is kept apart, in sights.py.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Outcome, Seat
from parlour.core.intents import CommStatus, PlayerType
from parlour.core.terms import Terms, Vacancy
from parlour.games.diplomacy import codes as k
from parlour.games.diplomacy import state as s
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.position import Position
from parlour.net.mila.chronicle import (
    OVER,
    Chronicle,
    PhaseParts,
    WrittenState,
    parts_of_end,
    parts_of_turn,
    winners_of,
)
from parlour.net.mila.values import DUMMY, GameStatus


@dataclass(slots=True)
class PowerPlace:
    """What all may know of one power."""

    name: str
    since: int
    """Since when who controls it does, in microseconds."""
    controller: str = DUMMY
    """Who controls it; dummy if nobody does."""
    controllers: dict[int, str] = field(init=False)
    """Who controlled it since when; the last is the present one."""
    player_type: PlayerType = PlayerType.HUMAN
    comm_status: CommStatus = CommStatus.INACTIVE
    wait: bool = True
    acted: bool = False
    retracted: int = 0
    """When orders of this phase were last taken back, in microseconds."""

    def __post_init__(self) -> None:
        self.controllers = {self.since: self.controller}

    @property
    def is_controlled(self) -> bool:
        """Whether somebody does."""
        return self.controller != DUMMY

    def take(self, controller: str, at: int) -> None:
        """Another controls it from now on."""
        if controller != self.controller:
            self.controller, self.since = controller, max(at, self.since + 1)
            self.controllers[self.since] = controller


class OrderMark(NamedTuple):
    """An event with which another phase began."""

    closed: str
    """The phase that was over with it; empty if it was not played to its end."""
    cut: list[str]
    """Phases that are played again."""
    phase: str
    """The phase after it."""


_COMPLETED = GameStatus.COMPLETED  # to look a member up takes longer than to compare it
LEAVES_POSITION = frozenset((ev.Acted, ev.WaitSet, ev.Said))
"""The most frequent events, after which the board stands as before."""
MARKS = frozenset((ev.TurnEnded, ev.PositionSet, ev.Ended))
"""Events with which another phase may begin."""


class BoardState:
    """The public side of one match. Made from its first event, then fed with each that follows."""

    def __init__(self, opened: ev.Opened) -> None:
        self.opened = opened
        self.terms: Terms = opened.terms
        self.chronicle = Chronicle()
        self.created = self.micros(opened)
        seats = GAME.seats(opened.config)
        self.places = {str(seat): PowerPlace(seat, self.created) for seat in seats}
        self.others = {name: self.places.keys() - {name} for name in self.places}
        """The other powers of each."""
        self.position: Position = GAME.start(opened.config, seats, opened.seed)
        """Where it stands; before the start, where it will begin."""
        self.running = False
        """Whether play has begun and not ended."""
        self.paused_by: str | None = None
        """Who paused it, empty if it waits for players; None while it goes on."""
        self.met_once = False
        """Whether it has ever gone on after the start, so that a pause is one and no waiting to begin."""
        self.turn = 0
        self.to_act: tuple[Seat, ...] = ()
        self.deadlines: dict[str, float] = {}
        self.in_favour = 0
        self.outcome: Outcome | None = None
        self.status = GameStatus.FORMING
        """How far it has come, in the protocol's words."""
        self._latest = opened.at
        """When it was that something happened last, on the match's clock."""
        self.unattended: list[str] = []
        """The phases that have just passed by themselves, for nobody had anything to order in them."""
        self.is_fresh = False
        """Whether the turn that runs follows one that was played, and not a position that was set."""
        self._played = False
        self.marks: dict[int, OrderMark] = {}
        """The events with which another phase began, by their numbers."""
        self._mark_numbers: list[int] = []
        self._first_phase = self.position.phase
        self._written = WrittenState(self.position.board)
        self._state_json: tuple[Position, bytes] | None = None
        self.replaced = 0
        """When a moderator last set the position, in microseconds."""

    def micros(self, event: Event) -> int:
        """When an event happened, in microseconds."""
        return self._micros(event.at)

    def _micros(self, at: float) -> int:
        opened = self.opened
        return round(((opened.at if opened.date is None else opened.date) + at - opened.at) * 1e6)

    @property
    def latest(self) -> int:
        """When something happened last, in microseconds."""
        return self._micros(self._latest)

    @property
    def phase(self) -> str:
        """The phase: S1901M."""
        return OVER if self.status is _COMPLETED else self.position.phase

    @property
    def controlled(self) -> int:
        """How many powers have a player."""
        return sum(place.is_controlled for place in self.places.values())

    @property
    def voters(self) -> int:
        """How many have a vote on a draw: the powers that have a player and are still in the game."""
        return sum(self.places[str(seat)].is_controlled for seat in self.position.alive())

    @property
    def result(self) -> list[str]:
        """When it ended and who won: the last phase, or the winter in which a solo counts; empty while it goes on."""
        if self.status is not GameStatus.COMPLETED or self.outcome is None:
            return []
        last = next(reversed(self.chronicle.names), self.phase)
        if self.position.solo:
            last = s.PHASES[self.position.state[k.SEASON]].format(self.position.year)
        return [last, *winners_of(self.position, self.outcome)]

    @property
    def state_json(self) -> bytes:
        """The state of the board as JSON; made once for all who are told of it."""
        if self._state_json is None or self._state_json[0] is not self.position:
            outcome = self.outcome if self.outcome is not None else self.position.outcome()
            state = (
                self._written.at(self.position, self.latest)
                if outcome is None
                else self._written.over(self.position, self.latest, outcome)
            )
            self._state_json = self.position, state
        return self._state_json[1]

    def waits(self, name: str) -> bool:
        """Whether a power holds the phase up; one that has nothing to order never does."""
        return self.places[name].wait and (not self.to_act or Seat(name) in self.to_act)

    def flag_at_first(self, place: PowerPlace) -> bool:
        """Whether a power's flag is up when a turn begins in which it is to act."""
        return self.terms.wait_flags_up or (self.terms.vacant_flags_up and not place.is_controlled)

    def _renew_flag(self, place: PowerPlace) -> None:
        """What a flag said counts no longer when a power changes hands for which all wait whoever has it."""
        if self.terms.vacancy is Vacancy.AWAITED:
            place.wait = self.flag_at_first(place)

    def order_is_set(self, name: str) -> int:
        """2 if a power has given orders, 1 if it has none to give, 0 otherwise."""
        if self.places[name].acted:
            return 2
        return 1 if self.to_act and Seat(name) not in self.to_act else 0

    def is_bot(self, role: str) -> bool:
        """Whether a program plays a power that said so, which only clients of the fork can."""
        return role in self.places and self.places[role].player_type is not PlayerType.HUMAN

    def phase_before(self, number: int) -> str:
        """In which phase the event of that number happened."""
        numbers = self._mark_numbers
        at = len(numbers) if not numbers or number > numbers[-1] else bisect_left(numbers, number)
        return self.marks[self._mark_numbers[at - 1]].phase if at else self._first_phase

    def take(self, event: Event, position: Position | None, number: int) -> PhaseParts | None:
        """Take in an event, its number and the position after it; gives the phase that is over with it, if one is."""
        if isinstance(event, (ev.Acted, ev.WaitSet)):
            self.take_quietly(event)
            return None
        self._latest, at = event.at, self.micros(event)
        match event:
            case ev.Said():
                return None
            case ev.Retracted(seat=seat):
                self.places[seat].acted, self.places[seat].retracted = False, at
            case ev.CommStatusSet(seat=seat, status=status):
                self.places[seat].comm_status = status
            case ev.Voted(in_favour=int(count), among=()):
                self.in_favour = count
            case ev.TurnBegan():
                self._begin(event)
            case ev.Joined(seat=seat, name=name, player_type=player_type):
                place = self.places[seat]
                place.take(name, at)
                self._renew_flag(place)
                place.player_type, place.comm_status = player_type, CommStatus.INACTIVE
            case ev.Left(seat=seat) | ev.Removed(seat=seat):
                self.places[seat].take(DUMMY, at)
                self._renew_flag(self.places[seat])
                self.places[seat].comm_status = CommStatus.INACTIVE
            case ev.Started():
                self.running = True
            case ev.Paused(by=by):
                self.paused_by = by
            case ev.Resumed():
                self.paused_by = None
            case _:
                return self._turn_over(event, position, at, number)
        if position is not None:
            self.position = position
        if self.turn > 1 or not isinstance(event, ev.Started | ev.TurnBegan):  # with which it may be paused at once
            self.met_once = self.met_once or (self.running and self.paused_by is None)
        self.status = self._status()
        return None

    def take_quietly(self, event: ev.Acted | ev.WaitSet) -> None:
        """The same for the most frequent events by far, with which neither a phase nor the status changes."""
        self._latest = event.at
        if isinstance(event, ev.Acted):
            self.places[event.seat].acted = True
        else:
            self.places[event.seat].wait = event.wait

    def _status(self) -> GameStatus:
        if self.outcome is not None:
            return GameStatus.COMPLETED if self.outcome.places else GameStatus.CANCELED
        if not self.running or self.paused_by == "" or (self.paused_by is not None and not self.met_once):
            return GameStatus.FORMING
        return GameStatus.ACTIVE if self.paused_by is None else GameStatus.PAUSED

    def _begin(self, event: ev.TurnBegan) -> None:
        self.turn, self.to_act, self.deadlines = event.turn, event.to_act, event.deadlines
        self.in_favour = 0
        self.is_fresh, self._played = self._played, False
        for name, place in self.places.items():
            place.acted, place.retracted = False, 0
            place.wait = Seat(name) in event.to_act and self.flag_at_first(place)

    def _turn_over(self, event: Event, position: Position | None, at: int, number: int) -> PhaseParts | None:
        """What ends a turn, or sets another position."""
        parts, cut = None, list[str]()
        match event:
            case ev.TurnEnded(defaulted=defaulted) if position is not None and position.turn is not None:
                parts, self._played = parts_of_turn(position.turn, self._written, at, defaulted), True
                self.unattended = [] if self.to_act else [*self.unattended, parts.name]
                for place in self.places.values():
                    place.comm_status = CommStatus.BUSY
            case ev.PositionSet() if position is not None:
                cut = self.chronicle.cut(position.phase)
                self.replaced = at
            case ev.Ended(outcome=outcome):
                if outcome.places and not self.position.over:
                    parts = parts_of_end(self.position, self._written, at)
                self.running, self.outcome, self._state_json = False, outcome, None
                self.status = self._status()
        if parts is not None:
            self.chronicle.add(parts, at)
            self.in_favour = 0
        if position is not None:
            self.position = position
        if type(event) in MARKS:
            self._mark_numbers.append(number)
            self.marks[number] = OrderMark(parts.name if parts is not None else "", cut, self.phase)
        return parts
