"""Fish in PettingZoo's own tests, and that its choices mean what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test  # type: ignore[import-untyped]

from parlour.envs import FishAEC
from parlour.errors import ConfigError, IllegalAction

# A dictionary with a mask is PettingZoo's own convention for legal actions, though its tests warn about it.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_api(players: int) -> None:
    env = FishAEC(players, config={"holes": 2})
    api_test(env, num_cycles=60)  # PettingZoo's own assertions
    assert len(env.possible_agents) == players
    assert set(env.rewards) == set(env.terminations) == set(env.agents)


def test_seed() -> None:
    made: list[FishAEC] = []

    def make() -> FishAEC:
        made.append(FishAEC(3))
        return made[-1]

    seed_test(make, num_cycles=100)  # PettingZoo's own assertions
    assert len({str(env.position.encode()) for env in made}) == 1
    assert len(made) == 2


def test_masks_are_what_the_position_allows() -> None:
    env = FishAEC(2, config={"rows": 4, "cols": 3})
    env.reset(seed=4)
    for agent in env.agent_iter():
        seen, _, ended, _, told = env.last()
        if ended:
            env.step(None)
            continue
        (seat,) = env.position.to_act()
        assert agent.startswith(seat)
        assert told == {"score": env.position.side(seat).score}
        legal = env.position.legal(seat)
        allowed = np.flatnonzero(seen["action_mask"]).tolist()
        assert allowed == sorted(env.choice_of(action) for action in legal)
        assert {str(env._action(number)) for number in allowed} == {str(action) for action in legal}
        env.step(allowed[0])
    assert env.position.outcome() is not None


def test_the_winner_is_paid() -> None:
    env = FishAEC(3)
    env.reset(seed=2)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, ended, _, _ = env.last()
        paid[agent] += reward
        env.step(None if ended else int(np.flatnonzero(seen["action_mask"])[-1]))
    outcome = env.position.outcome()
    assert outcome is not None
    assert {agent.partition("_")[0] for agent, reward in paid.items() if reward} == set(outcome.winners)
    assert sum(paid.values()) == pytest.approx(1)


def test_own_penguins_come_first() -> None:
    env = FishAEC(2)
    env.reset(seed=1)
    env.step(7)
    red, white = env.observe("red_0")["observation"], env.observe("white_1")["observation"]
    assert np.argwhere(red[:, :, 1]).tolist() == np.argwhere(white[:, :, 2]).tolist() == [[1, 2]]
    assert not env.observe("red_0")["action_mask"].any()


@pytest.mark.parametrize("wrong", [-1, 650, 30, None, 1.5, "7"])
def test_illegal_choices_raise_and_change_nothing(wrong: Any) -> None:
    env = FishAEC(2)
    env.reset(seed=1)
    before = env.position
    with pytest.raises(IllegalAction, match="red: ") as caught:
        env.step(wrong)
    assert caught.value.seat == "red"
    assert env.position == before
    assert env.agent_selection == "red_0"


def test_illegal_choices_may_become_random_ones() -> None:
    env = FishAEC(2, on_illegal="random")
    env.reset(seed=1)
    env.step(-1)
    assert len(env.position.side(env._seat("red_0")).penguins) == 1


def test_seeds_choose_boards_and_later_ones_differ() -> None:
    env, other = FishAEC(2), FishAEC(2)
    env.reset(seed=3)
    other.reset(seed=3)
    assert env.position == other.position
    first = env.position
    env.reset()
    assert env.position.board != first.board


def test_renderings() -> None:
    text, svg = FishAEC(render_mode="ansi"), FishAEC(render_mode="svg")
    text.reset(seed=0)
    svg.reset(seed=0)
    assert str(text.render())
    assert "<svg" in str(svg.render())
    assert FishAEC().render() is None


def test_wrong_settings_are_named() -> None:
    with pytest.raises(ConfigError, match="players"):
        FishAEC(7)
    with pytest.raises(ConfigError, match="on_illegal"):
        FishAEC(on_illegal="skip")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="render_mode"):
        FishAEC(render_mode="gif")  # type: ignore[arg-type]


def test_pettingzoo_accepts_every_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    from pettingzoo.test import render_test

    render_test(FishAEC, custom_tests={"svg": lambda drawn: str(drawn).startswith("<svg") or "<svg" in str(drawn)})
    human, text = FishAEC(render_mode="human"), FishAEC(render_mode="ansi")
    for env in (human, text):
        env.reset(seed=1)
    capsys.readouterr()
    assert human.render() is None
    assert capsys.readouterr().out == f"{text.render()}\n"
