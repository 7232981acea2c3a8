"""The part of a joint plan that is worth saying: the orders in which its parties affect one another.

A unit that helps one of another power concerns both, and so does one that goes where the other stands or could go.
All other orders are a power's own business: they need no promise, and stay secret.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeAlias

from parlour.press.language import message_types as v
from parlour.press.press_position import PhaseBoard

UnitOrder: TypeAlias = v.Hold | v.Move | v.SupportHold | v.SupportMove | v.Convoy | v.ConvoyedMove
"""An order of a movement phase."""


class JointPlan:
    """Orders of several powers with a deal, beside the orders of each without."""

    def __init__(self, orders: Iterable[UnitOrder], alone: Collection[v.Order], board: PhaseBoard) -> None:
        self._orders, self._alone, self._board = list(orders), alone, board

    def concerning(self, power: str) -> list[UnitOrder]:
        """Return the orders by which powers help or make room for one another, and all that they rest on."""
        named = [
            order
            for order in self._orders
            if order.unit.power == power
            and any(other.unit.power != power and self._are_tied(order, other) for other in self._orders)
        ]
        for one in named:  # the list grows meanwhile
            named += [other for other in self._orders if other not in named and self._are_tied(one, other)]
        return [order for order in self._orders if order in named]

    def _are_tied(self, one: UnitOrder, other: UnitOrder) -> bool:
        return _helps(one, other) or _helps(other, one) or self._make_room(one, other)

    def _make_room(self, one: UnitOrder, other: UnitOrder) -> bool:
        """Return True if units of two powers could meet, and keep apart in a manner that is not what both would do
        alone."""
        if one.unit.power == other.unit.power or (one in self._alone and other in self._alone):
            return False
        return self._comes_near(one, other.unit) or self._comes_near(other, one.unit)

    def _comes_near(self, order: UnitOrder, unit: v.Unit) -> bool:
        """Return True if an order brings a unit to where another stands, or could go."""
        if not isinstance(order, (v.Move, v.ConvoyedMove)):
            return False
        return order.to[:3] in {unit.province, *(place[:3] for place in self._board.names.reach[unit.kind][unit.place])}


def _helps(one: UnitOrder, other: UnitOrder) -> bool:
    """Return True if a unit supports or convoys another; that it stands by one of its own power is not worth a word."""
    if isinstance(one, v.SupportHold) and one.unit.power == other.unit.power:
        return False
    return isinstance(one, (v.SupportHold, v.SupportMove, v.Convoy)) and one.other.province == other.unit.province
