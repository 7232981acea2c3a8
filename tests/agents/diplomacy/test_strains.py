"""Strains of DumbBot: each is known by its orders, and nobody is taken for another without reason."""

from __future__ import annotations

import numpy as np
import pytest

from diplomacy_orders import set_of, study_of
from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.crowd import Crowd
from parlour.agents.diplomacy.dumbbot import ORIGINAL, PORTS, DumbBotOptions, draw
from parlour.agents.diplomacy.strains import STRAINS, Strains
from parlour.agents.diplomacy.study import Study
from parlour.core.game import Plain
from parlour.games.diplomacy.position import Position


def texts(position: Position, power: int, strain: DumbBotOptions, seed: int) -> list[str]:
    return [str(position.order_of(action)) for action in draw(position, power, seed, strain)]


def watched(strain: DumbBotOptions, turns: int, trust: float = 1.0, powers: int = 7) -> Strains:
    """What is thought after so many powers drew by a strain for so many turns."""
    strains, study = Strains(), study_of(Position.start())
    for turn in range(turns):
        strains.expect(study.position)
        for power, each in enumerate(study.position.board.powers[:powers]):
            given = set_of(study, each.name, texts(study.position, power, strain, 7 * turn + power))
            choices = [len(study.legal[unit]) for unit in study.units(power)]
            strains.learn(power, study.units(power), given, choices, trust)
    return strains


@pytest.mark.parametrize("strain", STRAINS, ids=PORTS)
def test_each_strain_is_known_by_its_orders(strain: DumbBotOptions) -> None:
    assert watched(strain, 12).likeliest() == strain


def test_nobody_is_taken_for_another_strain_while_it_is_no_dumbbot_or_by_one_power_alone() -> None:
    assert Strains().likeliest() == ORIGINAL
    assert watched(PORTS["dipnet"], 40, trust=0.0).likeliest() == ORIGINAL
    assert watched(PORTS["dipnet"], 40, powers=1).likeliest() == ORIGINAL
    assert watched(PORTS["dipnet"], 40, powers=2).likeliest() == PORTS["dipnet"]


def test_the_desk_draws_as_the_likeliest_strain_does() -> None:
    position, pair = Position.start(), (ORIGINAL, PORTS["dipnet"])
    for own in pair:
        study = Study(watched(own, 8).desk(position.board), position, np.random.default_rng(1))
        usual = set(study.sets(study.drawn(study.seeds(100)), 2))
        hits = [
            sum(set_of(study, "FRANCE", texts(position, 2, strain, seed)) in usual for seed in range(40))
            for strain in pair
        ]
        assert max(hits) == hits[pair.index(own)] > min(hits)


def test_a_crowd_learns_the_strain_of_those_whom_it_watches() -> None:
    crowd, position = Crowd(mixture=True), Position.start()
    for turn in range(8):
        study = Study(crowd.strains.desk(position.board), position, np.random.default_rng(turn))
        seeds = study.seeds(16)
        crowd.samples(study, 2, study.drawn(seeds), seeds, RolloutBudget(400, None))
        actions: dict[str, Plain] = {
            each.name: list(texts(position, power, PORTS["dipnet"], 7 * turn + power))
            for power, each in enumerate(position.board.powers)
        }
        crowd.learn(actions)
    assert crowd.strains.likeliest() == PORTS["dipnet"]
    assert crowd.strains.rolled > 0
