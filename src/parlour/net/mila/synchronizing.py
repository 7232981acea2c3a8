"""Synchronisation: the events that a client missed while it was disconnected, and the roles that it lost.

A client of the package waits until each of its games is synchronised, and for ever if one is refused: then all its
games on that connection are lost. So only strangers are refused, and a client that lost a game is notified of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from parlour.core.game import Plain
from parlour.net.framing.json_stream import encoded_in_parts
from parlour.net.mila import notices as nt
from parlour.net.mila import protocol_values as w
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.asking import Call, answers
from parlour.net.mila.chronicle import Chronicle
from parlour.net.mila.faults import (
    GameIdException,
    GameObserverException,
    GamePlayerException,
    GameRegistrationPasswordException,
    GameTokenException,
    ResponseException,
)
from parlour.net.mila.kernel.telling import frames_for
from parlour.net.mila.match_status import BoardState
from parlour.net.mila.notices import Listening, Notice, notice, waiting_for
from parlour.net.mila.protocol_values import GamePhase, GameStatus, PhaseKind
from parlour.net.mila.role_state import Sight

NOT_THEIRS = (GameIdException, GameObserverException, GameRegistrationPasswordException)
"""Errors that mean that the client has lost the game."""
MOST_AT_ONCE = 1000
"""Number of messages above which a client's notifications are made off the loop."""
MOST_TOGETHER = 500
"""Maximum number of notifications that are made at once."""
SLACK = 1_000_000
"""Microseconds by which a client may be ahead of the last event."""


@answers(rq.Synchronize)
async def synchronize(call: Call, request: rq.Synchronize) -> rs.Response:
    """Send the caller, and nobody else, the missed events; return the state of the game.

    Missed phases are sent as if they were processed now: after a phase update clients would drop the past.
    """
    if call.door.socket_of(request.token) is not call.socket:
        raise ResponseException("The token is in use on another connection.")
    try:
        plays = await _require_role(call)
    except NOT_THEIRS:
        _tell_once(call, notice("game_deleted"))
        return _summary(call, request.phase, request.timestamp, request.timestamp)
    if not plays:
        return await _lost(call)
    room, sight = await call.door.enter(call, request.game_id, request.game_role)
    if (listening := call.door.listening(call)) is not None:
        found = missed(room.state, sight, request.timestamp)
        if sight.weight <= MOST_AT_ONCE:
            room.tell_one(listening, *found)
        else:
            room.flush()  # what comes next is held back until this request is answered, so it follows
            fill = call.socket.keep_place(room.match)
            frames = await call.door.hall.pool.run(call.asker, partial(_framed, found, listening))
            if call.door.listening(call) is not None:  # the right may have been lost meanwhile
                fill(frames)
    return _stands(call, room.state)


def _framed(found: Iterator[Notice], listening: Listening) -> bytes:
    """Return notifications as frames; they are made in parts, because nothing else runs during one."""
    frames = []
    while part := [*islice(found, MOST_TOGETHER)]:
        frames.append(frames_for(waiting_for(part), listening.prefix, listening.role, listening.knows_fork))
    return b"".join(frames)


async def _require_role(call: Call) -> bool:
    """Return True if a player still has the role; raise for a watcher who has lost it."""
    request, host = call.request, call.door.host
    role = request.game_role
    await host.heads.find(request.game_id)
    joined = call.door.was_let_in(request.token, request.game_id, role)
    former = host.ids.former(request.game_id)
    if not joined and any(call.door.was_let_in(request.token, gone, role) for gone in former):
        raise GameIdException  # the client means the deleted game that had this id
    if not joined and request.token in call.door.newcomers:  # older tokens may have joined before a restart
        if role in w.SPECIAL_ROLES:
            raise GameTokenException
        if role not in await host.seats(call.session, request.game_id):
            raise ResponseException(f"{call.name} does not control {role:.40}.")
        raise GamePlayerException
    if role == w.OMNISCIENT and await host.level(call.session, request.game_id) == w.OBSERVER:
        raise GameObserverException
    if role == w.OBSERVER and not joined:
        await host.require_watchable(call.session, request.game_id, "")
    return role in w.SPECIAL_ROLES or role in await host.seats(call.session, request.game_id)


