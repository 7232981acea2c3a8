"""Ranks the best order sets by the small network's values of the resulting states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parlour.agents.diplomacy.choices import OrderSet
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.small_network import network_of
from parlour.agents.diplomacy.trials import Leaves, Trials, Values
from parlour.deepmind.observation import PROVINCE_VECTOR_LENGTH, observe_into
from parlour.deepmind.provinces import NUM_AREAS, NUM_POWERS
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.maps.map import standard

COMPARED, LOOKS = 3, 4
"""Number of order sets that the network ranks, and of samples for each.

Both are small, because the network takes as long for one state as a hundred rollouts."""


def foreseen(study: Study, trials: Trials, sets: Sequence[OrderSet]) -> list[OrderSet]:
    """Return the sets with the first few ranked half by centres and half by the network's values.

    On maps that the network does not know the order stays as it is.
    """
    tops, rest = list(sets[:COMPARED]), list(sets[COMPARED:])
    if study.position.board != standard() or len(tops) < 2:
        return [*tops, *rest]
    count = min(LOOKS, trials.most)
    leaves = np.empty((len(tops), count, study.position.row.shape[1]), np.uint8)
    shares = trials.roll(tops, 0, count, leaves)
    worth = (shares + expected(leaves.reshape(len(tops) * count, -1), shares))[:, :, trials.power].mean(axis=1)
    return [tops[index] for index in np.argsort(-worth, kind="stable")] + rest


def expected(states: Leaves, shares: Values) -> Values:
    """Return the network's expected shares of all powers in states; final shares where a game is over."""
    boards = np.empty((len(states), NUM_AREAS, PROVINCE_VECTOR_LENGTH), np.uint8)
    builds, seasons = np.empty((len(states), NUM_POWERS), np.int32), np.empty(len(states), np.int32)
    observe_into(states, boards, builds, seasons)
    found = network_of("").values(boards, seasons, builds).astype(np.float64).reshape(shares.shape)
    over = (states[:, k.STATUS] != 0).reshape(shares.shape[:2])
    found[over] = shares[over]
    return found
