"""Perft for Diplomacy: counts the phases that follow if one order is given per phase and all others are defaults."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.rules import MapRules, rules_of
from parlour.games.diplomacy.position import Position

BATCH = 4096
"""Number of states that are played at once, which bounds the memory at any depth."""

_States = npt.NDArray[np.uint8]


def perft(position: Position, depth: int) -> int:
    """Return the number of sequences of `depth` single orders, one order per phase."""
    states = np.frombuffer(bytearray(position.state), np.uint8).reshape(1, k.STATE)
    return _count(rules_of(position.board), states, depth)


def _count(rules: MapRules, states: _States, depth: int) -> int:
    if depth == 0:
        return len(states)
    total = 0
    for start in range(0, len(states), BATCH):
        batch = states[start : start + BATCH]
        actions, offsets = rules.legal(batch)
        if depth == 1:
            total += len(actions)
            continue
        rows, powers = _owners(offsets)
        for first in range(0, len(actions), BATCH):
            some = slice(first, first + BATCH)
            orders = np.zeros((len(actions[some]), offsets.shape[1] - 1, 1), np.int64)
            orders[np.arange(len(orders)), powers[some], 0] = actions[some]
            following, _ = rules.step(np.ascontiguousarray(batch[rows[some]]), orders)
            total += _count(rules, following, depth - 1)
    return total


def _owners(offsets: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the state and the power of each action in a batch's list."""
    powers = offsets.shape[1] - 1
    counts = np.diff(offsets, axis=1).ravel()
    keys = np.repeat(np.arange(len(counts)), counts)
    return keys // powers, keys % powers
