"""Orders between three languages: press values (DAIDE), strings of the `diplomacy` package, 64-bit actions.

The board supplies the context: owners, coasts, and the fleets that could carry a convoy.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping

from parlour.errors import NotationError
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import OrderKind, action_table
from parlour.games.diplomacy.ordering.orders import Order as Written
from parlour.press.language import message_types as v
from parlour.press.press_position import RETREATS, PhaseBoard

STAGE_OF: Mapping[type, str] = {
    v.Hold: "orders",
    v.Move: "orders",
    v.SupportHold: "orders",
    v.SupportMove: "orders",
    v.Convoy: "orders",
    v.ConvoyedMove: "orders",
    v.Retreat: "retreats",
    v.Disband: "retreats",
    v.Build: "adjustments",
    v.RemoveUnit: "adjustments",
    v.Waive: "adjustments",
}
"""The stage in which each order can be given."""
FOR_ANOTHER = frozenset((v.SupportHold, v.SupportMove, v.Convoy))


def performer(order: v.Order) -> str:
    """Return the power that gives the order."""
    return order.power if type(order) is v.Waive else order.unit.power  # type: ignore[union-attr]  # all others do


def from_text(text: str, board: PhaseBoard, power: str) -> v.Order | None:
    """Return the meaning of an order string of a power on the board.

    None if the string cannot be read, or orders or helps a unit that is not on the board.
    """
    parsed = board.names.parsed[text]
    if parsed is None:
        return v.Waive(power) if text == "WAIVE" else _lenient(text, board, power)
    kind, here, province, verb, to, other = parsed[:6]
    unit = board.acting.get(province)
    if unit is None:
        return v.Build(v.Unit(power, kind, here)) if verb == "B" else None
    match verb:
        case "-":
            return _move(unit, to, board)
        case "S" | "C":
            return _for_another(verb, unit, to, other, board)
        case "H":
            return v.Hold(unit)
        case "VIA":
            return _by_convoy(unit, to, board)
        case "R":
            return v.Retreat(unit, to)
        case "D":
            return v.Disband(unit) if board.season in RETREATS else v.RemoveUnit(unit)
    return None


def _lenient(text: str, board: PhaseBoard, power: str) -> v.Order | None:
    """Return the meaning of an order that is not in strict spelling; None if it cannot be read."""
    try:
        strict = str(Written.read(text, stage=board.stage, board=board.names.map))
    except NotationError:
        return None
    return from_text(strict, board, power) if strict != text else None


def _move(unit: v.Unit, to: str, board: PhaseBoard) -> v.Order:
    if unit.kind == "FLT" or to in board.names.reach["AMY"][unit.place]:
        return v.Move(unit, to)
    return _by_convoy(unit, to[:3], board)


def _by_convoy(unit: v.Unit, to: str, board: PhaseBoard) -> v.Order:
    """Return a convoyed move if fleets form a chain; otherwise a move, because press has no convoy without seas."""
    via = route(board, unit.province, to)
    return v.ConvoyedMove(unit, to, via) if via else v.Move(unit, to)


def _for_another(verb: str, unit: v.Unit, to: str, province: str, board: PhaseBoard) -> v.Order | None:
    other = board.units.get(province)
    if other is None:
        return None
    if verb == "C":
        return v.Convoy(unit, other, to)
    return v.SupportMove(unit, other, to) if to else v.SupportHold(unit, other)


def to_text(order: v.Order, board: PhaseBoard) -> str:
    """Return the order as a string of the `diplomacy` package; a missing coast is taken from the board.

    A coast that the board does not determine stays out, for example the coast of a fleet to be built.
    """
    if isinstance(order, v.Waive):
        return "WAIVE"
    tags = board.names.tag_of_place
    if isinstance(order, v.Build):
        return f"{_LETTERS[order.unit.kind]} {tags[order.unit.place]} B"
    retreating = isinstance(order, (v.Retreat, v.Disband))
    actor = _text_unit(order.unit, board, board.dislodged if retreating else board.units)
    if isinstance(order, v.Move):
        return f"{actor} - {tags[_end(order, board)]}"
    if isinstance(order, v.SupportMove):
        return f"{actor} S {_text_unit(order.other, board, board.units)} - {tags[order.to]}"
    if isinstance(order, v.SupportHold):
        return f"{actor} S {_text_unit(order.other, board, board.units)}"
    if isinstance(order, v.Convoy):
        return f"{actor} C {_text_unit(order.other, board, board.units)} - {tags[order.to]}"
    if isinstance(order, v.ConvoyedMove):
        return f"{actor} - {tags[order.to]} VIA"
    if isinstance(order, v.Retreat):
        return f"{actor} R {tags[_end(order, board)]}"
    return f"{actor} H" if isinstance(order, v.Hold) else f"{actor} D"


def spellings(order: v.Order, board: PhaseBoard) -> tuple[str, ...]:
    """Return the strings that give the order: with each coast that a missing one may mean, with and without convoy."""
    text, coasts = to_text(order, board), board.names.coasts
    if isinstance(order, v.ConvoyedMove):
        return (text, text.removesuffix(" VIA"))
    if isinstance(order, (v.Move, v.Retreat)):
        if order.unit.kind == "AMY":
            return (text, f"{text} VIA")
        if order.to in coasts:
            return (text, *[to_text(type(order)(order.unit, coast), board) for coast in coasts[order.to]])
    elif isinstance(order, v.Build) and order.unit.kind == "FLT" and order.unit.place in coasts:
        power, kind, place = order.unit.power, order.unit.kind, order.unit.place
        return (text, *[to_text(v.Build(v.Unit(power, kind, coast)), board) for coast in coasts[place]])
    return (text,)


_LETTERS = {"AMY": "A", "FLT": "F"}


def _text_unit(unit: v.Unit, board: PhaseBoard, there: Mapping[str, v.Unit]) -> str:
    return f"{_LETTERS[unit.kind]} {board.names.tag_of_place[_standing(unit, there)]}"


def _standing(unit: v.Unit, there: Mapping[str, v.Unit]) -> str:
    """Return the place of a unit: with the coast for a fleet, without it for an army."""
    place = unit.place
    if unit.kind == "AMY":
        return place[:3]
    if len(place) == 3:
        standing = there.get(place)
        if standing is not None and standing.kind == unit.kind:
            return standing.place
    return place


def _ends(order: v.Move | v.Retreat, board: PhaseBoard) -> tuple[str, ...]:
    """Return the places where a move can end.

    Several places if a fleet can reach several coasts, none if the destination is out of reach.
    """
    unit, to = order.unit, order.to
    here = _standing(unit, board.dislodged if isinstance(order, v.Retreat) else board.units)
    return board.names.reach[unit.kind][here].get(to if unit.kind == "FLT" else to[:3], ())


def _end(order: v.Move | v.Retreat, board: PhaseBoard) -> str:
    """Return the place where a move ends, with the only coast in reach if none is named; an army has no coast."""
    if order.unit.kind == "AMY":
        return order.to[:3]
    if order.to in board.names.coasts:
        ends = _ends(order, board)
        return ends[0] if len(ends) == 1 else order.to
    return order.to


_SIMPLE = {v.Hold: OrderKind.HOLD, v.Disband: OrderKind.DISBAND, v.RemoveUnit: OrderKind.REMOVE}
_TO_PLACE = {v.Move: OrderKind.MOVE_TO, v.Retreat: OrderKind.RETREAT_TO}
_INTO = {v.SupportMove: OrderKind.SUPPORT_MOVE_TO, v.Convoy: OrderKind.CONVOY}


def to_action(order: v.Order, board: PhaseBoard) -> int | None:
    """Return the order as a 64-bit action.

    None if the map has no action for the order, for example between distant places, or if the coast is unclear.
    """
    table, number = action_table(board.names.map), board.names.province_id
    match order:
        case v.Waive():
            return table.find(OrderKind.WAIVE)
        case v.Build(v.Unit(_, "AMY", place)):
            return table.find(OrderKind.BUILD_ARMY, number[place[:3]])
        case v.Build(v.Unit(_, _, place)):
            if place in board.names.coasts:
                return None
            return table.find(OrderKind.BUILD_FLEET, number[place[:3]], flag=_flag(place, board))
    here = number[order.unit.province]
    match order:
        case v.Move() | v.Retreat():
            ends = _ends(order, board)
            if len(ends) != 1:
                return None
            return table.find(_TO_PLACE[type(order)], here, number[ends[0][:3]], flag=_flag(ends[0], board))
        case v.ConvoyedMove(_, to):
            return table.find(OrderKind.CONVOY_TO, here, number[to])
        case v.SupportHold(_, other):
            return table.find(OrderKind.SUPPORT_HOLD, here, number[other.province])
        case v.SupportMove(_, other, to) | v.Convoy(_, other, to):
            return table.find(_INTO[type(order)], here, number[to], number[other.province])
        case _:
            return table.find(_SIMPLE[type(order)], here)


def _flag(place: str, board: PhaseBoard) -> int:
    """Return the coast flag of integer actions: 1 for the second shore."""
    known = board.names
    return int(known.map.areas[known.area_of_place[place]].coast == 2)


def from_action(action: int, board: PhaseBoard, power: str) -> v.Order | None:
    """Return the meaning of an action of a power on the board; None if the action or its unit does not exist."""
    return meaning(action, board, power) if action in action_table(board.names.map) else None


def meaning(action: int, board: PhaseBoard, power: str) -> v.Order | None:
    """Return the meaning of an action that is known to be in the map's table; None if its unit does not exist."""
    known = board.names
    provinces = known.map.provinces
    kind = _KINDS[a.kind_of(action)]
    here = provinces[a.ordered(action)]
    if kind is OrderKind.WAIVE:
        return v.Waive(power)
    if kind in (OrderKind.BUILD_ARMY, OrderKind.BUILD_FLEET):
        fleet = kind is OrderKind.BUILD_FLEET
        area = here.area + (1 + a.ordered_flag(action) if fleet and here.coasts else 0)
        return v.Build(v.Unit(power, "FLT" if fleet else "AMY", known.place_of_area[area]))
    retreating = kind in (OrderKind.RETREAT_TO, OrderKind.DISBAND)
    unit = (board.dislodged if retreating else board.units).get(here.daide)
    if unit is None:
        return None
    if kind in _ALONE:
        return _ALONE[kind](unit)
    there = provinces[a.target(action)]
    to = known.place_of_area[there.area + (1 + a.target_flag(action) if there.coasts and unit.kind == "FLT" else 0)]
    other = board.units.get(provinces[a.third(action)].daide)
    match kind:
        case OrderKind.MOVE_TO:
            return v.Move(unit, to)
        case OrderKind.RETREAT_TO:
            return v.Retreat(unit, to)
        case OrderKind.CONVOY_TO:
            return _by_convoy(unit, there.daide, board)
        case OrderKind.SUPPORT_HOLD:
            held = board.units.get(there.daide)
            return v.SupportHold(unit, held) if held else None
        case OrderKind.SUPPORT_MOVE_TO:
            return v.SupportMove(unit, other, there.daide) if other else None
        case _:
            return v.Convoy(unit, other, there.daide) if other else None


