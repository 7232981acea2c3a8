"""DumbBotVariants of DumbBot: each is known by its orders, and nobody is taken for another without reason."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from parlour.agents.diplomacy import dumbbot_variants as pool
from parlour.agents.diplomacy.budget import RolloutBudget
from parlour.agents.diplomacy.dumbbot import ORIGINAL, PORTS, DumbBotOptions, draw
from parlour.agents.diplomacy.dumbbot_variants import VARIANTS, DumbBotVariants
from parlour.agents.diplomacy.opponent_sampler import OpponentSampler
from parlour.agents.diplomacy.position_study import Study
from parlour.agents.diplomacy.search import Search, SearchOptions
from parlour.core.game import Plain
from parlour.games.diplomacy.position import Position
from support.diplomacy.orders import set_of, study_of


def texts(position: Position, power: int, strain: DumbBotOptions, seed: int) -> list[str]:
    return [str(position.order_of(action)) for action in draw(position, power, seed, strain)]


def watched(strain: DumbBotOptions, turns: int, trust: float = 1.0, powers: int = 7) -> DumbBotVariants:
    """Return the weights after that number of powers drew by a variant for that number of turns."""
    variants, study = DumbBotVariants(), study_of(Position.start())
    for turn in range(turns):
        variants.expect(study.position)
        for power, each in enumerate(study.position.board.powers[:powers]):
            given = set_of(study, each.name, texts(study.position, power, strain, 7 * turn + power))
            choices = [len(study.legal[unit]) for unit in study.units(power)]
            variants.learn(power, study.units(power), given, choices, trust)
    return variants


@pytest.mark.parametrize("strain", VARIANTS, ids=PORTS)
def test_each_strain_is_known_by_its_orders(strain: DumbBotOptions) -> None:
    assert watched(strain, 12).likeliest() == strain


def test_nobody_is_taken_for_another_strain_while_it_is_no_dumbbot_or_by_one_power_alone() -> None:
    assert DumbBotVariants().likeliest() == ORIGINAL
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
    crowd, position = OpponentSampler(mixture=True), Position.start()
    for turn in range(8):
        study = Study(crowd.variants.desk(position.board), position, np.random.default_rng(turn))
        seeds = study.seeds(16)
        crowd.samples(study, 2, study.drawn(seeds), seeds, RolloutBudget(400, None))
        actions: dict[str, Plain] = {
            each.name: list(texts(position, power, PORTS["dipnet"], 7 * turn + power))
            for power, each in enumerate(position.board.powers)
        }
        crowd.learn(actions)
    assert crowd.variants.likeliest() == PORTS["dipnet"]
    assert crowd.variants.rolled > 0


def test_agents_that_do_not_think_hold_no_desk_and_share_those_there_are() -> None:
    position = Position.start()
    searches = [Search(seed, SearchOptions(budget=200)) for seed in range(20)]
    for search in searches:
        search.choose(position, 2)
        search.outlook(position, [[]], 4)
    assert not any(search._crowd.variants._desks for search in searches)
    kept = [len(desks) for (board, _), desks in pool._free.items() if board == position.board]
    assert kept
    assert max(kept) <= pool.KEPT
    assert all(search.rolled > 0 for search in searches)


def test_an_agent_that_shares_desks_plays_as_one_that_has_its_own() -> None:
    """Values that an earlier thought set at a desk come back with it, and no values of others."""

    def foreseen(others: bool) -> list[list[float]]:
        position, found = Position.start(), []
        search, noise = Search(1, SearchOptions(mixture=False)), DumbBotVariants()
        for _ in range(3):
            found.append(search.outlook(position, [[]], 16)[0].tolist())
            if others:
                with noise.sitting():
                    noise.set_idle(position.board, np.full(16, 90, np.int32))
        return found

    alone = foreseen(others=False)
    pool._free.clear()
    assert foreseen(others=True) == alone


def test_an_agent_that_thinks_is_not_asked_on_a_second_thread() -> None:
    search, position = Search(1, SearchOptions(budget=200)), Position.start()
    raised: list[BaseException] = []

    def ask() -> None:
        try:
            search.choose(position, 2)
        except RuntimeError as error:
            raised.append(error)

    with search._crowd.variants.sitting():
        search.choose(position, 2)
        other = threading.Thread(target=ask)
        other.start()
        other.join()
    assert str(raised[0]).startswith("this agent is thinking on another thread")
    search.choose(position, 2)
