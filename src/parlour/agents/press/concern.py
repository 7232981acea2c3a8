"""The part of a joint plan that needs an agreement: the orders in which its parties affect one another.

A unit that helps a unit of another power concerns both. So does a unit that moves to the place of another power's
unit, or to a place that this unit can reach. All other orders need no promise and stay secret.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeAlias

from parlour.press.language import message_types as v
from parlour.press.press_position import PhaseBoard

UnitOrder: TypeAlias = v.Hold | v.Move | v.SupportHold | v.SupportMove | v.Convoy | v.ConvoyedMove
"""An order of a movement phase."""


class JointPlan:
    """Orders of several powers with a deal, and the orders of each power without it."""

    def __init__(self, orders: Iterable[UnitOrder], alone: Collection[v.Order], board: PhaseBoard) -> None:
        self._orders, self._alone, self._board = list(orders), alone, board

    def concerning(self, power: str) -> list[UnitOrder]:
        """Return the orders that tie a power to other powers, and all orders tied to these."""
        named = [
            order
            for order in self._orders
            if order.unit.power == power
            and any(other.unit.power != power and self._are_tied(order, other) for other in self._orders)
        ]
        for one in named:  # the list grows during the loop
            named += [other for other in self._orders if other not in named and self._are_tied(one, other)]
        return [order for order in self._orders if order in named]

    def _are_tied(self, one: UnitOrder, other: UnitOrder) -> bool:
        return _helps(one, other) or _helps(other, one) or self._make_room(one, other)

    def _make_room(self, one: UnitOrder, other: UnitOrder) -> bool:
        """Return True if units of two powers could meet, and at least one order differs from those without a deal."""
        if one.unit.power == other.unit.power or (one in self._alone and other in self._alone):
            return False
        return self._comes_near(one, other.unit) or self._comes_near(other, one.unit)

    def _comes_near(self, order: UnitOrder, unit: v.Unit) -> bool:
        """Return True if an order moves a unit to the province of another unit, or to one that this unit can reach."""
        if not isinstance(order, (v.Move, v.ConvoyedMove)):
            return False
        return order.to[:3] in {unit.province, *(place[:3] for place in self._board.names.reach[unit.kind][unit.place])}


def _helps(one: UnitOrder, other: UnitOrder) -> bool:
    """Return True if a unit supports or convoys another; support to hold within one power does not count."""
    if isinstance(one, v.SupportHold) and one.unit.power == other.unit.power:
        return False
    return isinstance(one, (v.SupportHold, v.SupportMove, v.Convoy)) and one.other.province == other.unit.province
