"""Order sets drawn by the small network, from which a search begins."""

from __future__ import annotations

import numpy as np

from parlour.agents.diplomacy.area_network import SmallNetwork
from parlour.agents.diplomacy.choices import HOLD, OrderSet
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.small_network import choose, network_of
from parlour.games.diplomacy.maps.map import standard

WARM = 1.0
"""The temperature of all sets but the first, which is the likeliest one."""


def advised(study: Study, power: int, count: int, network: SmallNetwork | None = None) -> list[OrderSet]:
    """Return at most `count` different order sets; none on maps that the network does not know."""
    if study.position.board != standard() or count < 1:
        return []
    network = network or network_of("")
    found = []
    for number in range(count):
        actions = np.array(choose(network, study.position, power, WARM if number else 0.0, study.rng), np.int64)
        orders = np.zeros(len(actions), np.int32)
        study.desk.read_orders(actions.data, orders.data)
        by_place = dict(zip((actions >> 9 & 127).tolist(), orders.tolist(), strict=True))
        found.append(tuple(by_place.get(place, HOLD) for place in study.units(power)))
    return list(dict.fromkeys(found))
