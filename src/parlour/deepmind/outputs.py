"""Checks of recorded network outputs: shapes, legal actions only, equal to a network's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from parlour.core.game import Plain
from parlour.deepmind.actions import MAX_ACTION_INDEX, MAX_ORDERS, POSSIBLE_ACTIONS, expand_actions
from parlour.deepmind.provinces import NUM_POWERS, POWER_NAMES
from parlour.deepmind.readable import human_readable_action
from parlour.errors import NotationError

SHAPES = {
    "values": (NUM_POWERS,),
    "policy": (NUM_POWERS, MAX_ORDERS, MAX_ACTION_INDEX),
    "actions": (NUM_POWERS, MAX_ORDERS),
}
TOLERANCE = 1e-3
SAME = 1.5e-5
"""Largest difference of two recorded numbers that count as equal: five decimals, as in the published test."""


def step_output_difference(
    output: Plain, recorded: Plain, legal: list[list[int]], policy: str
) -> tuple[str, str, str] | None:
    """Return place, expected and found value of the first error in a policy's step output, or None.

    A policy that played back recorded pairs must give the recorded output. A network's values and policies must be
    distributions, over legal actions where an action was chosen.
    """
    if policy == "FixedPlayPolicy":
        return None if _same(output, recorded) else ("output", "the one recorded with the actions", "another one")
    if not isinstance(output, dict) or not set(output) <= set(SHAPES):
        return None if output is None else ("output", f"a dict with {', '.join(SHAPES)}", type(output).__name__)
    for name, array in output.items():
        shape = getattr(array, "shape", None)
        if shape != SHAPES[name]:
            return name, f"shape {SHAPES[name]}", f"shape {shape}"
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            return name, "finite numbers", "others among them"
    if "values" in output and abs(float(output["values"].sum()) - 1) > TOLERANCE:
        return "values", "a sum of 1", f"{float(output['values'].sum()):.5f}"
    if "actions" in output:
        return _chosen_difference(output["actions"], output.get("policy"), legal)
    return None


def _chosen_difference(
    actions: npt.NDArray[np.int32], policies: npt.NDArray[np.float32] | None, legal: list[list[int]]
) -> tuple[str, str, str] | None:
    for power, name in enumerate(POWER_NAMES):
        allowed = np.zeros(MAX_ACTION_INDEX, bool)
        allowed[np.array(legal[power], np.int64) >> 48] = True
        for unit in range(MAX_ORDERS):
            shrunk = int(actions[power, unit])
            if shrunk == 0:
                continue
            where = f"{name}, unit {unit}"
            try:
                index = int(expand_actions(shrunk)) >> 48
            except NotationError:
                return f"actions, {where}", "a shrunk action", str(shrunk)
            if shrunk < 0 or not allowed[index]:
                return f"actions, {where}", "a legal action", human_readable_action(int(POSSIBLE_ACTIONS[index]))
            if policies is not None:
                inside = float(policies[power, unit][allowed].sum())
                if abs(inside - 1) > TOLERANCE:
                    return f"policy, {where}", "all weight on legal actions", f"{inside:.5f} of it"
    return None


def network_difference(recorded: Plain, found: Mapping[str, npt.NDArray[Any]]) -> tuple[str, str, str] | None:
    """Return place, expected and found value of the first number that differs from the recorded one, or None.

    Values come first, then power by power and unit by unit the policy before its draw. So the first difference is the
    cause of those after it.
    """
    for name, array in found.items():
        if not isinstance(recorded.get(name), np.ndarray) or recorded[name].shape != array.shape:
            return name, f"numbers of shape {array.shape}", "other ones in the file"
    if (wrong := np.abs(recorded["values"] - found["values"]) > SAME).any():
        power = int(np.flatnonzero(wrong)[0])
        return f"value of {POWER_NAMES[power]}", f"{recorded['values'][power]:.6f}", f"{found['values'][power]:.6f}"
    for power, name in enumerate(POWER_NAMES):
        for unit in range(MAX_ORDERS):
            where = f"{name}, unit {unit}"
            expected, own = recorded["policy"][power, unit], found["policy"][power, unit]
            if (wrong := np.abs(expected - own) > SAME).any():
                index = int(np.abs(expected - own).argmax())
                action = human_readable_action(int(POSSIBLE_ACTIONS[index]))
                return f"policy, {where}, {action!r}", f"{expected[index]:.6f}", f"{own[index]:.6f}"
            if recorded["actions"][power, unit] != found["actions"][power, unit]:
                words = [_drawn_action(int(each["actions"][power, unit])) for each in (recorded, found)]
                return f"action drawn, {where}", words[0], words[1]
    return None


def _drawn_action(shrunk: int) -> str:
    try:
        return repr(human_readable_action(int(expand_actions(shrunk))) if shrunk > 0 else "none")
    except NotationError:
        return f"{shrunk}, which is no shrunk action"


def _same(one: Plain, other: Plain, equal: set[tuple[int, int]] | None = None) -> bool:
    """Return True if two plain values with arrays in them are equal; parts that are shared are compared once."""
    if equal is None:
        equal = set()
    if isinstance(one, (np.ndarray, float)) or isinstance(other, (np.ndarray, float)):
        return _same_numbers(one, other)
    if not isinstance(one, (dict, list, tuple)) or not isinstance(other, (dict, list, tuple)):
        return bool(one == other)
    if isinstance(one, dict) != isinstance(other, dict) or len(one) != len(other):
        return False
    if (id(one), id(other)) in equal:
        return True
    if isinstance(one, dict):
        same = set(one) == set(other) and all(_same(part, other[key], equal) for key, part in one.items())
    else:
        same = all(_same(part, its, equal) for part, its in zip(one, other, strict=True))
    if same:
        equal.add((id(one), id(other)))
    return same


def _same_numbers(one: Plain, other: Plain) -> bool:
    if not all(isinstance(value, (np.ndarray, int, float)) for value in (one, other)):
        return False
    first, second = np.asarray(one), np.asarray(other)
    if first.shape != second.shape or not {first.dtype.kind, second.dtype.kind} <= set("biuf"):
        return False
    return bool(np.allclose(first, second, rtol=0, atol=SAME, equal_nan=True))
