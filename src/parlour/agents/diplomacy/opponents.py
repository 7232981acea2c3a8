"""A model of the opponents: a mixture of manners of play per power, weighed by its orders in this match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import IntEnum
from math import exp, log

import numpy as np
import numpy.typing as npt

from parlour.agents.diplomacy.choices import HOLD, OrderSet


class Manner(IntEnum):
    """A way in which a power may play."""

    DUMB = 0  # draws as DumbBot does
    HOLDS = 1  # hardly moves
    GRABS = 2  # takes the centre beside it, as GreedyBot does
    SEARCHES = 3  # plays the best it finds against DumbBots


PRIOR = {Manner.DUMB: 0.45, Manner.HOLDS: 0.05, Manner.GRABS: 0.05, Manner.SEARCHES: 0.45}
"""Prior weights of the manners of a power without history."""
FADES = 0.9
"""Share of the earlier evidence that is kept each turn, because a player may change its manner."""
CAUTION = 0.5
"""Factor on the evidence of all units of a power, because these units do not decide independently."""
BLUR = 0.2
"""Share of orders that follow no manner; equal for all, so that a manner with few samples is not favoured."""
FLOOR = 0.02
"""Minimum weight of a manner: none is ever ruled out."""
FIRM_HOLD = 0.9

Expected = Mapping[Manner, Sequence[OrderSet]]
"""Samples of a power's orders, by manner of play."""


class Opponent:
    """The known part of a power's manner of play."""

    def __init__(self) -> None:
        self._evidence = {manner: log(weight) for manner, weight in PRIOR.items()}

    def weights(self) -> dict[Manner, float]:
        """Return the chance of each manner."""
        top = max(self._evidence.values())
        raw = {manner: exp(value - top) for manner, value in self._evidence.items()}
        total = sum(raw.values())
        spread = 1.0 - FLOOR * len(raw)
        return {manner: FLOOR + spread * value / total for manner, value in raw.items()}

    def learn(self, expected: Expected, given: OrderSet, choices: Sequence[int]) -> None:
        """Weigh the manners by the orders that were given; choices are how many orders each unit had."""
        found = {
            manner: _holding(given, choices) if manner is Manner.HOLDS else likelihood(sets, given, choices)
            for manner, sets in expected.items()
            if sets
        }
        if not found:
            return
        # A manner without samples counts as likely as the best one: no evidence is against it.
        best = max(found.values())
        for manner in self._evidence:
            change = CAUTION * (found.get(manner, best) - best)
            self._evidence[manner] = FADES * self._evidence[manner] + (1 - FADES) * log(PRIOR[manner]) + change


def likelihood(sets: Sequence[OrderSet], given: OrderSet, choices: Sequence[int]) -> float:
    """Return the log-probability of these orders, unit by unit, for a power whose samples are `sets`."""
    total = 0.0
    for unit, order in enumerate(given):
        hits = Counter(orders[unit] for orders in sets)[order]
        total += log((1 - BLUR) * hits / len(sets) + BLUR / choices[unit])
    return total


def _holding(given: OrderSet, choices: Sequence[int]) -> float:
    """Return the log-probability of these orders for a power that hardly moves."""
    chances = [
        FIRM_HOLD if order == HOLD else (1 - FIRM_HOLD) / max(1, choices[unit] - 1) for unit, order in enumerate(given)
    ]
    return sum(map(log, chances))


def dealt(weights: Mapping[Manner, float], count: int, rng: np.random.Generator) -> list[Manner]:
    """Return manners for `count` samples, as near to their weights as whole numbers allow, in random order."""
    manners = list(weights)
    bounds = np.cumsum([weights[manner] for manner in manners]) * count
    start = rng.random()
    at: npt.NDArray[np.intp] = np.searchsorted(bounds, (np.arange(count) + start) % count, side="right")
    chosen = [manners[min(int(index), len(manners) - 1)] for index in at]
    return [chosen[int(index)] for index in rng.permutation(count)]
