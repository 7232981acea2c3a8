"""Notes on orders in THX: MBV if the order may be valid, otherwise the code of its fault.

The checks follow the order of the language's document: the season, the unit, its destination, the unit it helps.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from parlour.core.game import Seat
from parlour.games.diplomacy.maps.map import Ground
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
    note = _unit(order.unit, power, board, removing=isinstance(order, v.RemoveUnit))
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
            return _supported(unit, other, to, board) or _can_go(other, to, board) or VALID
        case v.Convoy(unit, other, to):
            return _carried(unit, other, to, board)
        case v.Retreat(unit, to):
            return _retreated(unit, to, board)
        case v.RemoveUnit(unit):
            return _removed(unit, board.position, seat, board, given)
    return VALID


def note_on_doomed(order: v.Order, doomed: Mapping[str, v.Unit], power: str) -> str:
    """Return the note on an order for a unit that is no longer on the board.

    It may be doomed: dislodged and without a retreat.
    """
    if not isinstance(order, (v.Disband, v.Retreat)) or not _same(order.unit, doomed.get(order.unit.province)):
        return "NSU"
    if order.unit.power != power:
        return "NYU"
    return VALID if isinstance(order, v.Disband) else "NVR"


def _unit(unit: v.Unit, power: str, board: PhaseBoard, *, removing: bool) -> str | None:
    """Return the note on the unit that is ordered; None if it may be ordered."""
    there = board.acting.get(unit.province)
    if there is None:
        standing = board.units.get(unit.province)
        dislodged = board.stage == "retreats" and standing is not None and _same(unit, standing)
        return "NRN" if dislodged else "NSU"
    if not _same(unit, there):
        return "NRN" if board.stage == "retreats" and _same(unit, board.units.get(unit.province)) else "NSU"
    return None if there.power == power else "NYU"


def _same(named: v.Unit, there: v.Unit | None) -> bool:
    """Return True if the named unit is the one in that place; its coast may be left out."""
    if there is None or named.power != there.power or named.kind != there.kind:
        return False
    return named.place in (there.place, there.province)


def _moved(unit: v.Unit, to: str, board: PhaseBoard) -> str:
    there = board.acting[unit.province]
    if unit.kind == "AMY" and " " in to:
        return "CST"
    ends = board.names.reach[unit.kind][there.place].get(to)
    if ends is None:
        coasts = board.names.coasts.get(to[:3], ())
        known = unit.kind == "FLT" and any(end in board.names.reach["FLT"][there.place] for end in coasts)
        return "CST" if known else "FAR"
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
    if not _same(other, board.units.get(other.province)):
        return "NSU"
    there = board.units[unit.province]
    reach = {place[:3] for place in board.names.reach[there.kind][there.place]}
    return None if to in reach and other.province != unit.province else "FAR"


def _can_go(other: v.Unit, to: str, board: PhaseBoard) -> str | None:
    """Return the note on a supported move that its unit cannot make by land, sea or convoy; None if it can."""
    there = board.units[other.province]
    if to in {place[:3] for place in board.names.reach[there.kind][there.place]}:
        return None
    by_sea = there.kind == "AMY" and _is_shore(there.place, board) and _is_shore(to, board)
    return None if by_sea and to != other.province else "FAR"


def _carried(unit: v.Unit, other: v.Unit, to: str, board: PhaseBoard) -> str:
    if unit.kind != "FLT":
        return "NSF"
    if unit.province not in board.names.lexicon.carriers:
        return "NAS"
    if other.kind != "AMY" or not _same(other, board.units.get(other.province)):
        return "NSA"
    return VALID if _is_shore(other.place, board) and _is_shore(to, board) and to != other.province else "FAR"


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
    if len(given) >= due(position, seat):
        return "NMB"
    if not province.centre:
        return "NSC"
    if province.id not in board.names.map.sites[board.names.power_words.index(power)]:
        return "HSC"
    if board.owners.get(unit.province) != power:
        return "YSC"
    if unit.province in board.units:
        return "ESC"
    if unit.kind == "AMY":
        return "CST" if " " in unit.place else VALID
    if province.kind is Ground.LAND:
        return "CST"
    return VALID if (" " in unit.place) == bool(province.coasts) else "CST"


def _waived(order: v.Waive, power: str, position: Position, seat: Seat, given: Collection[str]) -> str:
    if order.power != power:
        return "NYU"
    return VALID if len(given) < due(position, seat) else "NMB"


def _removed(unit: v.Unit, position: Position, seat: Seat, board: PhaseBoard, given: Collection[str]) -> str:
    if to_text(v.RemoveUnit(unit), board) in given:
        return VALID
    return VALID if len(given) < -position.builds[seat] else "NMR"
