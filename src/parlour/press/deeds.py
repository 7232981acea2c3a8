"""What the powers really did in one phase, in the words of press, looked up by those who judge promises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from parlour.core.game import Plain
from parlour.games.diplomacy.position import Position
from parlour.press import values as v
from parlour.press.board import Board
from parlour.press.orders import from_action, from_text, performer, same_unit, spellings

T = TypeVar("T")


class Conduct(NamedTuple):
    """One power's orders as it wrote them, by whom and what they concern; `Deeds.read` says what one means."""

    acted: bool
    """Whether it had anything to order."""
    hostile: dict[str, list[Plain]]
    """The powers whose units or centres it attacked, or helped to attack, with the orders."""
    entries: dict[str, Plain]
    """The places and provinces that it ordered, helped or built a unit into, with the order."""
    ordered: dict[str, Plain]
    """The provinces of the units that it ordered, with the order."""


class Deeds:
    """One phase: the board before and after it, and every order that was given; the position tells what could be."""

    def __init__(self, before: Board, after: Board, actions: Mapping[str, Plain], position: Position) -> None:
        self.before, self.after = before, after
        self._position = position
        self._actions = actions
        self._given: dict[str, tuple[v.Order, ...]] = {}
        self._possible: Mapping[str, Sequence[str]] | None = None
        self.conduct = _Conducts(self)
        """What each power's orders meant for others, by the power's word."""
        self.stage = before.stage
        self.moved_year = after.year > before.year
        """Whether the year is over."""

    def written(self, power: str) -> Sequence[Plain]:
        """The orders of a power as it wrote them: strings or 64-bit actions."""
        action = self._actions.get(power)
        return action if isinstance(action, (list, tuple)) else ()

    def read(self, item: Plain, power: str) -> v.Order | None:
        """What one order of a power means; None if it moves no unit of it that is there."""
        if type(item) is str:
            order = from_text(item, self.before, power)
        elif type(item) is int:
            order = from_action(item, self.before, power)
        else:
            return None
        return order if order is not None and performer(order) == power else None

    def given(self, power: str) -> tuple[v.Order, ...]:
        """The orders that a power gave."""
        found = self._given.get(power)
        if found is None:
            orders = [self.read(item, power) for item in self.written(power)]
            found = self._given[power] = tuple([order for order in orders if order is not None])
        return found

    def of_unit(self, unit: v.Unit) -> v.Order | None:
        """The order of a unit; one without an order holds, or disbands if dislodged."""
        return self.meant(self.conduct[unit.power].ordered.get(unit.place[:3]), unit)

    def meant(self, item: Plain, unit: v.Unit) -> v.Order | None:
        """What an order that a unit's power wrote for it means; None is no order."""
        order = from_text(item, self.before, unit.power) if type(item) is str else self.read(item, unit.power)
        if order is not None:
            return order
        if self.stage == "orders":
            return v.Hold(unit)
        return v.Disband(unit) if self.stage == "retreats" else None

    def possible(self, order: v.Order, power: str, text: str = "") -> bool:
        """Whether the power could have given that order; text is one way to spell it, if known."""
        if type(order) in _FOR_ANOTHER and not self.helps(order):
            return False
        names = self.before.names
        if self.stage == "adjustments" or type(order) is v.Waive:
            legal: Sequence[str] = self._position.legal(names.lexicon.seat_of[power])
        else:
            if self._possible is None:
                self._possible = self._position.orders()
            here = order.unit.place[:3]  # type: ignore[union-attr]  # only a waived build has none
            legal = self._possible.get(names.tag_of_place[here], ())
        return text in legal or not set(spellings(order, self.before)).isdisjoint(legal)

    def helps(self, order: v.Order) -> bool:
        """Whether the unit that the order supports or convoys, if any, is there and is whose it is said to be."""
        if type(order) not in _FOR_ANOTHER:
            return True
        other: v.Unit = order.other  # type: ignore[union-attr]  # the set lists those that have it
        there = self.before.units.get(other.place[:3])
        return there is not None and same_unit(other, there)

    def concerned(self, watched: Mapping[str, Mapping[str, Iterable[T]]]) -> set[T]:
        """Those who watch what happened: by a power, then by whom it attacked, or a place it entered or stands in."""
        found: set[T] = set()
        for power, watchers in watched.items():
            _, hostile, entries, _ = self.conduct[power]
            for what in hostile:
                if what in watchers:
                    found.update(watchers[what])
            for what in entries:
                if what in watchers:
                    found.update(watchers[what])
        if self.stage == "orders":
            for province, unit in self.after.units.items():
                here = watched.get(unit.power)
                if here is None:
                    continue
                if province in here:
                    found.update(here[province])
                if unit.place != province and unit.place in here:
                    found.update(here[unit.place])
        return found

    def idle(self) -> set[str]:
        """The powers that had nothing to order."""
        return {power for power in self.before.names.power_words if not self.conduct[power].acted}


