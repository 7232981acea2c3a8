"""Searches retreats, builds and removals: possible combinations, each tried by rollouts of a year."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product

import numpy as np

from parlour.agents.diplomacy.ascent import halved
from parlour.agents.diplomacy.bounds import FREE, Bounds
from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.choices import OrderSet, kind_of, target_of
from parlour.agents.diplomacy.kernel.dials import ROOM
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.trials import Trials
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.rules import rules_of
from parlour.games.diplomacy.ordering.actions import OrderKind
from parlour.games.diplomacy.ordering.actions import ordered as place_of

MOST_SETS = 64
SAMPLES = 32
FIRST_LOOK = 4


def adjust(study: Study, power: int, budget: RolloutBudget, bounds: Bounds = FREE) -> list[int]:
    """Return the best actions found for a power in a phase of retreats, builds or removals within its bounds."""
    position = study.position
    rules = rules_of(position.board)
    actions, offsets = rules.legal(position.row)
    own = actions[offsets[0, power] : offsets[0, power + 1]]
    orders = np.zeros(len(own), np.int32)
    study.desk.read_orders(own.data, orders.data)
    ways: dict[int, list[tuple[int, int]]] = {}
    for action, order in zip(own.tolist(), orders.tolist(), strict=True):
        if kind_of(order) != OrderKind.WAIVE and _may(study, bounds, action):
            ways.setdefault(place_of(action), []).append((order, action))
    places = sorted(ways)
    due = int(rules.builds(position.row)[0, power])
    if study.season == k.SeasonCode.BUILDS:
        wanted = abs(due) - (bounds.waives and due > 0)
        sets = _adjustments(ways, places, wanted, [place for place in places if place in bounds.due][:wanted])
    else:
        sets = _retreats(ways, places)
    candidates = _some(list(islice(sets, 50 * MOST_SETS)), study.rng)
    if not candidates:
        return []
    action_of = {order_at: action for place in places for order_at, action in _at(place, ways[place])}
    best = candidates[0]
    if len(candidates) > 1:
        seeds = study.seeds(SAMPLES)
        nobody = np.zeros((SAMPLES, ROOM), np.int32)
        regard = bounds.weights(power, study.desk.powers)
        trials = Trials(study.desk, power, places, nobody, seeds, study.depth, budget, regard)
        best = halved(trials, candidates, FIRST_LOOK, budget)[0]
    chosen = [action_of[place, order] for place, order in zip(places, best, strict=True) if order]
    waiver = rules.table.find(OrderKind.WAIVE)
    assert waiver is not None
    return chosen + [waiver] * max(0, due - len(chosen))


def _may(study: Study, bounds: Bounds, action: int) -> bool:
    """Return True if the bounds leave an action."""
    place = place_of(action)
    return place not in bounds.limits or str(study.position.order_of(action)) in bounds.limits[place]


def _at(place: int, ways: Sequence[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], int]]:
    for order, action in ways:
        yield (place, order), action


def _some(sets: list[OrderSet], rng: np.random.Generator) -> list[OrderSet]:
    """Return at most as many sets as can be tried."""
    if len(sets) <= MOST_SETS:
        return sets
    return [sets[int(index)] for index in rng.choice(len(sets), MOST_SETS, replace=False)]


def _retreats(ways: dict[int, list[tuple[int, int]]], places: Sequence[int]) -> Iterator[OrderSet]:
    """Yield one way out for each dislodged unit, no two to the same place."""
    for chosen in product(*([order for order, _ in ways[place]] for place in places)):
        targets = [target_of(order) for order in chosen if kind_of(order) == OrderKind.RETREAT_TO]
        if len(targets) == len(set(targets)):
            yield chosen


def _adjustments(
    ways: dict[int, list[tuple[int, int]]], places: Sequence[int], wanted: int, firm: Sequence[int]
) -> Iterator[OrderSet]:
    """Yield the wanted number of builds or removals in different places; fewer only if there are fewer places."""
    others = [place for place in places if place not in firm]
    for more in combinations(others, min(wanted - len(firm), len(others))):
        used = (*firm, *more)
        for chosen in product(*([order for order, _ in ways[place]] for place in used)):
            orders = dict(zip(used, chosen, strict=True))
            yield tuple(orders.get(place, 0) for place in places)
