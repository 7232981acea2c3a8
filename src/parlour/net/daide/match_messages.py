"""Messages to a DAIDE client about its match: news, reminders, and the answers to its queries.

The results of turns are in server_messages.py, press is in mail.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Outcome, Seat
from parlour.core.intents import CommStatus
from parlour.core.player import ObservedEvent
from parlour.core.text import printable
from parlour.errors import ParlourError
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.position import Position
from parlour.net.daide import client_messages as cm
from parlour.net.daide import mail
from parlour.net.daide import server_messages as sm
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.free_orders import FreeOrdersOfTurn
from parlour.net.daide.ordering import OrderBook
from parlour.net.daide.server_messages import ServerMessage, confirmed, group, rejected
from parlour.net.daide.tokens import Token, letters
from parlour.press.language.message_types import Unit

MOST_REMINDERS = 16
MAX_ADMIN = 20
"""Maximum number of admin messages of one client per turn."""


class Reminders:
    """The reminders of one client, set again whenever the deadline changes."""

    def __init__(self, at: Attendance, push: Callable[[ServerMessage], None]) -> None:
        self._at, self._push = at, push
        self._timers: dict[int, asyncio.TimerHandle | None] = {}

    def answer(self, message: cm.Reminding, tokens: Sequence[Token]) -> ServerMessage:
        """Set a reminder, or cancel one or all; return the answer."""
        if not message.on and message.seconds is None:
            self.stop()
            self._timers.clear()
            return confirmed(tokens)
        assert message.seconds is not None
        if not message.on:
            if message.seconds not in self._timers:
                return rejected(tokens)
            self._cancel(message.seconds)
            del self._timers[message.seconds]
            return confirmed(tokens)
        if not 0 <= message.seconds <= self._at.options.longest or len(self._timers) >= MOST_REMINDERS:
            return rejected(tokens)
        self._cancel(message.seconds)
        self._timers[message.seconds] = self._ring(message.seconds)
        return confirmed(tokens)

    def wind(self) -> None:
        """Set all timers again, because the deadline may have changed."""
        for seconds in self._timers:
            self._cancel(seconds)
            self._timers[seconds] = self._ring(seconds)

    def stop(self) -> None:
        """Cancel all reminders."""
        for seconds in self._timers:
            self._cancel(seconds)

    def _cancel(self, seconds: int) -> None:
        timer = self._timers.get(seconds)
        if timer is not None:
            timer.cancel()

    def _ring(self, seconds: int) -> asyncio.TimerHandle | None:
        """Return the timer for this turn's deadline; None if there is none, or it is too near."""
        talk = self._at.talk
        left = talk.time_left(self._at.now()) if talk.view.paused_at is None else None
        if left is None or left <= seconds:
            return None
        return asyncio.get_running_loop().call_later(left - seconds, self._push, ["TME", *group(seconds)])


class MatchNews:
    """The messages about a match for one of its clients, whose orders and reminders are kept here."""

    def __init__(
        self, at: Attendance, push: Callable[[ServerMessage], None], failed: Callable[[Exception], None]
    ) -> None:
        self.at, self.orders, self.reminders = at, OrderBook(at, push, failed), Reminders(at, push)
        self.greeted = False
        """True once the client has been sent HLO."""
        self._announced = 0
        """Number of admin messages of the client that were passed on in this turn."""

    def about(self, event: ev.Event, begun: bool) -> list[ServerMessage]:
        """Return the messages about an event; `begun` is True if the match had started before it."""
        at = self.at
        match event:
            case ev.TurnBegan(turn=1) if at.talk.waits_at_first:
                began = self._turn_began()
                return [] if at.talk.lacks_players else [*self._greet(), *began]
            case ev.Resumed() if at.talk.waits_at_first and not self.greeted:
                return [*self._greet(), *self._time_changed(event)]
            case ev.TurnBegan():
                return self._turn_began()
            case ev.Paused() | ev.Resumed() | ev.Extended() | ev.Stalled():
                return self._time_changed(event)
        return told(at, event, begun)

    def so_far(self) -> list[ServerMessage]:
        """Return the first messages for an observer of a match that has begun; nothing while it waits for players."""
        at = self.at
        if at.position is None or (at.talk.waits_at_first and at.talk.lacks_players):
            return []
        left = at.seconds_left()
        return self._greet() if left is None else [*self._greet(), ["TME", *group(left)]]

    async def answers(self, message: cm.Asking) -> list[ServerMessage]:
        """Return the answer to a query as messages; empty if there is none."""
        at = self.at
        match message.what:
            case "HLO" if at.position is not None:
                return [hello(at)]
            case "ORD":
                return [*at.talk.last_orders]
            case "MIS" if at.playing:
                return [self.orders.missing()]
            case "TME" if (left := at.seconds_left()) is not None:
                return [["TME", *group(left)]]
            case "SMR" if at.talk.view.outcome is not None and at.talk.view.outcome.places and at.position is not None:
                winner = sm.solo(at.position)
                return [*([["SLO", *group(winner)]] if winner else []), *_ending(at, at.talk.view.outcome)]
            case "HST" if message.turn:
                return await _history(at, sm.phase_of_turn(*message.turn))
        return about_board(message.what, at.board, at.position, at.talk.doomed)

    def remind(self, message: cm.Reminding, tokens: Sequence[Token]) -> ServerMessage:
        """Set or cancel reminders until the match is over; return the answer."""
        return rejected(tokens) if self.at.talk.over else self.reminders.answer(message, tokens)

    async def announce(self, message: cm.Announcing) -> bool:
        """Send an admin message to everybody, the sender too, if the match allows it; return True if it was sent."""
        at, text = self.at, printable(message.text, cm.MAX_TEXT)
        if not at.options.adm or not text or self._announced >= MAX_ADMIN:
            return False
        self._announced += 1
        by = f"{at.power or 'UNO'}:{printable(message.name, cm.MAX_NAME)}"
        (answer,) = await at.reception.hall.submit(at.match, it.Announce(by, text))
        return answer.refusal is None

    def _greet(self) -> list[ServerMessage]:
        assert self.at.position is not None
        self.greeted = True
        return greeting(self.at, self.at.position)

    def _turn_began(self) -> list[ServerMessage]:
        at = self.at
        self.orders.begin_turn()
        self.reminders.wind()
        self._announced = 0
        # Press bots must be ready before a window opens or, in a match with a quorum, before others begin to talk.
        talks = at.talk.view.window_due or (
            at.talk.waits_at_first and at.position is not None and at.position.stage == "orders"
        )
        if talks and at.acts and at.seat is not None and at.options.level:
            asyncio.get_running_loop().call_soon(self._be_ready, at.seat)
        left = at.seconds_left()
        return [] if left is None else [["TME", *group(left)]]

    def _be_ready(self, seat: Seat) -> None:
        """Announce readiness to talk for the client, whose protocol has no message for it."""
        with suppress(ParlourError):
            self.at.session.submit(self.at.match, it.SetCommStatus(seat, CommStatus.READY))

    def _time_changed(self, event: ev.Event) -> list[ServerMessage]:
        """Return TME after a change of the clocks; NOT ( TME ) with the time left if they have stopped."""
        at = self.at
        self.reminders.wind()
        left = at.seconds_left()
        early = at.talk.waits_at_first and not self.greeted  # clients do not expect messages before HLO
        if left is None or early or isinstance(event, ev.Stalled):
            return []
        tokens: ServerMessage = ["TME", *group(left)]
        return [["NOT", *group(tokens)] if isinstance(event, ev.Paused) else tokens]


