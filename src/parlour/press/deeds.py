"""What the powers really did in one phase, in the words of press, looked up by those who judge promises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from parlour.core.game import Plain
from parlour.games.diplomacy.position import Position
from parlour.press import values as v
from parlour.press.board import Board
from parlour.press.orders import from_action, from_text, performer, same_unit, spellings, to_text

T = TypeVar("T")


class Conduct(NamedTuple):
    """One power's orders as it wrote them, by whom and what they concern; `Deeds.read` says what one means."""

    acted: bool
    """Whether it had anything to order."""
    hostile: dict[str, list[Plain]]
    """The powers whose units or centres it attacked, or helped to attack, with the orders."""
    entries: dict[str, tuple[Plain, ...]]
    """The places and provinces that it ordered, helped or built a unit into, with the orders."""


class Given(msgspec.Struct, frozen=True, gc=False):
    """The order of a unit as its power wrote it, read when somebody asks."""

    item: Plain
    """A string or a 64-bit action; None if there is none."""
    unit: v.Unit
    board: Board

    def order(self) -> v.Order:
        """What it means; a unit without an order holds, or disbands if dislodged."""
        item, unit, board = self.item, self.unit, self.board
        return _meaning(item, board, unit.power) or (v.Disband(unit) if board.stage == "retreats" else v.Hold(unit))

    def may_be(self, gist: str) -> bool:
        """Whether it may mean the same as an order of that gist; False only if it is about something else."""
        parsed = self.board.names.parsed[self.item] if type(self.item) is str else None
        return parsed is None or parsed.gist == gist or not gist


class Promised(NamedTuple):
    """An order as its power would write it on the board as it stood when it was promised; empty if that is unknown."""

    text: str = ""
    gist: str = ""
    """What every order that means the same is about; see `Parsed`."""

    @staticmethod
    def on(board: Board, order: v.Order) -> Promised:
        """An order as it is written on a board."""
        text = to_text(order, board)
        parsed = board.names.parsed[text]
        return Promised(text, parsed.gist if parsed is not None else "")


class Deeds:
    """One phase: the board before and after it, and every order that was given; the position tells what could be."""

    def __init__(self, before: Board, after: Board, actions: Mapping[str, Plain], position: Position) -> None:
        self.before, self.after = before, after
        self._position = position
        self.stage = before.stage
        self.written: Mapping[str, Sequence[Plain]] = {
            power: action for power, action in actions.items() if isinstance(action, (list, tuple))
        }
        """The orders of each power as it wrote them: strings or 64-bit actions."""
        self._given: dict[str, tuple[v.Order, ...]] = {}
        self.moved_year = after.year > before.year
        """Whether the year is over."""
        self.ordered: dict[str, Plain] = {}
        """The orders that units got from their own powers, by province."""
        self.conduct = _conducts(self)
        """What each power's orders meant for others, by the power's word."""

    def strict(self, item: Plain, power: str) -> Plain:
        """What the rules understand by a string: a kind of unit may be missing, and a retreat be written as a move."""
        if type(item) is not str:
            return item
        names = self.before.names
        parsed = names.parsed[item]
        if parsed is not None and (parsed.verb != "-" or self.stage != "retreats"):
            return item
        [entry] = self._position.understand(names.lexicon.seat_of[power], [item])
        return item if entry.action is None else str(self._position.order_of(entry.action))

    def read(self, item: Plain, power: str) -> v.Order | None:
        """What one order of a power means; None if it moves no unit of it that is there."""
        order = _meaning(item, self.before, power)
        return order if order is not None and performer(order) == power else None

    def given(self, power: str) -> tuple[v.Order, ...]:
        """The orders that a power gave."""
        found = self._given.get(power)
        if found is None:
            orders = [self.read(self.strict(item, power), power) for item in self.written.get(power, ())]
            found = self._given[power] = tuple([order for order in orders if order is not None])
        return found

    def of_unit(self, unit: v.Unit) -> Given:
        """The order of a unit."""
        return Given(self.ordered.get(unit.place[:3]), unit, self.before)

    def possible(self, order: v.Order, power: str, text: str = "") -> bool:
        """Whether the power could have given that order, which helps nobody or one who is there.

        Text is one way to spell it, if known.
        """
        names = self.before.names
        if self.stage != "adjustments" and type(order) is not v.Waive:
            here = order.unit.place[:3]  # type: ignore[union-attr]  # only a waived build has none
            legal = self._position.orders_at(names.province_id[here])
            if text in legal:
                return True
        else:
            legal = self._position.legal(names.lexicon.seat_of[power])
        return not set(spellings(order, self.before)).isdisjoint(legal)

    def waived(self, power: str) -> bool:
        """Whether the power made fewer builds than it could."""
        known, before, after = self.before.names, self.before.units.values(), self.after.units.values()
        could = self._position.builds[known.lexicon.seat_of[power]]
        return could > sum(unit.power == power for unit in after) - sum(unit.power == power for unit in before)

    def helps(self, order: v.Order) -> bool:
        """Whether the unit that the order supports or convoys, if any, is there and is whose it is said to be."""
        if type(order) not in FOR_ANOTHER:
            return True
        other: v.Unit = order.other  # type: ignore[union-attr]  # the set lists those that have it
        there = self.before.units.get(other.place[:3])
        return there is not None and same_unit(other, there)

    def concerned(self, watched: Mapping[str, Mapping[str, Iterable[T]]]) -> set[T]:
        """Those who watch what happened: by a power, then by whom it attacked, or a place it entered or stands in."""
        found: set[T] = set()
        for power, watchers in watched.items():
            _, hostile, entries = self.conduct[power]
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
        return {power for power, conduct in self.conduct.items() if not conduct.acted}


