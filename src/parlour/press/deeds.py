"""What the powers really did in one phase, in the words of press, looked up by those who judge promises."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

from parlour.core.game import Plain
from parlour.press import values as v
from parlour.press.board import Board
from parlour.press.orders import from_action, from_text, to_text

T = TypeVar("T")

Legal = Callable[[str], Collection[str]]
"""The order strings that a power (by its word) could have given."""


class Conduct(NamedTuple):
    """One power's orders, by whom and what they concern."""

    acted: bool
    """Whether it had anything to order."""
    hostile: dict[str, tuple[v.Order, ...]]
    """The powers whose units or centres it attacked, or helped to attack, with the orders."""
    entries: dict[str, v.Order]
    """The places and provinces that it ordered, helped or built a unit into, with the order."""


class Deeds:
    """One phase: the board before and after it, and every order that was given."""

    def __init__(self, before: Board, after: Board, actions: Mapping[str, Plain], legal: Legal) -> None:
        self.before, self.after = before, after
        self._legal = legal
        self._actions = actions
        self._given: dict[str, tuple[v.Order, ...]] = {}
        self._legal_of: dict[str, frozenset[str]] = {}
        self.conduct = _Conducts(self)
        """What each power's orders meant for others, by the power's word."""
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
            if type(order) is not v.Waive and order.unit is unit:  # type: ignore[union-attr]
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

    def concerned(self, watched: Mapping[str, Mapping[str, Iterable[T]]]) -> set[T]:
        """Those who watch what happened: by a power, then by whom it attacked, or a place it entered or stands in."""
        found: set[T] = set()
        for power, watchers in watched.items():
            _, hostile, entries = self.conduct[power]
            for what in (watchers.keys() & hostile.keys()) | (watchers.keys() & entries.keys()):
                found.update(watchers[what])
        if self.stage == "orders":
            for province, unit in self.after.units.items():
                watchers = watched.get(unit.power, {})
                if province in watchers:
                    found.update(watchers[province])
                if unit.place in watchers:
                    found.update(watchers[unit.place])
        return found

    def idle(self) -> set[str]:
        """The powers that had nothing to order."""
        return {power for power in self.before.names.power_words if not self.conduct[power].acted}

    @cached_property
    def moved_year(self) -> bool:
        """Whether the year is over."""
        return self.after.year > self.before.year

    def _read(self, power: str) -> list[v.Order]:
        action = self._actions.get(power)
        if not isinstance(action, (list, tuple)):
            return []
        found = [
            from_text(item, self.before, power)
            if type(item) is str
            else from_action(item, self.before, power)
            if type(item) is int
            else None
            for item in action
        ]
        return [order for order in found if order is not None]


class _Conducts(dict[str, Conduct]):
    """Made when asked for, then only looked up."""

    def __init__(self, deeds: Deeds) -> None:
        super().__init__()
        self._deeds = deeds

    def __missing__(self, power: str) -> Conduct:
        deeds = self._deeds
        orders, units, owners = deeds.given(power), deeds.before.units, deeds.before.owners
        acted = bool(orders) or (deeds.stage == "orders" and power in deeds.before.holders)
        hostile: dict[str, tuple[v.Order, ...]] = {}
        entries: dict[str, v.Order] = {}
        for order in orders:
            place = aim(order)
            if not place:
                continue
            province = place[:3]
            entries.setdefault(place, order)
            if place != province:
                entries.setdefault(province, order)
            if province in units or province in owners:
                for victim in _owners(order, province, deeds.before):
                    hostile[victim] = (*hostile.get(victim, ()), order)
        found = self[power] = Conduct(acted, hostile, entries)
        return found


_AIMED = frozenset((v.Move, v.ConvoyedMove, v.Retreat, v.SupportMove, v.Convoy))
"""Orders that bring a unit somewhere, or help to."""
_HELPING = frozenset((v.SupportMove, v.Convoy))


def aim(order: v.Order) -> str:
    """Where an order brings a unit, or helps to bring one; empty if nowhere."""
    if type(order) in _AIMED:
        return order.to  # type: ignore[union-attr]  # the set lists those that have it
    return order.unit.place if isinstance(order, v.Build) else ""


def attacked(order: v.Order, board: Board) -> Sequence[str]:
    """The other powers that own the unit or the centre where the order brings a unit."""
    to = aim(order)
    return _owners(order, to[:3], board) if to else ()


def _owners(order: v.Order, province: str, board: Board) -> Sequence[str]:
    if isinstance(order, (v.Build, v.Waive)):
        return ()
    standing, owner, mine = board.units.get(province), board.owners.get(province), order.unit.power
    helped = order.other.power if type(order) in _HELPING else mine  # type: ignore[union-attr]  # the set lists them
    found = []
    if owner is not None and owner != mine and owner != helped:
        found.append(owner)
    if standing is not None and standing.power != owner and standing.power != mine and standing.power != helped:
        found.append(standing.power)
    return found
