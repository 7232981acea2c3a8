"""Searches for the best answer to the others' possible orders: candidates by ascent, judged by rollouts of a year."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
import numpy as np

from parlour.agents.diplomacy.adjusting import adjust
from parlour.agents.diplomacy.advice import advised
from parlour.agents.diplomacy.ascent import Ascent, Effort, halved
from parlour.agents.diplomacy.bounds import FREE, Bounds, Limits, Pledge, bound_choices, kept, outlook
from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.choices import HOLD, OrderSet
from parlour.agents.diplomacy.joint_orders import Concert, concerted
from parlour.agents.diplomacy.leaf_values import foreseen
from parlour.agents.diplomacy.opponent_sampler import OpponentSampler
from parlour.agents.diplomacy.opponents import Manner
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.regret_matching import Matching
from parlour.agents.diplomacy.seeing import diplomacy_position
from parlour.agents.diplomacy.trials import Samples, Seeds, Trials, Values
from parlour.agents.specs import Recipe
from parlour.core import events as ev
from parlour.core.game import Action, View
from parlour.core.player import ObservedEvent
from parlour.games.diplomacy.position import Position

CLIMBING, MATCHING = 0.7, 0.9
"""Shares of the budget at which climbing and regret matching end; the rest compares candidates."""
FINALISTS = 6
MOST_ROLLOUTS = 100_000_000
PACE = 40_000
"""Assumed rollouts per second of one core, by which a search with a time limit plans its width."""
ROUNDS = 1000
"""Maximum number of rounds of regret matching, if the budget lasts."""
JOINT = 4
"""Factor on the budget, per other power, of a search for joint orders."""
ADVISED = 4
"""Number of order sets of the small network that are tried."""


class SearchOptions(msgspec.Struct, frozen=True):
    """The budget of a decision, and the switches of the search's methods."""

    budget: Annotated[int, msgspec.Meta(ge=1, le=MOST_ROLLOUTS, description="rollouts per decision")] = 4000
    seconds: Annotated[
        float | None, msgspec.Meta(gt=0, le=86_400, description="seconds per decision, instead of rollouts")
    ] = None
    ascent: Annotated[bool, msgspec.Meta(description="climb from the draws, one unit at a time")] = True
    repair: Annotated[bool, msgspec.Meta(description="let supports follow what they support")] = True
    rollout: Annotated[bool, msgspec.Meta(description="play to the end of a year before counting")] = True
    regret: Annotated[bool, msgspec.Meta(description="regret matching against powers that may search")] = True
    mixture: Annotated[bool, msgspec.Meta(description="learn how each power plays; else all are DumbBots")] = True
    net: Annotated[bool, msgspec.Meta(description="also begin with orders of the small network")] = False
    leaf: Annotated[
        Literal["centres", "net"],
        msgspec.Meta(description="final ranking: by centres, or also by the small network"),
    ] = "centres"


