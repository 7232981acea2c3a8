"""Obligations of a power: orders it promised, friends it does not attack, places it keeps out of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TypeAlias

from parlour.press.agreements.clauses import Clause, flat, performers
from parlour.press.judging.executed_orders import aim, attacked
from parlour.press.language import message_types as v
from parlour.press.ledger import Ledger
from parlour.press.orders import STAGE_OF, clash, from_text, performer, spellings

Allowed: TypeAlias = Callable[[str], bool]
"""A function that returns True if an order may be given."""


def province_of(order: str) -> str:
    """Return the province of the unit that an order is for."""
    return order.split()[1][:3]


class Commitments:
    """The obligations of a power, from a ledger."""

    def __init__(self, ledger: Ledger, power: str) -> None:
        self._ledger, self._power = ledger, power

    def is_bound(self) -> bool:
        """Return True if the power has promises to keep."""
        return any(True for _ in self._clauses())

    def friends(self) -> set[str]:
        """Return the powers with which the power has agreed to keep peace."""
        found: set[str] = set()
        for clause in self._clauses():
            if isinstance(clause.what, (v.Peace, v.Alliance)):
                found.update(clause.owing)
        return found - {self._power}

    def zones(self) -> set[str]:
        """Return the places that the power has agreed not to enter."""
        clauses = (clause.what for clause in self._clauses())
        return {place for what in clauses if isinstance(what, v.Demilitarized) for place in what.places}

    def orders(self) -> list[v.Order]:
        """Return the promised orders that are not settled yet."""
        return [
            clause.what.order
            for clause in self._clauses()
            if isinstance(clause.what, v.Execute) and clause.what not in clause.settled
        ]

    def due(self) -> dict[str, str]:
        """Return the promised orders of this turn as strings, by the province of the unit."""
        board, position = self._ledger.board, self._ledger.position
        legal = position.legal(self._ledger.lexicon.seat_of[self._power]) if position is not None else []
        found = {}
        for order in self.orders():
            if STAGE_OF[type(order)] == board.stage:
                ways = spellings(order, board)
                text = next((way for way in ways if way in legal), ways[0])
                found[text if text == "WAIVE" else province_of(text)] = text
        return found

    def allows(self) -> Allowed:
        """Return a test that forbids orders that attack a friend, enter a zone or stay in a zone."""
        board, power, friends, zones = self._ledger.board, self._power, self.friends(), self.zones()
        moving = board.stage == "orders"
        if not friends and not zones:
            return lambda text: True

        def allowed(text: str) -> bool:
            order = from_text(text, board, power)
            if order is None:
                return True
            to = aim(order)
            if to in zones or to[:3] in zones or not friends.isdisjoint(attacked(order, board)):
                return False
            if not moving or isinstance(order, (v.Move, v.ConvoyedMove, v.Waive)):
                return True
            return not _stands_in(order.unit, zones)

        return allowed

    def fits(self, what: v.Arrangement, offered: Iterable[v.Arrangement] = ()) -> bool:
        """Return True if the power could keep an arrangement together with all that it has agreed to or offered."""
        orders, friends, zones = self.orders(), self.friends(), self.zones()
        for part in (part for offer in offered for part in flat(offer)):
            match part:
                case v.Execute(order) if performer(order) == self._power:
                    orders.append(order)
                case v.Peace(powers) | v.Alliance(powers) if self._power in powers:
                    friends.update(set(powers) - {self._power})
                case v.Demilitarized(powers, places) if self._power in powers:
                    zones.update(places)
        for part in flat(what):
            if not self._fits(part, orders, friends, zones):
                return False
            orders.extend(self._own(part))
        return True

    def _fits(self, part: v.Arrangement, orders: list[v.Order], friends: set[str], zones: set[str]) -> bool:
        """Return True if the power can keep this part together with these orders, friends and zones."""
        board = self._ledger.board
        match part:
            case v.Execute(order) if performer(order) == self._power:
                to = aim(order)
                if any(clash(order, other) for other in orders) or {to, to[:3]} & zones:
                    return False
                return friends.isdisjoint(attacked(order, board))
            case v.Peace(powers) | v.Alliance(powers) if self._power in powers:
                if isinstance(part, v.Alliance) and not friends.isdisjoint(part.enemies):
                    return False
                return all(set(powers).isdisjoint(attacked(order, board)) for order in orders)
            case v.Demilitarized(powers, places) if self._power in powers:
                mine = [unit for unit in board.units.values() if unit.power == self._power]
                if any(_stands_in(unit, places) for unit in mine):
                    return False  # another power could prevent the unit from leaving
                return all(aim(order) not in places and aim(order)[:3] not in places for order in orders)
            case v.Either() | v.Choice() | v.Not():
                return self._power not in performers(part)  # alternatives are not examined
        return True

    def _clauses(self) -> Iterator[Clause]:
        for pact in self._ledger.pacts.active:
            for clause in pact.clauses:
                if not clause.ended and self._power in clause.owing:
                    yield clause

    def _own(self, part: v.Arrangement) -> Iterator[v.Order]:
        if isinstance(part, v.Execute) and performer(part.order) == self._power:
            yield part.order


def _stands_in(unit: v.Unit, zones: Collection[str]) -> bool:
    return unit.place in zones or unit.province in zones
