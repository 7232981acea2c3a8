"""A seat as an environment of texts: Gymnasium's checker passes, and a learner negotiates."""

from __future__ import annotations

from typing import Any

import pytest
from gymnasium.utils.env_checker import check_env

from parlour.core import events as ev
from parlour.errors import ConfigError
from parlour.harness.conversation_env import ConversationEnv
from parlour.testing import by_rule


def played(env: ConversationEnv, seed: int) -> tuple[float, dict[str, Any]]:
    text, info = env.reset(seed=seed)
    over, reward = False, 0.0
    while not over:
        assert env.observation_space.contains(text)
        messages = [(one["role"], one["content"]) for one in info["messages"]]
        text, reward, over, _, info = env.step(by_rule(messages))
    return reward, info


def test_gymnasium_finds_nothing_wrong() -> None:
    check_env(ConversationEnv("fish", config={"players": 2, "rows": 3, "cols": 3}), skip_render_check=True)


def test_a_learner_negotiates_and_is_paid_at_the_end() -> None:
    env = ConversationEnv("diplomacy", press=True, config={"last_year": 1901}, seat="FRANCE", options={"rounds": 2})
    reward, info = played(env, 1)
    assert env.episode is not None
    said = {event.seat for event in env.episode.record if isinstance(event, ev.Said)}
    assert "FRANCE" in said
    assert len(said) > 1
    assert 0 < reward <= 1
    assert info["standing"]["legality"] == 1.0
    assert played(env, 1)[0] == reward
    env.close()


def test_a_learner_has_the_chosen_seat_or_else_one_by_lot() -> None:
    config = {"players": 4, "rows": 3, "cols": 4}
    for seat, found in (("white", {"white"}), (None, {"red", "white", "brown", "black"})):
        env, seats = ConversationEnv("fish", seat=seat, config=config), set[str]()
        for seed in range(20):
            env.reset(seed=seed)
            seats.add(env.learner)
        env.close()
        assert seats == found


def test_the_reward_is_chosen() -> None:
    env = ConversationEnv("fish", reward="legality", config={"players": 2, "rows": 3, "cols": 3}, render_mode="ansi")
    assert played(env, 2)[0] == 1.0
    assert env.render() == ""
    env.reset(seed=0)
    assert "Place a penguin" in env.render()


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"game": "fish", "press": True}, "press: expected no press in fish"),
        ({"game": "fish", "reward": "gold"}, "reward: expected score, win, legality, kept, got 'gold'"),
        ({"game": "fish", "seat": "FRANCE"}, "seat: expected red, white, brown, black, got 'FRANCE'"),
        ({"game": "fish", "options": {"rounds": 99}}, "llm:rounds: expected"),
    ],
)
def test_a_bad_setting_is_one_line(settings: dict[str, Any], line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ConversationEnv(**settings)
    assert line in str(caught.value)
