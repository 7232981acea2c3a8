"""Drivers: they seat players, ask them, send them events, and turn their answers into intents.

A match does not depend on its driver. This module has the code that both kinds of drivers share; each adds only how it
waits and how it calls. Events are stored before anybody receives them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, cast
from weakref import WeakKeyDictionary

import msgspec

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Action, FoulKind, Seat, View
from parlour.core.immutable import Immutable
from parlour.core.intents import (
    Ballot,
    CommStatus,
    Consultation,
    Intent,
    IntentSender,
    PlayerType,
    Refusal,
    RefusalCode,
    seal_of,
)
from parlour.core.player import LATER, ObservedEvent, Player
from parlour.core.table_view import MatchStatus, TableView
from parlour.core.text import printable
from parlour.core.viewers import Viewer, seated_on
from parlour.errors import ConfigError
from parlour.referee.callers import Crashed, Garbled, attribute, plain
from parlour.referee.history import Past, PastEvents
from parlour.referee.match import Ask, Match, Reaction
from parlour.referee.record import copied
from parlour.referee.rulings import MAX_NAME

MAX_HANDLE_BACKLOG = 1000
"""Maximum number of waiting intents of one seat handle; further intents are dropped."""
IDENTIFY_TIME = 10.0
"""Seconds for a player to identify itself, on the clock of the match."""
FAREWELL_TIME = 2.0
"""Seconds that a driver waits for the players' answers after the end."""


class CallDone(NamedTuple):
    """The result of a call of a player: an answer, or the result of on_event, identify or on_end."""

    seat: Seat
    call: str
    ask: Ask | None
    result: Any


class HandleIntent(NamedTuple):
    """An intent that came through a seat handle."""

    handle: DriverSeatHandle
    intent: Intent
    reply: Reply | None = None
    """The future of the answer if the sender waits for it."""


Arrival: TypeAlias = CallDone | HandleIntent | Intent


Reply: TypeAlias = "Future[Event | Refusal]"
CallKey: TypeAlias = tuple[Seat, str]


class PlayerWatch:
    """A player who receives events."""

    __slots__ = ("k", "on_event", "viewer")

    def __init__(self, on_event: Callable[[ObservedEvent], Any], viewer: Viewer, k: int) -> None:
        self.on_event, self.viewer = on_event, viewer
        self.k = k
        """Number of the next event in the seat's view."""


class WaitFor(NamedTuple):
    """A step of a script: wait until these calls have returned, or the seconds are over."""

    calls: tuple[CallKey, ...]
    seconds: float


Script: TypeAlias = Generator[Intent | WaitFor, Refusal | None, None]


