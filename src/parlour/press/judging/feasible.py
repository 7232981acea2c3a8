"""Finds, unit by unit, the breaches that a power could not avoid because its promises could not all be kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from parlour.press.agreements.clauses import Clause
from parlour.press.agreements.pact_book import PactBook
from parlour.press.agreements.pacts import Pact
from parlour.press.judging.executed_orders import ExecutedOrders, Given, aim, attacked
from parlour.press.language import message_types as v
from parlour.press.orders import from_text, same

Broken = Mapping[Clause, Pact]
"""Promises that an order breaks."""
Due = tuple[Clause, Pact, v.Order]
_NOTHING: Broken = {}


class Feasibility:
    """A search for units that could not keep every promise of their power in one phase."""

    def __init__(self, executed: ExecutedOrders, pacts: PactBook, movement: int) -> None:
        self.executed, self._pacts, self._movement = executed, pacts, movement
        self._forced: dict[tuple[str, object], Collection[Clause]] = {}
        """The clauses that a unit had to break, by its province and order."""

    def is_forced(self, clause: Clause, shown: Given | v.Order | None) -> bool:
        """Return True if the unit that shows a breach could not keep every promise, and broke as few as possible.

        False if the power itself agreed to contradicting pacts.
        """
        if not isinstance(shown, Given) or self.executed.stage == "adjustments":
            return False
        key = shown.unit.place, shown.item
        forced = self._forced.get(key)
        if forced is None:
            forced = self._forced[key] = self._unavoidable(shown)
        return clause in forced

    def _unavoidable(self, shown: Given) -> Broken:
        """Return the promises that a unit's order broke because every order would have broken at least as many."""
        unit, before = shown.unit, self.executed.before
        leaves = self._overdue(unit)
        due = self._pacts.due(unit, self.executed.stage)
        if leaves:
            orders = [from_text(text, before, unit.power) for text in self._legal(unit)]
            costs = [self._broken(order, unit, due, leaves) for order in orders if order is not None]
        elif len(due) == 1:  # a hold breaks only the promise of the order, and the order only what it offends
            clause, pact, order = due[0]
            harmless = self._is_harmless(clause)
            costs = [_NOTHING if harmless else self._offended(order, unit, leaves), {clause: pact}]
        else:
            # Among the orders that were not promised, a hold breaks the fewest promises.
            stays = v.Hold(unit) if self.executed.stage == "orders" else v.Disband(unit)
            costs = [self._broken(order, unit, due, leaves) for order in (*[order for _, _, order in due], stays)]
        if not costs or not all(costs) or self._is_own_doing(unit.power, costs):
            return _NOTHING
        mine = self._broken(shown.order(), unit, due, leaves)
        return mine if len(mine) <= min(map(len, costs)) else _NOTHING

    def _is_harmless(self, clause: Clause) -> bool:
        """Return True if a promised order attacks no friend and enters no zone.

        False if the promise was made on another board.
        """
        promised = clause.promised
        if promised.board is not self.executed.before:
            return False
        return not self._pacts.is_bound(clause.owing[0], promised.triggers)

    def _legal(self, unit: v.Unit) -> Sequence[str]:
        board = self.executed.before
        texts: Sequence[str] = board.position.orders_at(board.names.province_id[unit.place[:3]])
        return texts

    def _is_own_doing(self, power: str, costs: Iterable[Broken]) -> bool:
        pacts = {pact for broken in costs for pact in broken.values()}
        if len(pacts) < 2:
            return False
        return any(
            clash.later in pacts and clash.power == power for pact in pacts for clash in self._pacts.contradicted(pact)
        )

    def _broken(self, order: v.Order, unit: v.Unit, due: Sequence[Due], leaves: Broken) -> Broken:
        """Return the promises that an order of a unit breaks.

        Args:
            order: The order.
            unit: The unit that gets the order.
            due: The orders that its power promised for the unit.
            leaves: The zones that the unit should have left before.
        """
        found = {clause: pact for clause, pact, promised in due if not same(promised, order)}
        return {**found, **self._offended(order, unit, leaves)}

    def _offended(self, order: v.Order, unit: v.Unit, leaves: Broken) -> Broken:
        """Return the lasting promises that an order of a unit breaks: to attack a friend, or to be in a zone."""
        found: dict[Clause, Pact] = {}
        pacts, power, to = self._pacts, unit.power, aim(order)
        if not to and not leaves:
            return found
        zones = leaves if leaves and not isinstance(order, (v.Move, v.ConvoyedMove)) else _NOTHING
        if to:
            # The order breaks these promises unless the other parties agreed to the order.
            for victim in attacked(order, self.executed.before):
                for clause, pact in pacts.persistent(power, victim).items():
                    friend = victim in clause.bound and victim not in clause.left
                    if friend and not pacts.agreed_to(unit, lambda: order, (victim,)):
                        found[clause] = pact
            near = self._zones(power, to)
            zones = {**zones, **near} if zones and near else near or zones
        entered = [clause for clause in zones if not pacts.agreed_to(unit, lambda: order, clause.present)]
        return found | {clause: zones[clause] for clause in entered} if entered else found

    def _overdue(self, unit: v.Unit) -> Broken:
        """Return the zones that a unit should have left before."""
        zones = self._zones(unit.power, unit.place) if self.executed.stage == "orders" else _NOTHING
        return {clause: pact for clause, pact in zones.items() if clause.movement < self._movement} if zones else zones

    def _zones(self, power: str, place: str) -> Broken:
        """Return the zones that include a place and that a power promised not to enter."""
        found = self._pacts.persistent(power, place)
        return found if len(place) == 3 else {**found, **self._pacts.persistent(power, place[:3])}
