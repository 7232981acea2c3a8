"""Finds, unit by unit, the orders that break none of a power's promises, to see if it could keep all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parlour.press.agreements.clauses import Clause
from parlour.press.agreements.pact_book import PactBook
from parlour.press.agreements.pacts import Pact
from parlour.press.judging.executed_orders import ExecutedOrders, Given, aim, attacked
from parlour.press.judging.trial import owed
from parlour.press.language import message_types as v
from parlour.press.orders import STAGE_OF, from_text, same, to_text

Owed = tuple[Pact, Clause]


class Feasibility:
    """The promises of one power in one phase, looked at for a unit that cannot keep them all."""

    def __init__(self, executed: ExecutedOrders, pacts: PactBook, power: str, movement: int) -> None:
        self.executed, self._pacts, self._power, self._movement = executed, pacts, power, movement
        self._dues: dict[str, list[tuple[Pact, Clause, v.Order]]] = {}
        """The orders that it promised for this phase, by the province of the unit."""
        self._peaces: list[Owed] = []
        self._zones: list[tuple[Pact, Clause, v.Demilitarized]] = []
        for pact, clause in owed(pacts, power):
            what = clause.what
            if isinstance(what, v.Execute):
                order = what.order
                if not isinstance(order, v.Waive) and STAGE_OF[type(order)] == executed.stage:
                    self._dues.setdefault(order.unit.province, []).append((pact, clause, order))
            elif isinstance(what, (v.Peace, v.Alliance)):
                self._peaces.append((pact, clause))
            elif isinstance(what, v.Demilitarized):
                self._zones.append((pact, clause, what))

    def is_forced(self, clause: Clause, shown: Given | v.Order | None) -> bool:
        """Return True if the unit that shows a breach could not have kept everything, and no promise is to blame.

        It must have broken as little as it could. Promises that contradict one another are the power's own doing.
        """
        if not isinstance(shown, Given) or self.executed.stage == "adjustments":
            return False
        unit = shown.unit
        due = [order for _, _, order in self._dues.get(unit.province, ())]
        leaves = any(self._overdue(zone, what, unit) for _, zone, what in self._zones)
        if not due and not leaves:
            return False  # to hold breaks nothing
        if len(due) == 1 and not leaves and not self._broken(due[0], unit):
            return False  # it could have given the order that it promised
        costs = self._costs(unit, [] if leaves else due)
        if not costs or not all(costs):
            return False
        mine = self._broken(shown.order(), unit, shown)
        if clause not in {each for _, each in mine} or len(mine) > min(map(len, costs)):
            return False
        return not self._is_own_doing(pact for broken in costs for pact, _ in broken)

    def _costs(self, unit: v.Unit, due: Sequence[v.Order]) -> list[list[Owed]]:
        """Return what each order of a unit would break; of those that were not promised a hold breaks least."""
        if due:
            stays = v.Hold(unit) if self.executed.stage == "orders" else v.Disband(unit)
            return [self._broken(order, unit) for order in (*due, stays)]
        board = self.executed.before
        texts: Sequence[str] = board.position.orders_at(board.names.province_id[unit.place[:3]])
        orders = [from_text(text, board, self._power) for text in texts]
        return [self._broken(order, unit) for order in orders if order is not None]

    def _is_own_doing(self, involved: Iterable[Pact]) -> bool:
        pacts = set(involved)
        return any(
            clash.power == self._power and clash.earlier in pacts and clash.later in pacts
            for clash in self._pacts.contradictions
        )

    def _broken(self, order: v.Order, unit: v.Unit, given: Given | None = None) -> list[Owed]:
        """Return the promises that an order of a unit breaks."""
        board, licence = self.executed.before, self._pacts.licence
        found = [(pact, clause) for pact, clause, due in self._dues.get(unit.province, ()) if not same(due, order)]
        victims, to = attacked(order, board), aim(order)
        suspects: list[tuple[Owed, Iterable[str]]] = []
        """Promises that it breaks unless the others have agreed to the order."""
        for pact, clause in self._peaces if victims else ():
            friends = [other for other in victims if other in clause.bound and other not in clause.left]
            suspects += [((pact, clause), (friend,)) for friend in friends]
        moves = isinstance(order, (v.Move, v.ConvoyedMove))
        for pact, clause, what in self._zones:
            enters = bool(to) and (to in what.places or to[:3] in what.places)
            if enters or (not moves and self._overdue(clause, what, unit)):
                suspects.append(((pact, clause), clause.present))
        if suspects:
            given = given or Given(to_text(order, board), unit, board)
            found += dict.fromkeys(owed for owed, others in suspects if not licence(given, others))
        return found

    def _overdue(self, clause: Clause, what: v.Demilitarized, unit: v.Unit) -> bool:
        stands = unit.place in what.places or unit.province in what.places
        return stands and self.executed.stage == "orders" and clause.movement < self._movement
