"""What a DAIDE client asks to be told again: MAP, MDF, HLO, SCO, NOW, ORD, MIS, TME, HST."""

from __future__ import annotations

from parlour.core import events as ev
from parlour.games.diplomacy.position import Position
from parlour.net.daide import phrases as ph
from parlour.net.daide import sayings
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.ordering import OrderBook
from parlour.net.daide.sayings import Saying, group
from parlour.net.daide.tokens import letters
from parlour.press.values import Unit


def map_name(at: Attendance) -> Saying:
    """MAP."""
    return ["MAP", *group(letters(at.board.name))]


def hello(at: Attendance) -> Saying:
    """HLO: who one is, how to come back, and the options of the match."""
    options = at.options.tokens()
    if at.seat is None:
        return ["HLO", *group("UNO"), *group(0), *options]
    return ["HLO", *group(at.power), *group(at.reception.passcode(at.match, at.seat)), *options]


async def answers(at: Attendance, orders: OrderBook, phrase: ph.Asking) -> list[Saying]:
    """What was asked for, as messages; none if it is not to be had."""
    position = at.position
    match phrase.what:
        case "MAP":
            return [map_name(at)]
        case "MDF":
            return [sayings.map_definition(at.board)]
        case "SCO":
            return [sayings.supply(position or Position.start(at.board))]
        case "NOW":
            return [sayings.now(position or Position.start(at.board), at.talk.doomed)]
        case "HLO" if position is not None:
            return [hello(at)]
        case "ORD":
            return [*at.talk.last_orders]
        case "MIS" if at.playing:
            return [orders.missing()]
        case "TME" if (left := at.seconds_left()) is not None:
            return [["TME", *group(left)]]
        case "HST":
            return await _history(at, sayings.phase_of_turn(*phrase.turn))
    return []


async def _history(at: Attendance, phase: str) -> list[Saying]:
    """The orders of a turn, then who owned and what stood where after it."""
    doomed: tuple[Unit, ...] = ()
    for told in await at.placement.session.events(at.match):
        position = told.position
        if isinstance(told.event, ev.TurnEnded) and isinstance(position, Position) and position.turn is not None:
            ordered, doomed = sayings.reports(position.turn, doomed), sayings.doomed_by(position.turn)
            if position.turn.before.phase == phase:
                return [*ordered, sayings.supply(position), sayings.now(position, doomed)]
        elif isinstance(told.event, ev.PositionSet):
            doomed = ()
    return []
