"""Regret matching: strategies of several powers that choose against one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.choices import OrderSet
from parlour.agents.diplomacy.kernel.dials import ROOM
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.trials import Samples, Seeds

Chances = npt.NDArray[np.float64]


class Matching:
    """Regret matching between powers with a few order sets each; the other powers keep to samples.

    In each round every power draws a set by its regrets, and some powers compare all their sets with the draw. The
    excess of a set over the draw is regret that it was not played (at least zero). Later rounds count for more in the
    average.
    """

    def __init__(
        self,
        study: Study,
        pools: Mapping[int, Sequence[OrderSet]],
        samples: Samples,
        seeds: Seeds,
        budget: RolloutBudget,
    ) -> None:
        self._study, self._budget = study, budget
        self._samples, self._seeds = samples, seeds
        self._units = {power: list(study.units(power)) for power in pools}
        self._rows: dict[int, Samples] = {}
        for power, pool in pools.items():
            self._rows[power] = np.zeros((len(pool), ROOM), np.int32)
            self._rows[power][:, self._units[power]] = pool
        self._regrets = {power: np.zeros(len(pool)) for power, pool in pools.items()}
        self._sums = {power: np.zeros(len(pool)) for power, pool in pools.items()}

    def play(self, rounds: int, share: float, first: int) -> None:
        """Play `rounds` rounds while the share of the budget lasts.

        The first power compares its sets in every round, the others take turns.
        """
        others = [power for power in self._rows if power != first]
        for number in range(rounds):
            if self._budget.used() >= share:
                return
            strategies = {power: self._strategy(power) for power in self._rows}
            joint = self._samples[number % len(self._samples)].copy()
            for power, chances in strategies.items():
                row = self._rows[power][self._study.rng.choice(len(chances), p=chances)]
                joint[self._units[power]] = row[self._units[power]]
                self._sums[power] += (number + 1) * chances
            seed = self._seeds[number % len(self._seeds)]
            for power in (first, *others[number % len(others) :][:1]) if others else (first,):
                values = self._weigh(power, joint, seed)
                regrets = self._regrets[power] + values - strategies[power] @ values
                self._regrets[power] = np.maximum(regrets, 0.0)

    def _strategy(self, power: int) -> Chances:
        regrets = self._regrets[power]
        total = regrets.sum()
        return regrets / total if total > 0 else np.full(len(regrets), 1 / len(regrets))

    def _weigh(self, power: int, joint: Samples, seed: np.uint64) -> Chances:
        rows = self._rows[power]
        values = np.empty((len(rows), 1, self._study.desk.powers))
        seeds = np.array([seed], np.uint64)
        self._study.desk.roll_out(
            rows.data, joint[None].data, seeds.data, power, self._study.depth, values.data
        )  # fmt: skip
        self._budget.spend(len(rows))
        return values[:, 0, power]

    def average(self, power: int) -> Chances:
        """Return the chance of each set of a power over all rounds."""
        sums = self._sums[power]
        total = sums.sum()
        return sums / total if total > 0 else self._strategy(power)
