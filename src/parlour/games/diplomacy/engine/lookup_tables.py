"""The kernel's lookup tables, computed once from a map: reach, action indices, shores, distances, as flat arrays.

A *site* is a place with a unit type, which decides where the unit can move. Site p is an army in province p, site P + a
is a fleet in area a. Provinces are kept in sets of two 64-bit words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from parlour.games.diplomacy.engine.codes import COAST_SHIFT, CONTESTED, POWER_MASK
from parlour.games.diplomacy.maps.map import MAX_POWERS, Builds, Ground, Map
from parlour.games.diplomacy.ordering.actions import OrderKind, Waters, action_table, borders, compose
from parlour.games.diplomacy.variations import Variation

NO_ACTION = 0x7FFF
"""The mark of a missing action: larger than any index of an action."""
FAR = 255
Tables = dict[str, npt.NDArray[Any]]
_MOVE_COLUMNS: dict[str, type[np.generic]] = {
    "move_to": np.uint8,
    "move_coast": np.uint8,
    "move": np.int64,
    "retreat": np.int64,
    "support_hold": np.int64,
    "support_row": np.int32,
    "is_new": np.uint8,
    "mover": np.uint8,
    "pair_row": np.int32,
    "pair_column": np.uint8,
}
"""Columns of the table of moves by site, with their types."""


@cache
def tables_of(board: Map) -> Tables:
    """Return all arrays of a map by name; shared by every desk that plays on it."""
    if board is not board.for_actions:
        return tables_of(board.for_actions) | _varied(board)
    found = _Lookup(board)
    tables: Tables = {
        "actions": np.array(action_table(board).actions),
        "sizes": np.array(
            [
                len(board.provinces),
                len(board.powers),
                board.victory,
                found.index[OrderKind.WAIVE],
                board.calendar.step,
                board.build_mode is Builds.ROOTED,
            ],
            np.int32,
        ),
        "area_of": _padded([p.area for p in board.provinces], np.int32),
        "fleet_site": _padded([len(board.provinces) + p.area - p.id for p in board.provinces], np.int32),
        # For each province the powers that may build there, and those whose home it is: bit power + 1.
        "site_of": _padded(_bits(board, board.sites), np.uint16),
        "home_of": _padded(_bits(board, [power.homes for power in board.powers]), np.uint16),
        "centre_list": np.array([p.id for p in board.provinces if p.centre], np.uint8),
        # Build sites: the homes, or every centre if the map allows it.
        "home_list": np.array(sorted({site for sites in board.sites for site in sites}), np.uint8),
        "is_shore": _padded([p.kind is Ground.COAST for p in board.provinces], np.uint8),
        "shore_bit_lo": _padded([(p.kind is Ground.COAST) * _words([p.id])[0] for p in board.provinces], np.uint64),
        "shore_bit_hi": _padded([(p.kind is Ground.COAST) * _words([p.id])[1] for p in board.provinces], np.uint64),
        "is_split": _padded([bool(p.coasts) for p in board.provinces], np.uint8),
        "rank": _padded(np.argsort(np.argsort([p.tag for p in board.provinces])).tolist(), np.uint8),
        "distance": _distances(board),
    }
    tables |= _varied(board) | _sound_bytes(len(board.powers)) | found.single() | found.reach() | found.seas()
    return tables


def _varied(board: Map) -> Tables:
    """Return a flag for each variation that the kernel plays: 1 if the board is played with it."""
    played = (Variation.EVERY_PHASE, Variation.HELD_WIN)
    return {"varied": np.array([one in board.variations for one in played], np.int32)}


def _bits(board: Map, lists: Iterable[Iterable[int]]) -> list[int]:
    """Return for each province the set of powers whose list contains it."""
    found = [0] * len(board.provinces)
    for power, provinces in enumerate(lists):
        for province in provinces:
            found[province] |= 2 << power
    return found


def _padded(values: Iterable[Any], dtype: Any, room: int = 4) -> npt.NDArray[Any]:
    """Return values as an array, with zeros at the end for indices that only an impossible state has."""
    return np.concatenate([np.array(list(values), dtype), np.zeros(room, dtype)])


def _sound_bytes(powers: int) -> Tables:
    """Return tables that map each valid byte of a state to itself, and each invalid one to 0."""
    every = np.arange(256, dtype=np.uint8)
    owner = np.where(every <= powers, every, 0).astype(np.uint8)
    unit = np.where((owner[every & POWER_MASK] > 0) & (every < 3 << COAST_SHIFT), every, 0).astype(np.uint8)
    dislodged = np.where(every == CONTESTED, every, unit).astype(np.uint8)
    return {"sound_unit": unit, "sound_owner": owner, "sound_dislodged": dislodged}


def _words(members: Iterable[int]) -> tuple[int, int]:
    word = sum(1 << member for member in members)
    return word & (1 << 64) - 1, word >> 64


def _distances(board: Map) -> npt.NDArray[np.uint8]:
    """Return the moves from each area to the nearest home centre: [power, army or fleet, area], flattened.

    An army may be carried, so every border counts for it; a fleet takes its own borders (DATC 4.D.8). The search goes
    from the homes outwards, so borders are taken backwards.
    """
    anywhere: list[set[int]] = [set() for _ in board.areas]
    for here, there in borders(board):
        for end in board.provinces[board.areas[there].province].areas:
            anywhere[end].update(board.provinces[board.areas[here].province].areas)
    sailed: list[set[int]] = [set() for _ in board.areas]
    for start, ends in enumerate(board.fleet):
        for end in ends:
            sailed[end].add(start)
    result = np.full((MAX_POWERS + 1, 2, len(board.areas) + 4), FAR, np.uint8)
    for power in board.powers:
        homes = [area for home in power.homes for area in board.provinces[home].areas]
        for fleet, edges in enumerate((anywhere, sailed)):
            queue = deque(homes)
            result[power.id, fleet, homes] = 0
            while queue:
                here = queue.popleft()
                for there in edges[here]:
                    if result[power.id, fleet, there] == FAR:
                        result[power.id, fleet, there] = result[power.id, fleet, here] + 1
                        queue.append(there)
    return result.reshape(-1)


class _Lookup:
    """An index of the actions of a map, by their meaning."""

    def __init__(self, board: Map) -> None:
        self.board = board
        self.waters = Waters(board)
        table = action_table(board)
        self.actions: list[int] = table.actions.tolist()
        self.index = {low: number for number, low in enumerate(table.low.tolist())}

    def find(self, kind: OrderKind, ordered: int = 0, target: int = 0, third: int = 0, flag: int = 0) -> int:
        return self.index.get(compose(kind, ordered, target, third, flag), NO_ACTION)

    def action(self, kind: OrderKind, ordered: int = 0, target: int = 0, third: int = 0, flag: int = 0) -> int:
        """Return the action itself, or 0 if there is none."""
        index = self.find(kind, ordered, target, third, flag)
        return 0 if index == NO_ACTION else self.actions[index]

    def single(self) -> Tables:
        """Return the actions that name only one province."""
        every = range(len(self.board.provinces))
        return {
            "hold": _padded((self.action(OrderKind.HOLD, p) for p in every), np.int64),
            "disband": _padded((self.action(OrderKind.DISBAND, p) for p in every), np.int64),
            "remove": _padded((self.action(OrderKind.REMOVE, p) for p in every), np.int64),
            "build_army": _padded((self.action(OrderKind.BUILD_ARMY, p) for p in every), np.int64),
            "build_fleet": _padded(
                (self.action(OrderKind.BUILD_FLEET, p, flag=flag) for p in every for flag in range(2)), np.int64
            ),
        }

    def _sites(self) -> list[tuple[int, ...]]:
        """Return for each site the areas that a unit there can move to."""
        return [self.board.army[p.area] for p in self.board.provinces] + list(self.board.fleet) + [()] * 4

    def reach(self) -> Tables:
        """Return moves, retreats and supports by site, from move_first[site] to move_first[site + 1].

        Of several moves to the shores of one province, only the first is new. It stands for the others in supports.
        """
        board, count = self.board, len(self.board.provinces)
        pairs = _Pairs(self)
        first = [0]
        columns: dict[str, list[int]] = {name: [] for name in _MOVE_COLUMNS}
        rows: dict[tuple[int, int], int] = {}
        sets: list[tuple[int, int]] = []
        for site, ends in enumerate(self._sites()):
            here = self._province(site)
            reached: set[int] = set()
            for end in ends:
                there, coast = board.areas[end].province, board.areas[end].coast
                columns["move_to"].append(there)
                columns["move_coast"].append(coast)
                columns["move"].append(self.action(OrderKind.MOVE_TO, here, there, flag=int(coast == 2)))
                columns["retreat"].append(self.action(OrderKind.RETREAT_TO, here, there, flag=int(coast == 2)))
                columns["support_hold"].append(self.action(OrderKind.SUPPORT_HOLD, here, there))
                columns["support_row"].append(count * rows.setdefault((here, there), len(rows)))
                columns["is_new"].append(there not in reached)
                columns["mover"].append(here)
                columns["pair_row"].append(pairs.row(here, there))
                columns["pair_column"].append(pairs.column(here, there))
                reached.add(there)
            sets.append(_words(reached))
            first.append(len(columns["move"]))
        support = [self.find(OrderKind.SUPPORT_MOVE_TO, *row, third) for row in rows for third in range(count)]
        # One entry more than units that can come: it takes moves that are not new, and is overwritten.
        comers = np.array([len(own) + 1 for own in pairs.comers])
        return {name: np.array(column, _MOVE_COLUMNS[name]) for name, column in columns.items()} | {
            "move_first": np.array(first, np.int32),
            "come_first": _padded(np.cumsum(comers) - comers, np.int32),
            "support_move": np.array(support, np.uint16),
            "support_pair": np.array(pairs.indices, np.uint16),
            "reach_lo": np.array([word[0] for word in sets], np.uint64),
            "reach_hi": np.array([word[1] for word in sets], np.uint64),
        }

    def _province(self, site: int) -> int:
        count = len(self.board.provinces)
        return site if site < count else self.board.areas[min(site - count, len(self.board.areas) - 1)].province

    def comers(self) -> list[list[int]]:
        """Return for each province the provinces from which an army or a fleet could move there, ascending."""
        found: list[set[int]] = [set() for _ in self.board.provinces]
        for site, ends in enumerate(self._sites()):
            for end in ends:
                found[self.board.areas[end].province].add(self._province(site))
        return [sorted(own) for own in found]

    def seas(self) -> Tables:
        """Return the shores that the seas touch, and the convoy actions by the numbers of sea and shores."""
        waters, every = self.waters, range(len(self.board.provinces))
        touched = [_words(s for s in waters.shores if waters.touching[s] >> n & 1) for n in range(len(waters.seas))]
        shore_number = {shore: number for number, shore in enumerate(waters.shores)}
        shores = waters.shores
        carry = [self.find(OrderKind.CONVOY, sea, b, a) for a in shores for b in shores for sea in waters.seas]
        return {
            "sea_number": _padded((waters.number.get(p, -1) for p in every), np.int8),
            "sea_bit": _padded((1 << waters.number[p] if p in waters.number else 0 for p in every), np.uint64),
            "neighbours": np.array(waters.neighbours, np.uint64),
            "touching": _padded(waters.touching, np.uint64),
            "touched_lo": _padded((word[0] for word in touched), np.uint64),
            "touched_hi": _padded((word[1] for word in touched), np.uint64),
            "sea_province": _padded(waters.seas, np.uint8),
            # The set of seas that are ports: coasts where fleets convoy.
            "ports": np.array([sum(1 << n for n, sea in enumerate(waters.seas) if sea in waters.shores)], np.uint64),
            "shore_number": _padded((shore_number.get(p, 0) for p in every), np.uint8),
            "convoy_to": _padded((self.find(OrderKind.CONVOY_TO, a, b) for a in shores for b in shores), np.uint16),
            "convoy": _padded(carry, np.uint16),
        }


class _Pairs:
    """Supports between units that can reach the same province without a convoy, in small squares.

    A province has a row for each supporter and a column for each mover.
    """

    def __init__(self, found: _Lookup) -> None:
        self.comers = found.comers()
        self.indices: list[int] = []
        self._first: list[int] = []
        for there, own in enumerate(self.comers):
            self._first.append(len(self.indices))
            for here in own:
                self.indices += [found.find(OrderKind.SUPPORT_MOVE_TO, here, there, mover) for mover in own]

    def row(self, here: int, there: int) -> int:
        """Return the index at which the supports of `here` for moves to `there` begin."""
        own = self.comers[there]
        return self._first[there] + own.index(here) * len(own)

    def column(self, here: int, there: int) -> int:
        """Return the index within a row for supports of the move from `here` to `there`."""
        return self.comers[there].index(here)
