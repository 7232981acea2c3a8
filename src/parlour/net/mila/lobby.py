"""Requests about games that the caller has not joined: lists, maps, opening and joining."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from parlour.core.game import Plain, Seat
from parlour.core.intents import PlayerType
from parlour.errors import ConfigError, ParlourError
from parlour.games.diplomacy.formats.states import position_of_state
from parlour.games.diplomacy.maps.map import SHIPPED, Map, named, operators_maps, package_name, path_of
from parlour.games.diplomacy.variations import varied_by
from parlour.net.framing.json_stream import encoded_in_parts
from parlour.net.mila import protocol_values as w
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.asking import Call, answers
from parlour.net.mila.earlier import EarlierPhases, read_earlier, unpacked
from parlour.net.mila.faults import (
    GameCreationException,
    GameFinishedException,
    GameIdException,
    GameJoinRoleException,
    GameSolitaireException,
    MapIdException,
    MapPowerException,
    ResponseException,
)
from parlour.net.mila.hall_host import Opening
from parlour.net.mila.heads import MatchHead
from parlour.net.mila.notices import notice
from parlour.net.mila.protocol_values import GameStatus, SeatedAs
from parlour.net.mila.rules import DEFAULT_DEADLINE, OwnTerms, house_rules, resolved, terms_of
from parlour.net.mila.sheets import game_sheet, map_sheet
from parlour.net.shared_work import TimeSlices

MAX_DEADLINE = 10**9 - 1
MANY = 1000
"""Number of messages of a phase above which they are encoded off the loop."""
MOST_ASKED = 500
"""Maximum number of games in one request for summaries."""


@answers(rq.GetAvailableMaps)
async def get_available_maps(call: Call, request: rq.GetAvailableMaps) -> rs.Response:
    """Return the maps that ship with Parlour, and the operator's."""
    sheets: Any = msgspec.Raw(await call.door.hall.answers.get(call.asker, "maps", _maps))
    return rs.MapsListed(request_id=request.request_id, data=sheets)


def _maps() -> bytes:
    boards = [named(name) for name in (*SHIPPED, *operators_maps())]
    return msgspec.json.encode({package_name(board): map_sheet(board) for board in boards})


@answers(rq.GetDaidePort)
async def get_daide_port(call: Call, request: rq.GetDaidePort) -> rs.Response:
    """Return the port for DAIDE players of a game."""
    port = await call.door.host.daide_port(request.game_id)
    return rs.PortGiven(request_id=request.request_id, data=port)


@answers(rq.ListGames)
async def list_games(call: Call, request: rq.ListGames) -> rs.Response:
    """Return the games that pass all filters of the request."""
    if request.map_name is not None and path_of(request.map_name) is None:
        raise MapIdException(f"There is no map {request.map_name!r:.60}.")
    wanted = (request.game_id or "").lower()
    mine = await call.door.host.seats_by_match(call.session)
    heads, slices = list[MatchHead](), TimeSlices()
    for head in await call.door.host.heads.listed(call.session):
        await slices.pause()
        own = call.shown(head.id).lower()
        if wanted and wanted not in own and own not in wanted:
            continue
        if request.status is not None and _status(call, head) is not request.status:
            continue
        if request.map_name is not None and named(head.map_name) != named(request.map_name):
            continue
        if request.include_protected is False and head.protected:
            continue
        heads.append(head)
    found = await summaries(call, heads, mine)
    if request.for_omniscience:
        found = [listed for listed in found if listed.observer_level not in (w.OBSERVER, None)]
    return rs.GamesListed(request_id=request.request_id, data=found)


@answers(rq.GetGamesInfo)
async def get_games_info(call: Call, request: rq.GetGamesInfo) -> rs.Response:
    """Return summaries of some games; those that do not exist are left out."""
    wanted = dict.fromkeys(request.games)
    if len(wanted) > MOST_ASKED:
        raise ResponseException(f"games: expected at most {MOST_ASKED} different ones, got {len(wanted):,}")
    heads, slices = list[MatchHead](), TimeSlices()
    own = await call.door.host.seats_by_match(call.session)
    for match in wanted:
        await slices.pause()
        with contextlib.suppress(GameIdException):
            heads.append(await call.door.host.heads.find(match, call.session))
    return rs.GamesListed(request_id=request.request_id, data=await summaries(call, heads, own))


