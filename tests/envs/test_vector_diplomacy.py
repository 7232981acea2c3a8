"""Batches of Diplomacy: every game goes as the state does; threads, resets, memory, bad input."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from parlour.deepmind import Options, State
from parlour.envs import VectorDiplomacy
from parlour.envs.vector_diplomacy import EVERYTHING
from parlour.errors import ConfigError, IllegalAction
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position


def lists(vector: VectorDiplomacy) -> list[list[list[int]]]:
    actions, offsets = vector.legal_by_power()
    assert offsets.shape == (vector.n, 8)
    return [[actions[row[w] : row[w + 1]].tolist() for w in range(7)] for row in offsets]


@pytest.mark.parametrize("options", [EVERYTHING, Options()])
@pytest.mark.parametrize("threads", [1, 3])
def test_lists_by_province_have_what_lists_by_power_have(options: Options, threads: int) -> None:
    vector = VectorDiplomacy(7, seed=2, threads=threads, options=options)
    for _ in range(50):
        by_power = lists(vector)
        actions, offsets = vector.legal()
        assert offsets.shape == (7, 76)
        for game, row in zip(by_power, offsets, strict=True):
            here = [actions[row[p] : row[p + 1]].tolist() for p in range(75)]
            assert all(action >> 9 & 127 == p for p in range(75) for action in here[p])
            every = [action for own in game for action in own if action & 255 != 13]
            assert sorted(action for own in here for action in own) == sorted(every)
        vector.step(vector.sample())


@pytest.mark.parametrize("options", [EVERYTHING, Options(), Options(removals_persist=False, skipped_builds_clear=True)])
def test_games_go_as_states_do(options: Options) -> None:
    vector = VectorDiplomacy(5, seed=4, last_year=1906, options=options)
    start = Position.start(last_year=1906)
    states = [State(start, options=options) for _ in range(5)]
    ended = 0
    out = vector.buffers()
    for _ in range(70):
        assert vector.observe(out) is out
        legal = lists(vector)
        for b, state in enumerate(states):
            seen = state.observation()
            assert (out.boards[b] == seen.board).all()
            assert out.build_numbers[b].tolist() == seen.build_numbers
            assert out.seasons[b] == seen.season
            assert out.last_actions[b][out.last_actions[b] > 0].tolist() == seen.last_actions
            assert legal[b] == state.legal_actions()
        chosen = vector.sample()
        for b, state in enumerate(states):
            state.step([[action for action in row if action] for row in chosen[b].tolist()])
        step = vector.step(chosen, strict=True)
        for b, state in enumerate(states):
            assert step.done[b] == state.is_terminal()
            assert step.rewards[b].tolist() == pytest.approx(state.returns().tolist())
            if state.is_terminal():
                states[b] = State(start, options=options)
                ended += 1
    assert ended >= 5


def test_sampled_actions_are_legal_and_one_for_each_unit() -> None:
    vector = VectorDiplomacy(20, seed=1)
    for _ in range(40):
        legal, chosen = lists(vector), vector.sample()
        out = vector.observe()
        for b in range(vector.n):
            for w in range(7):
                own = [action for action in chosen[b, w].tolist() if action]
                assert set(own) <= set(legal[b][w])
                provinces = [action >> 9 & 127 for action in own]
                assert len(set(provinces)) == len(provinces)
                if out.seasons[b] == 4:
                    assert len(own) == abs(int(out.build_numbers[b, w]))
                else:
                    assert set(provinces) == {action >> 9 & 127 for action in legal[b][w]}
        vector.step(chosen)


def played(threads: int) -> str:
    vector = VectorDiplomacy(23, seed=7, last_year=1904, threads=threads)
    digest = hashlib.sha256()
    for _ in range(50):
        out = vector.observe()
        for game in lists(vector):
            for own in game:
                digest.update(np.array(own, np.int64).tobytes())
        for array in (*out, *vector.step(vector.sample())):
            digest.update(array.tobytes())
    vector.close()
    return digest.hexdigest()


def test_threads_change_nothing() -> None:
    assert played(1) == played(4) == played(99)


def test_vectors_in_several_threads_do_not_disturb_each_other() -> None:
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(played, [1, 1, 1, 2]))) == 1


def test_one_vector_may_be_asked_from_several_threads() -> None:
    vector = VectorDiplomacy(64, seed=5)
    for _ in range(20):
        vector.step(vector.sample())
    alone = lists(vector)
    with ThreadPoolExecutor(4) as pool:
        for method in (vector.sample, vector.legal, vector.legal_by_power, vector.observe) * 50:
            pool.submit(method)
    assert lists(vector) == alone
    vector.step(vector.sample(), strict=True)


def test_a_seed_repeats_the_choices_and_reset_begins_anew() -> None:
    vector = VectorDiplomacy(4, seed=3)
    first = vector.sample().copy()
    vector.step(first)
    assert vector.observe().last_actions.any()
    vector.reset(3)
    assert not vector.observe().last_actions.any()
    assert (vector.sample() == first).all()
    assert (VectorDiplomacy(4, seed=4).sample() != first).any()


def test_a_crowded_vector_makes_room() -> None:
    vector = VectorDiplomacy(8, seed=0)
    vector._legal = np.empty(64, np.int64)
    assert [[len(own) for own in game] for game in lists(vector)] == [[34, 29, 30, 38, 38, 42, 27]] * 8


def test_memory_for_each_game_is_at_most_16_kilobytes() -> None:
    vector = VectorDiplomacy(1024)
    out = vector.buffers()
    assert vector.nbytes + sum(array.nbytes for array in out) <= 16 * 1024 * vector.n


def test_illegal_actions_hold_unless_strict() -> None:
    vector = VectorDiplomacy(2)
    chosen = np.zeros((2, 7, 17), np.int64)
    chosen[1, 2, 0] = 0x0020000000000E08
    before = vector.states.copy()
    with pytest.raises(IllegalAction, match="game 1, France: BUD D: wrong phase") as caught:
        vector.step(chosen, strict=True)
    assert (caught.value.seat, caught.value.part) == ("FRANCE", "BUD D")
    assert (vector.states == before).all()
    chosen[0, 0, 0] = 77
    with pytest.raises(IllegalAction, match="game 0, Austria: 77: not in table"):
        vector.step(chosen, strict=True)
    vector.step(chosen)
    assert vector.observe().seasons.tolist() == [2, 2]


@pytest.mark.parametrize(
    "wrong",
    [np.zeros((2, 7, 17)), np.zeros((2, 7, 16), np.int64), np.zeros((3, 7, 17), np.int64), None, [[]],
     np.zeros((2, 17, 7), np.int64).transpose(0, 2, 1)],
)  # fmt: skip
def test_wrong_shapes_are_refused(wrong: Any) -> None:
    with pytest.raises(IllegalAction, match="actions: expected"):
        VectorDiplomacy(2).step(wrong)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("n", 0),
        ("n", 1 << 40),
        ("n", 1.5),
        ("threads", 0),
        ("threads", 9999),
        ("last_year", -1),
        ("last_year", "1905"),
        ("seed", -1),
        ("seed", "x"),
        ("seed", None),
    ],
)
def test_wrong_settings_are_named(setting: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"^{setting}: expected"):
        VectorDiplomacy(**{"n": 2, setting: value})


def test_buffers_of_another_size_are_refused() -> None:
    with pytest.raises(ConfigError, match="expected"):
        VectorDiplomacy(2).observe(VectorDiplomacy(3).buffers())
    out = VectorDiplomacy(2).buffers()
    with pytest.raises(
        ConfigError, match=r"boards: expected uint8 \[2, 81, 35\], C-contiguous, got uint8 \[1, 81, 35\]"
    ):
        VectorDiplomacy(2).observe(out._replace(boards=out.boards[:1]))


@pytest.mark.parametrize("name", ["boards", "build_numbers", "seasons", "last_actions"])
def test_buffers_that_cannot_be_filled_are_named(name: str) -> None:
    vector = VectorDiplomacy(2)
    out = vector.buffers()
    own = getattr(out, name)
    locked = own.copy()
    locked.flags.writeable = False
    wrong: Any
    for wrong in (own.astype(np.float64), np.repeat(own, 2, axis=0)[::2], locked, own.tolist(), None):
        with pytest.raises(ConfigError, match=f"^{name}: expected"):
            vector.observe(out._replace(**{name: wrong}))


def test_buffers_may_be_a_plain_tuple_and_nothing_else() -> None:
    vector = VectorDiplomacy(2)
    out: Any = tuple(vector.buffers())
    assert vector.observe(out).boards is out[0]
    wrong: Any
    for wrong in ({}, out[:3], out[0]):
        with pytest.raises(ConfigError, match=r"^out: expected Observations\(boards, build_numbers"):
            vector.observe(wrong)


def test_a_seed_that_is_none_leaves_the_games_as_they_are() -> None:
    vector = VectorDiplomacy(2)
    vector.step(vector.sample())
    before = vector.states.copy()
    with pytest.raises(ConfigError, match=r"^seed: expected"):
        vector.reset(-1)
    assert (vector.states == before).all()


@pytest.mark.parametrize("name", ["hundred", "france-austria", "ancmed"])
def test_games_are_played_on_any_map(name: str) -> None:
    board = named(name)
    vector = VectorDiplomacy(6, seed=3, last_year=board.year + board.calendar.step, map_name=name)
    ended = 0
    for _ in range(30):
        actions, offsets = vector.legal_by_power()
        chosen = vector.sample()
        assert chosen.shape == (6, len(board.powers), 17)
        for game in range(6):
            for power in range(len(board.powers)):
                legal = set(actions[offsets[game, power] : offsets[game, power + 1]].tolist())
                assert set(chosen[game, power].tolist()) - {0} <= legal
        step = vector.step(chosen, strict=True)
        ended += int(step.done.sum())
        assert step.rewards[step.done].sum() == pytest.approx(step.done.sum())
    assert ended > 6
    with pytest.raises(ConfigError, match="observations are of the standard map"):
        vector.observe()
    vector.close()
