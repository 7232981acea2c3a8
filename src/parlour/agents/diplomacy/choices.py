"""The orders of one power in a movement phase, and changes that keep them consistent.

Orders are ints as in the kernel (kernel/__init__.py). An order set is a tuple with one order per unit of the power, in
the order of provinces. A change of one order repairs the others: a support follows its unit or becomes a hold, a unit
whose destination is taken supports the other unit, and a convoy brings its fleets along.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from parlour.games.diplomacy.engine.lookup_tables import tables_of
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.ordering.actions import OrderKind

OrderSet: TypeAlias = tuple[int, ...]
Orders: TypeAlias = dict[int, int]
"""An order by the province of its unit."""

CONVOY_TO, CONVOY = int(OrderKind.CONVOY_TO), int(OrderKind.CONVOY)
HOLD, MOVE = int(OrderKind.HOLD), int(OrderKind.MOVE_TO)
SUPPORT_HOLD, SUPPORT_MOVE = int(OrderKind.SUPPORT_HOLD), int(OrderKind.SUPPORT_MOVE_TO)
AIM = 0xFFFF
"""The bits of an order's kind and target."""
ROUNDS = 4
"""Maximum number of rounds of repair; longer chains are rare, and the adjudicator handles the rest."""


def kind_of(order: int) -> int:
    """Return the kind of an order."""
    return order & 255


def target_of(order: int) -> int:
    """Return the target province of an order."""
    return order >> 8 & 255


def third_of(order: int) -> int:
    """Return the province of the unit that is supported or carried elsewhere."""
    return order >> 16 & 255


def moves(order: int) -> bool:
    """Return True if the unit goes somewhere."""
    return kind_of(order) in (MOVE, CONVOY_TO)


def goes_to(order: int, place: int) -> bool:
    """Return True if the unit goes there."""
    return moves(order) and target_of(order) == place


