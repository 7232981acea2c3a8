"""What the powers really did in one phase, in the words of press, looked up by those who judge promises."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property

from parlour.core.game import Plain
from parlour.press import values as v
from parlour.press.board import Board
from parlour.press.orders import from_action, from_text, to_text

Legal = Callable[[str], Collection[str]]
"""The order strings that a power (by its word) could have given."""


class Deeds:
    """One phase: the board before and after it, and every order that was given."""

    def __init__(self, before: Board, after: Board, actions: Mapping[str, Plain], legal: Legal) -> None:
        self.before, self.after = before, after
        self._legal = legal
        self._actions = actions
        self._given: dict[str, tuple[v.Order, ...]] = {}
        self._legal_of: dict[str, frozenset[str]] = {}
        self._hostile: dict[str, dict[str, tuple[v.Order, ...]]] = {}
        self._entries: dict[str, dict[str, v.Order]] = {}
        self.stage = before.stage

    def given(self, power: str) -> tuple[v.Order, ...]:
        """The orders that a power gave."""
        found = self._given.get(power)
        if found is None:
            found = self._given[power] = tuple(self._read(power))
        return found

    def of_unit(self, unit: v.Unit) -> v.Order | None:
        """The order of a unit; one without an order holds, or disbands if dislodged."""
        for order in self.given(unit.power):
            if not isinstance(order, (v.Waive, v.Build)) and order.unit.province == unit.province:
                return order
        if self.stage == "orders":
            return v.Hold(unit)
        return v.Disband(unit) if self.stage == "retreats" else None

    def possible(self, order: v.Order, power: str) -> bool:
        """Whether the power could have given that order."""
        legal = self._legal_of.get(power)
        if legal is None:
            legal = self._legal_of[power] = frozenset(self._legal(power))
        if isinstance(order, v.Move) and f"{to_text(order, self.before)} VIA" in legal:
            return True
        return to_text(order, self.before) in legal

    def hostile(self, power: str) -> Mapping[str, tuple[v.Order, ...]]:
        """The powers whose units or centres were attacked, or an attack on them helped, with the orders."""
        found = self._hostile.get(power)
        if found is None:
            found = self._hostile[power] = {}
            for order in self.given(power):
                for victim in attacked(order, self.before):
                    found[victim] = (*found.get(victim, ()), order)
        return found

    def entries(self, power: str) -> Mapping[str, v.Order]:
        """The places and provinces that the power ordered, helped or built a unit into, with the order."""
        found = self._entries.get(power)
        if found is None:
            found = self._entries[power] = {}
            for order in self.given(power):
                place = aim(order)
                if place:
                    found.setdefault(place, order)
                    found.setdefault(place[:3], order)
        return found

    @cached_property
    def moved_year(self) -> bool:
        """Whether the year is over."""
        return self.after.year > self.before.year

    def _read(self, power: str) -> list[v.Order]:
        action = self._actions.get(power)
        if not isinstance(action, (list, tuple)):
            return []
        found = [
            from_action(item, self.before, power)
            if type(item) is int
            else from_text(item, self.before, power)
            if isinstance(item, str)
            else None
            for item in action
        ]
        return [order for order in found if order is not None]


def aim(order: v.Order) -> str:
    """Where an order brings a unit, or helps to bring one; empty if nowhere."""
    match order:
        case v.Move(_, to) | v.ConvoyedMove(_, to) | v.Retreat(_, to):
            return to
        case v.SupportMove(_, _, to) | v.Convoy(_, _, to):
            return to
        case v.Build(unit):
            return unit.place
    return ""


def attacked(order: v.Order, board: Board) -> set[str]:
    """The other powers that own the unit or the centre where the order brings a unit."""
    to = "" if isinstance(order, v.Build) else aim(order)[:3]
    if not to or isinstance(order, v.Waive):
        return set()
    mover = order.other.power if isinstance(order, (v.SupportMove, v.Convoy)) else order.unit.power
    standing, owner = board.units.get(to), board.owners.get(to)
    found = {standing.power} if standing else set()
    if owner:
        found.add(owner)
    return found - {mover, order.unit.power}
