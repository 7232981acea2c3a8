"""Samples the joint orders of all other powers, and learns a model of each."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

import numpy as np

from parlour.agents.diplomacy.ascent import Ascent, Effort
from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.choices import HOLD, Choices, OrderSet
from parlour.agents.diplomacy.dumbbot_variants import DumbBotVariants
from parlour.agents.diplomacy.opponents import Manner, Opponent, dealt
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.simple import grab
from parlour.agents.diplomacy.trials import Samples, Seeds, Trials
from parlour.core.game import Plain

SHARE = 0.4
"""Share of the budget for searching in the place of others."""
LEAST = 0.08
"""Minimum weight of a manner that is searched for; less is not worth the rollouts."""
SUSPECTS = 2
"""Number of order sets that are searched for each power that may search."""
GLIMPSE = Effort(glance=3, look=6, passes=1)
USUAL = 3
"""Number of DumbBot's draws among which a searching opponent is assumed to choose."""
GRABBED = 4
"""Number of draws for a power that plays greedily."""


class OpponentSampler:
    """Keeps a model of each power, by its number."""

    def __init__(self, mixture: bool) -> None:
        self._mixture = mixture
        self.variants = DumbBotVariants()
        self._opponents: dict[int, Opponent] = {}
        self._study: Study | None = None
        self._expected: dict[int, dict[Manner, list[OrderSet]]] = {}

    def opponent(self, power: int) -> Opponent:
        """Return the model of a power."""
        return self._opponents.setdefault(power, Opponent())

    def samples(self, study: Study, power: int, drawn: Samples, seeds: Seeds, budget: RolloutBudget) -> Samples:
        """Return joint orders of the other powers, one row per seed."""
        self._expected = {}
        if not self._mixture:
            return drawn
        self._study = study
        self.variants.expect(study.position)
        mine = study.reach(power)
        near = [other for other in study.others(power) if not mine.isdisjoint(study.reach(other))]
        suspects = [other for other in near if self.opponent(other).weights()[Manner.SEARCHES] >= LEAST]
        found = drawn.copy()
        for other in study.others(power):
            expected = self._expect(study, other, drawn)
            if other in suspects:
                share = budget.used() + (SHARE - budget.used()) / (len(suspects) - suspects.index(other))
                expected[Manner.SEARCHES] = self._guess(study, other, drawn, seeds, budget, share)
            self._expected[other] = expected
            self._deal(study, other, found, None)
        idle = [round(100 * self.opponent(w).weights()[Manner.HOLDS]) for w in range(study.desk.powers)]
        chances = np.array([chance if chance > 20 else 0 for chance in idle], np.int32)
        self.variants.set_idle(study.position.board, chances)
        return found

    def _expect(self, study: Study, other: int, drawn: Samples) -> dict[Manner, list[OrderSet]]:
        """Return the expected orders of a power, by each manner that needs no search."""
        units = study.units(other)
        rng = random.Random(int(study.rng.integers(1 << 62)))
        expected = {
            Manner.DUMB: list(map(tuple, drawn[:, list(units)].tolist())),
            Manner.HOLDS: [(HOLD,) * len(units)],
        }
        if self.opponent(other).weights()[Manner.GRABS] >= LEAST / 2:
            legal = study.position.legal_actions()
            own = legal[np.isin((legal >> 9) & 127, units)]
            expected[Manner.GRABS] = [self._grabbed(study, other, own.tolist(), rng) for _ in range(GRABBED)]
        return expected

    def _grabbed(self, study: Study, other: int, legal: list[int], rng: random.Random) -> OrderSet:
        actions = np.array(sorted(grab(study.position, other, legal, rng), key=lambda action: action >> 9 & 127))
        orders = np.zeros(len(actions), np.int32)
        study.desk.read_orders(actions.data, orders.data)
        return tuple(orders.tolist())

    def _guess(
        self, study: Study, other: int, drawn: Samples, seeds: Seeds, budget: RolloutBudget, share: float
    ) -> list[OrderSet]:
        """Return orders that a power may find if it searches against DumbBots."""
        units, found = study.units(other), []
        choices = Choices(study.position.board, units, study.legal)
        begun = budget.used()
        for number in range(SUSPECTS):
            some = study.rng.choice(len(seeds), min(len(seeds), GLIMPSE.look), replace=False)
            rows = np.ascontiguousarray(drawn[some])
            trials = Trials(study.desk, other, units, rows, seeds[some], study.depth, budget)
            starts = study.sets(drawn, other)[: 2 * GLIMPSE.look]
            glances = trials.means(starts, GLIMPSE.glance)
            best = starts[max(range(len(starts)), key=lambda index: glances[index])]
            ascent = Ascent(trials, choices, frozenset(), (), GLIMPSE, study.rng)
            found.append(ascent.climb(best, budget, begun + (share - begun) * (number + 1) / SUSPECTS))
        return found

    def pools(self) -> dict[int, list[OrderSet]]:
        """Return the sets among which powers that may search choose: found by search, or drawn often by DumbBot."""
        found = {}
        for other, expected in self._expected.items():
            if guesses := expected.get(Manner.SEARCHES):
                usual = [orders for orders, _ in Counter(expected[Manner.DUMB]).most_common(USUAL)]
                found[other] = list(dict.fromkeys([*guesses, *usual]))
        return found

    def minded(self, study: Study, drawn: Samples, chances: Mapping[int, Mapping[OrderSet, float]]) -> Samples:
        """Return new samples in which powers that may search choose by these probabilities."""
        found = drawn.copy()
        for other in self._expected:
            self._deal(study, other, found, chances.get(other))
        return found

    def _deal(self, study: Study, other: int, samples: Samples, chances: Mapping[OrderSet, float] | None) -> None:
        """Replace a power's orders in the samples by orders of its manners; `chances` are for a power that searches."""
        expected, units = self._expected[other], list(study.units(other))
        known = {manner: weight for manner, weight in self.opponent(other).weights().items() if expected.get(manner)}
        # No order sets are searched for distant powers; DumbBot's draws replace them.
        weights = {manner: w for manner, w in known.items() if w >= LEAST / 2} or {Manner.DUMB: 1.0}
        total = sum(weights.values())
        manners = dealt({manner: w / total for manner, w in weights.items()}, len(samples), study.rng)
        turns = dict.fromkeys(Manner, 0)
        for row, manner in enumerate(manners):
            if manner is Manner.SEARCHES and chances is not None:
                sets = list(chances)
                samples[row, units] = sets[int(study.rng.choice(len(sets), p=list(chances.values())))]
            elif manner is not Manner.DUMB:
                sets = list(expected[manner])
                samples[row, units] = sets[turns[manner] % len(sets)]
                turns[manner] += 1

    def learn(self, actions: Mapping[str, Plain]) -> None:
        """Weigh the others' orders of the last phase that was searched, if there was a search."""
        study, self._study = self._study, None
        if study is None:
            return
        study.desk = self.variants.desk(study.position.board)  # other players may sit on the seats of that search now
        for other, expected in self._expected.items():
            given = self._read(study, other, actions.get(study.position.board.powers[other].name))
            units, opponent = study.units(other), self.opponent(other)
            choices = [len(study.legal[unit]) for unit in units]
            opponent.learn(expected, given, choices)
            self.variants.learn(other, units, given, choices, opponent.weights()[Manner.DUMB])

    def _read(self, study: Study, other: int, given: Plain) -> OrderSet:
        """Return the orders that a power gave; a unit without a valid order holds."""
        orders = dict.fromkeys(study.units(other), HOLD)
        if isinstance(given, (list, tuple)):
            seat = study.position.board.powers[other].name
            texts = [text for text in given if isinstance(text, str)]
            entries = study.position.understand(seat, texts)  # type: ignore[arg-type]
            actions = np.array([entry.action for entry in entries if entry.action is not None], np.int64)
            found = np.zeros(len(actions), np.int32)
            study.desk.set_root(study.position.row.data)
            study.desk.read_orders(actions.data, found.data)
            orders |= dict(zip(((actions >> 9) & 127).tolist(), found.tolist(), strict=True))
        return tuple(orders[unit] for unit in study.units(other))
