"""One learner against house agents in Gymnasium: its own checker passes, seeds repeat, choices are legal."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from parlour.agents import make_agent
from parlour.core.game import Seat, View
from parlour.deepmind import State
from parlour.deepmind.conversions import actions_of
from parlour.envs import DiplomacySingle, FishSingle
from parlour.errors import ConfigError, IllegalAction

MAKERS: dict[str, Any] = {
    "fish": lambda: FishSingle("greedy", players=3, config={"rows": 4, "cols": 4}),
    "fish on a seat": lambda: FishSingle("random", seat="white", config={"rows": 3, "cols": 4}),
    "units": lambda: DiplomacySingle("greedy", last_year=1902),
    "joint": lambda: DiplomacySingle("random", form="joint", last_year=1901, seat="FRANCE"),
}


def episode(env: Any, seed: int) -> tuple[list[Any], float, dict[str, Any]]:
    """Play random legal choices; return them, the last reward and the last info."""
    seen, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    chosen, over, reward = [], False, 0.0
    while not over:
        assert env.observation_space.contains(seen)
        chosen.append(env.action_space.sample(seen["action_mask"]))
        seen, reward, ended, truncated, info = env.step(chosen[-1])
        assert info.get("illegal", 0) == 0
        over = ended or truncated
    return chosen, reward, info


@pytest.mark.parametrize("name", MAKERS)
def test_gymnasium_finds_nothing_wrong(name: str) -> None:
    check_env(MAKERS[name](), skip_render_check=True)


@pytest.mark.parametrize("name", MAKERS)
def test_a_seed_repeats_the_game(name: str) -> None:
    first, second = (episode(MAKERS[name](), 5) for _ in range(2))
    assert [np.asarray(one).tolist() for one in first[0]] == [np.asarray(one).tolist() for one in second[0]]
    assert first[1:] == second[1:]


def test_seats_rotate_unless_one_is_given() -> None:
    env = DiplomacySingle("random", last_year=1901)
    assert len({env.reset(seed=seed)[1]["agent"] for seed in range(30)}) == 7
    assert {DiplomacySingle("random", seat="ITALY").reset(seed=seed)[1]["agent"] for seed in range(3)} == {"italy_4"}
    fish = FishSingle("random", players=4)
    assert len({fish.reset(seed=seed)[1]["agent"] for seed in range(20)}) == 4


def test_a_phase_is_played_with_the_orders_of_the_agents() -> None:
    env = DiplomacySingle("greedy", seat="FRANCE", form="joint", last_year=1901)
    env.reset(seed=2)
    chance = int(np.random.default_rng(np.random.PCG64(np.random.SeedSequence(2))).integers(0, 2**31, 2)[0])
    state, position = State(), State().position
    others = [power for power in position.alive() if power != "FRANCE"]
    orders = {
        str(power): list(make_agent("diplomacy", "greedy", chance + number).act(View(Seat(power), position, 1)))  # type: ignore[arg-type]
        for number, power in enumerate(others)
    }
    actions = actions_of(position, orders)
    actions[2] = []
    env.step(np.zeros(17, np.int64))
    state.step(actions)
    assert env._table.game.position.fen.split()[2] == state.position.fen.split()[2]


def test_an_illegal_choice_costs_the_unit_or_raises() -> None:
    env = DiplomacySingle("random", last_year=1901)
    env.reset(seed=0)
    assert env.step(0)[4]["illegal"] == 1
    strict = DiplomacySingle("random", last_year=1901, on_illegal="raise")
    strict.reset(seed=0)
    with pytest.raises(IllegalAction):
        strict.step(0)


def test_rewards_come_at_the_end() -> None:
    rewards = [episode(FishSingle("random", config={"rows": 4, "cols": 4}), seed)[1] for seed in range(12)]
    assert set(rewards) <= {0.0, 0.5, 1.0}
    assert len(set(rewards)) > 1
    assert episode(DiplomacySingle("hold", last_year=1901), 1)[1] > 0


def test_masks_are_those_of_the_observation() -> None:
    for name, env in ((name, make()) for name, make in MAKERS.items()):
        seen, _ = env.reset(seed=1)
        mask = np.concatenate(seen["action_mask"]) if name == "joint" else seen["action_mask"]
        assert (env.action_masks() == mask.astype(bool)).all()


def test_a_table_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    env = FishSingle(render_mode="human")
    seen, _ = env.reset(seed=0)
    env.step(env.action_space.sample(seen["action_mask"]))
    assert "red (R)" in capsys.readouterr().out
    shown = DiplomacySingle("random", render_mode="ansi")
    shown.reset(seed=0)
    assert "1901" in shown.render()


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: FishSingle("nobody"), "agent: fish has no 'nobody'"),
        (lambda: FishSingle(["greedy"], players=3), "opponents: expected one agent or 2, got 1"),
        (lambda: FishSingle(seat="pink"), "seat: expected red, white, got 'pink'"),
        (lambda: DiplomacySingle("peace"), "opponents: 'peace' negotiates"),
    ],
)
def test_a_bad_setting_is_one_line(make: Any, line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make()
    assert line in str(caught.value)


def test_gymnasium_makes_them_by_id() -> None:
    from parlour.harness.gymnasium_ids import IDS

    assert {"parlour/Fish-v0", "parlour/Diplomacy-v0", "parlour/DiplomacyPress-v0", "parlour/FishText-v0"} <= set(IDS)
    env = gymnasium.make("parlour.harness.gymnasium_ids:parlour/Fish-v0", opponents="random")
    assert env.reset(seed=1)[1]["score"] >= 0
    env.close()