@answers(rq.GetPlayablePowers)
async def get_playable_powers(call: Call, request: rq.GetPlayablePowers) -> rs.Response:
    """Return the powers without a controller; without eliminated ones, if the caller may see the board."""
    host, match = call.door.host, request.game_id
    head = await host.heads.find(match, call.session)
    if not await host.sees_board(call.session, match):
        names = [name for name in _powers(named(head.map_name)) if name not in head.players]
        return rs.PowersListed(request_id=request.request_id, data=names)
    async with call.door.visit(match, w.OBSERVER) as (room, _):
        alive = room.state.position.alive()
        free = [name for name, place in room.state.places.items() if not place.is_controlled and Seat(name) in alive]
    return rs.PowersListed(request_id=request.request_id, data=free)


@answers(rq.GetDummyWaitingPowers)
async def get_dummy_waiting_powers(call: Call, request: rq.GetDummyWaitingPowers) -> rs.Response:
    """Return vacant powers for the server's bots to play."""
    found = await call.door.host.waiting_powers(call.session, request.buffer_size)
    return rs.WaitingPowersListed(request_id=request.request_id, data=found)


@answers(rq.CreateGame)
async def create_game(call: Call, request: rq.CreateGame) -> rs.Response:
    """Open a game; its creator plays a power, or becomes an omniscient."""
    read = partial(_opening, request, str(call.door.hall.usual.get("map", "standard")))
    is_saved = not isinstance(request.saved, msgspec.UnsetType)
    opening = await call.door.hall.pool.run(call.asker, read) if is_saved or request.state else read()
    board = named(opening.config["map"])
    if request.power_name is not None:
        if "SOLITAIRE" in resolved(request.rules):
            raise GameSolitaireException
        if request.power_name not in _powers(board):
            raise MapPowerException(request.power_name)
    opened = await _opened_before(call, opening.id) if request.re_sent else None
    match = await call.door.host.open(call.session, opening) if opened is None else opened.id
    call.hold(match)
    role, before = w.OMNISCIENT, GameStatus.FORMING
    if request.power_name is not None:
        role = request.power_name
        if opened is None or role not in await call.door.host.seats(call.session, match):
            await call.door.host.sit(call.session, match, [Seat(role)], player_type(request.player_type), "")
    _note_fork(call, request.player_type)
    return await game_given(call, match, role, before)


async def _opened_before(call: Call, match: str) -> MatchHead | None:
    """Return the game of that id if the caller, who repeats the request after a disconnection, has opened it."""
    try:
        head = await call.door.host.heads.find(call.door.host.ids.stored(match))
    except GameIdException:
        return None
    return head if head.owner == call.session.who else None


def _opening(request: rq.CreateGame, usual_map: str) -> Opening:
    earlier = _earlier(request)
    name = usual_map if request.map_name is None else request.map_name
    if earlier is not None:
        name = earlier.saved.board.name
    if path_of(name) is None:
        raise MapIdException(f"There is no map {name!r:.60}.")
    deadline = DEFAULT_DEADLINE if request.deadline is None else request.deadline
    if not 0 <= deadline <= MAX_DEADLINE:
        raise GameCreationException(f"A deadline is 0 to {MAX_DEADLINE} seconds.")
    if request.registration_password == "":
        raise GameCreationException("A registration password is null, or not empty.")
    if request.n_controls is not None and request.n_controls < 0:
        raise GameCreationException("The number of powers to control is 0 or more.")
    board = named(name)
    rules = request.rules if request.rules or earlier is None else earlier.saved.rules
    house = house_rules(rules, request.n_controls, board)
    config: dict[str, Plain] = {"map": board.name}
    if varied := varied_by(house.rules):
        board, config["rules"] = board.under(varied), list(varied)
    state = earlier.last.state if earlier is not None else request.state
    if state:
        try:
            config["position"] = position_of_state(state, board=board).fen
        except ParlourError as error:
            raise GameCreationException(f"The state cannot be read: {error}.") from None
    id_ = request.game_id or secrets.token_hex(8)  # as long as the ids of the package
    saved = earlier.saved.encode() if earlier is not None else b""
    own = OwnTerms() if isinstance(request.own_terms, msgspec.UnsetType) else request.own_terms
    try:
        terms = own.applied(terms_of(house, deadline))
    except ConfigError as error:
        raise GameCreationException(f"The game cannot be opened: {error}.") from None
    return Opening(id_, config | own.config(), terms, house, request.registration_password or "", saved, own)