class _Conducts(dict[str, Conduct]):
    """Made when asked for, then only looked up."""

    def __init__(self, deeds: Deeds) -> None:
        super().__init__()
        self._deeds = deeds

    def __missing__(self, power: str) -> Conduct:
        """Sort a power's orders by what they aim at, which most strings tell without being read as press."""
        deeds, board = self._deeds, self._deeds.before
        units, owners, acting, parses = board.units, board.owners, board.acting, board.names.parsed
        acted = deeds.stage == "orders" and power in board.holders
        found = self[power] = Conduct(acted, {}, {}, {})
        _, hostile, entries, ordered = found
        for item in deeds.written(power):
            parsed = parses[item] if type(item) is str else None
            unit = acting.get(parsed.province) if parsed is not None else None
            if parsed is None or unit is None or unit.power != power:
                acted = self._sort(found, item, power) or acted
                continue
            acted = True
            _, _, here, _, _, beside, place = parsed
            ordered.setdefault(here, item)
            if not place:
                continue
            helped = power
            if beside:
                other = units.get(beside)
                if other is None:
                    continue
                helped = other.power
            province = place[:3]
            entries.setdefault(place, item)
            if place != province:
                entries.setdefault(province, item)
            standing, owner = units.get(province), owners.get(province)
            if (standing is not None and standing.power != power) or (owner is not None and owner != power):
                for victim in _victims(province, board, power, helped):
                    hostile.setdefault(victim, []).append(item)
        if acted is not found.acted:
            found = self[power] = found._replace(acted=acted)
        return found

    def _sort(self, found: Conduct, item: Plain, power: str) -> bool:
        """Sort an order that is in no strict spelling or belongs to no unit, such as a build; whether it is one."""
        order = self._deeds.read(item, power)
        if order is None:
            return False
        if not isinstance(order, v.Waive):
            found.ordered.setdefault(order.unit.province, item)
        place = aim(order)
        if place:
            found.entries.setdefault(place, item)
            found.entries.setdefault(place[:3], item)
            for victim in attacked(order, self._deeds.before):
                found.hostile.setdefault(victim, []).append(item)
        return True


_AIMED = frozenset((v.Move, v.ConvoyedMove, v.Retreat, v.SupportMove, v.Convoy))
"""Orders that bring a unit somewhere, or help to."""
_HELPING = frozenset((v.SupportMove, v.Convoy))
_FOR_ANOTHER = _HELPING | {v.SupportHold}


def aim(order: v.Order) -> str:
    """Where an order brings a unit, or helps to bring one; empty if nowhere."""
    if type(order) in _AIMED:
        return order.to  # type: ignore[union-attr]  # the set lists those that have it
    return order.unit.place if isinstance(order, v.Build) else ""


def attacked(order: v.Order, board: Board) -> Sequence[str]:
    """The other powers that own the unit or the centre where the order brings a unit."""
    to = aim(order)
    if not to or isinstance(order, (v.Build, v.Waive)):
        return ()
    mine = order.unit.power
    helped = order.other.power if type(order) in _HELPING else mine  # type: ignore[union-attr]  # the set lists them
    return _victims(to[:3], board, mine, helped)


def _victims(province: str, board: Board, mine: str, helped: str) -> list[str]:
    """Who is harmed by a unit of one power that goes to a province, with the help of another."""
    standing, owner = board.units.get(province), board.owners.get(province)
    found = []
    if owner is not None and owner != mine and owner != helped:
        found.append(owner)
    if standing is not None and standing.power != owner and standing.power != mine and standing.power != helped:
        found.append(standing.power)
    return found
