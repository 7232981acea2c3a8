"""The executed orders of one phase, in the words of press, for the judge of promises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from parlour.core.game import Plain
from parlour.games.diplomacy.engine import codes as k
from parlour.press.language import message_types as v
from parlour.press.orders import from_action, from_text, performer
from parlour.press.press_position import PhaseBoard

T = TypeVar("T")
_POWER = int(k.POWER_MASK)


class Given(msgspec.Struct, frozen=True, gc=False):
    """The order of a unit as its power wrote it; `order` reads it on demand."""

    item: Plain
    """A string or a 64-bit action; None without an order."""
    unit: v.Unit
    board: PhaseBoard
    to: str = ""
    """The place to which the order brings a unit or helps to bring one; empty if there is none."""
    gist: str = ""
    """Gist of the order, if it is in strict spelling; see `Parsed`."""

    def __repr__(self) -> str:
        return f"Given({self.item!r}, {self.unit!r})"

    def order(self) -> v.Order:
        """Return the meaning of the order; a unit without an order holds, or disbands if dislodged."""
        item, unit, board = self.item, self.unit, self.board
        return _meaning(item, board, unit.power) or (v.Disband(unit) if board.stage == "retreats" else v.Hold(unit))

    def may_be(self, gist: str) -> bool:
        """Return True if the order may have the same meaning as an order of that gist, or if a gist is unknown."""
        return self.gist == gist or not self.gist or not gist


class Dealings(msgspec.Struct, frozen=True, gc=False):
    """Effects of one power's orders on the other powers."""

    acted: bool
    """True if the power had anything to order."""
    hostile: dict[str, list[Given]]
    """Orders that attacked or helped to attack a power's units or centres, by the attacked power."""
    entries: list[Given]
    """The orders that bring a unit to a place, help to bring one, or build one."""

    def triggers(self) -> set[str]:
        """Return the attacked powers, and the places and provinces that an order brings a unit to."""
        places = [given.to for given in self.entries]
        return {*self.hostile, *places, *[place[:3] for place in places]}

    def into(self, place: str) -> Iterator[Given]:
        """Return the entries that lead to a place, or to any coast if the place is a province."""
        return (given for given in self.entries if given.to == place or given.to[:3] == place)


class ExecutedOrders:
    """A phase: the boards before and after it, and every order that was given."""

    def __init__(
        self, before: PhaseBoard, after: PhaseBoard | Callable[[], PhaseBoard], actions: Mapping[str, Plain]
    ) -> None:
        self.before, self._after = before, after
        self.stage = before.stage
        self.written: Mapping[str, Sequence[Plain]] = {
            power: action for power, action in actions.items() if isinstance(action, (list, tuple))
        }
        """The orders of each power as it wrote them: strings or 64-bit actions."""
        self._given: dict[str, tuple[v.Order, ...]] = {}
        self.ordered: dict[str, Given] = {}
        """The first order of each unit from its own power, by province."""
        self.conduct = {power: _conduct(self, mine, power) for mine, power in enumerate(before.names.power_words, 1)}
        """Effects of each power's orders on others, by the power's word."""

    @property
    def after(self) -> PhaseBoard:
        """The board after the phase, computed on first use."""
        if not isinstance(self._after, PhaseBoard):
            self._after = self._after()
        return self._after

    @property
    def moved_year(self) -> bool:
        """True if the year ended with this phase."""
        return self.after.year > self.before.year

    def instead(self, power: str, orders: Sequence[Plain], after: Callable[[], PhaseBoard]) -> ExecutedOrders:
        """Return the same phase with other orders of one power."""
        other = ExecutedOrders.__new__(ExecutedOrders)
        other.before, other.stage = self.before, self.stage
        other._after, other._given = after, {}
        other.written = {**self.written, power: orders}
        other.ordered = dict(self.ordered)
        for province in self.before.asked_places.get(power, ()):
            other.ordered.pop(province, None)
        mine = self.before.names.power_words.index(power) + 1
        other.conduct = {**self.conduct, power: _conduct(other, mine, power)}
        return other

    def strict(self, item: Plain, power: str) -> Plain:
        """Return an order string in strict spelling, as the rules understand it.

        The input may lack the kind of unit, or write a retreat as a move. An order that the rules do not understand is
        returned unchanged.
        """
        if type(item) is not str:
            return item
        names, position = self.before.names, self.before.position
        parsed = names.parsed[item]
        if parsed is not None and (parsed.verb != "-" or self.stage != "retreats"):
            return item
        [entry] = position.understand(names.lexicon.seat_of[power], [item])
        return item if entry.action is None else str(position.order_of(entry.action))

    def read(self, item: Plain, power: str) -> v.Order | None:
        """Return the meaning of one order; None if it cannot be read or orders a unit of another power."""
        order = _meaning(item, self.before, power)
        return order if order is not None and performer(order) == power else None

    def given(self, power: str) -> tuple[v.Order, ...]:
        """Return the orders that a power gave."""
        found = self._given.get(power)
        if found is None:
            orders = [self.read(self.strict(item, power), power) for item in self.written.get(power, ())]
            found = self._given[power] = tuple([order for order in orders if order is not None])
        return found

    def of_unit(self, unit: v.Unit) -> Given:
        """Return the order of a unit."""
        return self.ordered.get(unit.place[:3]) or Given(None, unit, self.before)

    def waived(self, power: str) -> bool:
        """Return True if the power made fewer builds than it could."""
        known, before, after = self.before.names, self.before.units.values(), self.after.units.values()
        could = self.before.position.builds[known.lexicon.seat_of[power]]
        return could > sum(unit.power == power for unit in after) - sum(unit.power == power for unit in before)

    def concerned(self, watched: Mapping[str, Mapping[str, Iterable[T]]]) -> dict[str, set[T]]:
        """Return, for each power, the watchers of the powers it attacked and the places it entered or stands in.

        A power that had nothing to order concerns all its watchers.
        """
        found: dict[str, set[T]] = {}
        for power, watchers in watched.items():
            conduct = self.conduct[power]
            mine: set[T] = set()
            found[power] = mine
            if not conduct.acted:
                mine.update(*watchers.values())
            for what in conduct.hostile:
                if what in watchers:
                    mine.update(watchers[what])
            for given in conduct.entries:
                place = given.to
                if place in watchers:
                    mine.update(watchers[place])
                if len(place) > 3 and place[:3] in watchers:
                    mine.update(watchers[place[:3]])
        if self.stage == "orders":
            for province, unit in self.after.units.items():
                here = watched.get(unit.power)
                if here is None:
                    continue
                if province in here:
                    found[unit.power].update(here[province])
                if unit.place != province and unit.place in here:
                    found[unit.power].update(here[unit.place])
        return found


