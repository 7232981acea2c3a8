"""The public state of a match in the protocol's words: its players, and its progress.

The table comes from the referee. This module adds what only the protocol has: the start of each controller, the past
phases, and the times at which orders were taken back. Private state is in role_state.py.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Outcome, Plain, Seat
from parlour.core.intents import Ballot, CommStatus, PlayerType
from parlour.core.player import ObservedEvent
from parlour.core.table_view import MatchStatus, SeatRow, TableView
from parlour.core.terms import Terms
from parlour.core.viewers import OMNISCIENT as SEES_ALL
from parlour.core.viewers import Viewer
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine import state as s
from parlour.games.diplomacy.engine.state import COMPLETED as OVER
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.position import Position
from parlour.net.mila.chronicle import (
    Chronicle,
    PhaseParts,
    WrittenState,
    parts_of_end,
    parts_of_turn,
    winners_of,
)
from parlour.net.mila.protocol_values import DUMMY, GameStatus


@dataclass(slots=True)
class PowerPlace:
    """The public state of one power."""

    name: str
    since: int
    """Time at which the controller took the power, in microseconds."""
    controller: str = DUMMY
    """The power's controller; dummy if there is none."""
    controllers: dict[int, str] = field(init=False)
    """Controllers by the time of their start; the last is the present one."""
    retracted: int = 0
    """Time at which orders of this phase were last taken back, in microseconds."""
    row: SeatRow = field(init=False)
    """The row of the power in the referee's TableView."""
    orders_set: int = 2
    """1 if the last orders of the power are empty, otherwise 2."""
    vacated: bool = False
    """True from the departure of its player to the end of the turn: its comm status is then inactive."""

    def __post_init__(self) -> None:
        self.controllers, self.row = {self.since: self.controller}, SeatRow(Seat(self.name))

    @property
    def comm_status(self) -> CommStatus:
        """The comm status of the power's player; inactive once the player has left."""
        return CommStatus.INACTIVE if self.vacated else self.row.comm_status

    @property
    def is_controlled(self) -> bool:
        """True while a player controls the power."""
        return self.row.present

    def take(self, name: str | None, at: int) -> None:
        """Set the controller and its displayed name; None if nobody controls the power."""
        self.vacated, controller = name is None, DUMMY if name is None else name
        if controller != self.controller:
            self.controller, self.since = controller, max(at, self.since + 1)
            self.controllers[self.since] = controller


class OrderMark(NamedTuple):
    """An event that began another phase."""

    closed: str
    """The phase that ended with it; empty if it was not played to its end."""
    cut: list[str]
    """Phases that are played again."""
    phase: str
    """The phase after it."""


_COMPLETED = GameStatus.COMPLETED  # a global, because looking up an enum member is slow


