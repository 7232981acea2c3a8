"""Prepares a position for search: the orders of each unit, and DumbBot's samples for every power."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parlour.agents.diplomacy.choices import MOVE, OrderSet, kind_of, target_of
from parlour.agents.diplomacy.kernel.dials import ROOM
from parlour.agents.diplomacy.kernel.rollouts import Rollouts
from parlour.agents.diplomacy.trials import Samples, Seeds
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.rules import rules_of
from parlour.games.diplomacy.position import Position

ONE_YEAR = {
    k.SeasonCode.SPRING_MOVES: 1,
    k.SeasonCode.SPRING_RETREATS: 1,
    k.SeasonCode.AUTUMN_MOVES: 2,
    k.SeasonCode.AUTUMN_RETREATS: 2,
    k.SeasonCode.BUILDS: 2,
}
"""Phases of movement to roll out: to the end of this year, or of the next one if this is the last phase of it."""


class Study:
    """A position prepared for rollouts at a desk. It is valid until the desk gets another position."""

    def __init__(self, desk: Rollouts, position: Position, rng: np.random.Generator) -> None:
        self.desk, self.position, self.rng = desk, position, rng
        desk.set_root(position.row.data)
        actions, offsets = rules_of(position.board).legal_by_province(position.row)
        orders = np.zeros(len(actions), np.int32)
        desk.read_orders(actions.data, orders.data)
        bounds, listed = offsets[0].tolist(), orders.tolist()
        self.legal: dict[int, list[int]] = {
            place: listed[bounds[place] : bounds[place + 1]]
            for place in range(len(bounds) - 1)
            if bounds[place] < bounds[place + 1]
        }
        state = position.state
        self.season = k.SeasonCode(state[k.SEASON])
        self.depth = ONE_YEAR[self.season]
        self._units: dict[int, list[int]] = {}
        for place in range(len(position.board.provinces)):
            if state[k.UNITS + place]:
                self._units.setdefault((state[k.UNITS + place] & k.POWER_MASK) - 1, []).append(place)

    def units(self, power: int) -> Sequence[int]:
        """Return the provinces of a power's units, in order."""
        return self._units.get(power, ())

    def others(self, power: int) -> list[int]:
        """Return the other powers with units."""
        return [other for other in sorted(self._units) if other != power]

    def seeds(self, count: int) -> Seeds:
        """Return seeds for `count` samples."""
        return self.rng.integers(0, 1 << 63, count, np.uint64)

    def drawn(self, seeds: Seeds) -> Samples:
        """Return DumbBot's orders for all powers, one row per seed."""
        orders = np.zeros((len(seeds), ROOM), np.int32)
        self.desk.draw_from_root(seeds.data, (1 << self.desk.powers) - 1, orders.data)
        return orders

    def sets(self, samples: Samples, power: int) -> list[OrderSet]:
        """Return the order sets of a power in samples, each once."""
        return list(dict.fromkeys(map(tuple, samples[:, list(self.units(power))].tolist())))

    def likely(self, samples: Samples, power: int) -> frozenset[tuple[int, int]]:
        """Return the moves of others that at least every second sample has."""
        found = set()
        for other in self.others(power):
            for place in self.units(other):
                orders, counts = np.unique(samples[:, place], return_counts=True)
                top = int(orders[counts.argmax()])
                if kind_of(top) == MOVE and 2 * int(counts.max()) >= len(samples):
                    found.add((place, MOVE | target_of(top) << 8))
        return frozenset(found)

    def reach(self, power: int) -> set[int]:
        """Return the provinces that a power holds, owns, or could enter next."""
        owned = np.frombuffer(self.position.state, np.uint8)[k.OWNERS : k.DISLODGED] == power + 1
        found = set(np.flatnonzero(owned).tolist()) | set(self.units(power))
        for place in self.units(power):
            found.update(target_of(order) for order in self.legal[place] if kind_of(order) == MOVE)
        return found

    def actions(self, power: int, orders: OrderSet) -> list[int]:
        """Return the published actions of an order set in a phase of movement."""
        row = np.zeros(ROOM, np.int32)
        row[list(self.units(power))] = orders
        found = np.zeros(ROOM, np.int64)
        count = self.desk.write_orders(row.data, power, found.data)
        return [int(action) for action in found[:count]]