class DriverSeatHandle(Immutable):
    """A player's access to its seat: turns the player's calls into intents. May be used from any thread."""

    _seat: Seat
    _take: Callable[[DriverSeatHandle, Intent], None]
    _await: Callable[[DriverSeatHandle, Intent], Event | Refusal]

    def __init__(
        self,
        seat: Seat,
        take: Callable[[DriverSeatHandle, Intent], None],
        answered: Callable[[DriverSeatHandle, Intent], Event | Refusal],
    ) -> None:
        self.__dict__.update(_seat=seat, _take=take, _await=answered)

    @property
    def seat(self) -> Seat:
        """Return the seat of the player."""
        return self._seat

    def say(self, text: str, to: Sequence[Seat] = ()) -> None:
        """Send press to some seats, or to all."""
        self._take(self, it.Say(self.seat, str(text), tuple(Seat(str(seat)) for seat in to)))

    def set_comm_status(self, status: CommStatus) -> None:
        """Announce readiness to talk: ready, busy or inactive."""
        self._take(self, it.SetCommStatus(self.seat, CommStatus(status)))

    def set_wait(self, wait: bool) -> None:
        """Raise or lower the wait flag."""
        self._take(self, it.SetWait(self.seat, bool(wait)))

    def vote(self, ballot: Ballot) -> None:
        """Vote on a draw."""
        self._take(self, it.Vote(self.seat, Ballot(ballot)))

    def act(self, action: Action) -> None:
        """Submit or replace the action of this turn."""
        self._take(self, it.Act(self.seat, action))

    def note(self, text: str) -> None:
        """Write a note for this seat and for viewers who see everything."""
        self._take(self, it.Note(self.seat, str(text)))

    def seal(
        self,
        action: Action = None,
        stances: Mapping[str, str] = MappingProxyType({}),
        text: str = "",
        expects: Mapping[Seat, Action] = MappingProxyType({}),
    ) -> None:
        """Seal the plan."""
        self._take(self, seal_of(self.seat, action, stances, text, expects))

    def reserve(self, tokens: int, usd: float = 0.0) -> int | Refusal:
        """Reserve tokens and dollars before a model is called. Return the number of the call, or a refusal."""
        answer = self._await(self, it.ReserveBudget(self.seat, int(tokens), float(usd)))
        return answer.call if isinstance(answer, ev.Reserved) else _refusal(answer)

    def consult(self, consultation: Consultation, call: int | None = None) -> Refusal | None:
        """Settle a reservation and record the call. Return the refusal if it was not recorded."""
        number = None if call is None else int(call)
        answer = self._await(self, it.RecordModelCall(self.seat, consultation, number))
        return None if isinstance(answer, ev.Consulted) else _refusal(answer)


