"""All that can be ordered, listed as the `diplomacy` package lists it."""

from __future__ import annotations

from parlour.games.diplomacy.position import Position


def possible_orders(position: Position) -> dict[str, list[str]]:
    """All possible orders by location; a unit on one of two shores is found under the shore and under the province."""
    found: dict[str, list[str]] = {area.tag: [] for area in position.board.areas}
    if position.over:
        return found
    for province, orders in position.orders().items():
        found[province] = orders
        for order in orders:
            place = order.split()[1] if order != "WAIVE" else province
            if place != province:
                found[place].append(order)
    return found