class Search:
    """Thinks for a number of rollouts, or for some seconds if given."""

    def __init__(self, seed: int, options: SearchOptions | None = None) -> None:
        self._rng = random.Random(seed)
        self._options = options or SearchOptions()
        self._crowd = OpponentSampler(self._options.mixture)

    def on_event(self, observed: ObservedEvent) -> None:
        """Learn from the others' orders."""
        self.learn(observed.event)

    def learn(self, event: ev.Event) -> None:
        """Learn from the others' orders, if a turn has ended."""
        if isinstance(event, ev.TurnEnded):
            with self._crowd.variants.sitting():
                self._crowd.learn(event.actions)

    def act(self, view: View) -> Action:
        """Return the best orders found within the budget."""
        position = diplomacy_position(view)
        chosen = self.choose(position, position.power_of(view.seat))
        return [str(position.order_of(action)) for action in chosen]

    def choose(self, position: Position, power: int, bounds: Bounds = FREE) -> list[int]:
        """Return the best actions found for a power within its bounds."""
        with self._crowd.variants.sitting():
            study, budget = self._study(position), self._budget()
            if position.stage != "orders":
                return adjust(study, power, budget, bounds)
            return study.actions(power, self.ranked(study, power, budget, bounds)[0])

    def outlook(self, position: Position, scenarios: Sequence[Sequence[Pledge]], count: int, later: int = 0) -> Values:
        """Return the mean shares of all powers after a year, on `count` samples, if pledges are kept.

        Rollouts continue for `later` more movement phases.
        """
        with self._crowd.variants.sitting():
            return outlook(self._study(position), scenarios, count, later)

    def concert(
        self, position: Position, powers: Sequence[int], plans: Limits, limits: Limits, pledges: Sequence[Pledge]
    ) -> Concert:
        """Return the best joint orders found for powers in a movement phase, and each power's gain over the plans."""
        with self._crowd.variants.sitting():
            return concerted(
                self._study(position), powers, plans, limits, pledges, JOINT * len(powers) * self._options.budget
            )

    @property
    def rolled(self) -> int:
        """Rollouts so far."""
        return self._crowd.variants.rolled

    def manners(self, power: int) -> dict[Manner, float]:
        """Return the estimated probability of each manner of play of a power."""
        return self._crowd.opponent(power).weights()

    def _study(self, position: Position) -> Study:
        desk = self._crowd.variants.desk(position.board)
        return Study(desk, position, np.random.default_rng(self._rng.getrandbits(63)))

    def _budget(self) -> RolloutBudget:
        rollouts = self._options.budget if self._options.seconds is None else None
        return RolloutBudget(rollouts, self._options.seconds)

    def _breadth(self) -> int:
        """Return the rollouts of a decision, or about how many its seconds are worth."""
        seconds = self._options.seconds
        return self._options.budget if seconds is None else min(MOST_ROLLOUTS, max(1, round(PACE * seconds)))

    def ranked(self, study: Study, power: int, budget: RolloutBudget, bounds: Bounds = FREE) -> list[OrderSet]:
        """Return order sets of a power in a movement phase within its bounds, the best first."""
        rollouts = self._breadth()
        level = max(min(0.5, rollouts / 400), (rollouts / 2000) ** 0.5)
        seeds = study.seeds(max(8, round(32 * level)))
        drawn = study.drawn(seeds)
        samples = kept(study, self._crowd.samples(study, power, drawn, seeds, budget), bounds.pledges, study.rng)
        effort = Effort(max(3, round(4 * level)), max(6, round(8 * level)), 3)
        best = climbed(study, power, samples, seeds, self._options, effort, max(1, round(16 * level)), budget, bounds)
        pools = self._crowd.pools()
        if self._options.regret and pools and len(best) > 1:
            best = self._minded(study, power, best[:FINALISTS], pools, drawn, seeds, budget, bounds)
        if self._options.leaf == "centres":
            return best
        return foreseen(study, Trials(study.desk, power, study.units(power), samples, seeds, study.depth, budget), best)

    def _minded(
        self,
        study: Study,
        power: int,
        best: list[OrderSet],
        pools: dict[int, list[OrderSet]],
        drawn: Samples,
        seeds: Seeds,
        budget: RolloutBudget,
        bounds: Bounds,
    ) -> list[OrderSet]:
        """Return the best sets, ranked again against powers that choose by regret matching."""
        matching = Matching(study, {power: best, **pools}, drawn, seeds, budget)
        matching.play(ROUNDS, MATCHING, power)
        chances = {
            other: dict(zip(pool, matching.average(other).tolist(), strict=True)) for other, pool in pools.items()
        }
        samples = kept(study, self._crowd.minded(study, drawn, chances), bounds.pledges, study.rng)
        depth, regard = study.depth if self._options.rollout else 0, bounds.weights(power, study.desk.powers)
        trials = Trials(study.desk, power, study.units(power), samples, seeds, depth, budget, regard)
        return halved(trials, best, max(4, len(seeds) // 4), budget)


def climbed(
    study: Study,
    power: int,
    samples: Samples,
    seeds: Seeds,
    options: SearchOptions,
    effort: Effort,
    draws: int,
    budget: RolloutBudget,
    bounds: Bounds = FREE,
) -> list[OrderSet]:
    """Return the sets that ascents from DumbBot's draws reach, and the draws themselves, best first."""
    units = study.units(power)
    choices = bound_choices(study, units, bounds.limits, repairs=options.repair)
    depth, regard = study.depth if options.rollout else 0, bounds.weights(power, study.desk.powers)
    trials = Trials(study.desk, power, units, samples, seeds, depth, budget, regard)
    advice = advised(study, power, ADVISED) if options.net else []
    drawn = map(choices.bent, [*advice, *study.sets(study.drawn(study.seeds(draws)), power)])
    starts = _without_holds(list(dict.fromkeys(drawn)))
    glances = trials.means(starts, effort.glance)
    ranked = [starts[index] for index in sorted(range(len(starts)), key=lambda index: -glances[index])]
    if not options.ascent:
        return halved(trials, ranked, effort.glance, budget)
    ascent = Ascent(trials, choices, study.likely(samples, power), _targets(study, power), effort, study.rng)
    tops: list[OrderSet] = []
    for start in ranked:
        if tops and budget.used() >= CLIMBING:
            break
        tops.append(ascent.climb(start, budget, CLIMBING))
    return halved(trials, [*tops, *trials.best(8, effort.look)], effort.look, budget)


def _without_holds(sets: list[OrderSet]) -> list[OrderSet]:
    """Return the order sets that do not hold everything; all sets if there are none."""
    return [orders for orders in sets if any(order != HOLD for order in orders)] or sets


def _targets(study: Study, power: int) -> Sequence[int]:
    """Return the supply centres within reach of a power, in ascending order."""
    provinces = study.position.board.provinces
    return [place for place in sorted(study.reach(power)) if provinces[place].centre]


RECIPE = Recipe(lambda options, seed: Search(seed, options), SearchOptions, number="budget")
