"""What all who have joined may ask: a game's past, possible orders, schedule, saved form, and what one has missed."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from parlour.core.game import Plain
from parlour.errors import NotationError
from parlour.games.diplomacy.state import PHASES, read_phase
from parlour.net.mila import notices as nt
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila import values as w
from parlour.net.mila.asking import Asker, asking
from parlour.net.mila.board import BoardState
from parlour.net.mila.chronicle import PhaseParts
from parlour.net.mila.door import Call, answers
from parlour.net.mila.faults import GamePlayerException, ResponseException
from parlour.net.mila.listeners import Listening
from parlour.net.mila.notices import Notice, notice
from parlour.net.mila.possible import possible_orders
from parlour.net.mila.saving import saved_game
from parlour.net.mila.sights import Sight
from parlour.net.mila.values import GamePhase, PhaseKind, Schedule


@answers(rq.GetAllPossibleOrders)
async def get_all_possible_orders(call: Call) -> rs.Response:
    """All that can be ordered."""
    async with asking(call, observer=True) as asker:
        position = asker.board.position
        places = {name: [] for name in asker.board.places} if position.over else position.orderable()
        return rs.PossibleOrders(
            request_id=call.request.request_id, possible_orders=possible_orders(position), orderable_locations=places
        )


@answers(rq.GetPhaseHistory)
async def get_phase_history(call: Call) -> rs.Response:
    """The phases that are over, from one to another."""
    request: rq.GetPhaseHistory = call.request
    async with asking(call, observer=True) as asker:
        names = asker.board.chronicle.names
        first = _place(names, request.from_phase, 0)
        last = _place(names, request.to_phase, len(names) - 1, up_to=True)
        wanted = names[first : last + 1] if 0 <= first <= last else []
        return rs.PhasesGiven(request_id=request.request_id, data=[_past(asker, name) for name in wanted])


def _place(names: list[str], phase: str | int | None, otherwise: int, *, up_to: bool = False) -> int:
    """The place of a phase among those that are over; one that is not among them lies between its neighbours."""
    if phase is None:
        return otherwise
    if isinstance(phase, int):
        return phase if phase >= 0 else phase + len(names)
    if phase in names:
        return names.index(phase)
    earlier = sum(_order(name) < _order(phase) for name in names)
    return earlier - 1 if up_to else earlier


def _order(phase: str) -> tuple[int, int]:
    try:
        season, year = read_phase(phase)
    except NotationError:
        return (9999, len(PHASES))
    return year, season


def _past(asker: Asker, name: str) -> GamePhase:
    return nt.phase_of(asker.board.chronicle.parts(name), *asker.sight.past(name))


@answers(rq.QuerySchedule)
async def query_schedule(call: Call) -> rs.Response:
    """When the phase will be over."""
    async with asking(call, observer=True) as asker:
        time_left, seconds = await call.door.host.time_left(asker.room.match), asker.board.terms.clock.per_turn
        if time_left is None or seconds is None:
            raise ResponseException("Game not scheduled.")
        left = max(0, round(time_left))
        schedule = Schedule(delay=max(left, round(seconds)), current_time=max(left, round(seconds)) - left)
        return rs.GameSchedule(
            request_id=call.request.request_id, game_id=asker.room.match, phase=asker.board.phase, schedule=schedule
        )


@answers(rq.SaveGame)
async def save_game(call: Call) -> rs.Response:
    """The saved game, with what the role may see, and with what the package does not save."""
    head = await call.door.host.head(call.request.game_id)
    async with asking(call, observer=True) as asker:
        saved = saved_game(head.id, head.house.rules, asker.board, asker.sight, asker.room.earlier)
        return rs.SavedGameGiven(request_id=call.request.request_id, data=saved)


@answers(rq.Synchronize)
async def synchronize(call: Call) -> rs.Response:
    """Tell the asking channel, and nobody else, what it has missed; then where the game stands.

    Phases that were missed come as if they were processed now: a phase update would make clients forget the past.
    """
    request: rq.Synchronize = call.request
    await call.door.host.head(request.game_id)
    await _require_role(call)
    room, sight = await call.door.enter(call, request.game_id, request.game_role)
    listening = call.door.listening(call)
    assert listening is not None
    room.tell_one(listening, *missed(room.state, sight, request.timestamp))
    if _has_lost(call, listening, room.state):
        call.door.leave(request.game_id, listening.__eq__)
    return rs.GameSummary(
        request_id=request.request_id,
        game_id=request.game_id,
        phase=room.state.phase,
        timestamp=room.state.latest,
        timestamp_created=room.state.created,
    )


async def _require_role(call: Call) -> None:
    request, host = call.request, call.door.host
    role = request.game_role
    if role == w.OMNISCIENT and not await host.may_see_all(call.member, request.game_id):
        raise GamePlayerException
    if role == w.OBSERVER:
        await host.watch(call.member, request.game_id, "")
    elif role not in w.SPECIAL_ROLES:
        head = await host.head(request.game_id)
        if head.players.get(role) != call.account and call.door.listening(call) is None:
            raise GamePlayerException


def _has_lost(call: Call, listening: Listening, board: BoardState) -> bool:
    role = listening.role
    return role not in w.SPECIAL_ROLES and board.places[role].controller != call.account


def missed(board: BoardState, sight: Sight, since: int) -> Iterator[Notice]:
    """What happened after a time, as a role is told of it."""
    if board.replaced > since:
        yield notice("game_phase_update", phase_data=nt.current_phase(board, sight), phase_data_type=PhaseKind.STATE)
    else:
        names = [name for name in board.chronicle.names if board.chronicle.ended(name) > since]
        for at, name in enumerate(names, 1):
            for message in sight.heard(name, since):
                yield notice("game_message_received", message=message)
            parts = board.chronicle.parts(name)
            after = _as_it_began(board, sight, names[at]) if at < len(names) else _phase_that_runs(board, sight)
            yield notice(
                "game_processed", previous_phase_data=nt.phase_of(parts, *sight.past(name)), current_phase_data=after
            )
    for message in sight.heard(None, since):
        yield notice("game_message_received", message=message)
    yield from _as_it_is(board, sight)


def _phase_that_runs(board: BoardState, sight: Sight) -> GamePhase:
    """The phase that runs, without press that is told of by itself."""
    phase = nt.current_phase(board, sight)
    own = [message for message in phase.messages if message.sender == sight.role]
    return msgspec.structs.replace(phase, messages=own)


def _as_it_began(board: BoardState, sight: Sight, name: str) -> GamePhase:
    """A phase that is over, as it was when it began."""
    parts: PhaseParts = board.chronicle.parts(name)
    names = [sight.role] if sight.is_player else list(board.places)
    state: Plain = msgspec.Raw(parts.state)
    return GamePhase(name=name, state=state, orders=dict.fromkeys(names), results={}, messages=[])


def _as_it_is(board: BoardState, sight: Sight) -> Iterator[Notice]:
    """Everything that has no time of its own: who plays, who waits, who has ordered, who is ready."""
    yield notice("game_status_update", status=board.status)
    yield nt.controllers(board)
    yield from nt.wait_flags(board)
    for name, place in board.places.items():
        if place.acted and sight.is_player and name != sight.role:
            yield notice("power_orders_flag", name, order_is_set=2)
        if name in sight.orders and (name == sight.role or sight.role == w.OMNISCIENT):
            yield notice("power_orders_update", name, orders=sight.orders[name])
        yield notice("power_comm_status_update", name, comm_status=place.comm_status, fork_only=True)
