"""Requests of moderators: end phases and games, pause, set the state, take powers away, delete."""

from __future__ import annotations

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.errors import ParlourError
from parlour.games.diplomacy.formats.states import position_of_state, write_state
from parlour.games.diplomacy.position import Position
from parlour.net.mila import requests as rq
from parlour.net.mila.asking import Asker, Call, RequestPlan, answers, asking, caused, plays
from parlour.net.mila.faults import (
    GameCanceledException,
    GameFinishedException,
    ResponseException,
)
from parlour.net.mila.notices import notice
from parlour.net.mila.possible import possible
from parlour.net.mila.protocol_values import GameStatus


@plays(rq.ProcessGame, master=True, player=False)
def process_game(asker: Asker) -> RequestPlan:
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
def set_game_status(asker: Asker) -> RequestPlan:
    """Start, pause, resume, cancel, or end in a draw."""
    by, status, before = asker.call.name, asker.call.request.status, asker.board.status
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


@answers(rq.ClearUnits)
async def clear_units(call: Call) -> None:
    """Remove the units of a power, or of all."""
    await _take_away(call, "units")


@answers(rq.ClearCenters)
async def clear_centers(call: Call) -> None:
    """Remove the centres of a power, or of all."""
    await _take_away(call, "centers")


async def _take_away(call: Call, what: str) -> None:
    async with asking(call, master=True, player=False) as asker:
        asker.require_going_on()
        names = [str(asker.seat())] if call.request.power_name is not None else list(asker.board.places)
        position = asker.board.position
        state = write_state(position)
        for name in names:
            state[what][name] = []
            if what == "units":
                state["retreats"][name] = {}
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


@answers(rq.SetGameState)
async def set_game_state(call: Call) -> None:
    """Continue from another state, or part of one, with the orders given in it. Press stays."""
    request: rq.SetGameState = call.request
    async with asking(call, master=True, player=False) as asker:
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


@answers(rq.SetDummyPowers)
async def set_dummy_powers(call: Call) -> None:
    """Take powers from their players, who are notified."""
    request: rq.SetDummyPowers = call.request
    async with asking(call, master=True, player=False) as asker:
        asker.require_going_on()
        places = asker.board.places
        names = [name for name in request.power_names or places if name in places]
        if request.username is not None:
            theirs = await call.door.host.seats_named(request.username, request.game_id)
            names = [name for name in names if name in theirs]
        leaving = [it.Leave(Seat(name)) for name in names if places[name].is_controlled]
        if leaving:
            await asker.submit(RequestPlan(leaving))


@answers(rq.DeleteGame)
async def delete_game(call: Call) -> None:
    """Delete the game; all who have joined it are notified."""
    request: rq.DeleteGame = call.request
    async with asking(call, master=True, player=False) as asker:
        asker.room.vanishing = True
        try:
            await call.door.host.delete(call.session, request.game_id)
        finally:
            asker.room.vanishing = False
        for listening in asker.room.listeners():
            if listening.token != request.token:
                asker.room.tell_one(listening, notice("game_deleted"))
        call.door.leave(request.game_id, lambda listening: True)
