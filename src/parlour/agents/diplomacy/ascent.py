"""Climbs from order sets to better ones: changes the orders of one unit or one attack at a time while this gains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.choices import HOLD, Choices, OrderSet
from parlour.agents.diplomacy.trials import Trials

FINALISTS = 4
"""Number of changed orders of a unit that are compared again on more samples."""
GAIN = 1e-9


@dataclass(frozen=True, slots=True)
class Effort:
    """Number of samples for a first and a second comparison, and number of passes over the units."""

    glance: int
    look: int
    passes: int


class Ascent:
    """Improves the order sets of one power."""

    def __init__(
        self,
        trials: Trials,
        choices: Choices,
        likely: frozenset[tuple[int, int]],
        targets: Sequence[int],
        effort: Effort,
        rng: np.random.Generator,
    ) -> None:
        self._trials, self._choices, self._effort, self._rng = trials, choices, effort, rng
        self._sensible = {unit: choices.sensible(unit, likely) for unit in choices.units}
        self._targets = targets

    def climb(self, start: OrderSet, budget: RolloutBudget, share: float) -> OrderSet:
        """Return the set that no single change improves, or the set reached when the share of the budget is used up."""
        here = start
        for _ in range(self._effort.passes):
            before = here
            for step in self._rng.permutation(len(self._choices.units) + 1).tolist():
                if budget.used() >= share:
                    return here
                around = self._masses(here) if step == len(self._choices.units) else self._changes(here, step)
                here = self._best(here, [other for other in dict.fromkeys(around) if other != here])
            if here == before:
                break
        return here

    def _changes(self, here: OrderSet, number: int) -> Iterator[OrderSet]:
        """Yield the sets with another order of one unit."""
        orders, unit = self._choices.as_dict(here), self._choices.units[number]
        for order in self._sensible[unit]:
            if order != orders[unit]:
                changed = self._choices.changed(orders, unit, order)
                if changed is not None:
                    yield changed

    def _masses(self, here: OrderSet) -> Iterator[OrderSet]:
        """Yield the sets in which all units that can support one attack, or one unit that holds."""
        orders = self._choices.as_dict(here)
        for target in self._targets:
            yield from self._choices.assaults(orders, target)
            if target in orders and self._choices.may(target, HOLD):
                yield self._choices.stand(orders, target)

    def _best(self, here: OrderSet, around: list[OrderSet]) -> OrderSet:
        """Return the best of the present set and those around it, on the same samples."""
        if not around:
            return here
        glances = self._trials.means(around, self._effort.glance)
        order = sorted(range(len(around)), key=lambda index: -glances[index])[:FINALISTS]
        finalists = [here, *(around[index] for index in order)]
        looks = self._trials.means(finalists, self._effort.look)
        top = max(range(len(finalists)), key=lambda index: looks[index])
        return finalists[top] if looks[top] > looks[0] + GAIN else here


def halved(trials: Trials, sets: Sequence[OrderSet], count: int, budget: RolloutBudget) -> list[OrderSet]:
    """Return the sets, best first.

    All sets are tried on some samples, the better half on twice as many, and so on until one is left.
    """
    left = list(dict.fromkeys(sets))
    out: list[OrderSet] = []
    while True:
        means = dict(zip(left, trials.means(left, count), strict=True))
        left.sort(key=lambda orders: -means[orders])
        if len(left) == 1 or count >= trials.most or budget.used() >= 1:
            return left + out
        half = (len(left) + 1) // 2
        left, out = left[:half], left[half:] + out
        count *= 2