def _conduct(executed: ExecutedOrders, mine: int, power: str) -> Dealings:
    """Sort one power's orders by their aims. Most order strings need not be read as press for this.

    Units and owners are looked up in the kernel's state, because numbers are faster than words.
    """
    board, movement, ordered = executed.before, executed.stage == "orders", executed.ordered
    names, state = board.names, board.position.state
    parses, units_of_province, words = names.parsed, names.units_of_province, names.owner_of_byte
    units, owners = k.UNITS, k.OWNERS
    acting = k.DISLODGED if executed.stage == "retreats" else units
    hostile: dict[str, list[Given]] = {}
    entries: list[Given] = []
    items = executed.written.get(power, ())
    for item in items if movement else [executed.strict(item, power) for item in items]:
        parsed = parses[item] if type(item) is str else None
        if parsed is None or (byte := state[acting + parsed.number]) & _POWER != mine:
            item = executed.strict(item, power)
            order = executed.read(item, power)  # another spelling, or an order without a unit, for example a build
            if order is not None:
                _sort(order, item, executed, Dealings(True, hostile, entries))
            continue
        _, _, here, _, place, _, gist, number, to, other = parsed
        given = Given(item, units_of_province[number][byte & 0x7F], board, place, gist)
        if here not in ordered:
            ordered[here] = given
        if to < 0:
            continue
        helped = mine
        if other >= 0:
            helped = state[units + other] & _POWER
            if not helped:
                continue
        entries.append(given)
        owner, standing = state[owners + to], state[units + to] & _POWER
        if owner and owner != mine and owner != helped:
            hostile.setdefault(words[owner], []).append(given)
        if standing and standing != mine and standing != owner and standing != helped:
            hostile.setdefault(words[standing], []).append(given)
    return Dealings(power in board.asked, hostile, entries)


def _sort(order: v.Order, item: Plain, executed: ExecutedOrders, into: Dealings) -> None:
    """Sort one order that had to be read as press."""
    if isinstance(order, v.Waive):
        return
    given = Given(item, order.unit, executed.before, aim(order))
    executed.ordered.setdefault(order.unit.province, given)
    if given.to:
        into.entries.append(given)
        for victim in attacked(order, executed.before):
            into.hostile.setdefault(victim, []).append(given)


def _meaning(item: Plain, board: PhaseBoard, power: str) -> v.Order | None:
    if type(item) is str:
        return from_text(item, board, power)
    return from_action(item, board, power) if type(item) is int else None


_AIMED = frozenset((v.Move, v.ConvoyedMove, v.Retreat, v.SupportMove, v.Convoy))
"""Orders that bring a unit to a place or help to bring one."""
_HELPING = frozenset((v.SupportMove, v.Convoy))


def aim(order: v.Order) -> str:
    """Return the place to which an order brings a unit or helps to bring one; empty if there is none."""
    if type(order) in _AIMED:
        return order.to  # type: ignore[union-attr]  # every type in the set has the attribute
    return order.unit.place if isinstance(order, v.Build) else ""


def attacked(order: v.Order, board: PhaseBoard) -> Sequence[str]:
    """Return the powers whose unit or centre is at the aim of an order, except its own power and the helped power."""
    to = aim(order)
    if not to or isinstance(order, (v.Build, v.Waive)):
        return ()
    mine = order.unit.power
    helped = order.other.power if type(order) in _HELPING else mine  # type: ignore[union-attr]  # the set lists them
    owner, standing = board.owners.get(to[:3]), board.units.get(to[:3])
    found = [owner] if owner is not None else []
    if standing is not None and standing.power != owner:
        found.append(standing.power)
    return [victim for victim in found if victim not in (mine, helped)]