def told(at: Attendance, event: ev.Event, begun: bool) -> list[ServerMessage]:
    """Return the messages about an event; `begun` is True if the match had started before it."""
    position = at.position
    match event:
        case ev.Said():
            return mail.heard(at, event)
        case ev.Started() if position is not None:
            # A client that receives the position assumes that all players are present.
            return [] if at.talk.waits_at_first else greeting(at, position)
        case ev.PositionSet() if position is not None:
            return [sm.supply(position), sm.now(position)]
        case ev.Left() if begun:
            return [["CCD", *group(at.lexicon.seats[event.seat])]]
        case ev.Joined() if begun and event.seat != at.seat:
            return [["NOT", *group("CCD", group(at.lexicon.seats[event.seat]))]]
        case ev.Proclaimed():
            return [_announcement(event)]
        case ev.Ended() if position is not None and event.outcome.places:
            return [*_ending(at, event.outcome), ["OFF"]]
        case ev.Ended():
            return [["OFF"]]
    return []


def _ending(at: Attendance, outcome: Outcome) -> list[ServerMessage]:
    return at.talk.ending(outcome, at.lexicon, at.reception.versions(at.match), at.options.pda)


def greeting(at: Attendance, position: Position) -> list[ServerMessage]:
    """Return the first messages of a match: HLO, SCO and NOW."""
    return [hello(at), sm.supply(position), sm.now(position, at.talk.doomed)]


def _announcement(event: ev.Proclaimed) -> ServerMessage:
    """Return ADM with the name that a client gave, or with the recorded name of any other sender."""
    power, colon, name = event.by.partition(":")
    by = name if colon and len(power) == 3 and power.isupper() else event.by
    return ["ADM", *group(letters(by)), *group(letters(event.text))]


# Queries: MAP, MDF, HLO, SCO, NOW, ORD, MIS, TME, HST


def map_name(board: Map) -> ServerMessage:
    """Return MAP."""
    return ["MAP", *group(letters(board.name))]


def about_board(what: str, board: Map, position: Position | None, doomed: tuple[Unit, ...] = ()) -> list[ServerMessage]:
    """Return MAP, MDF, SCO or NOW, before the start with the first position; nothing for any other query."""
    match what:
        case "MAP":
            return [map_name(board)]
        case "MDF":
            return [sm.map_definition(board)]
        case "SCO":
            return [sm.supply(position or Position.start(board))]
        case "NOW":
            return [sm.now(position or Position.start(board), doomed)]
    return []


def hello(at: Attendance) -> ServerMessage:
    """Return HLO: the client's power, the passcode with which it can return, and the options of the match."""
    options = at.options.tokens()
    if at.seat is None:
        return ["HLO", *group("UNO"), *group(0), *options]
    return ["HLO", *group(at.power), *group(at.reception.passcode(at.match, at.seat)), *options]


async def _history(at: Attendance, phase: str) -> list[ServerMessage]:
    """Return the orders of a turn, then the owners and the position after it."""
    found = partial(_turn_of, phase=phase, free=at.free_orders(phase))
    return await at.placement.session.go_through(at.match, at.asker, found)


def _turn_of(past: Sequence[ObservedEvent], phase: str, free: FreeOrdersOfTurn) -> list[ServerMessage]:
    """Return the messages of a turn; it is slow, because earlier turns are played again."""
    doomed: tuple[Unit, ...] = ()
    for told in past:
        position = told.view.position
        if isinstance(told.event, ev.TurnEnded) and isinstance(position, Position) and position.turn is not None:
            turn, doomed_before, doomed = position.turn, doomed, sm.doomed_by(position.turn)
            if turn.before.phase == phase:
                ordered = sm.reports(turn, doomed_before, free)
                return [*ordered, sm.supply(position), sm.now(position, doomed)]
        elif isinstance(told.event, ev.PositionSet):
            doomed = ()
    return []
