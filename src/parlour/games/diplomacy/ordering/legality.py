"""The meaning of a written order in a position: an integer action that is possible there, or the flaw that voids it.

The kernel's list decides which actions are possible, never this module. For an impossible action, this module finds
the reason. The choices are those of the DATC's author. A missing coast is filled in if only one is possible (4.B.2);
otherwise the order fails (4.B.1, 4.B.7). An impossible coast fails (4.B.3). A coast of the ordered unit or of an army
does not matter (4.B.5, 4.B.6). A coast in a support may be missing but not wrong (4.B.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from parlour.core.immutable import Immutable
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine import state as s
from parlour.games.diplomacy.maps.map import Builds, Ground, Map, Province
from parlour.games.diplomacy.ordering.actions import OrderKind, compose
from parlour.games.diplomacy.ordering.notation import Piece, Verb, WrittenOrder, WrittenPlace, read_order
from parlour.games.diplomacy.ordering.orders import written
from parlour.games.diplomacy.ordering.reasons import Flaw, Reason


class Entry(NamedTuple):
    """A submitted order."""

    text: str
    """The order in strict spelling, with types filled in; as given if it could not be read."""
    action: int | None
    """The action that the order stands for; None if it is void."""
    flaw: Flaw | None = None
    coast: str = ""
    """The shore that a support names for the move of a fleet; integer actions have no room for it."""


class _Void(Exception):
    """Carries a flaw to OrderParser.read."""

    def __init__(self, reason: Reason, part: str, expected: str, suggestion: str = "") -> None:
        super().__init__(reason)
        self.flaw = Flaw(reason, part, expected, suggestion)


class OrderParser(Immutable):
    """A reader of orders for one position; `possible` is the kernel's list of possible actions."""

    board: Map
    state: bytes
    stage: str
    _possible: dict[int, int]

    def __init__(self, board: Map, state: bytes, possible: Iterable[int]) -> None:
        listed = {action & 0xFFFFFFFF: action for action in possible}
        self.__dict__.update(board=board, state=state, stage=s.STAGES[state[k.SEASON]], _possible=listed)

    def read(self, power: int, text: str) -> Entry:
        """Return the meaning of one order of a power."""
        draft = read_order(text, self.board)
        if isinstance(draft, Flaw):
            return Entry(text.strip(), None, draft)
        order = written(draft, self.board, self.stage, self.state)
        strict = text.strip() if order is None else str(order)
        try:
            action = self._meaning(power, draft)
        except _Void as void:
            return Entry(strict, None, void.flaw)
        coast = draft.target.coast if draft.target and draft.verb is Verb.SUPPORT else ""
        return Entry(strict, action, coast=coast)

    def _meaning(self, power: int, draft: WrittenOrder) -> int:
        match self.stage, draft.verb:
            case "orders", Verb.HOLD:
                return self._action(OrderKind.HOLD, self._own(power, draft).province)
            case "orders", Verb.MOVE:
                return self._move(self._own(power, draft), draft)
            case "orders", Verb.SUPPORT:
                return self._support(self._own(power, draft), draft)
            case "orders", Verb.CONVOY:
                return self._convoy(self._own(power, draft), draft)
            case "retreats", Verb.RETREAT | Verb.MOVE:
                return self._retreat(self._own(power, draft), draft)
            case "retreats", Verb.DISBAND:
                return self._action(OrderKind.DISBAND, self._own(power, draft).province)
            case "adjustments", Verb.BUILD:
                return self._build(power, draft)
            case "adjustments", Verb.DISBAND:
                return self._remove(power, draft)
            case "adjustments", Verb.WAIVE:
                return self._waive(power, draft)
        fitting = {"orders": "H, -, S or C", "retreats": "R or D", "adjustments": "B, D or WAIVE"}[self.stage]
        raise _Void(Reason.WRONG_PHASE, str(draft.verb), f"{fitting} in this phase")

    def _action(self, kind: OrderKind, ordered: int = 0, target: int = 0, third: int = 0, flag: int = 0) -> int:
        found = self._find(kind, ordered, target, third, flag)
        if found is None:
            raise _Void(Reason.OUT_OF_REACH, self._tag(target), "a possible order")
        return found

    def _find(self, kind: OrderKind, ordered: int, target: int = 0, third: int = 0, flag: int = 0) -> int | None:
        return self._possible.get(compose(kind, ordered, target, third, flag))

    def _own(self, power: int, draft: WrittenOrder) -> s.BoardUnit:
        """Return the unit that is ordered; raise _Void if it is not a unit of the power.

        The written coast of the unit does not matter (4.B.5, 4.B.6).
        """
        assert draft.unit is not None
        piece, retreating = draft.unit, self.stage == "retreats"
        tag = self._tag(piece.place.province)
        unit = s.unit_at(self.state, k.DISLODGED if retreating else k.UNITS, piece.place.province)
        if unit is None and retreating and s.unit_at(self.state, k.UNITS, piece.place.province):
            raise _Void(Reason.NOT_DISLODGED, tag, self._mine(power))
        if unit is None:
            raise _Void(Reason.NO_UNIT, tag, self._mine(power))
        if unit.power != power or piece.power not in (None, power):
            raise _Void(Reason.NOT_YOURS, tag, self._mine(power))
        self._same_type(piece, unit)
        return unit

    def _other(self, piece: Piece) -> s.BoardUnit:
        """Return the unit that is supported or convoyed; raise _Void if it differs from the description."""
        unit = s.unit_at(self.state, k.UNITS, piece.place.province)
        tag = self._tag(piece.place.province)
        if unit is None:
            raise _Void(Reason.NO_UNIT, tag, "a province with a unit")
        if piece.power not in (None, unit.power):
            owner = self.board.powers[unit.power].name
            raise _Void(Reason.NO_UNIT, tag, f"the owner of the unit there, {owner}")
        self._same_type(piece, unit)
        if unit.fleet and piece.place.coast and piece.place.coast != self._coast_of(unit):
            stands = s.write_unit(unit, self.board)
            raise _Void(Reason.WRONG_COAST, f"{tag}/{piece.place.coast}", f"the unit that is there, {stands}", stands)
        return unit

    def _same_type(self, piece: Piece, unit: s.BoardUnit) -> None:
        if piece.fleet is not None and piece.fleet != unit.fleet:
            stands = s.write_unit(unit, self.board)
            part = f"{'F' if piece.fleet else 'A'} {self._tag(piece.place.province)}"
            raise _Void(Reason.WRONG_TYPE, part, f"the unit that is there, {stands}", stands)

    def _move(self, unit: s.BoardUnit, draft: WrittenOrder) -> int:
        assert draft.target is not None
        here, there = unit.province, draft.target.province
        if unit.fleet:
            if draft.via:
                raise _Void(Reason.NOT_AN_ARMY, self._name(unit), "an army to be convoyed")
            return self._sail(unit, draft.target, OrderKind.MOVE_TO)
        carried = self._find(OrderKind.CONVOY_TO, here, there)
        walked = self._find(OrderKind.MOVE_TO, here, there)
        # DATC 6.G.8: an army that is ordered to go by sea without a possible route walks if it can.
        found = (carried or walked) if draft.via else (walked or carried)
        if found is None:
            raise self._unreachable(unit, there)
        return found

    def _sail(self, unit: s.BoardUnit, place: WrittenPlace, kind: OrderKind) -> int:
        """Return a fleet's move or retreat, with the shore that is written or the only one possible."""
        province = self.board.provinces[place.province]
        if place.coast and place.coast not in province.coasts:
            raise self._no_such_coast(province, place.coast)
        ways = [
            found
            for flag in range(max(1, len(province.coasts)))
            if (not place.coast or province.coasts[flag] == place.coast)
            and (found := self._find(kind, unit.province, province.id, flag=flag)) is not None
        ]
        if len(ways) > 1:
            raise _Void(Reason.NEEDS_COAST, province.tag, self._shores(province))
        if ways:
            return ways[0]
        if place.coast and any(self._find(kind, unit.province, province.id, flag=flag) for flag in (0, 1)):
            raise _Void(Reason.WRONG_COAST, f"{province.tag}/{place.coast}", "a coast within reach")
        if kind is OrderKind.RETREAT_TO:
            raise self._no_retreat(unit, province.id)
        raise self._unreachable(unit, province.id)

    def _support(self, unit: s.BoardUnit, draft: WrittenOrder) -> int:
        assert draft.other is not None
        other = self._other(draft.other)
        if other.province == unit.province:
            raise _Void(Reason.SUPPORTS_ITSELF, self._name(unit), "another unit to support")
        if draft.target is None:
            found = self._find(OrderKind.SUPPORT_HOLD, unit.province, other.province)
            if found is None:
                raise self._too_far_to_support(unit, other.province)
            return found
        there = self.board.provinces[draft.target.province]
        found = self._find(OrderKind.SUPPORT_MOVE_TO, unit.province, there.id, other.province)
        if found is not None:
            self._check_shore(other, draft.target)
            return found
        if there.id not in self._reach(unit):
            raise self._too_far_to_support(unit, there.id)
        if there.id in self._reach(other):
            raise _Void(Reason.OUT_OF_REACH, there.tag, "a province that is not the supporter's own")
        flaw = self._unreachable(other, there.id).flaw
        raise _Void(flaw.reason, f"{self._name(other)} - {there.tag}", f"a move that is possible: {flaw.expected}")

    def _check_shore(self, mover: s.BoardUnit, place: WrittenPlace) -> None:
        """Raise _Void if a support names an impossible shore for the fleet's move.

        A support may leave out the shore (DATC 4.B.4).
        """
        province = self.board.provinces[place.province]
        if not mover.fleet or not place.coast:
            return
        if place.coast not in province.coasts:
            raise self._no_such_coast(province, place.coast)
        if province.area + 1 + province.coasts.index(place.coast) not in self.board.fleet[mover.area(self.board)]:
            part = f"{province.tag}/{place.coast}"
            raise _Void(Reason.WRONG_COAST, part, f"a coast that {self._name(mover)} reaches")

    def _convoy(self, unit: s.BoardUnit, draft: WrittenOrder) -> int:
        assert draft.other is not None
        assert draft.target is not None
        if not unit.fleet or not self.board.provinces[unit.province].convoys:
            raise _Void(Reason.NOT_A_FLEET_AT_SEA, self._name(unit), "a fleet at sea to convoy")
        other = self._other(draft.other)
        if other.fleet:
            raise _Void(Reason.NOT_AN_ARMY, self._name(other), "an army to be convoyed")
        found = self._find(OrderKind.CONVOY, unit.province, draft.target.province, other.province)
        if found is None:
            part = f"{self._name(other)} - {self._tag(draft.target.province)}"
            raise _Void(Reason.NO_ROUTE, part, f"shores that fleets join through {self._tag(unit.province)}")
        return found

    def _retreat(self, unit: s.BoardUnit, draft: WrittenOrder) -> int:
        assert draft.target is not None
        if unit.fleet:
            return self._sail(unit, draft.target, OrderKind.RETREAT_TO)
        found = self._find(OrderKind.RETREAT_TO, unit.province, draft.target.province)
        if found is None:
            raise self._no_retreat(unit, draft.target.province)
        return found

    def _build(self, power: int, draft: WrittenOrder) -> int:
        assert draft.unit is not None
        piece = draft.unit
        province = self.board.provinces[piece.place.province]
        if piece.power not in (None, power):
            raise _Void(Reason.NOT_YOURS, self.board.powers[piece.power].name, self.board.powers[power].name)
        self._building(power)
        sites = ", ".join(self.board.provinces[home].tag for home in self._sites(power))
        if province.id not in self.board.sites[power]:
            raise _Void(self._not_a_site(), province.tag, f"one of {sites}")
        if self.state[k.OWNERS + province.id] != power + 1:
            raise _Void(Reason.NOT_OWNED, province.tag, f"one of {sites}")
        if self.state[k.UNITS + province.id]:
            raise _Void(Reason.OCCUPIED, province.tag, f"one of {sites}")
        fleet = piece.fleet
        if fleet is None and province.kind is not Ground.LAND:
            raise _Void(Reason.NEEDS_TYPE, province.tag, f"A {province.tag} or F {province.tag}")
        if not fleet:
            return self._action(OrderKind.BUILD_ARMY, province.id)
        if province.kind is Ground.LAND:
            raise _Void(Reason.WRONG_TYPE, f"F {province.tag}", f"A {province.tag}", f"A {province.tag}")
        coast = piece.place.coast
        if coast and coast not in province.coasts:
            raise self._no_such_coast(province, coast)
        if province.coasts and not coast:
            raise _Void(Reason.NEEDS_COAST, province.tag, self._shores(province))
        return self._action(OrderKind.BUILD_FLEET, province.id, flag=province.coasts.index(coast) if coast else 0)

    def _remove(self, power: int, draft: WrittenOrder) -> int:
        unit = self._own(power, draft)
        found = self._find(OrderKind.REMOVE, unit.province)
        if found is None:
            raise _Void(Reason.NO_REMOVALS, self._name(unit), "no removal: there are enough centres")
        return found

    def _waive(self, power: int, draft: WrittenOrder) -> int:
        if draft.power not in (None, power):
            raise _Void(Reason.NOT_YOURS, self.board.powers[draft.power].name, self.board.powers[power].name)
        self._building(power)
        return self._action(OrderKind.WAIVE)

    def _building(self, power: int) -> None:
        if build_count(self.board, self.state, power) <= 0:
            raise _Void(Reason.NO_BUILDS, self.board.powers[power].name, "no build: there is no centre or site for it")

    def _sites(self, power: int) -> list[int]:
        return build_sites(self.board, self.state, power)

    def _not_a_site(self) -> Reason:
        at_home = self.board.build_mode in (Builds.HOME, Builds.HOMES)
        return Reason.NOT_A_HOME if at_home else Reason.NOT_A_CENTRE

    def _too_far_to_support(self, unit: s.BoardUnit, there: int) -> _Void:
        near = ", ".join(sorted(self._tag(number) for number in self._reach(unit)))
        return _Void(Reason.OUT_OF_REACH, self._tag(there), f"a province that {self._name(unit)} could enter: {near}")

    def _unreachable(self, unit: s.BoardUnit, there: int) -> _Void:
        tag, board = self._tag(there), self.board
        near = ", ".join(sorted(self._tag(number) for number in self._reach(unit)))
        shores = (board.provinces[unit.province].kind, board.provinces[there].kind)
        if there == unit.province:
            return _Void(Reason.OUT_OF_REACH, tag, f"another province: {near}")
        if not unit.fleet and shores == (Ground.COAST, Ground.COAST):
            return _Void(Reason.NO_ROUTE, tag, f"a chain of fleets from {self._tag(unit.province)}, or one of {near}")
        return _Void(Reason.OUT_OF_REACH, tag, f"one of {near}")

    def _no_retreat(self, unit: s.BoardUnit, there: int) -> _Void:
        near = [
            province.tag
            for province in self.board.provinces
            if any(self._find(OrderKind.RETREAT_TO, unit.province, province.id, flag=flag) for flag in (0, 1))
        ]
        return _Void(Reason.NO_RETREAT, self._tag(there), f"one of {', '.join(near)}" if near else "D")

    def _no_such_coast(self, province: Province, coast: str) -> _Void:
        return _Void(Reason.WRONG_COAST, f"{province.tag}/{coast}", self._shores(province) or province.tag)

    def _reach(self, unit: s.BoardUnit) -> set[int]:
        edges = self.board.fleet if unit.fleet else self.board.army
        return {self.board.areas[area].province for area in edges[unit.area(self.board)]}

    def _mine(self, power: int) -> str:
        offset = k.DISLODGED if self.stage == "retreats" else k.UNITS
        units = [u for u in s.units_in(self.state, offset, self.board) if u.power == power]
        kind = "dislodged units" if self.stage == "retreats" else "units"
        if not units:
            return f"no order: {self.board.powers[power].name} has no {kind}"
        return f"one of your {kind}, {', '.join(map(self._name, units))}"

    def _name(self, unit: s.BoardUnit) -> str:
        return s.write_unit(unit, self.board)

    def _tag(self, province: int) -> str:
        return self.board.provinces[province].tag

    def _coast_of(self, unit: s.BoardUnit) -> str:
        return self.board.provinces[unit.province].coasts[unit.coast - 1] if unit.coast else ""

    def _shores(self, province: Province) -> str:
        return " or ".join(f"{province.tag}/{coast}" for coast in province.coasts)


