"""Random and greedy: what they choose, and that chance comes from the seed."""

from __future__ import annotations

from parlour.agents.chance import RandomPlayer
from parlour.agents.fish.simple import Greedy
from parlour.core.game import View
from parlour.games.fish import COLOURS, GAME, Board, Position, Side
from support.fish.positions import random_game

RED, WHITE = COLOURS[:2]


def test_greedy_places_on_the_most_fish_and_breaks_ties_by_place() -> None:
    position = GAME.start({"board": [[1, 4, 2], [3, 4, 4], [1, 1, 1]]}, (RED, WHITE), 0)
    assert Greedy().act(View(RED, position, 1)) == [0, 1]


def test_greedy_moves_to_the_most_fish_and_breaks_ties_by_from_then_to() -> None:
    board = Board.of([[5, 1, 5], [1, 3, 3], [3, 2, 1]])
    position = Position(board, (Side(RED, ((0, 2), (0, 1))), Side(WHITE, ((0, 0),))), 1)
    # Three fish lie in reach of both penguins; the smaller from moves, to the smaller of two tiles.
    assert Greedy().act(View(RED, position, 1)) == [[0, 1], [1, 1]]


def test_random_follows_from_its_seed() -> None:
    position = list(random_game(5, 5, 2, 1))[9]
    view = View(position.to_act()[0], position, 1)
    runs = [[RandomPlayer(seed).act(view), RandomPlayer(seed).act(view)] for seed in range(20)]
    assert all(first == second for first, second in runs)
    assert len({str(first) for first, _ in runs}) > 5
