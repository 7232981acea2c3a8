"""MILA's own list of 13,006 action strings in its order: convoys of at most four fleets, none of them idle."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from parlour.deepmind.routes import minimal_routes
from parlour.games.diplomacy.maps.map import Ground, Map, standard

LONGEST_ROUTE = 4
Routes = dict[tuple[int, int], list[set[int]]]
"""The routes between two shores, each as a set of seas."""


@cache
def mila_actions() -> tuple[str, ...]:
    """Return WAIVE, then all other strings in string order."""
    board = standard()
    routes = _routes()
    rest = {*_unit_orders(board), *_convoys(board, routes), *_supports(board, routes)}
    return ("WAIVE", *sorted(rest))


def _standing(board: Map) -> Iterator[tuple[str, int]]:
    """Yield every unit in every area where it can stand."""
    for area in board.areas:
        province = board.provinces[area.province]
        if area.coast == 0 and province.kind is not Ground.SEA:
            yield "A", area.id
        if province.kind is not Ground.LAND and (area.coast or not province.coasts):
            yield "F", area.id


def _edges(board: Map, kind: str, area: int) -> tuple[int, ...]:
    return (board.army if kind == "A" else board.fleet)[area]


def _unit_orders(board: Map) -> Iterator[str]:
    for kind, area in _standing(board):
        place = board.areas[area]
        unit = f"{kind} {place.tag}"
        yield f"{unit} H"
        yield f"{unit} D"
        if board.provinces[place.province].home is not None:
            yield f"{unit} B"
        for there in _edges(board, kind, area):
            yield f"{unit} - {board.areas[there].tag}"
            yield f"{unit} R {board.areas[there].tag}"


def _routes() -> Routes:
    """Return the routes of at most four fleets between any two shores, none of them idle."""
    waters, sets = minimal_routes()
    found: Routes = {}
    for pair, ways in sets.items():
        short = [way for way in ways if way.bit_count() <= LONGEST_ROUTE]
        if short:
            found[pair] = [{sea for number, sea in enumerate(waters.seas) if way >> number & 1} for way in short]
    return found


def _convoys(board: Map, routes: Routes) -> Iterator[str]:
    for (start, end), ways in routes.items():
        army, goal = f"A {board.provinces[start].tag}", board.provinces[end].tag
        yield f"{army} - {goal} VIA"
        for sea in set().union(*ways):
            yield f"F {board.provinces[sea].tag} C {army} - {goal}"


def _supports(board: Map, routes: Routes) -> Iterator[str]:
    standing = list(_standing(board))
    by_province: dict[int, list[str]] = {}
    comers: dict[int, list[tuple[int, str]]] = {}
    for kind, area in standing:
        here, unit = board.areas[area].province, f"{kind} {board.areas[area].tag}"
        by_province.setdefault(here, []).append(unit)
        for there in {board.areas[end].province for end in _edges(board, kind, area)}:
            comers.setdefault(there, []).append((here, unit))
    for kind, area in standing:
        here, unit = board.areas[area].province, f"{kind} {board.areas[area].tag}"
        for goal in {board.areas[end].province for end in _edges(board, kind, area)}:
            tag = board.provinces[goal].tag
            yield from (f"{unit} S {other}" for other in by_province[goal])
            yield from (f"{unit} S {other} - {tag}" for start, other in comers[goal] if start != here)
            for start in by_province:
                ways = routes.get((start, goal), ())
                if start != here and any(here not in way for way in ways):
                    yield f"{unit} S A {board.provinces[start].tag} - {tag}"
