"""Messages to a DAIDE client about its match, except the results of turns."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import CommStatus
from parlour.errors import ParlourError
from parlour.games.diplomacy.position import Position
from parlour.net.daide import mail, queries
from parlour.net.daide import server_messages as sm
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.ordering import OrderBook
from parlour.net.daide.reminders import Reminders
from parlour.net.daide.server_messages import ServerMessage, group
from parlour.net.daide.tokens import letters


class MatchNews:
    """The messages about a match for one of its clients."""

    def __init__(self, at: Attendance, orders: OrderBook, reminders: Reminders) -> None:
        self._at, self._orders, self._reminders = at, orders, reminders
        self.greeted = False
        """True once the client has been sent HLO."""
        self.announced = 0
        """Number of admin messages of the client that were passed on in this turn."""

    def about(self, event: ev.Event, begun: bool) -> list[ServerMessage]:
        """Return the messages about an event; `begun` is True if the match had started before it."""
        at = self._at
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

    def _greet(self) -> list[ServerMessage]:
        assert self._at.position is not None
        self.greeted = True
        return greeting(self._at, self._at.position)

    def _turn_began(self) -> list[ServerMessage]:
        at = self._at
        self._orders.begin_turn()
        self._reminders.wind()
        self.announced = 0
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
            self._at.session.submit(self._at.match, it.SetCommStatus(seat, CommStatus.READY))

    def _time_changed(self, event: ev.Event) -> list[ServerMessage]:
        """Return TME after a change of the clocks; NOT ( TME ) with the time left if they have stopped."""
        at = self._at
        self._reminders.wind()
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
            versions = at.reception.versions(at.match)
            return [*at.talk.ending(event, at.lexicon, versions, at.options.pda), ["OFF"]]
        case ev.Ended():
            return [["OFF"]]
    return []


def greeting(at: Attendance, position: Position) -> list[ServerMessage]:
    """Return the first messages of a match: HLO, SCO and NOW."""
    return [queries.hello(at), sm.supply(position), sm.now(position)]


def _announcement(event: ev.Proclaimed) -> ServerMessage:
    """Return ADM with the name that a client gave, or with the recorded name of any other sender."""
    power, colon, name = event.by.partition(":")
    by = name if colon and len(power) == 3 and power.isupper() else event.by
    return ["ADM", *group(letters(by)), *group(letters(event.text))]
