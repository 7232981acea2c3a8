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
    """A player that seals plans where the table accepts seals; a subclass supplies the plan."""

    def __init__(self) -> None:
        super().__init__()
        self._sealed: Plan | None = None
        """The last seal of this turn."""
        self._given: list[str] = []
        """The last orders that the player chose in a movement phase."""
        self._asked = 0
        """The turn in which the player was last asked for orders."""

    # For subclasses

    def plan(self, position: Position) -> list[str]:
        """Return the orders that the player intends to give."""
        raise NotImplementedError

    def plan_to_promise(self, position: Position, agreed: Iterable[v.Arrangement]) -> Plan:
        """Return the plan to seal before a promise: the plan if all offered and accepted arrangements are agreed."""
        return bent(self.plan(position), agreed, self.me, self.ledger.board, position), {}

    def plan_to_order(self, position: Position, orders: list[str]) -> Plan:
        """Return the plan to seal before orders: the orders themselves, unless a subclass errs or lies."""
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
        """Return True if the last seal is the one for the given orders, and no later promise sealed another plan."""
        return not self.sealing or self._sealed == self.plan_to_order(position, self._given)

    def _seal(self, plan: Plan, *, again: bool = False) -> None:
        """Seal a plan if it differs from the last one.

        `again` seals it in any case: before orders, because a message may have come between.
        """
        if self.handle is not None and (again or plan != self._sealed):
            self._sealed = plan
            orders: list[str] = plan[0]
            stances: Mapping[str, str] = plan[1]
            self.handle.seal(orders, stances)