class Choices:
    """The choices of one power."""

    def __init__(
        self, board: Map, units: Sequence[int], legal: Mapping[int, Sequence[int]], *, repairs: bool = True
    ) -> None:
        self.units = tuple(units)
        self.legal = {unit: tuple(legal[unit]) for unit in units}
        self._may = {unit: frozenset(own) for unit, own in self.legal.items()}
        self._rest = {unit: HOLD if HOLD in own else own[0] for unit, own in self.legal.items()}
        """Default order of each unit: it holds, unless it is bound to another order."""
        self._own = frozenset(units)
        self._repairs = repairs
        tables = tables_of(board)
        self._sea, self._touching = tables["sea_number"].tolist(), tables["touching"].tolist()
        self._steps = {
            (unit, target_of(order)): order for unit in units for order in self.legal[unit] if kind_of(order) == MOVE
        }

    def as_dict(self, orders: OrderSet) -> Orders:
        """Return the orders by unit."""
        return dict(zip(self.units, orders, strict=True))

    def as_set(self, orders: Orders) -> OrderSet:
        """Return the orders in the order of units."""
        return tuple(orders[unit] for unit in self.units)

    def may(self, unit: int, order: int) -> bool:
        """Return True if a unit can be given an order."""
        return order in self._may[unit]

    def bent(self, orders: OrderSet) -> OrderSet:
        """Return the set with forbidden orders replaced by defaults, and the others repaired."""
        found = self.as_dict(orders)
        firm = [unit for unit in self.units if found[unit] not in self._may[unit]]
        if not firm:
            return orders
        found |= {unit: self._rest[unit] for unit in firm}
        self._repair(found, firm)
        return self.as_set(found)

    def sensible(self, unit: int, likely: frozenset[tuple[int, int]]) -> list[int]:
        """Return the orders of a unit that may be useful: supports for others only if the supported order is likely.

        `likely` has pairs of a province and the kind and target of its unit's order.
        """
        return [order for order in self.legal[unit] if self._is_sensible(order, likely)]

    def _is_sensible(self, order: int, likely: frozenset[tuple[int, int]]) -> bool:
        kind, target, third = kind_of(order), target_of(order), third_of(order)
        if kind == SUPPORT_HOLD:
            return target in self._own
        if kind == SUPPORT_MOVE:
            return third in self._own or (third, MOVE | target << 8) in likely
        return kind != CONVOY or third in self._own

    def changed(self, orders: Orders, unit: int, order: int) -> OrderSet | None:
        """Return the set with another order of one unit, repaired; None if the change cannot be completed."""
        found = dict(orders)
        found[unit] = order
        if not self._repairs:
            return self.as_set(found)
        with_it = self._companions(found, unit, order)
        if with_it is None:
            return None
        found.update(with_it)
        self._repair(found, (unit, *with_it))
        return self.as_set(found)

    def _companions(self, orders: Orders, unit: int, order: int) -> Orders | None:
        """Return the orders that other own units need for this order; None if they cannot have them."""
        kind, target, third = kind_of(order), target_of(order), third_of(order)
        if kind == SUPPORT_MOVE and third in self._own and not goes_to(orders[third], target):
            step = self._steps.get((third, target))
            return None if step is None else {third: step}
        if kind == SUPPORT_HOLD and target in self._own and moves(orders[target]):
            return {target: HOLD} if HOLD in self._may[target] else None
        if kind == CONVOY_TO:
            return self._fleets(unit, target)
        if kind == CONVOY and third in self._own and orders[third] & AIM != (CONVOY_TO | target << 8):
            crossing = CONVOY_TO | target << 8
            return {third: crossing} if crossing in self._may[third] else None
        return {}

    def _fleets(self, army: int, end: int) -> Orders | None:
        """Return own fleets that carry an army: one if one is enough, otherwise all on the way."""
        order = CONVOY | end << 8 | army << 16
        on_the_way = [fleet for fleet in self.units if order in self._may[fleet]]
        alone = [
            fleet for fleet in on_the_way if self._touching[army] & self._touching[end] & 1 << self._sea[fleet]
        ]  # fmt: skip
        return dict.fromkeys(alone[:1] or on_the_way, order) or None

    def _repair(self, orders: Orders, firm: Sequence[int]) -> None:
        """Change all other orders so that they fit the firm ones, unless repairs are switched off."""
        for _ in range(ROUNDS if self._repairs else 0):
            heading = {target_of(orders[unit]): unit for unit in firm if moves(orders[unit])}
            calm = True
            for unit in self.units:
                order = self._repaired(orders, unit, heading)
                if order != orders[unit]:
                    orders[unit] = order if order in self._may[unit] else self._rest[unit]
                    calm = False
            if calm:
                return

    def _repaired(self, orders: Orders, unit: int, heading: dict[int, int]) -> int:
        """Return the order of a unit, changed to fit the orders of the others."""
        order = orders[unit]
        kind, target, third = kind_of(order), target_of(order), third_of(order)
        if kind == SUPPORT_MOVE and third in self._own:
            return order if goes_to(orders[third], target) else self._support(orders, third)
        if kind == SUPPORT_HOLD and target in self._own:
            return self._support(orders, target) if moves(orders[target]) else order
        if kind == CONVOY and third in self._own:
            return order if orders[third] & AIM == (CONVOY_TO | target << 8) else HOLD
        if kind == CONVOY_TO:
            carried = CONVOY | target << 8 | unit << 16
            return order if carried in orders.values() else HOLD
        if kind == MOVE:
            first = heading.setdefault(target, unit)
            return order if first == unit else SUPPORT_MOVE | target << 8 | first << 16
        return order

    def _support(self, orders: Orders, other: int) -> int:
        """Return a support of another own unit's order."""
        order = orders[other]
        return SUPPORT_MOVE | target_of(order) << 8 | other << 16 if moves(order) else SUPPORT_HOLD | other << 8

    def assaults(self, orders: Orders, target: int) -> Iterator[OrderSet]:
        """Yield, for each own unit that can reach a place, the set in which it goes there with all possible support."""
        for attacker in self.units:
            step = self._steps.get((attacker, target))
            if step is not None:
                yield self._massed(orders, attacker, step, SUPPORT_MOVE | target << 8 | attacker << 16)

    def stand(self, orders: Orders, unit: int) -> OrderSet:
        """Return the set with an own unit holding, supported by all others that can."""
        return self._massed(orders, unit, HOLD, SUPPORT_HOLD | unit << 8)

    def _massed(self, orders: Orders, unit: int, order: int, support: int) -> OrderSet:
        backing = [other for other in self.units if support in self._may[other]]
        found = orders | dict.fromkeys(backing, support) | {unit: order}
        self._repair(found, (unit, *backing))
        return self.as_set(found)
