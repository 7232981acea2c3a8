"""Fog of war: a power sees only the provinces of its units and centres and the provinces next to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from parlour.core.game import Action, Happened, Plain, Seat
from parlour.core.viewers import Viewer
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.ordering.actions import borders
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.scoring import Scoring
from parlour.games.diplomacy.variations import Variation

MARK = "fog"
"""The field that marks the events of a turn as played in fog."""


def is_foggy(config: Mapping[str, Plain]) -> bool:
    """Return True if a match of that configuration is played in fog."""
    rules = config.get("rules")
    return config.get("sight") == "fog" or (isinstance(rules, (list, tuple)) and Variation.FOG in rules)


@cache
def _near(board: Map) -> tuple[frozenset[int], ...]:
    """Return for each province the set of itself and its neighbours."""
    found: list[set[int]] = [{province.id} for province in board.provinces]
    for here, there in borders(board):
        start, end = board.areas[here].province, board.areas[there].province
        found[start].add(end)
        found[end].add(start)
    return tuple(frozenset(each) for each in found)


def visible(board: Map, state: bytes, powers: Iterable[int]) -> set[int]:
    """Return the provinces that some powers see together."""
    numbers, near = {power + 1 for power in powers}, _near(board)
    seen: set[int] = set()
    for province in range(len(board.provinces)):
        here = (state[k.UNITS + province], state[k.DISLODGED + province], state[k.OWNERS + province])
        if any(byte & k.POWER_MASK in numbers for byte in here):
            seen |= near[province]
    return seen


class FogView(Position):
    """A position of which only a part is seen."""

    hidden: frozenset[str]
    """The provinces that are not seen; not part of the position's value."""

    def __init__(
        self, board: Map, state: bytes, scoring: Scoring, removed: frozenset[int], hidden: frozenset[str]
    ) -> None:
        super().__init__(board, state, scoring, removed)
        self.__dict__["hidden"] = hidden

    def alive(self) -> tuple[Seat, ...]:
        """Return the powers of the match, also eliminated ones: nobody sees which powers have lost everything."""
        return tuple(Seat(power.name) for power in self._board.powers if power.id not in self._removed)

    def __reduce__(self) -> tuple[Any, ...]:
        made = super().__reduce__()
        return _seen_again, (*made, self.hidden)


def _seen_again(make: Callable[..., Position], values: tuple[Any, ...], hidden: frozenset[str]) -> FogView:
    _, state, scoring, removed, _ = values
    return FogView(make(*values).board, state, scoring, removed, hidden)


def veiled(board: Map, state: bytes, scoring: Scoring, removed: frozenset[int], powers: Iterable[int]) -> FogView:
    """Return a position as some powers see it."""
    own = frozenset(powers)
    seen = visible(board, state, own)
    hidden = frozenset(province.tag for province in board.provinces if province.id not in seen)
    return FogView(board, _fogged(board, state, own, seen), scoring, removed, hidden)


def _fogged(board: Map, state: bytes, own: frozenset[int], seen: set[int]) -> bytes:
    """Return the state as some powers see it, with everything hidden set to zero."""
    shown = bytearray(state)
    for province in range(len(board.provinces)):
        fled = shown[k.DISLODGED + province] & k.POWER_MASK
        if fled and fled - 1 not in own:
            shown[k.ORIGINS + province] = 0  # the origin would reveal where the attacker came from
        if province not in seen:
            for offset in (k.UNITS, k.OWNERS, k.DISLODGED, k.ORIGINS, k.INFLUENCE):
                shown[offset + province] = 0
    for power in range(len(board.powers)):
        if power not in own:
            shown[k.BUILDS + power] = 0
    return bytes(shown)


def turn_seen(
    actions: Mapping[str, Action], happened: Happened, viewer: Viewer
) -> tuple[Mapping[str, Action], Happened]:
    """Return a turn as a viewer may see it: in fog only the viewer's own orders with their results."""
    if not happened.get(MARK) or viewer.hindsight:
        return actions, happened

    def owned(value: Mapping[str, Plain]) -> dict[str, Plain]:
        return {seat: each for seat, each in value.items() if viewer.owns(Seat(seat))}

    covered = {name: owned(happened[name]) for name in ("results", "void", "disbanded")}
    return owned(actions), {**happened, **covered, "defaults": []}
