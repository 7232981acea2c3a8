"""Look-ahead: the same moves as a search that prunes nothing, in single positions and in whole games."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.agents.fish.lookahead import best_move
from parlour.games.fish.kernel.lookahead import LookAhead
from parlour.games.fish.lookup_tables import flat, tables
from parlour.games.fish.position import Position
from support.fish.kernels import source_kernels
from support.fish.oracle import OracleGame
from support.fish.positions import oracle_of, random_game

SourceLookAhead = source_kernels()["lookahead"].LookAhead


def cost(position: Position, turns: int) -> int:
    """About how many positions a search without pruning looks at."""
    total = 1
    for _ in range(turns - 1):
        for side in position.sides:
            total *= max(1, len(position.moves(side.seat)))
    return total


@pytest.mark.parametrize("turns", [1, 2, 3])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_moves_are_those_of_a_search_without_pruning(players: int, turns: int) -> None:
    compared = 0
    for seed in range(12):
        rows, cols = [(4, 3), (3, 4), (5, 3), (4, 4)][seed % 4]
        for position in random_game(rows, cols, players, seed, holes=seed % 3):
            if position.stage == "move" and position.to_act() and cost(position, turns) <= 3000:
                assert best_move(position, turns) == oracle_of(position).best_move(turns)
                compared += 1
    assert compared > 30


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4])
def test_moves_on_five_by_five_are_those_of_a_search_without_pruning(players: int) -> None:
    for seed in range(8):
        for position in random_game(5, 5, players, seed):
            if position.stage == "move" and position.to_act() and cost(position, 2) <= 100_000:
                assert best_move(position, 2) == oracle_of(position).best_move(2)


def test_one_turn_ahead_leaves_the_richest_tile() -> None:
    """Not the move to the richest tile: the fish of the tile that is left are what counts."""
    position = next(p for p in random_game(5, 5, 2, 3) if p.stage == "move")
    move = best_move(position, 1)
    assert move is not None
    movable = {start for start, _ in position.moves(position.sides[0].seat)}
    assert position.board[move[0]] == max(position.board[spot] for spot in movable)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_whole_games_are_those_of_a_search_without_pruning(players: int) -> None:
    rng = np.random.default_rng(players)
    fish = rng.integers(1, 6, size=(3, 12), dtype=np.uint8)
    scores = np.zeros((3, players), np.int32)
    records = np.full((3, 40, 2), -1, np.int16)
    LookAhead(tables(4, 3), players, 6 - players, 2).games(fish, scores, records, 2)
    for ice, final, record in zip(fish, scores, records, strict=True):
        spots = [(row, column) for row in range(4) for column in range(3)]
        game = OracleGame(ice.reshape(4, 3).tolist(), [spots[i::players][: 6 - players] for i in range(players)])
        expected, player = [], 0
        while not game.over():
            # The oracle searches for player 0: turn the table so that the mover sits there.
            turned = game.copy()
            turned.penguins = game.penguins[player:] + game.penguins[:player]
            turned.scores = game.scores[player:] + game.scores[:player]
            move = turned.best_move(2)
            if move is not None:
                game.move(player, move)
                expected.append([spots.index(move[0]), spots.index(move[1])])
            player = (player + 1) % players
        assert record[: len(expected)].tolist() == expected
        assert (record[len(expected) :] == -1).all()
        assert final.tolist() == game.scores


@pytest.mark.parametrize("players", [2, 3, 4])
def test_compiled_search_is_that_of_the_source(players: int) -> None:
    for position in list(random_game(9, 8, players, 2))[10:14]:
        found = []
        for kernel in (LookAhead, SourceLookAhead):
            fish, places, scores, slots = flat(position)
            search = kernel(tables(9, 8), players, slots, 2)
            search.load(fish, places, scores)
            found.append(search.choose(2))
        assert found[0] == found[1] is not None


def test_who_cannot_move_has_no_best_move() -> None:
    end = list(random_game(4, 4, 2, 1))[-1]
    assert best_move(end, 2) is None