_KINDS = {int(kind): kind for kind in OrderKind}
_ALONE: Mapping[OrderKind, Callable[[v.Unit], v.Order]] = {
    OrderKind.HOLD: v.Hold,
    OrderKind.DISBAND: v.Disband,
    OrderKind.REMOVE: v.RemoveUnit,
}
"""Orders that name only their unit."""


def route(board: PhaseBoard, start: str, end: str, prefer: Iterable[str] = ()) -> tuple[str, ...]:
    """Return a shortest chain of seas with fleets from one shore to another; empty if there is none.

    The preferred seas are tried alone first, for example those of fleets ordered to convoy.
    """
    preferred = board.fleets.intersection(prefer)
    return (_chain(board, start, end, preferred) if preferred else ()) or _chain(board, start, end, board.fleets)


def _chain(board: PhaseBoard, start: str, end: str, allowed: frozenset[str]) -> tuple[str, ...]:
    beside = board.names.waters
    first, goal = allowed & beside[start], beside[end]
    chains: deque[tuple[str, ...]] = deque((sea,) for sea in sorted(first))
    left = allowed - first
    while chains:
        chain = chains.popleft()
        if chain[-1] in goal:
            return chain
        following = left & beside[chain[-1]]
        left -= following
        chains.extend((*chain, sea) for sea in sorted(following))
    return ()


