"""Games from outside: lists, maps, opening and joining."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

import msgspec

from parlour.core.game import Plain, Seat
from parlour.core.intents import PlayerType
from parlour.errors import ParlourError
from parlour.games.diplomacy.map import SHIPPED, Map, named
from parlour.games.diplomacy.states import position_of_state
from parlour.games.diplomacy.variations import varied_by
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila import values as w
from parlour.net.mila.door import Call, answers
from parlour.net.mila.earlier import EarlierPhases, read_earlier, unpacked
from parlour.net.mila.faults import (
    GameCreationException,
    GameIdException,
    GameJoinRoleException,
    GameSolitaireException,
    MapIdException,
    MapPowerException,
    ResponseException,
)
from parlour.net.mila.host import MatchHead, Opening
from parlour.net.mila.notices import notice
from parlour.net.mila.rules import DEFAULT_DEADLINE, house_rules, resolved, terms_of
from parlour.net.mila.sheets import game_sheet, map_sheet
from parlour.net.mila.values import GameStatus, SeatedAs

MAX_DEADLINE = 10**9 - 1


@answers(rq.GetAvailableMaps)
async def get_available_maps(call: Call) -> rs.Response:
    """The maps that ship with Parlour."""
    return rs.MapsListed(request_id=call.request.request_id, data={name: map_sheet(named(name)) for name in SHIPPED})


@answers(rq.GetDaidePort)
async def get_daide_port(call: Call) -> rs.Response:
    """The port for DAIDE players of a game."""
    port = await call.door.host.daide_port(call.request.game_id)
    return rs.PortGiven(request_id=call.request.request_id, data=port)


@answers(rq.ListGames)
async def list_games(call: Call) -> rs.Response:
    """The games that fit all that is given."""
    request: rq.ListGames = call.request
    if request.map_name is not None and request.map_name not in SHIPPED:
        raise MapIdException(f"There is no map {request.map_name!r:.60}.")
    wanted = (request.game_id or "").lower()
    found = []
    for head in await call.door.host.heads():
        own = head.id.lower()
        if wanted and wanted not in own and own not in wanted:
            continue
        if request.status is not None and head.status is not request.status:
            continue
        if request.map_name is not None and head.map_name != request.map_name:
            continue
        if request.include_protected is False and head.protected:
            continue
        if request.for_omniscience and not await call.door.host.may_see_all(call.member, head.id):
            continue
        found.append(await summary(call, head))
    return rs.GamesListed(request_id=request.request_id, data=found)


@answers(rq.GetGamesInfo)
async def get_games_info(call: Call) -> rs.Response:
    """What is known of some games; those that do not exist are left out."""
    found = []
    for match in call.request.games:
        try:
            found.append(await summary(call, await call.door.host.head(match)))
        except GameIdException:
            continue
    return rs.GamesListed(request_id=call.request.request_id, data=found)


@answers(rq.GetPlayablePowers)
async def get_playable_powers(call: Call) -> rs.Response:
    """The powers that nobody controls and that are still in the game."""
    async with call.door.visit(call.request.game_id, w.OBSERVER) as (room, _):
        alive = room.state.position.alive()
        free = [name for name, place in room.state.places.items() if not place.is_controlled and Seat(name) in alive]
    return rs.PowersListed(request_id=call.request.request_id, data=free)


@answers(rq.GetDummyWaitingPowers)
async def get_dummy_waiting_powers(call: Call) -> rs.Response:
    """Powers for the house's bots to play."""
    found = await call.door.host.waiting_powers(call.member, call.request.buffer_size)
    return rs.WaitingPowersListed(request_id=call.request.request_id, data=found)


