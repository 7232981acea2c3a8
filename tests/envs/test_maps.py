"""The PettingZoo and Gymnasium environments of Diplomacy on other maps than the standard one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test  # type: ignore[import-untyped]

from parlour.deepmind import Options, State
from parlour.envs import DiplomacyAEC, DiplomacyParallel, DiplomacySingle
from parlour.envs.map_state import MapState, sizes_of
from parlour.errors import ConfigError, IllegalAction
from parlour.games.diplomacy.engine.rules import rules_of
from parlour.games.diplomacy.maps.map import named, standard
from parlour.games.diplomacy.position import Position

# A dictionary with a mask is PettingZoo's own convention for legal actions, though its tests warn about it.
DICTIONARIES = (
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action space for each agent probably should be",
    "ignore:Action mask is not a NumPy array",
)
pytestmark = [pytest.mark.filterwarnings(ignored) for ignored in DICTIONARIES]


def test_the_general_state_is_the_published_one_on_the_standard_map() -> None:
    rng = np.random.default_rng(1)
    options = Options(idle_convoys=True)
    start = Position.start(last_year=1905)
    seasons = set()
    for _ in range(16):
        published, general = State(start, options=options, published=False), MapState(start, options=options)
        while not published.is_terminal():
            theirs, ours = published.observation(), general.observation()
            np.testing.assert_array_equal(ours.board, theirs.board, err_msg=published.phase)
            assert (ours.season, ours.build_numbers) == (theirs.season, theirs.build_numbers), published.phase
            assert ours.last_actions == theirs.last_actions, published.phase
            assert general.legal_actions() == published.legal_actions(), published.phase
            chosen = [[int(action) for action in own] for own in _random_actions(published.position, rng)]
            published.step(chosen)
            general.step(chosen)
            seasons.add(theirs.season)
        np.testing.assert_array_equal(general.returns(), published.returns())
        assert general.is_terminal()
    assert len(seasons) == 5, "every kind of phase was compared"


def _random_actions(position: Position, rng: np.random.Generator) -> Any:
    sampled = rules_of(position.board).sample(position.row, rng.integers(0, 1 << 63, 1, np.uint64))[0]
    return [own[own > 0] for own in sampled]


@pytest.mark.parametrize("name", ["hundred", "france-austria", "1898", "pure"])
def test_parallel_api_on_other_maps(name: str) -> None:
    env = DiplomacyParallel(map_name=name, max_phases=6)
    assert env.possible_agents == [f"{power.name.lower()}_{power.id}" for power in named(name).powers]
    parallel_api_test(env, num_cycles=60)
    assert env.game.position.board == named(name)


def test_aec_api_on_another_map() -> None:
    env = DiplomacyAEC(map_name="hundred", max_phases=3)
    api_test(env, num_cycles=40)
    assert set(env.possible_agents) == {"burgundy_0", "england_1", "france_2"}


def test_masked_play_on_another_map_is_legal_and_ends() -> None:
    env = DiplomacyParallel(map_name="lagoon", on_illegal="raise", last_year=1906)
    rng = np.random.default_rng(7)
    seen, _ = env.reset()
    rewards: dict[str, float] = {}
    while env.agents:
        for agent in env.agents:
            assert env.observation_space(agent).contains(seen[agent])
        chosen = {agent: int(rng.choice(np.flatnonzero(seen[agent]["action_mask"]))) for agent in env.agents}
        seen, step_rewards, *_ = env.step(chosen)
        rewards |= {agent: step_rewards[agent] for agent in chosen}
    assert sum(rewards.values()) == pytest.approx(1)
    env.reset()
    with pytest.raises(IllegalAction, match="may not be chosen now"):
        env.step(dict.fromkeys(env.possible_agents, 5))


def test_joint_form_on_another_map_has_room_for_every_unit() -> None:
    env = DiplomacyParallel("joint", map_name="hundred")
    room = sizes_of(named("hundred")).max_orders
    assert room == 8, "nine centres win"
    seen, _ = env.reset()
    assert len(seen["france_2"]["action_mask"]) == room
    assert env.action_space("france_2").shape == (room,)
    assert sizes_of(standard()).max_orders == 17


def test_one_learner_on_another_map() -> None:
    env = DiplomacySingle("greedy", map_name="germany-italy", last_year=1903)
    seen, info = env.reset(seed=2)
    over, reward = False, 0.0
    while not over:
        seen, reward, over, _, info = env.step(int(np.flatnonzero(seen["action_mask"])[0]))
    assert info["agent"] in ("germany_0", "italy_1")
    assert 0 <= reward <= 1
    with pytest.raises(ConfigError, match="seat: expected GERMANY, ITALY"):
        DiplomacySingle(map_name="germany-italy", seat="FRANCE")


def test_ways_to_observe_that_were_published_are_refused_elsewhere() -> None:
    with pytest.raises(ConfigError, match="options: other ways to observe are for the standard map only"):
        DiplomacyParallel(map_name="hundred", options=Options(removable_on_main=True))
    with pytest.raises(ConfigError, match="map: expected one of standard"):
        DiplomacyParallel(map_name="atlantis")