class BoardState:
    """The public state of one match, made from its first event and updated by each that follows."""

    def __init__(self, opened: ev.Opened, shown: Callable[[str], str] = str) -> None:
        self.opened, self._shown = opened, shown
        self.terms: Terms = opened.terms
        self.chronicle = Chronicle()
        self.created = self.micros(opened)
        seats = GAME.seats(opened.config)
        self.places = {str(seat): PowerPlace(seat, self.created) for seat in seats}
        self.others = {name: self.places.keys() - {name} for name in self.places}
        """For each power, the names of all other powers."""
        self.position: Position = GAME.start(opened.config, seats, opened.seed)
        """The current position; before the start, the first one."""
        self.view = TableView(MatchStatus.FORMING)
        """The table after the last processed event."""
        self.met_once = False
        """True once the match has run after its start, so that a stop is a pause and not a wait for players."""
        self.to_act: tuple[Seat, ...] = ()
        """Seats that are to act in the running turn, or were in the last one."""
        self.status = GameStatus.FORMING
        """Status in the protocol's words."""
        self._latest = self._latest_for_all = opened.at
        """Time of the last event, on the match's clock."""
        self.unattended: list[str] = []
        """The latest phases that passed automatically, without any orders due."""
        self.is_fresh = False
        """True if the running turn follows a played turn, and not a position that was set."""
        self._played = False
        self.marks: dict[int, OrderMark] = {}
        """The events that began another phase, by number."""
        self._mark_numbers: list[int] = []
        self._first_phase = self.position.phase
        self._written = WrittenState(self.position.board)
        self._state_json: tuple[Position, bytes] | None = None
        self.replaced = 0
        """Time at which a moderator last set the position, in microseconds."""

    def micros(self, event: Event) -> int:
        """Return the time of an event, in microseconds."""
        return self._micros(event.at)

    def _micros(self, at: float) -> int:
        opened = self.opened
        return round(((opened.at if opened.date is None else opened.date) + at - opened.at) * 1e6)

    @property
    def latest(self) -> int:
        """Return the time of the last event, in microseconds."""
        return self._micros(self._latest)

    @property
    def latest_for_all(self) -> int:
        """Return the time of the last public event, in microseconds; it reveals no secret events."""
        return self._micros(self._latest_for_all)

    @property
    def phase(self) -> str:
        """The phase, such as S1901M."""
        return OVER if self.status is _COMPLETED else self.position.phase

    @property
    def running(self) -> bool:
        """True while play has begun and not ended."""
        return self.view.status in (MatchStatus.RUNNING, MatchStatus.PAUSED)

    @property
    def outcome(self) -> Outcome | None:
        """The match's outcome; None while it runs."""
        return self.view.outcome

    @property
    def voters(self) -> int:
        """Return the number of powers with a vote on a draw: those with a player that are still in the game."""
        alive = self.position.alive()
        return sum(row.present and row.seat in alive for row in self.view.seats)

    @property
    def voted(self) -> int:
        """Number of powers that have voted for or against a draw of all in this turn."""
        return sum(self.ballot(name, SEES_ALL) is not Ballot.NEUTRAL for name in self.places)

    def ballot(self, name: str, viewer: Viewer) -> Ballot:
        """Return the vote of a power on a draw of all in this turn; neutral if the viewer may not know it."""
        row = self.places[name].row
        return row.ballot if self.running and row.present and viewer.knows(row.seat) else Ballot.NEUTRAL

    @property
    def result(self) -> list[str]:
        """Return the last phase (the winter in which a solo counts) and the winners; empty before the end."""
        if self.status is not GameStatus.COMPLETED or self.outcome is None:
            return []
        last = next(reversed(self.chronicle.names), self.phase)
        if self.position.solo:
            last = s.PHASES[self.position.state[k.SEASON]].format(self.position.year)
        return [last, *winners_of(self.position, self.outcome)]

    @property
    def state_json(self) -> bytes:
        """The state of the board as JSON; written once for all who receive it."""
        if self._state_json is None or self._state_json[0] is not self.position:
            outcome = self.outcome if self.outcome is not None else self.position.outcome()
            state = (
                self._written.over(self.position, self.latest_for_all, outcome)
                if outcome is not None and outcome.places  # a cancelled game stays in its phase
                else self._written.at(self.position, self.latest_for_all)
            )
            self._state_json = self.position, state
        return self._state_json[1]

    def waits(self, name: str) -> bool:
        """Return True if a power holds up the phase; a power without orders due never does."""
        row = self.places[name].row
        if not self.view.turn:  # before the first turn the game waits for every power that nobody has taken
            return row.wait or row.name is None
        return row.wait and row.seat in self.to_act

    def flag_at_first(self, place: PowerPlace) -> bool:
        """Return True if a power's wait flag is up at the beginning of a turn in which it is to act."""
        return self.terms.wait_flags_up or (self.terms.vacant_flags_up and not place.row.present)

    def order_is_set(self, name: str) -> int:
        """Return 2 if a power has given orders, 1 if it gave an empty list or has none to give, 0 otherwise."""
        place = self.places[name]
        if place.row.acted:
            return place.orders_set
        return 1 if self.to_act and Seat(name) not in self.to_act else 0

    def is_bot(self, role: str) -> bool:
        """Return True if a power's player declared itself a bot, which only clients of the fork can."""
        return role in self.places and self.places[role].row.player_type is not PlayerType.HUMAN

    def phase_before(self, number: int) -> str:
        """Return the phase in which the event of that number happened."""
        numbers = self._mark_numbers
        at = len(numbers) if not numbers or number > numbers[-1] else bisect_left(numbers, number)
        return self.marks[self._mark_numbers[at - 1]].phase if at else self._first_phase

    def take(self, told: ObservedEvent) -> PhaseParts | None:
        """Process an event with the table after it; return the phase that ended with it, or None."""
        event, before, view = told.event, self.view, told.view
        self.view, self._latest, at = view, event.at, self.micros(event)
        if event.privy() is None:
            self._latest_for_all = event.at
        if event.routine or isinstance(event, ev.Said):
            self._take_quietly(event)
            return None
        for row in view.seats:
            self.places[row.seat].row = row
        match event:
            case ev.Retracted(seat=seat):
                self.places[seat].retracted = at
            case ev.TurnBegan():
                self._begin(view)
            case ev.Joined(seat=seat, name=name):
                self.places[seat].take(self._shown(name), at)
            case ev.Left(seat=seat) | ev.Removed(seat=seat):
                self.places[seat].take(None, at)
            case ev.TurnEnded() | ev.PositionSet() | ev.Ended():
                return self._turn_over(told, before, at)
        if isinstance(view.position, Position):
            self.position = view.position
        if view.turn > 1 or not isinstance(event, ev.Started | ev.TurnBegan):  # or a pause at the start
            self.met_once = self.met_once or view.status is MatchStatus.RUNNING
        self.status = self._status()
        return None

    def take_quietly(self, told: ObservedEvent) -> None:
        """Process one of the frequent events that change neither the phase nor the status."""
        self.view, self._latest = told.view, told.event.at
        self._latest_for_all = told.event.at
        self._take_quietly(told.event)

    def _take_quietly(self, event: Event) -> None:
        seat = getattr(event, "seat", None)
        if seat is not None and (row := self.view.seat(seat)) is not None:
            place = self.places[seat]
            place.row = row
            if isinstance(event, ev.Acted):
                place.orders_set = _order_setting(event.action)

    def _status(self) -> GameStatus:
        view = self.view
        if view.outcome is not None:
            return GameStatus.COMPLETED if view.outcome.places else GameStatus.CANCELED
        paused = view.status is MatchStatus.PAUSED
        if not self.running or (paused and (not view.paused_by or not self.met_once)):
            return GameStatus.FORMING
        return GameStatus.PAUSED if paused else GameStatus.ACTIVE

    def _begin(self, view: TableView) -> None:
        self.to_act = view.to_act
        self.is_fresh, self._played = self._played, False
        for place in self.places.values():
            place.retracted = 0

    def _turn_over(self, told: ObservedEvent, before: TableView, at: int) -> PhaseParts | None:
        """Process the end of a turn or of the match, or a position that a moderator set."""
        parts, cut, position = None, list[str](), told.view.position
        assert position is None or isinstance(position, Position)
        match told.event:
            case ev.TurnEnded(defaulted=defaulted) if position is not None and position.turn is not None:
                parts, self._played = parts_of_turn(position.turn, self._written, at, defaulted), True
                self.unattended = [] if before.to_act else [*self.unattended, parts.name]
                for place in self.places.values():
                    place.vacated = False
            case ev.PositionSet() if position is not None:
                cut = self.chronicle.cut(position.phase)
                self.replaced = at
            case ev.Ended(outcome=outcome):
                if outcome.places and not self.position.over:
                    parts = parts_of_end(self.position, self._written, at)
                self._state_json = None
                self.status = self._status()
        if parts is not None:
            self.chronicle.add(parts, at)
        if position is not None:
            self.position = position
        self._mark_numbers.append(told.number)
        self.marks[told.number] = OrderMark(parts.name if parts is not None else "", cut, self.phase)
        return parts


def _order_setting(action: Plain) -> int:
    """Return 2 for orders, 1 if none is left once waived builds are taken away; 2 if the orders are not shown."""
    if not isinstance(action, list):
        return 2
    return 2 if any(order != "WAIVE" for order in action) else 1