class Driver:
    """The shared part of drivers: seats and calls the players of a match, but does not wait."""

    def __init__(self, match: Match, players: Mapping[Seat, Player], names: Mapping[Seat, str] | None) -> None:
        seats = match.game.seats(match.config)
        strangers = [seat for seat in players if seat not in seats]
        if strangers:
            raise ConfigError(f"players: expected the seats {', '.join(seats)}, got {strangers[0]!r}", field="players")
        self.match = match
        self.players = dict(players)
        self.asks: deque[Ask] = deque()
        self.position = match.state.position
        """The position after the last event that was sent; the match itself may be ahead."""
        self._begun = self.position is not None
        """True if play had begun before the event that is being sent."""
        self.thinking = 0
        """Number of calls that have not returned."""
        self._preliminaries: dict[CallKey, Any] = {}
        self._names = dict(names or {})
        self._handles: dict[Seat, DriverSeatHandle] = {}
        self._backlog: WeakKeyDictionary[DriverSeatHandle, int] = WeakKeyDictionary()
        """Number of waiting intents by handle."""
        self._listeners: dict[Seat, PlayerWatch] = {}
        self._deaf: dict[tuple[Seat, FoulKind], int] = {}
        """By seat and kind of foul, the last turn in which on_event failed; it counts as one foul per turn."""
        self._late: set[Seat] = set()
        """Seats whose players joined an open match, and so have not received its terms."""
        for seat, player in players.items():
            self.place(seat, player)

    def start_call(self, seat: Seat, call: str, ask: Ask | None, method: Callable[..., Any], *arguments: Any) -> None:
        """Begin a call of a player; its result arrives as CallDone. Each driver implements it."""
        raise NotImplementedError

    def arrive(self, arrival: Arrival) -> None:
        """Receive an arrival, on any thread. Each driver implements it."""
        raise NotImplementedError

    def place(self, seat: Seat, player: Player) -> DriverSeatHandle:
        """Put a player on a seat, in place of any former one, and return its handle."""
        self.players[seat] = player
        self._listeners.pop(seat, None)
        self._deaf = {known: turn for known, turn in self._deaf.items() if known[0] != seat}
        if (on_event := attribute(player, "on_event")) is not None:
            self._listeners[seat] = PlayerWatch(on_event, seated_on(seat), self.seen(seated_on(seat)))
            self.match.viewed = True
        handle = self._handles[seat] = DriverSeatHandle(seat, self._wanted, self._answered)
        self._backlog[handle] = 0
        return handle

    def displace(self, seat: Seat) -> None:
        """Remove the player of a seat from the driver."""
        self.players.pop(seat, None)
        self._listeners.pop(seat, None)
        self._handles.pop(seat, None)

    def seat_handle(self, seat: Seat) -> DriverSeatHandle:
        """Return the handle of a player's seat."""
        return self._handles[seat]

    # Scripts for the beginning and the end of a match: a driver handles each intent and waits at each WaitFor

    def sit_down(self) -> Script:
        """Identify and seat all players, then start the match, or resume it if it had started."""
        if not self.forming:
            for seat in self.players:
                self.call(seat, "on_seated", self.seat_handle(seat))
                self.catch_up(seat)
                self.call(seat, "on_start", self.match.view(seat))
            self.asks.extend(self.match.asks())
            return
        asked = self._ask("identify")
        yield WaitFor(asked, IDENTIFY_TIME)
        introduced = self._ask("on_introduced", tuple(self.players))
        yield WaitFor(introduced, IDENTIFY_TIME)
        # Players that failed are seated first and removed at once, so that the match does not start with them.
        types = {seat: _player_type(player) for seat, player in self.players.items()}
        faults = {seat: _bad_type(seat) for seat, found in types.items() if found is None}
        faults |= {report.seat: report for report in self._faults((*asked, *introduced), "identify")}
        for seat in sorted(self.players, key=lambda seat: seat not in faults):
            yield it.Join(self._name(seat), seat, types[seat] or PlayerType.NO_PRESS_BOT)
            if seat in faults:
                yield faults[seat]
        if self.forming:
            refusal = yield it.Start("driver")
            if refusal is not None:
                yield it.Cancel("driver", refusal.reason)

    def get_up(self) -> Script:
        """Send everyone the outcome, and call identify once more."""
        outcome = self.match.outcome
        assert outcome is not None
        for seat in self.players:
            self.call(seat, "on_end", msgspec.structs.replace(outcome, scores=dict(outcome.scores)))
        asked = self._ask("identify")
        yield WaitFor(asked, FAREWELL_TIME)
        yield from self._faults(asked, "end")

    def all_done(self, wanted: WaitFor) -> bool:
        """Return True if all these calls have returned."""
        return all(key in self._preliminaries for key in wanted.calls)

    def _ask(self, call: str, *arguments: Any) -> tuple[CallKey, ...]:
        """Call all players that have that method and are in the match; their results go into _preliminaries."""
        seats = [
            seat
            for seat, player in self.players.items()
            if attribute(player, call) is not None and not self.match.is_removed(seat)
        ]
        for seat in seats:
            self._preliminaries.pop((seat, call), None)
            self.call(seat, call, *arguments)
        return tuple((seat, call) for seat in seats)

    def _faults(self, asked: Iterable[CallKey], stage: str) -> Iterator[it.Report]:
        for key in asked:
            seat, call = key
            answer = self._preliminaries.get(key)
            if key not in self._preliminaries:
                yield it.Report(seat, FoulKind.LATE, f"no answer to {call} in time", stage)
            elif isinstance(answer, Crashed):
                yield it.Report(seat, answer.kind, answer.reason, stage)
            elif call == "identify" and not (isinstance(answer, dict) and isinstance(answer.get("Name"), str)):
                yield it.Report(seat, FoulKind.GARBLED, 'expected a dict with a string "Name"', stage)

    def _name(self, seat: Seat) -> str:
        identity = self._preliminaries.get((seat, "identify"))
        named = identity.get("Name") if isinstance(identity, dict) else None
        name = named if isinstance(named, str) else self._names.get(seat) or type(self.players[seat]).__name__
        return printable(name, MAX_NAME) or str(seat)

    # Input

    def _wanted(self, handle: DriverSeatHandle, intent: Intent) -> None:
        if self._backlog[handle] < MAX_HANDLE_BACKLOG:
            self._backlog[handle] += 1
            self.arrive(HandleIntent(handle, intent))

    def _answered(self, handle: DriverSeatHandle, intent: Intent) -> Event | Refusal:
        """Return the match's answer to an intent whose sender waits for it. Each driver implements it."""
        raise NotImplementedError

    def is_current(self, handle: DriverSeatHandle) -> bool:
        """Return True if the handle's player still has the seat; former players can do nothing."""
        return self._handles.get(handle.seat) is handle

    def intent_of(self, arrival: Arrival) -> Intent | None:
        """Return the intent of an arrival; None for a call that led to none, or an intent of a former player."""
        if type(arrival) is not CallDone:
            return self._from_handle(arrival) if isinstance(arrival, HandleIntent) else cast("Intent", arrival)
        self.thinking -= 1
        seat, call, ask, result = arrival
        if call == "identify" or call == "on_introduced":
            self._preliminaries[seat, call] = result
            return None
        turn = None if ask is None else ask.turn
        if type(result) is Crashed:
            known = call == "on_event" and self._is_deaf(seat, result.kind)
            return None if known else it.Report(seat, result.kind, result.reason, turn=turn)
        if type(result) is Garbled:
            return it.Report(seat, FoulKind.GARBLED, result.reason, turn=turn) if ask else None
        return None if ask is None or result is LATER else it.Act(seat, result, turn)

    def _is_deaf(self, seat: Seat, kind: FoulKind) -> bool:
        """Return True if delivering an event to the seat has already failed in this way in this turn."""
        turn = self.match.state.turn
        known = self._deaf.get((seat, kind)) == turn
        self._deaf[seat, kind] = turn
        return known

    def _from_handle(self, arrival: HandleIntent) -> Intent | None:
        self._backlog[arrival.handle] -= 1
        if not self.is_current(arrival.handle):
            return None
        intent = arrival.intent
        if isinstance(intent, it.Act):
            action = plain(intent.action)
            if isinstance(action, Garbled):
                return it.Report(intent.seat, FoulKind.GARBLED, action.reason)
            return it.Act(intent.seat, action)
        return intent

    # Output

    def deliver(self, reaction: Reaction) -> None:
        """Send the events to the players and queue the questions; the events must have been stored before."""
        if not reaction.events:
            return
        self._begun, self.position = self.position is not None, reaction.position
        listeners = self._listeners
        for place, event in enumerate(reaction.events):
            if listeners:
                self._tell(reaction.first + place, event, reaction.views[place])
            if (call := _CALLED_FOR.get(type(event))) is not None:
                call(self, event)
        self.asks.extend(reaction.asks)

    def refuse(self, intent: Intent, refusal: Refusal) -> None:
        """Send the refusal of an intent to its player."""
        seat = getattr(intent, "seat", None)
        if seat is not None and intent.sender is IntentSender.SEAT:
            self.call(seat, "on_refused", refusal)

    def catch_up(self, seat: Seat) -> None:
        """Send a player who joins an open match the past that its seat may see."""
        if attribute(self.players.get(seat), "on_resume") is not None:
            self.call(seat, "on_resume", self._past(seat))

    def tell_past(self, seat: Seat) -> None:
        """Send a player who joins before the start the events so far: above all the terms."""
        if attribute(self.players.get(seat), "on_event") is not None:
            for observed in Past(self.match.game, self.told_record()).told(seated_on(seat)):
                if self.is_clogged(seat):  # the player receives no further calls
                    return
                self.call(seat, "on_event", observed)

    def is_clogged(self, seat: Seat) -> bool:
        """Return True if too many calls wait for a player, which then receives no further ones."""
        return False

    def _past(self, seat: Seat) -> PastEvents:
        return PastEvents(Past(self.match.game, self.told_record()), seated_on(seat))

    def told_record(self) -> list[Event]:
        """Return the part of the record in memory, without events that nobody has received."""
        return list(self.match.record)

    def seen(self, viewer: Viewer) -> int:
        """Return the number of events so far that the viewer may see."""
        return self.match.state.visible(viewer)

    def call(self, seat: Seat, method: str, *arguments: Any) -> None:
        """Call a player's method of that name, if it has one."""
        if (found := attribute(self.players.get(seat), method)) is not None:
            self.thinking += 1
            self.start_call(seat, method, None, found, *arguments)

    def ask_all(self) -> None:
        """Ask every queued seat that has yet to act in this turn."""
        state = self.match.state
        while self.asks:
            ask = self.asks.popleft()
            seat = ask.seat
            player = self.players.get(seat)
            if player is None or ask.turn != state.turn or seat not in state.pending:
                continue
            if ask.violation is not None:
                self.call(seat, "on_refused", ask.violation)
            self.thinking += 1
            self.start_call(seat, "act", ask, _act, player, self.match.view(seat, self.position))

    def _tell(self, number: int, event: Event, after: TableView) -> None:
        for seat, watch in self._listeners.items():
            if (seen := self.match.seen_by(event, watch.viewer)) is not None:
                observed = ObservedEvent(watch.k, number, copied(seen), partial(after.seen, watch.viewer))
                watch.k += 1
                self.thinking += 1
                self.start_call(seat, "on_event", None, watch.on_event, observed)

    def _acted(self, event: ev.Acted) -> None:
        for violation in event.violations:
            self.call(event.seat, "on_refused", violation)

    def _joined(self, event: ev.Joined) -> None:
        self.call(event.seat, "on_seated", self._handles.get(event.seat))
        if self._begun or event.seat in self._late:
            self.catch_up(event.seat)

    def _removed(self, event: ev.Removed) -> None:
        # A removed player has received its removal, and receives no further events.
        self._listeners.pop(event.seat, None)

    def _started(self, event: ev.Started) -> None:
        self._begun = True
        for seat in self.players:
            if seat in self.match.state.places:
                self.call(seat, "on_start", self.match.view(seat, self.position))

    @property
    def forming(self) -> bool:
        """Return True if the match still waits for players."""
        return self.match.state.status in (MatchStatus.UNOPENED, MatchStatus.FORMING)


