"""Integer actions: the published 64-bit encoding, and the table of all actions that a map admits.

    bits 0-7    order kind                     bits 16, 17-23   coast flag and id of the target province
    bits 8      coast flag of the ordered one  bits 24, 25-31   zero, and id of the third province
    bits 9-15   id of the ordered province     bits 48-63       the action's index in the table

The target is where the order is aimed: the destination of a move, retreat, convoy or supported move, or the province
whose unit is supported where it stands. The third is where the supported or convoyed unit stands now. A coast flag
of 1 means the second shore of a split province; fields without a meaning are 0. The functions below take a Python
int or an int64 array.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from parlour.errors import ConfigError
from parlour.games.diplomacy.kernel.routes import Routes
from parlour.games.diplomacy.maps.map import Ground, Map, Province

Actions = npt.NDArray[np.int64]
A = TypeVar("A", int, Actions)

MAX_ACTIONS = (1 << 15) - 1
"""Maximum number of actions: with more, an action with its index would not be a positive 64-bit number."""


class OrderKind(IntEnum):
    """Kind of an action: its lowest byte."""

    CONVOY_TO = 1  # an army moves by convoy
    CONVOY = 2  # a fleet carries an army
    HOLD = 3
    MOVE_TO = 4
    SUPPORT_HOLD = 5
    SUPPORT_MOVE_TO = 6
    DISBAND = 8  # a dislodged unit leaves the board
    RETREAT_TO = 9
    BUILD_ARMY = 10
    BUILD_FLEET = 11
    REMOVE = 12  # a surplus unit leaves the board in winter
    WAIVE = 13


def kind_of(action: A) -> A:
    """Return the order kind, as a number."""
    return action & 255


def ordered(action: A) -> A:
    """Return the province of the ordered unit, or of the build."""
    return action >> 9 & 127


def ordered_flag(action: A) -> A:
    """Return 1 if a fleet is built on the second shore."""
    return action >> 8 & 1


def target(action: A) -> A:
    """Return the province that the order is aimed at."""
    return action >> 17 & 127


def target_flag(action: A) -> A:
    """Return 1 if a fleet moves to the second shore."""
    return action >> 16 & 1


def third(action: A) -> A:
    """Return the province of the unit that is supported or convoyed elsewhere."""
    return action >> 25 & 127


def index_of(action: A) -> A:
    """Return the action's place in the table."""
    return action >> 48


def without_index(action: A) -> A:
    """Return the low 32 bits of an action, which hold all but its index."""
    return action & 0xFFFFFFFF


def compose(kind: int, ordered: int = 0, target: int = 0, third: int = 0, flag: int = 0) -> int:
    """Return the low 32 bits of an action; flag is the coast of the build or of the destination."""
    low = kind | ordered << 9 | target << 17 | third << 25
    return low | flag << (8 if kind == OrderKind.BUILD_FLEET else 16)


@dataclass(frozen=True, eq=False)
class ActionTable:
    """All actions that can ever be possible on a map, ascending, each with its index."""

    map: Map
    actions: Actions

    @cached_property
    def low(self) -> Actions:
        """The actions without their index, ascending."""
        return without_index(self.actions)

    @cached_property
    def by_low(self) -> dict[int, int]:
        """The action for its low 32 bits, as Python ints."""
        return dict(zip(self.low.tolist(), self.actions.tolist(), strict=True))

    def find(self, kind: OrderKind, ordered: int = 0, target: int = 0, third: int = 0, flag: int = 0) -> int | None:
        """Return the action of these fields, or None if the map does not admit it."""
        return self.by_low.get(compose(kind, ordered, target, third, flag))

    def __contains__(self, action: object) -> bool:
        return isinstance(action, int) and self.by_low.get(action & 0xFFFFFFFF) == action

    def __len__(self) -> int:
        return len(self.actions)


@cache
def action_table(board: Map) -> ActionTable:
    """Return the table of a map, generated once.

    Raises:
        ConfigError: The map admits more actions than have room for an index.
    """
    if board is not board.for_actions:
        return action_table(board.for_actions)
    found: set[int] = set()
    for action in _all_low(board):
        found.add(action)
        if len(found) > MAX_ACTIONS:  # stops early, because a map may admit millions
            raise ConfigError(f"map: {board.name} has more than {MAX_ACTIONS:,} actions", field="map")
    low = np.array(sorted(found), dtype=np.int64)
    actions = low | np.arange(len(low), dtype=np.int64) << 48
    actions.flags.writeable = False
    return ActionTable(board, actions)


def _all_low(board: Map) -> Iterator[int]:
    for province in board.provinces:
        yield compose(OrderKind.HOLD, province.id)
        yield compose(OrderKind.DISBAND, province.id)
        yield compose(OrderKind.REMOVE, province.id)
    for site in {site for sites in board.sites for site in sites}:
        yield from _builds(board.provinces[site])
    yield compose(OrderKind.WAIVE)
    yield from _moves(board)
    yield from _supports_and_convoys(board)


