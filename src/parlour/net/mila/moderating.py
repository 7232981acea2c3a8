"""Requests of moderators: end phases and games, pause, set the state, take powers away, delete."""

from __future__ import annotations

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.errors import ParlourError
from parlour.games.diplomacy.formats.states import position_of_state, write_state
from parlour.games.diplomacy.position import Position
from parlour.net.mila import requests as rq
from parlour.net.mila.asking import Asker, RequestPlan, answers_in_game, caused, plays
from parlour.net.mila.faults import (
    GameCanceledException,
    GameFinishedException,
    ResponseException,
)
from parlour.net.mila.notices import notice
from parlour.net.mila.possible import possible
from parlour.net.mila.protocol_values import GameStatus


@plays(rq.ProcessGame, master=True, player=False)
def process_game(asker: Asker, request: rq.ProcessGame) -> RequestPlan:
    """End the phase now; a game that waits for players continues without them."""
    asker.require_going_on()
    by = asker.call.name
    begins = [_begun(asker)] if asker.board.status is GameStatus.FORMING else []
    return RequestPlan([*begins, it.ForceTurn(by)])


def _begun(asker: Asker) -> it.Intent:
    """Return the intent that starts or resumes a game that waits or is paused."""
    by = asker.call.name
    return it.Resume(by) if asker.board.running else it.Start(by)


@plays(rq.SetGameStatus, master=True, player=False)
def set_game_status(asker: Asker, request: rq.SetGameStatus) -> RequestPlan:
    """Start, pause, resume, cancel, or end in a draw."""
    by, status, before = asker.call.name, request.status, asker.board.status
    if before is status:
        return RequestPlan()
    if before is GameStatus.CANCELED:
        raise GameCanceledException
    if before is GameStatus.COMPLETED:
        raise GameFinishedException
    match status:
        case GameStatus.ACTIVE:
            return RequestPlan([_begun(asker)], [caused(ev.Resumed), caused(ev.Started)])
        case GameStatus.PAUSED:
            return RequestPlan([it.Pause(by)], [caused(ev.Paused)])
        case GameStatus.CANCELED:
            return RequestPlan([it.Cancel(by)], [caused(ev.Ended)])
        case GameStatus.COMPLETED:
            return RequestPlan([it.EndWithResult(by)])
        case _:
            raise ResponseException("A game that has begun cannot return to forming.")


@answers_in_game(rq.ClearUnits, master=True, player=False)
async def clear_units(asker: Asker, request: rq.ClearUnits) -> None:
    """Remove the units of a power, or of all."""
    await _take_away(asker, "units", "retreats")


@answers_in_game(rq.ClearCenters, master=True, player=False)
async def clear_centers(asker: Asker, request: rq.ClearCenters) -> None:
    """Remove the centres of a power, or of all."""
    await _take_away(asker, "centers")


async def _take_away(asker: Asker, *fields: str) -> None:
    """Empty these fields of the state for the power of the request, or for all."""
    asker.require_going_on()
    names = [asker.seat()] if asker.call.request.power_name is not None else list(asker.board.places)
    position = asker.board.position
    state = write_state(position)
    for field in fields:
        state[field] |= {name: type(state[field][name])() for name in names}
    changed = position_of_state(state, board=position.board)
    await _set_position(asker, changed.on_terms(position.last_year or 0, position.scoring))


async def _set_position(asker: Asker, position: Position, orders: dict[str, list[str]] | None = None) -> None:
    """Set the position, and submit the given or earlier orders again, as far as they are possible."""
    by, given = asker.call.name, dict(asker.sight.orders) if orders is None else orders
    await asker.submit(RequestPlan([it.SetPosition(by, position.encode())], [caused(ev.PositionSet)]))
    acting = asker.board.position.to_act()
    for name, texts in given.items():
        if Seat(name) in acting:
            kept = possible(asker.board.position, Seat(name), texts)
            await asker.submit(RequestPlan([it.Act(Seat(name), kept, None, by)], [caused(ev.Acted, name)]))


@answers_in_game(rq.SetGameState, master=True, player=False)
async def set_game_state(asker: Asker, request: rq.SetGameState) -> None:
    """Continue from another state, or part of one, with the orders given in it. Press stays."""
    asker.require_going_on()
    before = asker.board.position
    try:
        # Fields that a state lacks stay as they are.
        state = {**write_state(before), **request.state}
        position = position_of_state(state, board=before.board, after=before.phase)
    except ParlourError as error:
        raise ResponseException(f"The state cannot be read: {error}.") from None
    orders = {name: own for name, own in request.orders.items() if own and name in asker.board.places}
    await _set_position(asker, position.on_terms(before.last_year or 0, before.scoring), orders)


@answers_in_game(rq.SetDummyPowers, master=True, player=False)
async def set_dummy_powers(asker: Asker, request: rq.SetDummyPowers) -> None:
    """Take powers from their players, who are notified."""
    asker.require_going_on()
    places = asker.board.places
    names = [name for name in request.power_names or places if name in places]
    if request.username is not None:
        theirs = await asker.call.door.host.seats_named(request.username, request.game_id)
        names = [name for name in names if name in theirs]
    leaving = [it.Leave(Seat(name)) for name in names if places[name].is_controlled]
    if leaving:
        await asker.submit(RequestPlan(leaving))


@answers_in_game(rq.DeleteGame, master=True, player=False)
async def delete_game(asker: Asker, request: rq.DeleteGame) -> None:
    """Delete the game; all who have joined it are notified."""
    asker.room.vanishing = True
    try:
        await asker.call.door.host.delete(asker.call.session, request.game_id)
    finally:
        asker.room.vanishing = False
    for listening in asker.room.listeners():
        if listening.token != request.token:
            asker.room.tell_one(listening, notice("game_deleted"))
    asker.call.door.leave(request.game_id, lambda listening: True)
