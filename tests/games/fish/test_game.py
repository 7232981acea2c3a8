"""The game of Fish: configuration, and the one-line error of each field."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.errors import ConfigError, NotationError
from parlour.games.fish import COLOURS, GAME
from parlour.games.fish.game import MAX_SCORE


def test_the_usual_board_is_five_by_five() -> None:
    board = GAME.start({}, COLOURS[:2], 1).board
    assert (board.height, board.width) == (5, 5)
    assert len(board.tiles()) == 25


def test_the_same_seed_gives_the_same_board() -> None:
    boards = [GAME.start({"rows": 9, "cols": 8, "holes": 7}, COLOURS, seed).board for seed in (1, 1, 2)]
    assert boards[0] == boards[1] != boards[2]


def test_the_largest_board_is_25_by_25() -> None:
    assert len(GAME.start({"rows": 25, "cols": 25}, COLOURS, 1).placements()) == 625


def test_seats_are_the_colours_in_order() -> None:
    assert GAME.seats({}) == ("red", "white", "brown", "black")
    assert GAME.seats({"players": 3}) == ("red", "white", "brown")
    assert GAME.fewest({"players": 3}) == 2


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"rows": 26}, "rows"),
        ({"rows": 0}, "rows"),
        ({"cols": 2.5}, "cols"),
        ({"cols": True}, "cols"),
        ({"fish": 6}, "fish"),
        ({"fish": -1}, "fish"),
        ({"fish": "many"}, "fish"),
        ({"holes": 26}, "holes"),
        ({"players": 5}, "players"),
        ({"players": 1}, "players"),
        ({"board": [[1, -1]]}, "board"),
        ({"board": [[1, 0.5]]}, "board"),
        ({"board": [[1, 6]]}, "board"),
        ({"board": [[0, 0]]}, "board"),
        ({"board": [1, 2]}, "board"),
        ({"board": []}, "board"),
        ({"board": [[1] * 26]}, "board"),
        ({"board": "x"}, "board"),
        ({"board": [[1]], "rows": 1}, "rows"),
        ({"columns": 3}, "columns"),
        ({"cash_last_tile": 1}, "cash_last_tile"),
    ],
)
def test_a_bad_setting_is_named(config: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError, match=rf"^{field}\b") as caught:
        GAME.seats(config)
    assert caught.value.field == field
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("players", "needed"), [(2, 8), (3, 9), (4, 8)])
def test_the_board_must_hold_all_penguins(players: int, needed: int) -> None:
    seats = COLOURS[:players]
    assert GAME.start({"board": [[1] * needed]}, seats, 0).stage == "placement"
    with pytest.raises(ConfigError, match=f"{needed} penguins need as many tiles, there are only {needed - 1}"):
        GAME.start({"board": [[1] * (needed - 1)]}, seats, 0)


def test_one_fish_placement_needs_tiles_with_one_fish() -> None:
    with pytest.raises(ConfigError, match="8 penguins need as many tiles with one fish, there are only 0"):
        GAME.start({"fish": 2, "one_fish_placement": True}, COLOURS[:2], 0)


def test_a_game_for_one_is_refused() -> None:
    with pytest.raises(ConfigError, match="for 2 to 4, not 1"):
        GAME.start({}, COLOURS[:1], 0)


def test_a_position_that_is_none_is_refused() -> None:
    with pytest.raises(NotationError, match="position: expected an object"):
        GAME.decode([])


def test_a_score_that_no_store_can_keep_is_refused_in_a_match() -> None:
    value = GAME.start({}, COLOURS[:2], 0).encode()
    value["players"][1]["score"] = MAX_SCORE
    assert GAME.decode(value).encode() == value
    value["players"][1]["score"] = MAX_SCORE + 1
    with pytest.raises(NotationError, match="position, score: expected at most"):
        GAME.decode(value)