def _earlier(request: rq.CreateGame) -> EarlierPhases | None:
    """Return the saved game to continue; None if there is none."""
    if isinstance(request.saved, msgspec.UnsetType):
        return None
    try:
        return read_earlier(unpacked(request.saved))
    except ParlourError as error:
        raise GameCreationException(f"The saved game cannot be continued: {error}.") from None


@answers(rq.JoinGame)
async def join_game(call: Call, request: rq.JoinGame) -> rs.Response:
    """Play a power, or watch."""
    host, match = call.door.host, request.game_id
    head = await host.heads.find(match)
    call.hold(match)
    _note_fork(call, request.player_type)
    if request.power_name is None:
        return await _watch(call, request, head)
    if request.power_name not in _powers(named(head.map_name)):
        raise MapPowerException(request.power_name)
    _require_no_watching(call, head)
    role, before = request.power_name, _status(call, head)
    if call.session.is_house_bot or role not in await host.seats(call.session, match):
        kind = player_type(request.player_type)
        (seat,) = await host.sit(call.session, match, [Seat(role)], kind, request.registration_password or "")
        role = str(seat)
    return await game_given(call, match, role, before)


async def _watch(call: Call, request: rq.JoinGame, head: MatchHead) -> rs.Response:
    await call.door.host.require_watchable(call.session, head.id, request.registration_password or "")
    call.door.let_in(request.token, head.id, w.OBSERVER)
    room = call.door.rooms.get(head.id)
    if room is not None and any(
        one.token == request.token and one.role not in w.SPECIAL_ROLES for one in room.listeners()
    ):
        raise GameJoinRoleException
    level = await call.door.host.level(call.session, head.id)
    role = w.OBSERVER if level == w.OBSERVER else w.OMNISCIENT
    if _is_watching(call, head.id, role) and not request.re_sent:
        raise ResponseException("The token watches that game already.")
    return await game_given(call, head.id, role)


def _require_room(head: MatchHead, wanted: Sequence[Seat], *, with_own: bool) -> None:
    """Raise ResponseException if not all wanted powers can be taken; `with_own` if own ones are named with them.

    Checked first, because taking some of them and giving them back could start or stop the game.
    """
    if with_own and not head.house.several:
        raise ResponseException("One power per player: own powers and others cannot be joined together.")
    if len(wanted) > 1:  # a single power is checked when it is taken
        if any(seat in head.players for seat in wanted):
            raise ResponseException("Some of these powers are controlled by somebody else.")
        if len(head.players) + len(wanted) > head.house.n_controls:
            raise ResponseException(f"The game has {head.house.n_controls} players at most.")


def _require_no_watching(call: Call, head: MatchHead) -> None:
    """Raise if the token watches the game: GameFinishedException if it is over, else GameJoinRoleException."""
    if any(_is_watching(call, head.id, role) for role in w.SPECIAL_ROLES):
        over = head.status in (GameStatus.COMPLETED, GameStatus.CANCELED)
        raise GameFinishedException if over else GameJoinRoleException


def _is_watching(call: Call, match: str, role: str) -> bool:
    room = call.door.rooms.get(match)
    return room is not None and any(one.token == call.request.token for one in room.listeners(role))


