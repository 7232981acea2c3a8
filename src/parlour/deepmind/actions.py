"""The published 64-bit actions: the table of all of them, and the meaning of their parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from parlour.deepmind.provinces import NUM_PROVINCES
from parlour.errors import NotationError
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import OrderKind

TABLE = a.action_table(standard())
POSSIBLE_ACTIONS: a.Actions = TABLE.actions
"""All actions that can ever be possible, int64, ascending by their low 32 bits; the index is the rank."""

MAX_ORDERS = 17
"""Maximum number of orders of one power."""
MAX_ACTION_INDEX = len(POSSIBLE_ACTIONS)
MAX_UNIT_LEGAL_ACTIONS = 700
MAX_LEGAL_ACTIONS = MAX_ORDERS * MAX_UNIT_LEGAL_ACTIONS
"""The length of a padded row of legal actions."""
MAX_ACTIONS = 34

CONVOY_TO = int(OrderKind.CONVOY_TO)
CONVOY = int(OrderKind.CONVOY)
HOLD = int(OrderKind.HOLD)
MOVE_TO = int(OrderKind.MOVE_TO)
SUPPORT_HOLD = int(OrderKind.SUPPORT_HOLD)
SUPPORT_MOVE_TO = int(OrderKind.SUPPORT_MOVE_TO)
DISBAND = int(OrderKind.DISBAND)
RETREAT_TO = int(OrderKind.RETREAT_TO)
BUILD_ARMY = int(OrderKind.BUILD_ARMY)
BUILD_FLEET = int(OrderKind.BUILD_FLEET)
REMOVE = int(OrderKind.REMOVE)
WAIVE = int(OrderKind.WAIVE)
ORDER_CODES = tuple(map(int, OrderKind))
"""All order codes, ascending; 7 is not used."""

AnyInt: TypeAlias = int | np.integer[Any]
ProvinceWithFlag: TypeAlias = tuple[int, int]
"""A province id and the coast flag: 1 for the south coast of BUL, SPA or STP, otherwise 0."""


class Breakdown(NamedTuple):
    """An action's parts; fields that the order does not use are (0, 0)."""

    order: int
    ordered: ProvinceWithFlag
    target: ProvinceWithFlag
    third: ProvinceWithFlag


def possible(action: object) -> int:
    """Return the action of the table for an action with or without its index; raise NotationError if there is none."""
    if isinstance(action, (int, np.integer)):
        number = int(action)
        found = TABLE.by_low.get(number & 0xFFFFFFFF)
        if found is not None and number in (found, found & 0xFFFFFFFF):
            return found
    raise NotationError(f"action: {action!r:.40} is no possible action")


def action_breakdown(action: int) -> Breakdown:
    """Return order code, ordered province, target and third province of an action, with or without its index."""
    order = a.kind_of(action)
    return Breakdown(
        order,
        (a.ordered(action), a.ordered_flag(action)),
        (a.target(action), a.target_flag(action)),
        (a.third(action), action >> 24 & 1),
    )


def construct_action(
    order: int,
    ordered: ProvinceWithFlag | None = None,
    target: ProvinceWithFlag | None = None,
    third: ProvinceWithFlag | None = None,
) -> int:
    """Return the action of these parts without its index, as published.

    A coast flag counts only where the order uses it.

    The action need not be possible: find it in POSSIBLE_ACTIONS by its low 32 bits. Raises NotationError for an unknown
    order code or province.

    Args:
        order: Code of the order.
        ordered: Province of the unit.
        target: Province of the target.
        third: Third province, of supports and convoys.
    """
    if order not in ORDER_CODES:
        raise NotationError(f"action: expected an order code of {', '.join(map(str, ORDER_CODES))}, got {order!r:.40}")
    low = int(order)
    with_flag = (order == BUILD_FLEET, order in (MOVE_TO, RETREAT_TO), False)
    for place, shift, flagged in zip((ordered, target, third), (8, 16, 24), with_flag, strict=True):
        if place is None:
            continue
        province, flag = place
        if not 0 <= province < NUM_PROVINCES or flag not in (0, 1):
            raise NotationError(f"action: no province and coast flag are {place!r:.40}")
        low |= int(province) << shift + 1 | (int(flag) << shift if flagged else 0)
    return low


def action_index(action: a.A) -> a.A:
    """Return the action's place in POSSIBLE_ACTIONS."""
    return a.index_of(action)


def remove_action_index(action: a.A) -> a.A:
    """Return the low 32 bits."""
    return a.without_index(action)


def ordered_province(action: a.A) -> a.A:
    """Return the id of the ordered province."""
    return a.ordered(action)


def is_waive(action: int) -> bool:
    """Return True if a build is waived."""
    return a.kind_of(action) == OrderKind.WAIVE


def shrink_actions(actions: int | Sequence[int] | npt.ArrayLike) -> npt.NDArray[np.int32]:
    """Return the 32-bit form, index << 16 | low 16 bits; -1 (none) stays -1 and 0 (padding) stays 0.

    Args:
        actions: 64-bit actions.
    """
    values = np.asarray(actions, dtype=np.int64)
    shrunk = values >> 32 & ~np.int64(0xFFFF) | values & 0xFFFF
    return np.where(values == -1, -1, shrunk).astype(np.int32)


def expand_actions(shrunk: npt.ArrayLike) -> a.Actions:
    """Return the 64-bit actions of shrunk ones; raise NotationError for a number that is not a shrunk action."""
    values = np.asarray(shrunk, dtype=np.int64)
    real = values > 0
    index = np.where(real, values >> 16, 0)
    bad = real & (index >= MAX_ACTION_INDEX)
    full = np.where(real, POSSIBLE_ACTIONS[np.minimum(index, MAX_ACTION_INDEX - 1)], values)
    bad |= real & ((full & 0xFFFF) != (values & 0xFFFF)) | (values < -1)
    if bad.any():
        raise NotationError(f"action: {int(values[bad].flat[0])} is no shrunk action")
    return full


def bits_between(number: a.A, start: int, end: int) -> a.A:
    """Return the value of the bits of a number from start up to, but not including, end."""
    return number >> start & (1 << end - start) - 1


def actions_for_province(legal_actions: Iterable[int], province: int) -> list[int]:
    """Return the actions that order a province, without padding; as published, waived builds belong to BOH."""
    return [x for x in legal_actions if x and a.ordered(x) == province]


def find_action_with_area(actions: Iterable[int], area: int) -> int:
    """Return the first action that orders the province of an area, or 0; as published, waived builds belong to BOH."""
    province = standard().areas[area].province
    return next((x for x in actions if a.ordered(x) == province), 0)