_MOVES = frozenset((v.Move, v.ConvoyedMove))


def same(promised: v.Order, given: v.Order) -> bool:
    """Return True if an order is the promised one.

    Missing coasts, convoy routes, and CTO instead of MTO make no difference.
    """
    if promised is given:
        return True
    if type(promised) is not type(given) and not (type(promised) in _MOVES and type(given) in _MOVES):
        return False
    if promised == given:
        return True
    if type(promised) is v.Waive:
        return False
    if not same_unit(promised.unit, given.unit):  # type: ignore[union-attr]  # only a waived build has none
        return False
    if type(promised) in _MOVES or type(promised) is v.Retreat:
        one, other = promised.to, given.to  # type: ignore[union-attr]  # both are moves, or both retreats
        return _same_place(one, other) if type(promised) is type(given) else one[:3] == other[:3]
    if isinstance(promised, (v.SupportHold, v.SupportMove, v.Convoy)):
        if not same_unit(promised.other, given.other):  # type: ignore[union-attr]  # they are of one type
            return False
        return isinstance(promised, v.SupportHold) or promised.to == given.to  # type: ignore[union-attr]
    return True


def clash(one: v.Order, other: v.Order) -> bool:
    """Return True if two orders differ and are for the same unit in the same phase."""
    if isinstance(one, v.Waive) or isinstance(other, v.Waive) or STAGE_OF[type(one)] != STAGE_OF[type(other)]:
        return False
    if one.unit.province != other.unit.province or one.unit.power != other.unit.power:
        return False
    return not same(one, other)


def same_unit(one: v.Unit, other: v.Unit) -> bool:
    """Return True if both values mean the same unit; either may lack the coast."""
    return one.power == other.power and one.kind == other.kind and _same_place(one.place, other.place)


def _same_place(one: str, other: str) -> bool:
    """Return True if two places are equal, or differ only by a missing coast."""
    return one == other or (one[:3] == other[:3] and not (" " in one and " " in other))
