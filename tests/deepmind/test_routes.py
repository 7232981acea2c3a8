"""Minimal convoy routes: against all simple paths, searched plainly."""

from __future__ import annotations

from parlour.deepmind.actions import CONVOY, POSSIBLE_ACTIONS
from parlour.deepmind.routes import minimal_routes, routes_by_action
from parlour.games.diplomacy.maps.map import Ground, standard


def all_routes(start: int) -> dict[int, set[frozenset[int]]]:
    """Return the sets of seas of every simple path from a shore, by the shore where it ends."""
    board = standard()
    seas = {p.id for p in board.provinces if p.kind is Ground.SEA}
    near: dict[int, set[int]] = {p.id: set() for p in board.provinces}
    for here, others in enumerate(board.fleet):
        near[board.areas[here].province] |= {board.areas[there].province for there in others}
    found: dict[int, set[frozenset[int]]] = {}
    seen: set[tuple[int, frozenset[int]]] = set()
    stack = [(sea, frozenset([sea])) for sea in near[start] & seas]
    while stack:
        last, way = stack.pop()
        if (last, way) in seen:
            continue
        seen.add((last, way))
        for end in near[last] - seas - {start}:
            found.setdefault(end, set()).add(way)
        stack += [(sea, way | {sea}) for sea in near[last] & seas - way]
    return found


def test_minimal_routes_are_those_without_a_smaller_one_inside() -> None:
    waters, sets = minimal_routes()
    for tag in ("LON", "SPA", "STP", "ANK", "TUN"):
        place = standard().find(tag)
        assert place is not None
        for end, ways in all_routes(place.id).items():
            expected = {way for way in ways if not any(other < way for other in ways)}
            found = {
                frozenset(sea for number, sea in enumerate(waters.seas) if way >> number & 1)
                for way in sets[place.id, end]
            }
            assert found == expected


def test_only_convoys_have_routes_and_each_contains_the_fleet() -> None:
    first, sets, seas = routes_by_action()
    for index, action in enumerate(POSSIBLE_ACTIONS.tolist()):
        own = sets[first[index] : first[index + 1]]
        if action & 255 != CONVOY:
            assert not len(own)
        for way in own.tolist():
            assert (action >> 9 & 127) in {sea for number, sea in enumerate(seas.tolist()) if way >> number & 1}
