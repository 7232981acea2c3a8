"""Sealing of a negotiating player's plans: before it gives its word, and before it gives orders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parlour.agents.press.bending import bent
from parlour.agents.press.talker import Talker
from parlour.games.diplomacy.position import Position
from parlour.press.language import message_types as v

Plan = tuple[list[str], dict[str, str]]
"""Orders and stances."""


class Sealing(Talker):
    """Seals plans where the table takes seals; a subclass gives the plan."""

    def __init__(self) -> None:
        super().__init__()
        self._sealed: Plan | None = None
        """The last seal of this turn."""
        self._given: list[str] = []
        """The orders that it gave last in this turn."""
        self._asked = 0
        """The turn in which it was last asked for orders."""

    # For subclasses

    def plan(self, position: Position) -> list[str]:
        """Return the orders that it means to give."""
        raise NotImplementedError

    def plan_to_promise(self, position: Position, agreed: Iterable[v.Arrangement]) -> Plan:
        """Return what it seals before it gives its word: its plan, if all that it offers and accepts is agreed."""
        return bent(self.plan(position), agreed, self.me, self.ledger.board, position), {}

    def plan_to_order(self, position: Position, orders: list[str]) -> Plan:
        """Return what it seals before it gives orders: these, unless it is mistaken or lies."""
        return list(orders), {}

    # Sealing

    def _before_word(self, what: v.Arrangement) -> None:
        position = self.ledger.position
        if self.sealing and position is not None and position.stage == "orders":
            self._seal(self.plan_to_promise(position, [*self._offered, what]))

    def _first_plan(self, position: Position) -> None:
        """Seal the plan before the first message."""
        self._sealed = None
        if self.sealing:
            self._seal(self.plan_to_promise(position, self._offered))

    def _seal_orders(self, position: Position, orders: list[str]) -> None:
        self._given = list(orders)
        if self.sealing:
            self._seal(self.plan_to_order(position, orders), again=True)

    def _orders_as_sealed(self, position: Position) -> bool:
        """Return True if the last seal is the one for the orders given; else it talked of other plans since."""
        return not self.sealing or self._sealed == self.plan_to_order(position, self._given)

    def _seal(self, plan: Plan, *, again: bool = False) -> None:
        """Seal a new plan; before orders the plan is sealed again, because a message may have come between."""
        if self.handle is not None and (again or plan != self._sealed):
            self._sealed = plan
            orders: list[str] = plan[0]
            stances: Mapping[str, str] = plan[1]
            self.handle.seal(orders, stances)
