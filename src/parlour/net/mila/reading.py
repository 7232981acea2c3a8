"""Requests of all who have joined a game: its past, possible orders, schedule and saved form."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from parlour.core.viewers import SPECTATOR
from parlour.errors import NotationError
from parlour.games.diplomacy.engine.state import PHASES, read_phase
from parlour.games.diplomacy.position import Position
from parlour.net.framing.json_stream import encoded_in_parts
from parlour.net.mila import notices as nt
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.asking import Asker, answers_in_game
from parlour.net.mila.faults import ResponseException
from parlour.net.mila.possible import possible_orders
from parlour.net.mila.protocol_values import GamePhase, GameStatus, Schedule
from parlour.net.mila.rules import seconds_of
from parlour.net.mila.saving import saved_game


@answers_in_game(rq.GetAllPossibleOrders, observer=True)
async def get_all_possible_orders(asker: Asker, request: rq.GetAllPossibleOrders) -> rs.Response:
    """Return all possible orders."""
    board = asker.board
    # A draw ends a game in the middle of a phase, and then no orders are possible.
    position = board.position.stopped() if board.status is GameStatus.COMPLETED else board.position
    key = "possible orders", position
    found = await asker.call.door.hall.answers.get(asker.call.asker, key, partial(_possible, position))
    possible, orderable = found.split(b"\n")
    raw: Any = msgspec.Raw
    return rs.PossibleOrders(
        request_id=request.request_id, possible_orders=raw(possible), orderable_locations=raw(orderable)
    )


def _possible(position: Position) -> bytes:
    """Return the possible orders and the orderable locations as two lines of JSON."""
    return msgspec.json.encode(possible_orders(position)) + b"\n" + msgspec.json.encode(position.orderable())


@answers_in_game(rq.GetPhaseHistory, observer=True)
async def get_phase_history(asker: Asker, request: rq.GetPhaseHistory) -> rs.Response:
    """Return the past phases from one to another."""
    names = asker.board.chronicle.names
    first = _place(names, request.from_phase, 0)
    last = _place(names, request.to_phase, len(names) - 1, up_to=True)
    wanted = names[first : last + 1] if 0 <= first <= last else []
    return rs.PhasesGiven(request_id=request.request_id, data=[_past(asker, name) for name in wanted])


def _place(names: list[str], phase: str | int | None, otherwise: int, *, up_to: bool = False) -> int:
    """Return the index of a phase among the past ones; for an absent phase, the nearest later (or earlier) one."""
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


@answers_in_game(rq.QuerySchedule, observer=True)
async def query_schedule(asker: Asker, request: rq.QuerySchedule) -> rs.Response:
    """Return the schedule of the phase."""
    view = await asker.call.door.hall.view(asker.room.match, SPECTATOR)
    time_left = None if view.due is None else view.due - view.now
    seconds = seconds_of(asker.board.terms, asker.board.position.stage)
    if time_left is None or seconds is None:
        raise ResponseException("Game not scheduled.")
    left = max(0, round(time_left))
    schedule = Schedule(delay=max(left, round(seconds)), current_time=max(left, round(seconds)) - left)
    return rs.GameSchedule(
        request_id=request.request_id,
        game_id=asker.call.shown(asker.room.match),
        phase=asker.board.phase,
        schedule=schedule,
    )


@answers_in_game(rq.SaveGame, observer=True)
async def save_game(asker: Asker, request: rq.SaveGame) -> rs.Response:
    """Return the saved game as the role may see it, with fields that the package does not save."""
    head = await asker.call.door.host.heads.find(request.game_id)
    write = saved_game(asker.call.shown(head.id), head.house.rules, asker.board, asker.sight, asker.room.earlier)
    saved: Any = msgspec.Raw(await asker.call.door.hall.pool.run(asker.call.asker, lambda: encoded_in_parts(write())))
    return rs.SavedGameGiven(request_id=request.request_id, data=saved)
