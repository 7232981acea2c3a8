"""The board: geometry by the worked examples and by the oracle, padding, chance."""

from __future__ import annotations

import random

import pytest

from parlour.errors import ConfigError
from parlour.games.fish.board import DIRECTIONS, Board
from support.fish.oracle import EVEN, Spot, step

FULL = Board.of([[1, 1, 1]] * 5)


@pytest.mark.parametrize(
    ("spot", "neighbours"),
    [
        ((0, 0), [(1, 0), (2, 0)]),
        ((2, 1), [(0, 1), (1, 1), (3, 1), (4, 1), (3, 0), (1, 0)]),
        ((1, 0), [(0, 1), (2, 1), (3, 0), (2, 0), (0, 0)]),
        ((3, 1), [(1, 1), (2, 2), (4, 2), (4, 1), (2, 1)]),
    ],
)
def test_neighbours_come_in_the_order_of_the_directions(spot: Spot, neighbours: list[Spot]) -> None:
    assert FULL.neighbours(spot) == neighbours


def test_a_ray_goes_on_to_the_edge() -> None:
    assert FULL.rays((0, 0))[list(DIRECTIONS).index("SE")] == ((1, 0), (2, 1), (3, 1), (4, 2))


@pytest.mark.parametrize(("height", "width"), [(1, 1), (2, 9), (5, 5), (9, 2), (25, 25)])
def test_rays_follow_the_table_of_even_and_odd_rows(height: int, width: int) -> None:
    board = Board.random(height, width, random.Random(1))
    assert list(DIRECTIONS) == list(EVEN)
    for spot in board.spots():
        for direction, ray in zip(DIRECTIONS, board.rays(spot), strict=True):
            there, expected = step(spot, direction), []
            while there in board:
                expected.append(there)
                there = step(there, direction)
            assert list(ray) == expected


def test_reach_ends_before_a_hole() -> None:
    board = Board.of([[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 0, 1], [1, 1, 1]])
    assert sorted(board.reachable((0, 0))) == [(1, 0), (2, 0), (2, 1), (4, 0)]


def test_short_rows_are_padded_with_holes() -> None:
    assert Board.of([[1], [2, 3], []]).rows() == [[1, 0], [2, 3], [0, 0]]


def test_a_random_board_follows_from_its_seed() -> None:
    boards = [Board.random(6, 7, random.Random(seed), holes=5) for seed in (3, 3, 4)]
    assert boards[0] == boards[1] != boards[2]
    assert len(boards[0].tiles()) == 37
    assert set(boards[0].fish) == {0, 1, 2, 3, 4, 5}
    assert Board.random(2, 2, random.Random(0), fish=4).rows() == [[4, 4], [4, 4]]


def test_too_many_holes_are_refused() -> None:
    with pytest.raises(ConfigError, match="holes: 5 do not fit"):
        Board.random(2, 2, random.Random(0), holes=5)


def test_repr_gives_the_board_back() -> None:
    board = Board.random(3, 4, random.Random(9))
    assert eval(repr(board)) == board
