"""Mean values of order sets over the same samples of the others' orders; no rollout is repeated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.choices import OrderSet
from parlour.agents.diplomacy.kernel.dials import ROOM
from parlour.agents.diplomacy.kernel.rollouts import Rollouts

AT_ONCE = 1000
"""Maximum number of rollouts between two checkpoints, unless one set has more samples."""

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
        """Weight of each power's share; by default only the own share counts."""
        self._known: dict[OrderSet, Values] = {}

    @property
    def most(self) -> int:
        """Number of samples."""
        return len(self._samples)

    def means(self, sets: Sequence[OrderSet], count: int) -> list[float]:
        """Return each set's mean worth for its power over the first samples."""
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
        """Return the shares of all powers after each set on some samples: [sets, samples, powers].

        With leaves, the final states are written into it.
        """
        own = np.zeros((len(sets), ROOM), np.int32)
        own[:, self._units] = sets
        values = np.empty((len(sets), last - first, self._desk.powers))
        at_once = max(1, AT_ONCE // max(1, last - first))
        for begin in range(0, len(sets), at_once):
            end = min(begin + at_once, len(sets))
            self._desk.roll_out(
                own[begin:end].data,
                self._samples[first:last].data,
                self._seeds[first:last].data,
                self.power,
                self._depth,
                values[begin:end].data,
                None if leaves is None else leaves[begin:end].data,
            )
            self._budget.spend((end - begin) * (last - first))
        return values

    def best(self, count: int, least: int) -> list[OrderSet]:
        """Return the best sets that were tried on at least `least` samples, best first."""
        tried = [orders for orders, values in self._known.items() if len(values) >= least]
        return sorted(tried, key=lambda orders: -self._mean(self._known[orders]))[:count]

    def _worth(self, shares: Values) -> Values:
        """Return the worth of all powers' shares to the searcher, by set and sample."""
        return shares[:, :, self.power] if self._regard is None else shares @ self._regard

    def _mean(self, values: Values) -> float:
        """Return the worth of one set on some samples as one number."""
        return float(values.mean())
