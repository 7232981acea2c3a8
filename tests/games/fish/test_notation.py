"""The course's JSON: what is read, what is refused and in which words, what is written."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.errors import NotationError
from parlour.games.fish.notation import read_action, read_board, read_spot, read_state, write_state
from support.fish.positions import random_game


def state(**changes: Any) -> dict[str, Any]:
    players = [
        {"color": "white", "score": 3, "places": [[0, 1]]},
        {"color": "red", "score": 0, "places": [[2, 0]]},
    ]
    return {"players": players, "board": [[1, 2], [0, 3], [4]], **changes}


def player(**changes: Any) -> dict[str, Any]:
    return {"color": "red", "score": 0, "places": [], **changes}


def test_a_state_has_its_first_player_to_act() -> None:
    position = read_state(state())
    assert position.stage == "move"
    assert position.sides[0].seat == "white"
    assert position.board.rows() == [[1, 2], [0, 3], [4, 0]]


def test_a_written_state_has_exactly_the_keys_of_the_course() -> None:
    for position in random_game(4, 4, 3, 5):
        written = write_state(position)
        assert set(written) == {"players", "board"}
        assert all(set(side) == {"color", "score", "places"} for side in written["players"])
        again = read_state(written)
        assert again.board == position.board
        assert [(s.seat, s.score, s.penguins) for s in again.sides] == [
            (s.seat, s.score, s.penguins) for s in position.sides
        ]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (7, "state: expected an object with board and players"),
        ({"board": [[1]]}, "state: players is missing"),
        (state(extra=1), "state: 'extra' is not known"),
        (state(board=[[1, 9]]), "state, board, row 0, column 1: expected a whole number of fish from 0 to 5"),
        (state(players=[player()] * 5), "state, players: expected a list of at most 4 players"),
        (state(players=[player(), player()]), "state, players: expected colours that differ"),
        (state(players=[player(color="pink")]), "state, player 0, color: expected red or white or brown or black"),
        (state(players=[player(score=-1)]), "state, player 0, score: expected a whole number"),
        (state(players=[player(score=True)]), "state, player 0, score: expected a whole number"),
        (state(players=[player(places=[[0]])]), "state, player 0, place 0: expected .row, column."),
        (state(players=[player(places=[[1, 0]])]), "place 0: expected a tile of the board that is no hole"),
        (state(players=[player(places=[[9, 9]])]), "place 0: expected a tile of the board that is no hole"),
        (state(players=[player(places=[[0, 0], [0, 0]])]), "state, players: expected at most one penguin on a tile"),
        (state(players=[player(places=3)]), "state, player 0, places: expected a list of positions"),
        (state(players=[{"color": "red", "score": 0}]), "state, player 0: places is missing"),
        (state(rules=["all"]), "state, rules: expected a list of one_fish_placement"),
        (state(penguins=-1), "state, penguins: expected"),
    ],
)
def test_a_state_that_is_none_is_refused_in_one_line(value: Any, message: str) -> None:
    with pytest.raises(NotationError, match=message) as caught:
        read_state(value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [None, [], [[]], [[0, 0]], [[1], 2], [["1"]], [[None]], [[1]] * 26, {}])
def test_a_board_that_is_none_is_refused(value: Any) -> None:
    with pytest.raises(NotationError, match=r"^board"):
        read_board(value)


@pytest.mark.parametrize("value", [None, [1], [1, 2, 3], [-1, 0], [0.0, 1], ["0", "1"], [True, 0]])
def test_a_place_that_is_none_is_refused(value: Any) -> None:
    with pytest.raises(NotationError, match=r"^position: expected"):
        read_spot(value)


def test_actions_are_moves_or_skips_in_either_spelling() -> None:
    assert read_action([[0, 1], [2, 3]]) == ((0, 1), (2, 3))
    assert read_action("skip") == read_action("Skip") == "skip"
    with pytest.raises(NotationError, match=r"^action: expected"):
        read_action(False)
    with pytest.raises(NotationError, match=r"^action, to: expected"):
        read_action([[0, 1], 2])
