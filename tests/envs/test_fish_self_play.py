"""Fish as a Gymnasium vector: spaces fit, games are those of the vector, and no array is copied."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.envs import FishSelfPlay, VectorFish
from parlour.errors import IllegalAction


def test_observations_and_actions_are_in_their_spaces() -> None:
    env = FishSelfPlay(4, players=3, seed=3)
    seen, told = env.reset(seed=5)
    assert env.observation_space.contains(seen)
    first = told["legal"][told["offsets"][:-1]]
    assert env.action_space.contains(first.astype(np.int64))
    seen, rewards, ended, cut_off, told = env.step(first)
    assert env.observation_space.contains(seen)
    assert rewards.shape == (4,)
    assert not ended.any()
    assert not cut_off.any()
    assert told["rewards"].shape == (4, 3)
    env.close()


def test_games_go_as_those_of_the_vector_and_arrays_are_written_in_place() -> None:
    env, games = FishSelfPlay(8, rows=4, cols=4, seed=2), VectorFish(8, rows=4, cols=4, seed=2)
    seen, _ = env.reset(seed=9)
    games.reset(9)
    boards = seen["boards"]
    ends = 0
    for _ in range(60):
        acting = games.turns.copy()
        picked = games.sample().copy()
        env.games._rng.integers(0, 1 << 64, 8, np.uint64)  # what sample drew, so that later boards are the same too
        seen, rewards, ended, _, told = env.step(picked)
        expected, done = games.step(picked)
        assert np.array_equal(ended, done)
        assert np.array_equal(rewards, expected[np.arange(8), acting])
        assert np.array_equal(told["rewards"], expected)
        assert np.array_equal(seen["boards"], games.observe().boards)
        assert seen["boards"] is boards
        ends += int(done.sum())
    assert ends


def test_an_illegal_choice_is_refused() -> None:
    env = FishSelfPlay(2)
    env.reset(seed=1)
    with pytest.raises(IllegalAction, match="game 1"):
        env.step(np.array([0, env.games.choices - 1], np.int32))