_POWERS = bytes(byte & k.POWER_MASK for byte in range(256))
"""A translation of unit bytes into power + 1."""


def build_sites(board: Map, state: bytes, power: int) -> list[int]:
    """Return the free centres that the power owns and where it may build."""
    if board.build_mode is Builds.ROOTED and not any(
        state[k.OWNERS + home] == power + 1 for home in board.powers[power].homes
    ):
        return []
    return [site for site in board.sites[power] if state[k.OWNERS + site] == power + 1 and not state[k.UNITS + site]]


def build_count(board: Map, state: bytes, power: int) -> int:
    """Return the number of units that the power may build in winter, or, if negative, must remove."""
    count = len(board.provinces)
    centres = state[k.OWNERS : k.OWNERS + count].count(power + 1)
    units = state[k.UNITS : k.UNITS + count].translate(_POWERS).count(power + 1)
    surplus = centres - units
    return min(surplus, len(build_sites(board, state, power))) if surplus > 0 else surplus


def without_excess(board: Map, state: bytes, power: int, entries: Iterable[Entry]) -> list[Entry]:
    """Return a power's orders, with second orders for a unit and adjustments beyond those due made void."""
    kept: list[Entry] = []
    taken: set[int] = set()
    room = abs(build_count(board, state, power)) if s.STAGES[state[k.SEASON]] == "adjustments" else -1
    for entry in entries:
        if entry.action is not None:
            waived = entry.action & 0xFF == OrderKind.WAIVE
            province = entry.action >> 9 & 127
            if province in taken and not waived:
                entry = Entry(entry.text, None, Flaw(Reason.SECOND_ORDER, entry.text, "one order, the first stands"))
            elif not room:
                entry = Entry(entry.text, None, Flaw(Reason.TOO_MANY, entry.text, "no more than are due"))
            else:
                room -= 1
                if not waived:
                    taken.add(province)
        kept.append(entry)
    return kept


def by_intent(entries: list[Entry], possible: Mapping[int, int]) -> list[Entry]:
    """Return the entries, with a move between neighbours by sea if a fleet of the same power convoys it.

    This is DATC 4.A.3 d. `possible` has the actions by their low 32 bits.
    """
    convoyed = {
        compose(OrderKind.MOVE_TO, action >> 25 & 127, action >> 17 & 127)
        for _, action, _, _ in entries
        if action is not None and action & 0xFF == OrderKind.CONVOY
    }
    if not convoyed:
        return entries
    meant = []
    for entry in entries:
        if entry.action is not None and (low := entry.action & 0xFFFFFFFF) in convoyed:
            entry = entry._replace(action=possible.get(low - OrderKind.MOVE_TO + OrderKind.CONVOY_TO, entry.action))
        meant.append(entry)
    return meant
