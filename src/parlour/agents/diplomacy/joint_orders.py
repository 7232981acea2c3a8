"""Order sets of several powers together: what they can reach jointly, and the gain of each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from parlour.agents.diplomacy.ascent import Ascent, Effort
from parlour.agents.diplomacy.bounds import Limits, Pledge, bound_choices, kept
from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.choices import HOLD, OrderSet
from parlour.agents.diplomacy.kernel.dials import ROOM
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.trials import AT_ONCE, Leaves, Samples, Seeds, Trials, Values

NOBODY = -1
EFFORT = Effort(glance=12, look=24, passes=2)
SAMPLES = 48
"""Number of samples of the others' orders during the ascent."""
JUDGES = 64
"""Number of other samples by which the best plans are judged."""
FINALISTS = 4


class Concert(NamedTuple):
    """Joint orders of several powers, and each power's gain, by power number."""

    orders: Mapping[int, list[str]]
    gains: Mapping[int, float]


class JointTrials(Trials):
    """Tries order sets of several powers together.

    A set's worth is the powers' mean gain over their first set, plus the gain of the power that gains least, so that no
    power pays for the others.
    """

    def __init__(
        self,
        study: Study,
        powers: Sequence[int],
        start: OrderSet,
        samples: Samples,
        seeds: Seeds,
        budget: RolloutBudget,
    ) -> None:
        super().__init__(study.desk, NOBODY, units_of(study, powers), samples, seeds, study.depth, budget)
        self._powers, self._start = list(powers), start

    def means(self, sets: Sequence[OrderSet], count: int) -> list[float]:
        """Return each set's mean worth over the first samples."""
        return super().means([self._start, *sets], count)[1:]

    def gains(self, sets: Sequence[OrderSet]) -> Values:
        """Return each power's mean gain from each set over all samples: [sets, powers]."""
        shares: Values = self.roll([self._start, *sets], 0, self.most)[:, :, self._powers].mean(axis=1)
        return shares[1:] - shares[:1]

    def roll(self, sets: Sequence[OrderSet], first: int, last: int, leaves: Leaves | None = None) -> Values:
        """Return the shares of all powers after each set on some of the samples: [sets, samples, powers]."""
        rows = np.repeat(self._samples[None, first:last], len(sets), axis=0)
        rows[:, :, self._units] = np.array(sets, np.int32)[:, None, :]
        nobody = np.zeros((1, ROOM), np.int32)
        seeds = np.tile(self._seeds[first:last], len(sets))
        joint = rows.reshape(-1, ROOM)
        values = np.empty((len(joint), self._desk.powers))
        for begin in range(0, len(joint), AT_ONCE):
            some = joint[begin : begin + AT_ONCE]
            part = values[None, begin : begin + AT_ONCE]
            luck = seeds[begin : begin + AT_ONCE]
            self._desk.roll_out(nobody.data, some.data, luck.data, NOBODY, self._depth, part.data)
            self._budget.spend(len(some))
        return values.reshape(len(sets), last - first, -1)

    def _worth(self, shares: Values) -> Values:
        return shares[:, :, self._powers]

    def _mean(self, values: Values) -> float:
        gains = values.mean(axis=0) - self._known[self._start][: len(values)].mean(axis=0)
        return float(gains.mean() + gains.min())


def concerted(
    study: Study, powers: Sequence[int], plans: Limits, limits: Limits, pledges: Sequence[Pledge], rollouts: int
) -> Concert:
    """Return the best joint orders of powers within limits, starting from a plan for each of their units.

    Their gain is judged on other samples than those of the search, so that luck does not count as a gain.
    """
    units = units_of(study, powers)
    choices = bound_choices(study, units, limits)
    start = bound_choices(study, units, plans).bent((HOLD,) * len(units))
    budget = RolloutBudget(rollouts, None)
    trials, judges = (_trials(study, powers, start, pledges, budget, count) for count in (SAMPLES, JUDGES))
    targets = [
        place
        for place, province in enumerate(study.position.board.provinces)
        if province.centre and any(place in study.reach(power) for power in powers)
    ]
    Ascent(trials, choices, frozenset(), targets, EFFORT, study.rng).climb(choices.bent(start), budget, 1.0)
    found = [start, *trials.best(FINALISTS, EFFORT.look)]
    gains = judges.gains(found)
    best = int(np.argmax(gains.mean(axis=1) + gains.min(axis=1)))
    orders = choices.as_dict(found[best])
    return Concert(
        {power: _texts(study, power, tuple(orders[unit] for unit in study.units(power))) for power in powers},
        dict(zip(powers, gains[best].tolist(), strict=True)),
    )


def units_of(study: Study, powers: Sequence[int]) -> list[int]:
    """Return the provinces of some powers' units, in order."""
    return sorted(unit for power in powers for unit in study.units(power))


def _trials(
    study: Study, powers: Sequence[int], start: OrderSet, pledges: Sequence[Pledge], budget: RolloutBudget, count: int
) -> JointTrials:
    seeds = study.seeds(count)
    samples = kept(study, study.drawn(seeds), pledges, study.rng)
    return JointTrials(study, powers, start, samples, seeds, budget)


def _texts(study: Study, power: int, orders: OrderSet) -> list[str]:
    return [str(study.position.order_of(action)) for action in study.actions(power, orders)]
