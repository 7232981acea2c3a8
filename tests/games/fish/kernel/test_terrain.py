"""Terrain: distances, who is cut off, and the best harvest of a lone seat as the oracle finds it."""

from __future__ import annotations

import pytest

from parlour.games.fish import COLOURS, Board, Position, Side
from parlour.games.fish.kernel.terrain import Terrain
from parlour.games.fish.lookup_tables import flat, tables
from support.fish.kernels import source_kernels
from support.fish.positions import oracle_of, random_game

SourceTerrain = source_kernels()["terrain"].Terrain
LIMIT = 1_000_000


def terrain(position: Position, kernel: type[Terrain] = Terrain) -> Terrain:
    fish, places, scores, slots = flat(position)
    made = kernel(tables(position.board.height, position.board.width), len(position.sides), slots)
    made.load(fish, places, scores)
    return made


def test_distances_are_steps_over_free_ice() -> None:
    board = Board.of([[1, 1], [0, 1], [1, 0], [1, 1]])
    position = Position(board, (Side(COLOURS[0], ((0, 0),)), Side(COLOURS[1], ((0, 1),))), 1)
    assert terrain(position).distances(0) == [0, 0, 0, 0, 1, 0, 2, 0]
    assert terrain(position).distances(1) == [0, 0, 0, 1, 0, 0, 0, 2]
    assert terrain(position).cut_off(0)


def test_who_shares_ice_is_not_cut_off() -> None:
    position = next(p for p in random_game(5, 5, 2, 1) if p.stage == "move")
    assert not terrain(position).cut_off(0)


@pytest.mark.parametrize("kernel", [Terrain, SourceTerrain], ids=["compiled", "uncompiled"])
def test_the_best_harvest_is_that_of_the_oracle(kernel: type[Terrain]) -> None:
    proved = 0
    for seed in range(12):
        for position in list(random_game(4, 4, 2, seed, holes=seed % 4))[11:]:
            made = terrain(position, kernel)
            for seat in range(2):
                found, exact = made.best_harvest(seat, LIMIT)
                assert exact
                assert found == oracle_of(position).best_harvest(seat)
                proved += found > 0
    assert proved > 20


def test_the_first_move_of_a_harvest_leads_to_all_of_it() -> None:
    for seed in range(10):
        for position in list(random_game(4, 4, 2, seed))[10:]:
            oracle = oracle_of(position)
            best = oracle.best_harvest(0)
            move = terrain(position).harvest_move(0, LIMIT)
            if best == 0:
                assert move is None
                continue
            start, end = divmod(move[0], 4), divmod(move[1], 4)
            gained = oracle.ice[start]
            oracle.move(0, (start, end))
            assert gained + oracle.best_harvest(0) == best


def test_a_harvest_over_the_limit_is_marked_as_an_estimate() -> None:
    position = next(p for p in random_game(6, 6, 2, 1) if p.stage == "move")
    assert terrain(position).best_harvest(0, 50)[1] is False