_CALLED_FOR: dict[type[Event], Callable[[Driver, Any], None]] = {
    ev.Acted: Driver._acted,
    ev.Joined: Driver._joined,
    ev.Started: Driver._started,
    ev.Removed: Driver._removed,
}
"""Functions that make further calls besides on_event, by the type of the event that leads to the call."""


def answer_in(reaction: Reaction) -> Event | Refusal:
    """Return a reaction's answer to a reservation or a model call: its event, or the refusal."""
    if reaction.refusal is not None:
        return reaction.refusal
    wanted = (event for event in reaction.events if isinstance(event, ev.Reserved | ev.Consulted))
    return next(wanted, REFUSED)


REFUSED = Refusal(RefusalCode.NOT_SEATED, "the sender no longer has the seat")


def _refusal(answer: Event | Refusal) -> Refusal:
    return answer if isinstance(answer, Refusal) else REFUSED


def _act(player: Player, view: View) -> Any:
    """Call the player's act. It is looked up here, where exceptions are caught, because it may be missing or raise."""
    return player.act(view)


def _player_type(player: Player) -> PlayerType | None:
    """Return the type that a player declares, by default a bot without press; None for an unknown type."""
    said = attribute(player, "player_type")
    try:
        return PlayerType.NO_PRESS_BOT if said is None else PlayerType(said)
    except ValueError:
        return None


def player_type(player: Player) -> PlayerType:
    """Return the declared type of a player; NO_PRESS_BOT if it declares none or an unknown one."""
    return _player_type(player) or PlayerType.NO_PRESS_BOT


def _bad_type(seat: Seat) -> it.Report:
    reason = f"player_type: expected {', '.join(PlayerType)}"
    return it.Report(seat, FoulKind.GARBLED, reason, "identify")
