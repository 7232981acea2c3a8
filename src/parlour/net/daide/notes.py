"""Notes on orders in THX: MBV if the order may be valid, otherwise the code of its fault.

The checks follow the order of the language's document: the season, the unit, its destination, the unit it helps.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from parlour.core.game import Seat
from parlour.games.diplomacy.maps.map import Ground, Province
from parlour.games.diplomacy.position import Position
from parlour.net.daide.adjustments import due
from parlour.press.language import message_types as v
from parlour.press.orders import STAGE_OF, to_text
from parlour.press.press_position import PhaseBoard

VALID = "MBV"


def note_on(order: v.Order, board: PhaseBoard, seat: Seat, given: Collection[str]) -> str:
    """Return the note on an order of that seat; `given` are the orders that it has given before."""
    power = board.names.lexicon.seats[seat]
    if STAGE_OF[type(order)] != board.stage:
        return "NRS"
    if isinstance(order, v.Waive):
        return _waived(order, power, board.position, seat, given)
    if isinstance(order, v.Build):
        return _built(order, power, board, seat, given)
    note = _unit(order.unit, power, board)
    if note is not None:
        return note
    match order:
        case v.Move(unit, to):
            return _moved(unit, to, board)
        case v.ConvoyedMove(unit, to, through):
            return _convoyed(unit, to, through, board)
        case v.SupportHold(unit, other):
            return _supported(unit, other, other.province, board) or VALID
        case v.SupportMove(unit, other, to):
            note = _supported(unit, other, to, board)
            return note or (VALID if to in _reach(other, board) else _by_sea(order, board, seat))
        case v.Convoy(unit, other):
            return _carried(unit, other, board) or _by_sea(order, board, seat)
        case v.Retreat(unit, to):
            return _retreated(unit, to, board)
        case v.RemoveUnit(unit):
            return _removed(unit, board.position, seat, board, given)
    return VALID


def note_on_doomed(order: v.Order, doomed: Mapping[str, v.Unit], power: str) -> str:
    """Return the note on an order for a unit that is no longer on the board.

    It may be doomed: dislodged and without a retreat.
    """
    if not isinstance(order, (v.Disband, v.Retreat)) or not is_same(order.unit, doomed.get(order.unit.province)):
        return "NSU"
    if order.unit.power != power:
        return "NYU"
    return VALID if isinstance(order, v.Disband) else "NVR"


def _unit(unit: v.Unit, power: str, board: PhaseBoard) -> str | None:
    """Return the note on the unit that is ordered; None if it may be ordered."""
    acts = is_same(unit, board.acting.get(unit.province))
    if not acts and not (board.stage == "retreats" and is_same(unit, board.units.get(unit.province))):
        return "NSU"
    if unit.power != power:
        return "NYU"
    return None if acts else "NRN"


def is_same(named: v.Unit, there: v.Unit | None) -> bool:
    """Return True if the named unit is the one in that place; its coast may be left out."""
    if there is None or named.power != there.power or named.kind != there.kind:
        return False
    return named.place in (there.place, there.province)


def _moved(unit: v.Unit, to: str, board: PhaseBoard) -> str:
    there = board.acting[unit.province]
    reach = board.names.reach[unit.kind][there.place]
    if unit.kind == "AMY" and " " in to:
        return "CST" if to[:3] in reach else "FAR"
    ends = reach.get(to)
    if ends is None:
        return "CST" if any(end in reach for end in board.names.coasts.get(to, ())) else "FAR"
    return VALID if len(ends) == 1 else "CST"


def _convoyed(unit: v.Unit, to: str, through: Sequence[str], board: PhaseBoard) -> str:
    if unit.kind != "AMY":
        return "NSA"
    chain = [unit.province, *through, to]
    if not board.fleets.issuperset(through):
        return "NSF"
    beside = all(
        later in {place[:3] for place in board.names.reach["FLT"][earlier]} for earlier, later in pairwise(chain)
    )
    return VALID if beside and to != unit.province and _is_shore(to, board) else "FAR"


def _is_shore(place: str, board: PhaseBoard) -> bool:
    province = board.names.map.provinces[board.names.province_id[place[:3]]]
    return province.kind is Ground.COAST


def _supported(unit: v.Unit, other: v.Unit, to: str, board: PhaseBoard) -> str | None:
    """Return the note on a support whose beneficiary is not there or whose target is out of reach.

    None if it is right.
    """
    if not is_same(other, board.units.get(other.province)):
        return "NSU"
    return None if to in _reach(unit, board) and other.province != unit.province else "FAR"


def _reach(unit: v.Unit, board: PhaseBoard) -> set[str]:
    """Return the provinces to which the unit in that province can move without a convoy."""
    there = board.units[unit.province]
    return {place[:3] for place in board.names.reach[there.kind][there.place]}


def _by_sea(order: v.Order, board: PhaseBoard, seat: Seat) -> str:
    """Return FAR if no chain of the fleets that are there fits an order about a convoy; the rules know the chains."""
    return "FAR" if board.position.check(seat, [to_text(order, board)]) else VALID


def _carried(unit: v.Unit, other: v.Unit, board: PhaseBoard) -> str | None:
    """Return the note on a convoy whose fleet cannot convoy, or whose army is not there; None if it is right."""
    if unit.kind != "FLT":
        return "NSF"
    if unit.province not in board.names.lexicon.carriers:
        return "NAS"
    if other.kind != "AMY" or not is_same(other, board.units.get(other.province)):
        return "NSA"
    return None


def _retreated(unit: v.Unit, to: str, board: PhaseBoard) -> str:
    there = board.dislodged[unit.province]
    if unit.kind == "FLT" and to in board.names.coasts:
        return "CST"
    tag = board.names.tag_of_place
    own = next(name for name, word in board.names.lexicon.seats.items() if word == there.power)
    text = f"{'A' if there.kind == 'AMY' else 'F'} {tag[there.place]}"
    return VALID if tag[to] in board.position.retreats[own].get(text, ()) else "NVR"


def _built(order: v.Build, power: str, board: PhaseBoard, seat: Seat, given: Collection[str]) -> str:
    unit, position = order.unit, board.position
    province = board.names.map.provinces[board.names.province_id[unit.province]]
    if unit.power != power:
        return "NYU"
    if due(position, seat) <= 0:
        return "NMB"
    if not _can_stand(unit, province):
        return "CST"
    if not province.centre:
        return "NSC"
    if board.owners.get(unit.province) != power:
        return "YSC"
    if province.id not in board.names.map.sites[board.names.power_words.index(power)]:
        return "HSC"
    if unit.province in board.units:
        return "ESC"
    return VALID if len(given) < due(position, seat) else "NMB"


def _can_stand(unit: v.Unit, province: Province) -> bool:
    """Return True if the unit could be in that province, with a coast exactly where a fleet needs one."""
    if unit.kind == "AMY":
        return province.kind is not Ground.SEA and " " not in unit.place
    return province.kind is not Ground.LAND and (" " in unit.place) == bool(province.coasts)


def _waived(order: v.Waive, power: str, position: Position, seat: Seat, given: Collection[str]) -> str:
    if order.power != power:
        return "NYU"
    return VALID if len(given) < due(position, seat) else "NMB"


def _removed(unit: v.Unit, position: Position, seat: Seat, board: PhaseBoard, given: Collection[str]) -> str:
    if to_text(v.RemoveUnit(unit), board) in given:
        return VALID
    return VALID if len(given) < -position.builds[seat] else "NMR"
