"""The limits within which search looks: what a power's word binds it to, and what others are held to by theirs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from parlour.agents.diplomacy.choices import Choices, OrderSet
from parlour.agents.diplomacy.study import Study
from parlour.agents.diplomacy.trials import Samples, Values

Limits: TypeAlias = Mapping[int, Collection[str]]
"""By province, what its unit may be ordered, in strict spelling: at least one order, except for builds. Who is not
named may do all."""


@dataclass(frozen=True, slots=True)
class Pledge:
    """What a power is expected to keep to, and with what chance."""

    power: int
    limits: Limits
    chance: float = 1.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a power may order, and what it thinks of the others."""

    limits: Limits = field(default_factory=dict)
    due: Collection[int] = ()
    """The provinces for which an order is promised: in winter they come first."""
    waives: bool = False
    """Whether it promised to waive a build."""
    pledges: Sequence[Pledge] = ()
    """What the others are expected to keep to."""
    regard: Mapping[int, float] = field(default_factory=dict)
    """How much the shares of others count beside its own: below 0 for those whom it wishes ill."""

    def weights(self, power: int, powers: int) -> Values | None:
        """How much each power's share counts; None if only its own does."""
        if not self.regard:
            return None
        found = np.zeros(powers)
        found[list(self.regard)] = list(self.regard.values())
        found[power] = 1.0
        return found


FREE = Bounds()


def bound_choices(study: Study, units: Sequence[int], limits: Limits, *, repairs: bool = True) -> Choices:
    """What can be ordered for units, in the order of provinces, within limits."""
    legal = dict(study.legal)
    for place in units:
        if place in limits:
            texts = study.position.orders_at(place)
            legal[place] = [order for order, text in zip(legal[place], texts, strict=True) if text in limits[place]]
    return Choices(study.position.board, units, legal, repairs=repairs)


def kept(study: Study, samples: Samples, pledges: Iterable[Pledge], rng: np.random.Generator) -> Samples:
    """The samples with each pledge kept in as many of them as its chance says; a later one goes over an earlier."""
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


def outlook(study: Study, scenarios: Sequence[Sequence[Pledge]], count: int) -> Values:
    """The mean shares of all powers after a year if DumbBots keep to some pledges: [scenarios, powers].

    All scenarios meet the same draws and the same chance, so that their differences tell more than their values.
    """
    seeds = study.seeds(count)
    drawn = study.drawn(seeds)
    luck = int(study.rng.integers(1 << 62))
    nobody = np.zeros((1, drawn.shape[1]), np.int32)
    values = np.empty((1, count, study.desk.powers))
    found = np.empty((len(scenarios), study.desk.powers))
    for number, pledges in enumerate(scenarios):
        rows = kept(study, drawn, pledges, np.random.default_rng(luck))
        study.desk.roll_out(nobody.data, rows.data, seeds.data, -1, study.depth, values.data)
        found[number] = values[0].mean(axis=0)
    return found