async def _lost(call: Call) -> rs.Response:
    """Send a player who has lost a power its new controller, and nothing else."""
    request = call.request
    async with call.door.visit(request.game_id, w.OBSERVER) as (room, _):
        place = room.state.places.get(request.game_role)
        if place is None or not call.door.was_let_in(request.token, request.game_id, request.game_role):
            raise GamePlayerException
        _tell_once(call, nt.controllers(room.state))
        return _stands(call, room.state)


def _tell_once(call: Call, found: Notice) -> None:
    """Send the caller a notification about a game that it does not listen to."""
    request, role = call.request, call.request.game_role
    prefix = call.door.prefix(request.token, request.game_id, role)
    send = call.socket.teller(request.game_id)
    Listening(request.token, call.session, role, False, prefix, send).tell(waiting_for([found]))


def _stands(call: Call, board: BoardState) -> rs.Response:
    return _summary(call, board.phase, board.latest_for_all, board.created)


def _summary(call: Call, phase: str, latest: int, created: int) -> rs.Response:
    return rs.GameSummary(
        request_id=call.request.request_id,
        game_id=call.shown(call.request.game_id),
        phase=phase,
        timestamp=latest,
        timestamp_created=created,
    )


def missed(board: BoardState, sight: Sight, since: int) -> Iterator[Notice]:
    """Return the notifications of events from a time until now, for a role.

    They are made when the iterator is used: later, or on another thread.
    """
    # A client ahead of the game has seen events that a restored backup lacks.
    behind = board.replaced > since or since > board.latest + SLACK
    names = [] if behind else [name for name in board.chronicle.names if board.chronicle.ended(name) > since]
    past, seen, places = board.chronicle.copied(), sight.copied(), list(board.places)
    running, present = nt.current_phase(board, sight), [*_as_it_is(board, sight, since)]

    def found() -> Iterator[Notice]:
        if behind:
            yield notice("game_phase_update", phase_data=_in_parts(running), phase_data_type=PhaseKind.STATE)
        for at, name in enumerate(names, 1):
            for message in seen.heard(name, since):
                yield notice("game_message_received", message=message)
            before = nt.phase_of(past.parts(name), *seen.past(name))
            after = _without_press(running, seen) if at == len(names) else _as_it_began(past, seen, names[at], places)
            yield notice("game_processed", previous_phase_data=before, current_phase_data=after)
        for message in seen.heard(None, since):
            yield notice("game_message_received", message=message)
        yield from present

    return found()


def _without_press(phase: GamePhase, sight: Sight) -> GamePhase:
    """Return the running phase without press of others, which is sent separately."""
    own = [message for message in sight.messages if message.sender == sight.role]
    return _in_parts(msgspec.structs.replace(phase, messages=own))


def _in_parts(phase: GamePhase) -> GamePhase:
    """Return a phase whose messages are encoded one after the other, because nothing else runs meanwhile."""
    raw: Any = msgspec.Raw
    return msgspec.structs.replace(phase, messages=raw(encoded_in_parts(phase.messages)))


def _as_it_began(past: Chronicle, sight: Sight, name: str, places: list[str]) -> GamePhase:
    """Return a past phase as it was at its beginning, without orders."""
    parts = past.parts(name)
    names = [sight.role] if sight.is_player else places
    state: Plain = msgspec.Raw(parts.state)
    return GamePhase(name=name, state=state, orders=dict.fromkeys(names), results={}, messages=[])


def _as_it_is(board: BoardState, sight: Sight, since: int) -> Iterator[Notice]:
    """Yield the notifications of the current state: status, controllers, wait flags, orders, votes and readiness."""
    yield notice("game_status_update", status=board.status)
    yield nt.controllers(board)
    for name, place in board.places.items():
        if place.retracted > since and not place.row.acted:
            yield notice("cleared_orders", name)
    yield from nt.wait_flags(board)
    for name, place in board.places.items():
        if place.row.acted and sight.is_player and name != sight.role:
            yield nt.orders_flag(name, place.orders_set)
        if name in sight.orders:
            yield notice("power_orders_update", name, orders=sight.orders[name])
        yield nt.comm_status_update(name, place.comm_status)
    if board.status is not GameStatus.COMPLETED:
        yield nt.votes(board, sight)
