"""Sampled best response: the draw of DumbBot that scores best against samples of DumbBots."""

from __future__ import annotations

import random
from typing import Annotated

import msgspec
import numpy as np

from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.dumbbot import draw
from parlour.agents.diplomacy.dumbbot_variants import DumbBotVariants
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.seeing import diplomacy_position
from parlour.agents.diplomacy.trials import Trials
from parlour.agents.specs import Recipe
from parlour.core.game import Action, View
from parlour.games.diplomacy.position import Position

DEPTH = 1
"""Number of movement phases in a rollout."""


class ResponseOptions(msgspec.Struct, frozen=True):
    """Numbers of samples of the best response."""

    draws: Annotated[int, msgspec.Meta(ge=1, le=100_000, description="own order sets that are tried")] = 30
    samples: Annotated[int, msgspec.Meta(ge=1, le=100_000, description="samples of what the others do")] = 6


class SampledResponse:
    """The baseline that search must beat: it plays only order sets, retreats and builds that DumbBot draws."""

    def __init__(self, seed: int, options: ResponseOptions) -> None:
        self._rng = random.Random(seed)
        self._options = options
        self._strains = DumbBotVariants()

    def act(self, view: View) -> Action:
        """Return the draw with the best mean."""
        position = diplomacy_position(view)
        power = position.power_of(view.seat)
        if position.stage == "orders":
            with self._strains.sitting():
                chosen = self._respond(position, power)
        else:
            chosen = draw(position, power, self._rng.getrandbits(63))
        return [str(position.order_of(action)) for action in chosen]

    @property
    def rolled(self) -> int:
        """Rollouts so far."""
        return self._strains.rolled

    def _respond(self, position: Position, power: int) -> list[int]:
        study = Study(self._strains.desk(position.board), position, np.random.default_rng(self._rng.getrandbits(63)))
        seeds = study.seeds(self._options.samples)
        sets = study.sets(study.drawn(study.seeds(self._options.draws)), power)
        budget = RolloutBudget(None, None)
        trials = Trials(study.desk, power, study.units(power), study.drawn(seeds), seeds, DEPTH, budget)
        means = trials.means(sets, len(seeds))
        return study.actions(power, sets[max(range(len(sets)), key=lambda index: means[index])])


RECIPE = Recipe(lambda options, seed: SampledResponse(seed, options), ResponseOptions)
