"""Fish for tournaments: mirrors that are boards of the same shape, and points."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from parlour.core.game import Outcome, Seat
from parlour.games import load_contest
from parlour.games.fish import GAME
from parlour.games.fish.board import Board
from parlour.games.fish.contest import CONTEST, mirrored

RED, WHITE, BROWN = Seat("red"), Seat("white"), Seat("brown")


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("cols", [1, 2, 5])
def test_a_mirror_has_the_same_lines(rows: int, cols: int) -> None:
    """Along each line of the board the same fish lie as along one of its mirror."""
    board = Board.random(rows, cols, random.Random(1), holes=1)
    other = mirrored(board)

    def lines(of: Board) -> list[tuple[tuple[int, ...], ...]]:
        return sorted(tuple(sorted(tuple(of[there] for there in ray) for ray in of.rays(spot))) for spot in of.spots())

    assert lines(board) == lines(other)
    assert mirrored(other) == board


def test_a_deal_is_a_board_and_its_mirror() -> None:
    one, other = CONTEST.deals({"rows": 4, "cols": 3, "holes": 2}, 3, 7)
    assert one["players"] == other["players"] == 3
    first, second = (GAME.start(config, GAME.seats(config), 99).board for config in (one, other))
    assert first.rows() == one["board"]
    assert second == mirrored(first)
    assert first == GAME.start({"rows": 4, "cols": 3, "holes": 2, "players": 3}, (RED, WHITE, BROWN), 7).board
    assert CONTEST.deals({"rows": 4, "cols": 3}, 3, 8)[0] != one


def test_every_order_of_seats_is_played() -> None:
    assert [len(CONTEST.orders(seats)) for seats in (2, 3, 4)] == [2, 6, 24]
    for first, second in pairwise(sorted(CONTEST.orders(3))):
        assert first != second


def test_points() -> None:
    position = GAME.start({"players": 3}, (RED, WHITE, BROWN), 1)
    outcome = Outcome({"red": 12.0, "white": 12.0, "brown": 5.0}, (("red", "white"), ("brown",)), "nobody can move")
    points = CONTEST.points(position, outcome, ())
    assert points["win share"] == {"red": 0.5, "white": 0.5, "brown": 0.0}
    assert points["margin"] == {"red": 0.0, "white": 0.0, "brown": -7.0}
    points = CONTEST.points(position, outcome, (RED,))
    assert points["win share"] == {"red": 0.0, "white": 1.0, "brown": 0.0}
    assert points["margin"] == {"red": -12.0, "white": 7.0, "brown": -7.0}


def test_a_match_that_nobody_won() -> None:
    position = GAME.start({"players": 2}, (RED, WHITE), 1)
    outcome = Outcome({"red": 0.0, "white": 0.0}, (), "nobody is left")
    assert CONTEST.points(position, outcome, (RED, WHITE))["win share"] == {"red": 0.0, "white": 0.0}
    assert set(CONTEST.points(position, outcome, ())) == set(load_contest("fish").scores)
