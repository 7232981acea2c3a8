"""Means of order sets over samples of what the others do; the same chance for all, and nothing is rolled twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.choices import OrderSet
from parlour.agents.diplomacy.kernel.dials import ROOM
from parlour.agents.diplomacy.kernel.rollouts import Rollouts

Samples = npt.NDArray[np.int32]
"""Orders of the others by province: [B, ROOM]."""
Seeds = npt.NDArray[np.uint64]
Values = npt.NDArray[np.float64]
Leaves = npt.NDArray[np.uint8]
"""The states in which rollouts end: [sets, samples, bytes of a state]."""


class Trials:
    """Tries order sets of one power from the root of a desk.

    Every set meets the samples in the same order, so two that were tried on as many of them can be compared.
    """

    def __init__(
        self,
        desk: Rollouts,
        power: int,
        units: Sequence[int],
        samples: Samples,
        seeds: Seeds,
        depth: int,
        budget: RolloutBudget,
        regard: Values | None = None,
    ) -> None:
        self._desk, self.power, self._units, self._depth = desk, power, list(units), depth
        self._samples, self._seeds, self._budget = samples, seeds, budget
        self._regard = regard
        """How much each power's share counts; only one's own if it is not said."""
        self._known: dict[OrderSet, Values] = {}

    @property
    def most(self) -> int:
        """How many samples there are."""
        return len(self._samples)

    def means(self, sets: Sequence[OrderSet], count: int) -> list[float]:
        """What each set brings its power on average over the first samples."""
        count = min(count, self.most)
        missing: dict[int, list[OrderSet]] = {}
        for orders in dict.fromkeys(sets):
            tried = len(self._known.get(orders, ()))
            if tried < count:
                missing.setdefault(tried, []).append(orders)
        for tried, untried in missing.items():
            for orders, more in zip(untried, self._worth(self.roll(untried, tried, count)), strict=True):
                before = self._known.get(orders)
                self._known[orders] = more if before is None else np.concatenate([before, more])
        return [self._mean(self._known[orders][:count]) for orders in sets]

    def roll(self, sets: Sequence[OrderSet], first: int, last: int, leaves: Leaves | None = None) -> Values:
        """What all powers have after each set on some of the samples: [sets, samples, powers]; the states to leaves."""
        own = np.zeros((len(sets), ROOM), np.int32)
        own[:, self._units] = sets
        values = np.empty((len(sets), last - first, self._desk.powers))
        self._desk.roll_out(
            own.data,
            self._samples[first:last].data,
            self._seeds[first:last].data,
            self.power,
            self._depth,
            values.data,
            None if leaves is None else leaves.data,
        )
        self._budget.spend(len(sets) * (last - first))
        return values

    def best(self, count: int, least: int) -> list[OrderSet]:
        """Of the sets that were tried on at least so many samples the best ones, best first."""
        tried = [orders for orders, values in self._known.items() if len(values) >= least]
        return sorted(tried, key=lambda orders: -self._mean(self._known[orders]))[:count]

    def _worth(self, shares: Values) -> Values:
        """What counts of the shares of all powers, by set and sample."""
        return shares[:, :, self.power] if self._regard is None else shares @ self._regard

    def _mean(self, values: Values) -> float:
        """What counts of one set on some samples, in one number."""
        return float(values.mean())
