"""Limits of a search: the orders that a power has promised, and those that others are expected to give."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from parlour.agents.diplomacy.choices import Choices, OrderSet
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.trials import Samples, Values
from parlour.core.thinking import checkpoint

Limits: TypeAlias = Mapping[int, Collection[str]]
"""Allowed orders by province, in strict spelling: at least one for each unit, none needed for builds. A unit that is
not named may do anything."""


@dataclass(frozen=True, slots=True)
class Pledge:
    """Orders that a power is expected to keep to, with a probability."""

    power: int
    limits: Limits
    chance: float = 1.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a power's orders, and its opinion of the others."""

    limits: Limits = field(default_factory=dict)
    due: Collection[int] = ()
    """The provinces for which an order is promised: in winter they come first."""
    waives: bool = False
    """True if the power promised to waive a build."""
    pledges: Sequence[Pledge] = ()
    """Pledges that the others are expected to keep."""
    regard: Mapping[int, float] = field(default_factory=dict)
    """Weight of other powers' shares beside its own; below 0 for enemies."""

    def weights(self, power: int, powers: int) -> Values | None:
        """Return the weight of each power's share; None if only its own counts."""
        if not self.regard:
            return None
        found = np.zeros(powers)
        found[list(self.regard)] = list(self.regard.values())
        found[power] = 1.0
        return found


FREE = Bounds()


def bound_choices(study: Study, units: Sequence[int], limits: Limits, *, repairs: bool = True) -> Choices:
    """Return the possible orders of units within limits, in the order of provinces."""
    legal = dict(study.legal)
    for place in units:
        if place in limits:
            texts = study.position.orders_at(place)
            legal[place] = [order for order, text in zip(legal[place], texts, strict=True) if text in limits[place]]
    return Choices(study.position.board, units, legal, repairs=repairs)


def kept(study: Study, samples: Samples, pledges: Iterable[Pledge], rng: np.random.Generator) -> Samples:
    """Return the samples with each pledge kept in the share of them that equals its probability.

    A later pledge overrides an earlier one.
    """
    found = samples.copy()
    for pledge in pledges:
        units = list(study.units(pledge.power))
        choices = bound_choices(study, units, pledge.limits)
        bent: dict[OrderSet, OrderSet] = {}
        for row in np.flatnonzero(rng.random(len(samples)) < pledge.chance).tolist():
            orders: OrderSet = tuple(found[row, units].tolist())
            if orders not in bent:
                bent[orders] = choices.bent(orders)
            found[row, units] = bent[orders]
    return found


def outlook(study: Study, scenarios: Sequence[Sequence[Pledge]], count: int, later: int = 0) -> Values:
    """Return the mean shares of all powers after a year if DumbBots keep to some pledges: [scenarios, powers].

    Rollouts continue for `later` more movement phases.

    All scenarios use the same samples and random numbers, so that their differences are more exact than their values.
    """
    seeds = study.seeds(count)
    drawn = study.drawn(seeds)
    luck = int(study.rng.integers(1 << 62))
    nobody = np.zeros((1, drawn.shape[1]), np.int32)
    values = np.empty((1, count, study.desk.powers))
    found = np.empty((len(scenarios), study.desk.powers))
    for number, pledges in enumerate(scenarios):
        rows = kept(study, drawn, pledges, np.random.default_rng(luck))
        study.desk.roll_out(nobody.data, rows.data, seeds.data, -1, study.depth + later, values.data)
        found[number] = values[0].mean(axis=0)
        checkpoint()
    return found
