"""Convoy routes that have no idle fleet: for two shores, the sets of seas of which none could be left out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from parlour.deepmind.actions import CONVOY, POSSIBLE_ACTIONS
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import Waters


class SeaSets(NamedTuple):
    """Sets of seas as bits, by the province ids of start and end."""

    waters: Waters
    sets: dict[tuple[int, int], tuple[int, ...]]


@cache
def minimal_routes() -> SeaSets:
    """Return all minimal routes: paths without a short cut, of which only the ends touch the shores."""
    waters = Waters(standard())
    found: dict[tuple[int, int], set[int]] = {}
    for path, inside in _paths(waters):
        first, last = 1 << path[0], 1 << path[-1]
        starts = [p for p in waters.shores if waters.touching[p] & inside == first]
        ends = [p for p in waters.shores if waters.touching[p] & inside == last]
        for start in starts:
            for end in ends:
                if start != end:
                    found.setdefault((start, end), set()).add(inside)
    return SeaSets(waters, {pair: tuple(sorted(sets)) for pair, sets in found.items()})


def _paths(waters: Waters) -> Iterator[tuple[list[int], int]]:
    """Yield every path of seas in which only successive seas are neighbours, with the set of its seas."""
    stack = [([sea], 1 << sea) for sea in range(len(waters.seas))]
    while stack:
        path, inside = stack.pop()
        yield path, inside
        last = 1 << path[-1]
        for sea, near in enumerate(waters.neighbours):
            if near & inside == last and not inside >> sea & 1:
                stack.append(([*path, sea], inside | 1 << sea))


@cache
def routes_by_action() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
    """Return the minimal routes that include the fleet of each convoy action.

    The result is first, sets, and the province of each sea. The routes of the action with index i are
    sets[first[i] : first[i + 1]].
    """
    routes = minimal_routes()
    first, sets = [0], list[int]()
    for action in POSSIBLE_ACTIONS.tolist():
        if a.kind_of(action) == CONVOY:
            bit = 1 << routes.waters.number[a.ordered(action)]
            sets += [s for s in routes.sets.get((a.third(action), a.target(action)), ()) if s & bit]
        first.append(len(sets))
    return np.array(first, np.int32), np.array(sets, np.uint64), np.array(routes.waters.seas, np.uint8)
