"""The bitboard kernel: moves as the oracle finds them, playouts that keep the rules, compiled as uncompiled."""

from __future__ import annotations

import random

import numpy as np
import pytest

from parlour.games.fish.kernel.play import Play
from parlour.games.fish.lookup_tables import flat, tables
from support.fish.kernels import source_kernels
from support.fish.oracle import OracleGame
from support.fish.positions import oracle_of, random_game

SIZES = [(5, 5), (3, 4), (2, 9), (9, 8), (8, 8), (13, 5), (25, 25)]
SourcePlay = source_kernels()["play"].Play


def boards(count: int, height: int, width: int, players: int, seed: int) -> list[np.ndarray]:
    """Fish, places, scores and turns of games that have not begun; some tiles are holes."""
    rng = np.random.default_rng(seed)
    fish = rng.integers(1, 6, size=(count, height * width), dtype=np.uint8)
    if height * width > 20:
        fish[rng.random(fish.shape) < 0.1] = 0
    places = np.full((count, players, 6 - players), -1, np.int16)
    turns = rng.integers(0, players, size=count, dtype=np.uint8)
    return [fish, places, np.zeros((count, players), np.int32), turns]


@pytest.mark.parametrize(("height", "width"), SIZES)
@pytest.mark.parametrize("kernel", [Play, SourcePlay], ids=["compiled", "uncompiled"])
def test_moves_are_those_of_the_oracle(kernel: type[Play], height: int, width: int) -> None:
    for seed in range(3):
        players = 2 + seed
        positions = list(random_game(height, width, players, seed, holes=max(0, height * width - 15) // 4))
        random.Random(seed).shuffle(positions)
        for position in [p for p in positions if p.stage == "move"][:6]:
            fish, places, scores, slots = flat(position)
            play = kernel(tables(height, width), players, slots)
            play.load(fish, places, scores)
            oracle = oracle_of(position)
            for player in range(players):
                found = [(divmod(start, width), divmod(end, width)) for start, end in play.moves(player)]
                assert found == oracle.moves(player)


@pytest.mark.parametrize(("height", "width"), SIZES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_playouts_end_where_nobody_can_move(height: int, width: int, players: int) -> None:
    start = boards(20, height, width, players, seed=1)
    fish, places, scores, turns = [array.copy() for array in start]
    moves = Play(tables(height, width), players, 6 - players).playouts(fish, places, scores, turns, 7)
    melted = np.count_nonzero(start[0]) - np.count_nonzero(fish)
    assert moves == melted, "every move melts one tile"
    assert (scores.sum(axis=1) + fish.sum(axis=1) == start[0].sum(axis=1)).all(), "fish are neither made nor lost"
    for ice, own in zip(fish, places, strict=True):
        rows = ice.reshape(height, width).tolist()
        game = OracleGame(rows, [[divmod(int(tile), width) for tile in side] for side in own])
        assert game.over()
        assert all(spot in game.ice for side in game.penguins for spot in side)
        assert len({spot for side in game.penguins for spot in side}) == players * (6 - players)


@pytest.mark.parametrize(("height", "width"), SIZES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_compiled_playouts_are_those_of_the_source(height: int, width: int, players: int) -> None:
    compiled = boards(4, height, width, players, seed=2)
    source = [array.copy() for array in compiled]
    moves = Play(tables(height, width), players, 6 - players).playouts(*compiled, 11)
    assert SourcePlay(tables(height, width), players, 6 - players).playouts(*source, 11) == moves
    assert all((one == other).all() for one, other in zip(compiled, source, strict=True))


def test_a_game_depends_on_its_own_seed_alone() -> None:
    whole = boards(6, 5, 5, 2, seed=3)
    alone = [array[4:5].copy() for array in whole]
    Play(tables(5, 5), 2, 4).playouts(*whole, 100)
    Play(tables(5, 5), 2, 4).playouts(*alone, 104)
    assert (whole[2][4:5] == alone[2]).all()


def test_playouts_go_on_from_the_middle_of_a_game() -> None:
    position = list(random_game(5, 5, 3, 8))[12]
    fish, places, scores, slots = flat(position)
    batch = [
        np.array([fish], np.uint8),
        np.array(places, np.int16).reshape(1, 3, slots),
        np.array([scores], np.int32),
        np.zeros(1, np.uint8),
    ]
    Play(tables(5, 5), 3, slots).playouts(*batch, 1)
    assert (batch[2] >= np.array(scores)).all()
    assert batch[2].sum() + batch[0].sum() == sum(scores) + sum(fish)
