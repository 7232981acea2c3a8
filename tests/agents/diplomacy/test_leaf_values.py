"""The small network on the states that rollouts lead to: asked about a few sets only, and never of what is over."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.agents import make_agent
from parlour.agents.diplomacy import leaf_values as module
from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.leaf_values import COMPARED, LOOKS, expected, foreseen
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.trials import Leaves, Trials, Values
from parlour.core.game import View
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position
from support.diplomacy.orders import study_of

RUSSIA = 5


def trials_of(study: Study, power: int) -> Trials:
    seeds = study.seeds(8)
    samples = study.drawn(seeds)
    return Trials(study.desk, power, study.units(power), samples, seeds, study.depth, RolloutBudget(None, None))


def test_leaves_are_the_states_whose_centres_were_counted() -> None:
    study = study_of(Position.start())
    sets = study.sets(study.drawn(study.seeds(64)), RUSSIA)[:2]
    leaves = np.zeros((2, 3, study.position.row.shape[1]), np.uint8)
    shares = trials_of(study, RUSSIA).roll(sets, 0, 3, leaves)
    for index in np.ndindex(2, 3):
        owners = np.bincount(leaves[index][k.OWNERS : k.DISLODGED], minlength=8)[1:8]
        assert shares[index] == pytest.approx(owners**2 / (owners**2).sum())
        assert (
            leaves[index][k.YEAR] == study.position.state[k.YEAR] + 1 or leaves[index][k.SEASON] == k.SeasonCode.BUILDS
        )


def test_of_games_that_are_over_the_network_is_not_asked() -> None:
    states = np.repeat(Position.start().row, 2, axis=0)
    states[1, k.STATUS] = 1
    shares = np.zeros((1, 2, 7))
    shares[0, :, 3] = 1.0
    found = expected(states, shares)
    assert found[0, 1].tolist() == shares[0, 1].tolist()
    assert 0 < found[0, 0].max() < 0.9
    assert found[0].sum(axis=1).tolist() == pytest.approx([1, 1])


def liking(favourite: int) -> object:
    """Return a network in whose eyes one of the sets is the best by far."""

    def judged(states: Leaves, shares: Values) -> Values:
        assert len(states) == shares.shape[0] * LOOKS
        found = np.zeros(shares.shape)
        found[favourite, :, RUSSIA] = 1.0
        return found

    return judged


def test_the_few_best_sets_are_told_apart_and_the_others_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_of(Position.start())
    sets = study.sets(study.drawn(study.seeds(64)), RUSSIA)[: COMPARED + 2]
    monkeypatch.setattr(module, "expected", liking(COMPARED - 1))
    found = foreseen(study, trials_of(study, RUSSIA), sets)
    assert found[0] == sets[COMPARED - 1]
    assert sorted(found[:COMPARED]) == sorted(sets[:COMPARED])
    assert found[COMPARED:] == sets[COMPARED:]
    assert foreseen(study, trials_of(study, RUSSIA), sets[:1]) == sets[:1]
    monkeypatch.setattr(module, "expected", liking(1))
    assert foreseen(study, trials_of(study, RUSSIA), sets[:2]) == [sets[1], sets[0]]


def test_other_maps_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "expected", liking(1))
    study = study_of(Position.start(named("lagoon")))
    sets = study.sets(study.drawn(study.seeds(32)), 0)[:3]
    assert foreseen(study, trials_of(study, 0), sets) == sets


@pytest.mark.parametrize(("spec", "asked"), [("search:budget=300,leaf=net", True), ("search:budget=300", False)])
def test_a_search_asks_if_it_is_told_to(spec: str, asked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    def counting(states: Leaves, shares: Values) -> Values:
        counted.append(len(states))
        return shares

    monkeypatch.setattr(module, "expected", counting)
    position = Position.start()
    seat = position.to_act()[RUSSIA]
    action = make_agent("diplomacy", spec, 1).act(View(seat, position, 1))
    assert position.check(seat, action) == ()
    assert bool(counted) is asked