@answers(rq.CreateGame)
async def create_game(call: Call) -> rs.Response:
    """Open a game; whoever does plays a power of it, or sees all."""
    request: rq.CreateGame = call.request
    opening = _opening(request)
    board = named(opening.config["map"])
    if request.power_name is not None:
        if "SOLITAIRE" in resolved(request.rules):
            raise GameSolitaireException
        if request.power_name not in _powers(board):
            raise MapPowerException(request.power_name)
    opened = await _opened_before(call, opening.id) if request.re_sent else None
    match = await call.door.host.open(call.member, opening) if opened is None else opened.id
    call.hold(match)
    role, before = w.OMNISCIENT, GameStatus.FORMING
    if request.power_name is not None:
        role = request.power_name
        if opened is None or opened.players.get(role) != call.account:
            await call.door.host.sit(call.member, match, [Seat(role)], player_type(request.player_type), "")
    _note_fork(call, request.player_type)
    return await game_given(call, match, role, before)


async def _opened_before(call: Call, match: str) -> MatchHead | None:
    """The game of that id, if who asks again after a cut had opened it before."""
    try:
        head = await call.door.host.head(match)
    except GameIdException:
        return None
    return head if head.owner == call.account else None


def _opening(request: rq.CreateGame) -> Opening:
    earlier = _earlier(request)
    name = "standard" if request.map_name is None else request.map_name
    if earlier is not None:
        name = earlier.saved.board.name
    if name not in SHIPPED:
        raise MapIdException(f"There is no map {name!r:.60}.")
    deadline = DEFAULT_DEADLINE if request.deadline is None else request.deadline
    if not 0 <= deadline <= MAX_DEADLINE:
        raise GameCreationException(f"A deadline is 0 to {MAX_DEADLINE} seconds.")
    if request.n_controls is not None and request.n_controls < 0:
        raise GameCreationException("The number of powers to control is 0 or more.")
    board = named(name)
    rules = request.rules if request.rules or earlier is None else earlier.saved.rules
    house = house_rules(rules, request.n_controls, board)
    config: dict[str, Plain] = {"map": name}
    if varied := varied_by(house.rules):
        board, config["rules"] = board.under(varied), list(varied)
    state = earlier.last.state if earlier is not None else request.state
    if state:
        try:
            config["position"] = position_of_state(state, board=board).fen
        except ParlourError as error:
            raise GameCreationException(f"The state cannot be read: {error}.") from None
    id_ = request.game_id or secrets.token_hex(8)  # as long as there; with other signs it might be no name of a match
    saved = earlier.saved.encode() if earlier is not None else b""
    return Opening(id_, config, terms_of(house, deadline), house, request.registration_password or "", saved)


def _earlier(request: rq.CreateGame) -> EarlierPhases | None:
    """The saved game that is to go on."""
    if isinstance(request.saved, msgspec.UnsetType):
        return None
    try:
        return read_earlier(unpacked(request.saved))
    except ParlourError as error:
        raise GameCreationException(f"The saved game cannot go on: {error}.") from None


@answers(rq.JoinGame)
async def join_game(call: Call) -> rs.Response:
    """Play a power, or watch."""
    request: rq.JoinGame = call.request
    host, match = call.door.host, request.game_id
    head = await host.head(match)
    call.hold(match)
    _note_fork(call, request.player_type)
    if request.power_name is None:
        return await _watch(call, head)
    if request.power_name not in _powers(named(head.map_name)):
        raise MapPowerException(request.power_name)
    _require_no_watching(call, match)
    role = request.power_name
    if head.players.get(role) != call.account:
        kind = player_type(request.player_type)
        (seat,) = await host.sit(call.member, match, [Seat(role)], kind, request.registration_password or "")
        role = str(seat)
    return await game_given(call, match, role, head.status)


async def _watch(call: Call, head: MatchHead) -> rs.Response:
    request: rq.JoinGame = call.request
    await call.door.host.watch(call.member, head.id, request.registration_password or "")
    call.door.let_in(request.token, head.id)
    room = call.door.rooms.get(head.id)
    if room is not None and any(
        one.token == request.token and one.role not in w.SPECIAL_ROLES for one in room.listeners()
    ):
        raise GameJoinRoleException
    role = w.OMNISCIENT if await call.door.host.may_see_all(call.member, head.id) else w.OBSERVER
    if _is_watching(call, head.id, role) and not request.re_sent:
        raise ResponseException("The token watches that game already.")
    return await game_given(call, head.id, role)


