"""Batches of Fish: every game goes as the rules say, in one thread or several, compiled or not."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from parlour.core.game import Plain
from parlour.envs import VectorFish
from parlour.errors import ConfigError, IllegalAction
from support.processes.from_source import from_source


def choice_of(vector: VectorFish, action: Plain) -> int:
    """Return the number of an action as positions write it."""

    def tile(spot: Plain) -> int:
        return int(spot[0] * vector.cols + spot[1])

    if isinstance(action[0], int):
        return tile(action)
    return vector.tiles + vector.tiles * tile(action[0]) + tile(action[1])


def lists(vector: VectorFish) -> list[list[int]]:
    choices, offsets = vector.legal()
    assert choices.dtype == np.int32
    assert offsets.shape == (vector.n + 1,)
    return [choices[offsets[b] : offsets[b + 1]].tolist() for b in range(vector.n)]


@pytest.mark.parametrize(
    ("players", "rows", "cols", "holes"), [(2, 5, 5, 0), (2, 4, 2, 0), (3, 5, 5, 6), (4, 4, 5, 2), (4, 9, 8, 0)]
)
def test_games_go_as_positions_do(players: int, rows: int, cols: int, holes: int) -> None:
    vector = VectorFish(6, players=players, rows=rows, cols=cols, holes=holes, seed=3)
    ended = 0
    for _ in range(130):
        positions = [vector.position(b) for b in range(vector.n)]
        legal = lists(vector)
        chosen = vector.sample()
        for b, position in enumerate(positions):
            (seat,) = position.to_act()
            actions = position.legal(seat)
            assert legal[b] == sorted(choice_of(vector, action) for action in actions)
            action = next(action for action in actions if choice_of(vector, action) == chosen[b])
            positions[b], _ = position.apply({seat: action})
        step = vector.step(chosen)
        for b, position in enumerate(positions):
            outcome = position.outcome()
            assert step.done[b] == (outcome is not None)
            if outcome is None:
                now = vector.position(b)
                assert (now.board, now.sides) == (position.board, tuple(_untold(side) for side in position.sides))
                assert not step.rewards[b].any()
            else:
                ended += 1
                seats = ("red", "white", "brown", "black")[:players]
                expected = [1 / len(outcome.winners) if seat in outcome.winners else 0 for seat in seats]
                assert step.rewards[b].tolist() == pytest.approx(expected)
                assert vector.position(b).stage == "placement"
    assert ended or rows * cols > 30


def _untold(side: Any) -> Any:
    """Return a side without its count of tiles, which the vector does not keep."""
    from msgspec.structs import replace

    return replace(side, tiles=0)


def test_observations_show_the_seat_to_act_first() -> None:
    vector = VectorFish(5, players=3, seed=9)
    out = vector.buffers()
    for _ in range(20):
        assert vector.observe(out) is out
        for b in range(vector.n):
            position = vector.position(b)
            assert out.boards[b, :, :, 0].tolist() == position.board.rows()
            for plane, side in enumerate(position.sides, 1):
                assert {tuple(spot) for spot in np.argwhere(out.boards[b, :, :, plane])} == set(side.penguins)
            assert out.turns[b] == vector.turns[b]
            assert out.scores[b].tolist() == vector.scores[b].tolist()
        vector.step(vector.sample())
    fresh = vector.observe()
    vector.observe(out)
    assert [array.tobytes() for array in fresh] == [array.tobytes() for array in out]


def played(threads: int, steps: int = 60) -> str:
    vector = VectorFish(37, players=4, rows=5, cols=5, holes=2, seed=5, threads=threads)
    digest = hashlib.sha256()
    out = vector.buffers()
    for _ in range(steps):
        choices, offsets = vector.legal()
        for array in (choices, offsets, *vector.observe(out), *vector.step(vector.sample())):
            digest.update(np.ascontiguousarray(array).tobytes())
    vector.close()
    return digest.hexdigest()


def test_threads_change_nothing() -> None:
    assert played(1) == played(3) == played(64)


def test_compiled_and_uncompiled_agree() -> None:
    assert from_source(played, 1, 25) == played(1, 25)


def test_seeds_choose_boards() -> None:
    one, two, other = (VectorFish(4, seed=seed) for seed in (1, 1, 2))
    assert (one.fish == two.fish).all()
    assert not (one.fish == other.fish).all()
    assert one.fish.min() >= 1
    assert one.fish.max() <= 5
    one.step(one.sample())
    one.reset(1)
    assert (one.fish == two.fish).all()
    assert (one.places == -1).all()


def test_holes_are_as_many_as_asked_for() -> None:
    assert ((VectorFish(20, holes=7).fish == 0).sum(axis=1) == 7).all()


@pytest.mark.parametrize(
    ("choice", "why"),
    [(-1, "no such choice"), (25 + 625, "no such choice"), (25 + 3 * 25 + 4, "a placement is for placing")],
)
def test_illegal_placements_are_named_and_change_nothing(choice: int, why: str) -> None:
    vector = VectorFish(3)
    chosen = vector.sample().copy()
    chosen[1] = choice
    with pytest.raises(IllegalAction, match=f"game 1, red: choice {choice}: {why}"):
        vector.step(chosen)
    assert (vector.places == -1).all()
    assert not vector.turns.any()


def test_illegal_moves_are_named() -> None:
    vector = VectorFish(2, seed=4)
    first = vector.sample().copy()
    vector.step(first)
    with pytest.raises(IllegalAction, match=r"game 0, white: choice .*: a hole or a penguin is there"):
        vector.step(first)
    while (vector.places < 0).any():
        vector.step(vector.sample())
    seat = int(vector.turns[0])
    own, other = int(vector.places[0, seat, 0]), int(vector.places[0, 1 - seat, 0])
    chosen = vector.sample().copy()
    for start, end, why in ((other, own, "no penguin of the seat"), (own, own, "cannot reach"), (own, other, "cannot")):
        chosen[0] = 25 + 25 * start + end
        with pytest.raises(IllegalAction, match=why):
            vector.step(chosen)
    chosen[0] = 3
    with pytest.raises(IllegalAction, match="a move for moving"):
        vector.step(chosen)


@pytest.mark.parametrize(
    "wrong", [np.zeros(3, np.int64), np.zeros(2, np.int32), np.zeros((3, 1), np.int32), None, [1, 2, 3]]
)
def test_wrong_shapes_are_refused(wrong: Any) -> None:
    with pytest.raises(IllegalAction, match=r"choices: expected int32 \[3\]"):
        VectorFish(3).step(wrong)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("players", 5),
        ("players", 1),
        ("rows", 0),
        ("cols", 26),
        ("holes", 20),
        ("holes", -1),
        ("n", 0),
        ("threads", 0),
        ("seed", -1),
        ("seed", "x"),
    ],
)
def test_wrong_settings_are_named(setting: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"^{setting}: "):
        VectorFish(**{"n": 2, setting: value})


def test_buffers_of_another_vector_are_refused() -> None:
    with pytest.raises(ConfigError, match="boards: expected"):
        VectorFish(3).observe(VectorFish(2).buffers())


@pytest.mark.parametrize("name", ["boards", "scores", "turns"])
def test_buffers_that_cannot_be_filled_are_named(name: str) -> None:
    vector = VectorFish(2)
    out = vector.buffers()
    own = getattr(out, name)
    for wrong in (own.astype(np.float64), np.repeat(own, 2, axis=0)[::2]):
        with pytest.raises(ConfigError, match=f"^{name}: expected"):
            vector.observe(out._replace(**{name: wrong}))
