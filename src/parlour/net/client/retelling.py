"""Translates notifications of a Diplomacy server into the events of Parlour's referee."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Plain, Seat
from parlour.core.intents import PlayerType
from parlour.core.terms import Terms
from parlour.games.diplomacy.formats.states import position_of_state
from parlour.games.diplomacy.position import Position
from parlour.net.client.local_game import LocalGame
from parlour.net.mila import notifications as n
from parlour.net.mila.protocol_values import DUMMY, GLOBAL, Message, SeatedAs
from parlour.press.language.prose import parted


def story(game: LocalGame, terms: Terms) -> list[Event]:
    """Return the events of a game so far: its players, its first position, and each finished phase."""
    at = game.timestamp_created / 1e6
    events: list[Event] = [ev.Opened(at, "diplomacy", {"map": game.map_name}, terms, 0, game.game_id)]
    for name, power in game.powers.items():
        if power.is_controlled():
            events.append(ev.Joined(at, Seat(name), power.get_controller(), _player_type(power.player_type)))
    states = [*game.state_history.values(), game.get_state()]
    phases, befores = [*game.state_history, ""], ["", *game.state_history]
    seats = tuple(Seat(name) for name in game.powers)
    for turn, (state, phase, before) in enumerate(zip(states, phases, befores, strict=True), 1):
        position = position_of_state(state, board=game.map, after=before)
        if turn == 1:
            events.append(ev.Started(at, seats, position.encode()))
        if phase:
            messages = game.message_history.get(phase, {}).values()
            ends = float(state.get("timestamp", 0)) / 1e6
            events.append(ev.TurnBegan(ends, turn, position.stage, position.to_act()))
            events += [event for message in messages for event in said(message, turn)]
            events.append(_ended(ends, turn, position, game.order_history.get(phase, {})))
    return events


def retold(notification: n.GameNotification, turn: int, position: Position | None, game: LocalGame) -> Iterator[Event]:
    """Yield the events of a notification; `position` is that of the running turn's beginning, None between turns."""
    at = game.get_latest_timestamp() / 1e6
    match notification:
        case n.GameMessageReceived(message=message):
            yield from said(message, turn)
        case n.GameProcessed(previous_phase_data=phase) if position is not None:
            yield _ended(at, turn, position, phase.orders)
        case n.PowerOrdersFlag(power_name=str(name), order_is_set=flag) if flag:
            yield ev.Acted(at, Seat(name), turn, None)
        case n.PowerWaitFlag(power_name=str(name), wait=wait) if position is not None:
            yield ev.WaitSet(at, Seat(name), wait)
        case n.PowerCommStatusUpdate(power_name=str(name), comm_status=status):
            yield ev.CommStatusSet(at, Seat(name), status)
        case n.PowersControllers(powers=powers, player_types=types):
            for name, controller in powers.items():
                if controller not in (None, DUMMY):
                    found = types.get(name, game.powers[name].player_type)
                    yield ev.Joined(at, Seat(name), controller, _player_type(found))


def said(message: Message, turn: int) -> list[ev.Said]:
    """Return press as an event. For the prose part of a message with a formal core return none: the core has it all."""
    if message.whole and message.message != parted(message.whole).core:
        return []
    to = () if message.recipient == GLOBAL else tuple(map(Seat, message.recipients or [message.recipient]))
    text = message.whole or message.message
    return [ev.Said((message.time_sent or 0) / 1e6, Seat(message.sender), to, text, turn)]


def _ended(at: float, turn: int, position: Position, orders: Mapping[str, Sequence[str] | None]) -> ev.TurnEnded:
    given = {Seat(name): list(own) for name, own in orders.items() if own is not None}
    actions: dict[str, Plain] = {str(seat): given.get(seat, []) for seat in position.to_act()}
    _, happened = position.apply({Seat(name): own for name, own in actions.items()})
    return ev.TurnEnded(at, turn, actions, happened)


def _player_type(seated_as: SeatedAs) -> PlayerType:
    return PlayerType.HUMAN if seated_as is SeatedAs.NONE else PlayerType(seated_as)
