"""Reads the actions that seven players submit, and explains the refusal of an action in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parlour.deepmind.actions import MAX_ACTIONS, MAX_ORDERS, TABLE
from parlour.deepmind.kernel.lists import pack
from parlour.deepmind.legal import RULES
from parlour.deepmind.provinces import NUM_POWERS, POWER_NAMES
from parlour.deepmind.readable import human_readable_action
from parlour.errors import IllegalAction
from parlour.games.diplomacy.engine.codes import ReasonCode
from parlour.games.diplomacy.engine.rules import States
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import Actions, OrderKind

_WHY = {
    ReasonCode.NOT_IN_TABLE: "it is no possible action",
    ReasonCode.WRONG_PHASE: "it is not of this phase",
    ReasonCode.NO_UNIT: "no unit stands there",
    ReasonCode.NOT_YOURS: "the unit is another power's",
    ReasonCode.SECOND_ORDER: "the unit or place has an action already",
    ReasonCode.OUT_OF_REACH: "the unit cannot go there",
    ReasonCode.NO_TARGET: "there is no unit to support or carry",
    ReasonCode.UNREACHABLE_BY_THIRD: "the supported unit cannot go there",
    ReasonCode.NO_ROUTE: "no chain of fleets leads there",
    ReasonCode.WRONG_TYPE: "it is for the other type of unit",
    ReasonCode.OCCUPIED: "a unit stands there",
    ReasonCode.CONTESTED: "a standoff was there",
    ReasonCode.ATTACKER_CAME_FROM: "the attacker came from there",
    ReasonCode.NOT_A_HOME: "it is no home centre that the power owns",
    ReasonCode.TOO_MANY: "more than are due",
}


def read_submitted(actions_per_player: Sequence[Sequence[int]]) -> tuple[Actions, list[int]]:
    """Return seven lists of actions as an array [1, 7, K] padded with 0, and flat; raise IllegalAction for others."""
    if type(actions_per_player) is list:
        rows = np.zeros((1, NUM_POWERS, MAX_ORDERS), np.int64)
        flat = pack(actions_per_player, rows[0].data)
        if flat is not None:
            return rows, flat
    return _read_anything(actions_per_player)


def _read_anything(actions_per_player: Sequence[Sequence[int]]) -> tuple[Actions, list[int]]:
    """Return the result of read_submitted for arrays, tuples and long lists, or raise an exact error."""
    if not isinstance(actions_per_player, (list, tuple, np.ndarray)) or len(actions_per_player) != NUM_POWERS:
        raise IllegalAction(f"expected {NUM_POWERS} lists of actions, one for each power")
    lists = [_numbers(power, _listed(power, actions)) for power, actions in enumerate(actions_per_player)]
    width = max(1, *map(len, lists))
    flat = [action for actions in lists for action in actions]
    return np.array([[actions + _NOTHING[len(actions) : width] for actions in lists]], np.int64), flat


_NOTHING = [0] * MAX_ACTIONS


def _listed(power: int, actions: Sequence[int] | None) -> list[int]:
    if actions is None:  # the published runner passes on a policy's answer even if nothing is to be ordered
        return []
    if isinstance(actions, np.ndarray) and actions.ndim == 1:
        actions = actions.tolist()
    if not isinstance(actions, (list, tuple)):
        raise _refused(power, f"expected a list of actions, got {type(actions).__name__}")
    if len(actions) > MAX_ACTIONS:
        raise _refused(power, f"at most {MAX_ACTIONS} actions, got {len(actions)}")
    return list(actions)


def _numbers(power: int, actions: list[int]) -> list[int]:
    """Return the actions as Python numbers; raise IllegalAction if one is not in the table."""
    for action in actions:
        if not isinstance(action, (int, np.integer)) or int(action) not in TABLE:
            raise _refused(power, f"{action!r:.40} is no possible action")
    return [int(action) for action in actions]


def refuse_illegal(state: States, rows: Actions) -> None:
    """Raise IllegalAction for the first action that the rules would ignore."""
    reasons = RULES.check(state, rows)
    if not reasons.any():
        return
    _, power, at = (int(found[0]) for found in np.nonzero(reasons))
    action, reason = int(rows[0, power, at]), ReasonCode(int(reasons[0, power, at]))
    if reason is ReasonCode.NOT_IN_TABLE:
        raise _refused(power, f"{action} is no possible action")
    words = human_readable_action(action)
    unit = "" if a.kind_of(action) == OrderKind.WAIVE else standard().provinces[a.ordered(action)].daide
    raise _refused(power, f"{words}: {_WHY[reason]}", unit)


def _refused(power: int, why: str, part: str = "") -> IllegalAction:
    name = POWER_NAMES[power]
    return IllegalAction(f"{name}: {why}", seat=name.upper(), part=part)