def _conducts(deeds: Deeds) -> dict[str, Conduct]:
    """Every power's orders, sorted by what they aim at, which most strings tell without being read as press."""
    board, movement = deeds.before, deeds.stage == "orders"
    units, owners, acting, parses, holders = board.units, board.owners, board.acting, board.names.parsed, board.holders
    ordered, actions = deeds.ordered, deeds.written
    found: dict[str, Conduct] = {}
    for power in board.names.power_words:
        acted = movement and power in holders
        hostile: dict[str, list[Plain]] = {}
        entries: dict[str, tuple[Plain, ...]] = {}
        items = actions.get(power, ())
        for item in items if movement else [deeds.strict(item, power) for item in items]:
            parsed = parses[item] if type(item) is str else None
            unit = acting.get(parsed.province) if parsed is not None else None
            if parsed is None or unit is None or unit.power != power:
                item = deeds.strict(item, power)
                order = deeds.read(item, power)  # in another spelling, or of no unit, such as a build
                if order is not None:
                    acted = True
                    _sort(order, item, deeds, Conduct(acted, hostile, entries))
                continue
            acted = True
            _, _, here, _, place, beside, _ = parsed
            if here not in ordered:
                ordered[here] = item
            if not place:
                continue
            helped = power
            if beside:
                other = units.get(beside)
                if other is None:
                    continue
                helped = other.power
            province = place[:3]
            entries[place] = (*entries[place], item) if place in entries else (item,)
            if place != province:
                entries[province] = (*entries.get(province, ()), item)
            standing, owner = units.get(province), owners.get(province)
            if (standing is not None and standing.power != power) or (owner is not None and owner != power):
                for victim in _victims(province, board, power, helped):
                    hostile.setdefault(victim, []).append(item)
        found[power] = Conduct(acted, hostile, entries)
    return found


def _sort(order: v.Order, item: Plain, deeds: Deeds, into: Conduct) -> None:
    """Sort one order that had to be read."""
    if not isinstance(order, v.Waive):
        deeds.ordered.setdefault(order.unit.province, item)
    place = aim(order)
    if place:
        for where in {place, place[:3]}:
            into.entries[where] = (*into.entries.get(where, ()), item)
        for victim in attacked(order, deeds.before):
            into.hostile.setdefault(victim, []).append(item)


def _meaning(item: Plain, board: Board, power: str) -> v.Order | None:
    if type(item) is str:
        return from_text(item, board, power)
    return from_action(item, board, power) if type(item) is int else None


_AIMED = frozenset((v.Move, v.ConvoyedMove, v.Retreat, v.SupportMove, v.Convoy))
"""Orders that bring a unit somewhere, or help to."""
_HELPING = frozenset((v.SupportMove, v.Convoy))
FOR_ANOTHER = _HELPING | {v.SupportHold}


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
