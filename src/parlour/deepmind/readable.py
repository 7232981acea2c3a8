"""Actions in words that people read: PAR S MAR - BUR, B F STPSC."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from parlour.deepmind.actions import AnyInt, possible
from parlour.deepmind.provinces import area_name
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import OrderKind

_ARMY_COLUMN, _FLEET_COLUMN = 0, 1


def human_readable_action(action: AnyInt, board: npt.NDArray[np.generic] | None = None) -> str:
    """Return the action in words, as published.

    The board of an observation separates fleets, whose coast is named, from armies. Without a board, or where it has no
    unit, a destination that is an army's or a fleet's first coast reads `SPAmaybe_NC`. As in the published code, the
    first coast is always called NC, that of BUL too. In retreats the type of the unit that holds the province counts,
    not that of the dislodged unit.
    """
    number = possible(action)
    kind = OrderKind(a.kind_of(number))
    unit, target, third = (area_name(_main(p)) for p in (a.ordered(number), a.target(number), a.third(number)))
    match kind:
        case OrderKind.HOLD:
            return f"{unit} H"
        case OrderKind.CONVOY:
            return f"{unit} C {third} - {target}"
        case OrderKind.CONVOY_TO:
            return f"{unit} - {target} VC"
        case OrderKind.MOVE_TO | OrderKind.RETREAT_TO:
            return f"{unit} - {_destination(number, board)}"
        case OrderKind.SUPPORT_HOLD:
            return f"{unit} SH {target}"
        case OrderKind.SUPPORT_MOVE_TO:
            return f"{unit} S {third} - {target}"
        case OrderKind.DISBAND:
            return f"{unit} D"
        case OrderKind.BUILD_ARMY:
            return f"B A {unit}"
        case OrderKind.BUILD_FLEET:
            return f"B F {_coast(a.ordered(number), a.ordered_flag(number))}"
        case OrderKind.REMOVE:
            return f"R {unit}"
        case OrderKind.WAIVE:
            return "W"


def _main(province: int) -> int:
    return standard().provinces[province].area


def _coast(province: int, flag: int) -> str:
    where = standard().provinces[province]
    return where.daide + (("NC", "SC")[flag] if where.coasts else "")


def _destination(action: int, board: npt.NDArray[np.generic] | None) -> str:
    province, flag = a.target(action), a.target_flag(action)
    where = standard().provinces[province]
    unit = None if board is None else board[_main(a.ordered(action))]
    if unit is not None and unit[_ARMY_COLUMN]:
        return where.daide
    if not where.coasts or flag or (unit is not None and unit[_FLEET_COLUMN]):
        return _coast(province, flag)
    return f"{where.daide}maybe_NC"
