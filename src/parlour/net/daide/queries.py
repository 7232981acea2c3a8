"""Queries of a DAIDE client: MAP, MDF, HLO, SCO, NOW, ORD, MIS, TME, HST."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from parlour.core import events as ev
from parlour.core.player import ObservedEvent
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.position import Position
from parlour.net.daide import client_messages as cm
from parlour.net.daide import server_messages as sm
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.free_orders import FreeOrdersOfTurn
from parlour.net.daide.ordering import OrderBook
from parlour.net.daide.server_messages import ServerMessage, group
from parlour.net.daide.tokens import letters
from parlour.press.language.message_types import Unit


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


async def answers(at: Attendance, orders: OrderBook, message: cm.Asking) -> list[ServerMessage]:
    """Return the answer to a query as messages; empty if there is none."""
    position = at.position
    match message.what:
        case "HLO" if position is not None:
            return [hello(at)]
        case "ORD":
            return [*at.talk.last_orders]
        case "MIS" if at.playing:
            return [orders.missing()]
        case "TME" if (left := at.seconds_left()) is not None:
            return [["TME", *group(left)]]
        case "HST":
            return await _history(at, sm.phase_of_turn(*message.turn))
    return about_board(message.what, at.board, position, at.talk.doomed)


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
