"""Alpha-beta for two: exact values where a full search can check them, and the same result from source."""

from __future__ import annotations

import pytest

from parlour.games.fish.kernel.duel import Duel
from parlour.games.fish.lookup_tables import flat, tables
from parlour.games.fish.position import Position
from support.fish.kernels import source_kernels
from support.fish.positions import oracle_of, random_game

SourceDuel = source_kernels()["duel"].Duel


def duel(position: Position, kernel: type[Duel] = Duel) -> Duel:
    fish, places, scores, slots = flat(position)
    made = kernel(tables(position.board.height, position.board.width), slots)
    made.load(fish, places, scores)
    return made


@pytest.mark.parametrize("kernel", [Duel, SourceDuel], ids=["compiled", "uncompiled"])
def test_a_search_to_the_end_finds_the_value_of_the_game(kernel: type[Duel]) -> None:
    compared = 0
    for seed in range(10):
        for position in list(random_game(4, 4, 2, seed, holes=2))[11:]:
            if not position.to_act():
                continue
            move, value = duel(position, kernel).deepen(20, 1_000_000)
            oracle = oracle_of(position)
            assert value == oracle.best_difference()
            start, end = divmod(move[0], 4), divmod(move[1], 4)
            gained = oracle.ice[start]
            oracle.move(0, (start, end))
            assert gained - oracle.best_difference(1) == value, "the move is worth what the position is"
            compared += 1
    assert compared > 15


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_compiled_search_is_that_of_the_source(depth: int) -> None:
    for position in list(random_game(5, 5, 2, 3))[8:12]:
        assert duel(position).deepen(depth, 100_000) == duel(position, SourceDuel).deepen(depth, 100_000)


def test_a_search_beyond_its_nodes_gives_no_move() -> None:
    position = next(p for p in random_game(6, 6, 2, 1) if p.stage == "move")
    search = duel(position)
    assert search.deepen(8, 500) is None
    assert search.nodes <= 1000