@answers(rq.JoinPowers)
async def join_powers(call: Call, request: rq.JoinPowers) -> None:
    """Take several powers, or none of them."""
    head = await call.door.host.heads.find(request.game_id)
    call.hold(request.game_id)
    known = _powers(named(head.map_name))
    if not request.power_names:
        raise ResponseException("To join powers, name at least one.")
    for name in request.power_names:
        if name not in known:
            raise MapPowerException(name)
    _require_no_watching(call, head)
    own = await call.door.host.seats(call.session, request.game_id)
    wanted = [Seat(name) for name in dict.fromkeys(request.power_names) if name not in own]
    if wanted:
        if await call.door.host.level(call.session, request.game_id) != w.MASTER:
            _require_room(head, wanted, with_own=any(name in own for name in request.power_names))
        password = request.registration_password or ""
        await call.door.host.sit(call.session, request.game_id, wanted, PlayerType.HUMAN, password, at_once=True)
    for name in request.power_names:
        call.door.let_in(request.token, request.game_id, name)


async def game_given(call: Call, match: str, role: str, before: GameStatus | None = None) -> rs.GameGiven:
    """Let the caller's token listen in a role, and return the game at that moment.

    If this request started the game, the answer has the status before, and a notification of the new one follows.
    """
    host = call.door.host
    level = await host.level(call.session, match)
    head = await host.heads.find(match)
    room, sight = await call.door.enter(call, match, role)
    own = [str(seat) for seat in await host.seats(call.session, match)]
    sheet = game_sheet(call.shown(match), room.state, sight, head.house, own=own, level=level)
    listening = call.door.listener(match, role, call.request.token)
    if before is not None and before is not sheet.status and listening is not None:
        room.tell_one(listening, notice("game_status_update", status=sheet.status))
        sheet = msgspec.structs.replace(sheet, status=before)
    if len(sheet.messages) > MANY:  # notifications of the game wait for the answer meanwhile
        raw: Any = msgspec.Raw
        work = partial(encoded_in_parts, sheet.messages)
        sheet = msgspec.structs.replace(sheet, messages=raw(await call.door.hall.pool.run(call.asker, work)))
    return rs.GameGiven(request_id=call.request.request_id, data=sheet)


async def summaries(call: Call, heads: Sequence[MatchHead], own: Mapping[str, Iterable[Seat]]) -> list[rs.GameSummary]:
    """Return summaries of games for a list; `own` has the caller's powers in each."""
    levels, slices, found = await call.door.host.listed_levels(call.session, heads), TimeSlices(), []
    for head in heads:
        await slices.pause()
        found.append(summary(call, head, own.get(head.id, ()), levels[head.id]))
    return found


def summary(call: Call, head: MatchHead, own: Iterable[Seat], level: str) -> rs.GameSummary:
    """Return the summary of a game for a list; `own` are the caller's powers in it."""
    room = call.door.rooms.get(head.id)
    early = head.updated == head.created  # a delayed match is listed so, to hide its progress
    latest = 0 if early or room is None or room.board is None else room.board.latest_for_all
    return rs.GameSummary(
        request_id=call.request.request_id,
        game_id=call.shown(head.id),
        phase=head.phase,
        timestamp=max(head.updated, latest),
        timestamp_created=head.created,
        map_name=head.map_name,
        observer_level=head.house.shown_level(level),
        controlled_powers=[str(seat) for seat in own],
        rules=list(head.house.rules),
        status=_status(call, head),
        n_players=len(head.players),
        n_controls=head.house.n_controls,
        deadline=head.deadline,
        registration_password=head.protected,
    )


def _status(call: Call, head: MatchHead) -> GameStatus:
    """Return the status of a game; its head does not show who paused a game that has lost players since."""
    room = call.door.rooms.get(head.id)
    if head.status is not GameStatus.FORMING or head.updated == head.created or room is None or room.board is None:
        return head.status
    return room.board.status


def _note_fork(call: Call, said: SeatedAs | msgspec.UnsetType | None) -> None:
    """Note that a client is the fork's: only it sends a player type, even if it is null."""
    if said is not msgspec.UNSET:
        call.door.fork_tokens.add(call.request.token)


def player_type(said: SeatedAs | msgspec.UnsetType | None) -> PlayerType:
    """Return the type of the player; human if none is given."""
    if said is msgspec.UNSET or said is None or said is SeatedAs.NONE:
        return PlayerType.HUMAN
    return PlayerType(said)


def _powers(board: Map) -> Iterable[str]:
    return [power.name for power in board.powers]