def _require_no_watching(call: Call, match: str) -> None:
    """Refuse a power to a token that watches."""
    if any(_is_watching(call, match, role) for role in w.SPECIAL_ROLES):
        raise GameJoinRoleException


def _is_watching(call: Call, match: str, role: str) -> bool:
    room = call.door.rooms.get(match)
    return room is not None and any(one.token == call.request.token for one in room.listeners(role))


@answers(rq.JoinPowers)
async def join_powers(call: Call) -> None:
    """Control several powers, or none."""
    request: rq.JoinPowers = call.request
    head = await call.door.host.head(request.game_id)
    call.hold(request.game_id)
    known = _powers(named(head.map_name))
    if not request.power_names:
        raise ResponseException("To join powers, name at least one.")
    for name in request.power_names:
        if name not in known:
            raise MapPowerException(name)
    _require_no_watching(call, request.game_id)
    wanted = [Seat(name) for name in dict.fromkeys(request.power_names) if head.players.get(name) != call.account]
    if wanted:
        password = request.registration_password or ""
        await call.door.host.sit(call.member, request.game_id, wanted, PlayerType.HUMAN, password, at_once=True)


async def game_given(call: Call, match: str, role: str, before: GameStatus | None = None) -> rs.GameGiven:
    """Let the asking token listen in a role, and give it the game as it is at that moment.

    A game that began with this very request has the status of before it, and is told to have begun right after.
    """
    host = call.door.host
    level = await _level(call, match)
    head = await host.head(match)
    room, sight = await call.door.enter(call, match, role)
    own = [name for name, place in room.state.places.items() if place.controller == call.account]
    sheet = game_sheet(match, room.state, sight, head.house, own=own, level=level)
    listening = call.door.listener(match, role, call.request.token)
    if before is not None and before is not sheet.status and listening is not None:
        room.tell_one(listening, notice("game_status_update", status=sheet.status))
        sheet = msgspec.structs.replace(sheet, status=before)
    return rs.GameGiven(request_id=call.request.request_id, data=sheet)


async def summary(call: Call, head: MatchHead) -> rs.GameSummary:
    """A game in a list."""
    room = call.door.rooms.get(head.id)
    latest = 0 if room is None or room.board is None else room.board.latest
    return rs.GameSummary(
        request_id=call.request.request_id,
        game_id=head.id,
        phase=head.phase,
        timestamp=max(head.updated, latest),
        timestamp_created=head.created,
        map_name=head.map_name,
        observer_level=await _level(call, head.id),
        controlled_powers=[name for name, player in head.players.items() if player == call.account],
        rules=list(head.house.rules),
        status=head.status,
        n_players=len(head.players),
        n_controls=head.house.n_controls,
        deadline=head.deadline,
        registration_password=head.protected,
    )


async def _level(call: Call, match: str) -> str:
    """The most that the asking account could be in a match besides a player."""
    if await call.door.host.may_moderate(call.member, match):
        return w.MASTER
    return w.OMNISCIENT if await call.door.host.may_see_all(call.member, match) else w.OBSERVER


def _note_fork(call: Call, said: SeatedAs | msgspec.UnsetType | None) -> None:
    """Only the fork's clients say a player type, even if it is null: so that one knows what they can read."""
    if said is not msgspec.UNSET:
        call.door.fork_tokens.add(call.request.token)


def player_type(said: SeatedAs | msgspec.UnsetType | None) -> PlayerType:
    """As what somebody plays; human if nothing is said."""
    if said is msgspec.UNSET or said is None or said is SeatedAs.NONE:
        return PlayerType.HUMAN
    return PlayerType(said)


def _powers(board: Map) -> Iterable[str]:
    return [power.name for power in board.powers]
