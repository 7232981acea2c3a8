"""Advice of the small network to a search: sets of its units, once each, the likeliest first."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.agents import make_agent
from parlour.agents.diplomacy import search as module
from parlour.agents.diplomacy.advice import advised
from parlour.agents.diplomacy.choices import OrderSet
from parlour.agents.diplomacy.dumbbot_variants import new_rollouts
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.search import Search
from parlour.agents.diplomacy.small_network import choose, network_of
from parlour.deepmind.legal import legal_lists
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position

FRANCE = 2


def study_of(position: Position) -> Study:
    return Study(new_rollouts(position.board), position, np.random.default_rng(5))


def test_the_likeliest_set_is_first_and_all_can_be_ordered() -> None:
    study = study_of(Position.start())
    found = advised(study, FRANCE, 6)
    assert 1 < len(found) == len(set(found)) <= 6
    cold = choose(network_of(""), study.position, FRANCE, 0.0, study.rng)
    assert sorted(study.actions(FRANCE, found[0])) == sorted(cold)
    legal = set(legal_lists(study.position.row)[FRANCE])
    assert all(set(study.actions(FRANCE, orders)) <= legal for orders in found)


def test_of_other_maps_it_knows_nothing() -> None:
    assert advised(study_of(Position.start(named("lagoon"))), 0, 4) == []
    assert advised(study_of(Position.start()), FRANCE, 0) == []


@pytest.mark.parametrize(("spec", "asked"), [("search:budget=20,net=1", True), ("search:budget=20", False)])
def test_a_search_asks_for_advice_if_it_is_told_to(spec: str, asked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    def counting(study: Study, power: int, count: int) -> list[OrderSet]:
        counted.append(count)
        return advised(study, power, count)

    monkeypatch.setattr(module, "advised", counting)
    player = make_agent("diplomacy", spec, 1)
    assert isinstance(player, Search)
    assert len(player.choose(Position.start(), FRANCE)) == 3
    assert bool(counted) is asked