def _builds(province: Province) -> Iterator[int]:
    yield compose(OrderKind.BUILD_ARMY, province.id)
    if province.kind is Ground.COAST:
        for flag in range(max(1, len(province.coasts))):
            yield compose(OrderKind.BUILD_FLEET, province.id, flag=flag)


def _moves(board: Map) -> Iterator[int]:
    for here, there in borders(board):
        start, end = board.areas[here], board.areas[there]
        for kind in (OrderKind.MOVE_TO, OrderKind.RETREAT_TO):
            yield compose(kind, start.province, end.province, flag=int(end.coast == 2))


def borders(board: Map) -> Iterator[tuple[int, int]]:
    """Yield the start and end area of every move of an army or a fleet by its own means."""
    for edges in (board.army, board.fleet):
        for here, neighbours in enumerate(edges):
            for there in neighbours:
                yield here, there


def _supports_and_convoys(board: Map) -> Iterator[int]:
    """Yield supports of all possible holds and moves, and convoys along simple paths of seas."""
    reach: list[set[int]] = [set() for _ in board.provinces]
    for here, there in borders(board):
        reach[board.areas[here].province].add(board.areas[there].province)
    waters = Waters(board)
    comers: list[set[int]] = [set() for _ in board.provinces]
    for start, ends in enumerate(reach):
        for end in ends:
            comers[end].add(start)
    carried: dict[tuple[int, int], int] = {}
    for start in waters.shores:
        for end in waters.shores:
            on_route, needed = waters.route(start, end)
            if start != end and on_route:
                carried[start, end] = needed
                comers[end].add(start)
                yield compose(OrderKind.CONVOY_TO, start, end)
                for number, sea in enumerate(waters.seas):
                    if on_route >> number & 1:
                        yield compose(OrderKind.CONVOY, sea, end, start)
    for supporter, ends in enumerate(reach):
        bit = 1 << waters.number.get(supporter, 64)
        for end in ends:
            yield compose(OrderKind.SUPPORT_HOLD, supporter, end)
            for start in comers[end]:
                if start != supporter and (end in reach[start] or not carried[start, end] & bit):
                    yield compose(OrderKind.SUPPORT_MOVE_TO, supporter, end, start)


class Waters:
    """The seas and ports of a map as bit sets, with the shores that they touch and the routes between shores."""

    def __init__(self, board: Map) -> None:
        self.seas = [p.id for p in board.provinces if p.convoys]
        self.number = {sea: number for number, sea in enumerate(self.seas)}
        self.shores = [p.id for p in board.provinces if p.kind is Ground.COAST]
        self.touching = [0] * len(board.provinces)
        """The set of seas next to each province."""
        for here, neighbours in enumerate(board.fleet):
            for there in neighbours:
                number = self.number.get(board.areas[there].province)
                if number is not None and here in board.fleet[there]:
                    self.touching[board.areas[here].province] |= 1 << number
        self.neighbours = [self.touching[sea] for sea in self.seas]
        self._unions: dict[int, list[list[int]]] = {}
        self._parts: dict[int, list[int]] = {}

    def route(self, start: int, end: int) -> tuple[int, int]:
        """Return the seas on some route between two shores, and the seas on every route.

        A port is not on a route of which it is an end: an army is there, or about to be.
        """
        within = (1 << len(self.seas)) - 1
        for shore in (start, end):
            if shore in self.number:
                within &= ~(1 << self.number[shore])
        if within not in self._unions:
            self._unions[within] = Routes(self.neighbours).between(within)
        unions = self._unions[within]
        on_route = needed = 0
        for first in _members(self.touching[start] & within):
            for last in _members(self.touching[end] & within):
                on_route |= unions[first][last]
        for sea in _members(on_route):
            if not self._joined(start, end, within & ~(1 << sea)):
                needed |= 1 << sea
        return on_route, needed

    def _joined(self, start: int, end: int, within: int) -> bool:
        """Return True if a chain of the seas in within joins two shores."""
        if within not in self._parts:
            self._parts[within] = list(self._connected(within))
        return any(self.touching[start] & part and self.touching[end] & part for part in self._parts[within])

    def _connected(self, within: int) -> Iterator[int]:
        """Yield the connected parts of a set of seas."""
        while within:
            part = fresh = within & -within
            while fresh:
                sea = (fresh & -fresh).bit_length() - 1
                fresh &= fresh - 1
                fresh |= self.neighbours[sea] & within & ~part
                part |= fresh
            within &= ~part
            yield part


def _members(word: int) -> Iterator[int]:
    while word:
        yield (word & -word).bit_length() - 1
        word &= word - 1
