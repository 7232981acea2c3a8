"""The board prints as hexagons."""

from __future__ import annotations

from parlour.games.fish import COLOURS, Board, Position, Side
from support.fish.positions import random_game


def test_the_board_prints_as_hexagons() -> None:
    board = Board.of([[3, 0], [0, 5], [1, 0], [2, 0]])
    position = Position(board, (Side(COLOURS[0], ((0, 0),)), Side(COLOURS[1], ((3, 0),), 4)), 1)
    assert str(position).splitlines() == [
        "       0         1",
        "     ____",
        " 0  / 3R \\          ____",
        " 1  \\____/         / 5  \\",
        " 2  / 1  \\____     \\____/",
        " 3  \\____/ 2W \\",
        "         \\____/",
        "red (R) 0, white (W) 4; red to move",
    ]


def test_every_position_of_a_game_prints() -> None:
    for position in random_game(4, 5, 3, 2, holes=4):
        assert "red (R)" in str(position)
    assert "over: nobody can move" in str(position)
