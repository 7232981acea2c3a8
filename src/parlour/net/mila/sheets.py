"""The protocol's descriptions of games, powers and maps, from the state that a role may see."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from parlour.games.diplomacy.formats.states import zobrist_hash
from parlour.games.diplomacy.maps.map import Area, Ground, Map, package_name, standard
from parlour.games.diplomacy.position import Position
from parlour.net.mila.chronicle import note_of
from parlour.net.mila.match_status import BoardState
from parlour.net.mila.protocol_values import GameSheet, PowerSheet, SeatedAs, long_phase
from parlour.net.mila.responses import MapSheet
from parlour.net.mila.role_state import Sight
from parlour.net.mila.rules import HouseRules, deadline_of, excluded


def game_sheet(
    match: str,
    board: BoardState,
    sight: Sight,
    house: HouseRules,
    *,
    own: Sequence[str],
    level: str,
) -> GameSheet:
    """Return the whole game as a role may see it; `own` are the powers that the caller controls."""
    position, raw = board.position, _raw
    names = board.chronicle.names
    parts = {name: board.chronicle.parts(name) for name in names}
    past = {name: sight.past(name) for name in names}
    sheet: Any = GameSheet
    found: GameSheet = sheet(
        game_id=match,
        role=sight.role,
        status=board.status,
        powers=_powers(board, sight, position),
        map_name=package_name(position.board),
        phase=long_phase(board.phase),
        phase_abbr=board.phase,
        deadline=deadline_of(board.terms),
        n_controls=house.n_controls,
        rules=list(house.rules),
        no_rules=excluded(house.rules),
        messages=list(sight.messages),
        message_history={name: raw(past[name][0]) for name in names},
        order_history={name: raw(parts[name].orders) for name in names},
        result_history={name: raw(parts[name].results) for name in names},
        state_history={name: raw(parts[name].state) for name in names},
        logs=list(sight.logs),
        log_history={name: raw(past[name][1]) for name in names},
        stance_history={name: {} for name in names},
        timestamp_created=board.created,
        victory=[position.board.victory],
        win=position.board.victory,
        note=note_of(position, board.outcome),
        outcome=board.result,
        zobrist_hash=zobrist_hash(position),
        controlled_powers=list(own),
        observer_level=house.shown_level(level),
    )
    return found


def _powers(board: BoardState, sight: Sight, position: Position) -> dict[str, PowerSheet]:
    units, retreats, centers = position.units, position.retreats, position.centers
    homes, influence = position.homes, position.influence
    found = {}
    for name, place in board.places.items():
        orders = sight.orders.get(name, [])
        moves = position.stage == "orders"
        found[name] = PowerSheet(
            name=name,
            role=name if sight.is_player else sight.role,
            abbrev=name[0],
            adjust=[] if moves else list(orders),
            centers=centers[name],
            controller={str(at): controller for at, controller in place.controllers.items()},
            homes=homes[name],
            influence=influence[name],
            order_is_set=board.order_is_set(name),
            orders=_by_unit(orders, position) if moves else {},
            retreats=retreats[name],
            units=units[name],
            vote=board.ballot(name, sight.viewer),
            wait=board.waits(name),
            comm_status=place.comm_status,
            player_type=SeatedAs(place.row.player_type),
        )
    return found


def _by_unit(orders: Sequence[str], position: Position) -> dict[str, str]:
    """Return orders by unit, or by number where orders are not checked."""
    if position.takes_anything:
        return {f"ORDER {number}": order for number, order in enumerate(orders, 1)}
    return dict(map(_split, orders))


def _split(order: str) -> tuple[str, str]:
    """Return the unit of an order and the rest: A PAR, - BUR."""
    kind, place, *rest = order.split()
    return f"{kind} {place}", " ".join(rest)


def _raw(text: bytes) -> Any:
    return msgspec.Raw(text)


@cache
def map_sheet(board: Map) -> MapSheet:
    """Return a map in the protocol's form; provinces with two coasts are in lower case, as no fleet stands in them."""
    split = {province.area for province in board.provinces if province.coasts}
    tags = {area.id: area.tag.lower() if area.id in split else area.tag for area in board.areas}
    shut = _shut(board)
    kinds = {Ground.LAND: "LAND", Ground.SEA: "WATER", Ground.COAST: "COAST"}
    return MapSheet(
        powers=sorted(power.name for power in board.powers),
        supply_centers=[province.tag for province in board.provinces if province.centre],
        loc_type={tags[area.id]: kinds[board.provinces[area.province].kind] for area in board.areas}
        | {province.tag: "PORT" for province in board.provinces if province.port}
        | dict.fromkeys(shut, "SHUT"),
        loc_abut={
            tags[area.id]: sorted(_neighbours(board, area).union(tag for tag in shut if area.tag in shut[tag]))
            for area in board.areas
        }
        | shut,
        aliases={word: board.provinces[number].tag for word, number in board.spellings.items()},
    )


def _shut(board: Map) -> dict[str, list[str]]:
    """Return the impassable places, which only the package's maps list, with their neighbours."""
    europe = {province.tag for province in standard().provinces} == {province.tag for province in board.provinces}
    return {"SWI": ["BUR", "MAR", "MUN", "PIE", "TYR"]} if europe else {}


def _neighbours(board: Map, area: Area) -> set[str]:
    """Return the neighbours of an area; coastal provinces that only armies reach are in lower case."""
    here = board.provinces[area.province]
    if here.coasts and not area.coast:
        reached = {board.areas[other].province for own in here.areas for other in (*board.army[own], *board.fleet[own])}
        return {board.provinces[number].tag for number in reached}
    by_sea = {other: board.areas[other] for other in board.fleet[area.id]}
    found = {other.tag for other in by_sea.values()}
    reached_by_sea = {other.province for other in by_sea.values()}
    for other in board.army[area.id]:
        province = board.provinces[board.areas[other].province]
        if province.id not in reached_by_sea:
            both_coasts = here.kind is Ground.COAST and province.kind is Ground.COAST
            found.add(province.tag.lower() if both_coasts else province.tag)
    return found
