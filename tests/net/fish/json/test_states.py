"""States: what the server writes of a position, and what a client makes of it."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.game import Seat
from parlour.errors import RemoteWireError
from parlour.games.fish import COLOURS, GAME, Position
from parlour.net.fish.json.messages import GameState
from parlour.net.fish.json.states import follow, read_position, write_state


@given(st.integers(2, 4), st.integers(0, 40), st.integers(0, 2**32))
def test_a_client_sees_the_position_that_the_server_has(players: int, turns: int, seed: int) -> None:
    import random

    rng = random.Random(seed)
    position = GAME.start({"rows": 5, "cols": 4, "holes": 2}, COLOURS[:players], seed)
    names = {seat: f"the {seat} one" for seat in COLOURS}
    for _ in range(turns):
        if not position.to_act():
            break
        (seat,) = position.to_act()
        position, _ = position.apply({seat: position.sample(seat, rng)})
    state = write_state(position, names)
    assert msgspec.json.decode(msgspec.json.encode(state), type=GameState) == state
    seen = read_position(state, placing=position.stage == "placement")
    assert (seen.board, seen.stage, seen.to_act()) == (position.board, position.stage, position.to_act())
    assert [(s.seat, s.penguins, s.score) for s in seen.sides] == [
        (s.seat, s.penguins, s.score) for s in position.sides
    ]
    for seat in position.to_act():
        assert seen.legal(seat) == position.legal(seat)


def state(**changes: object) -> GameState:
    plain = {
        "board": [[1, 2], [0, 5]],
        "players": [
            {"name": "a", "places": [[0, 0]], "color": "red"},
            {"name": "b", "places": [[0, 1]], "color": "white"},
        ],
    }
    return msgspec.convert(plain | changes, GameState)


def test_a_state_without_scores_is_read_as_written_by_others() -> None:
    position = read_position(state(), placing=False)
    assert isinstance(position, Position)
    assert [side.score for side in position.sides] == [0, 0]
    assert position.sides[0].seat == Seat("red")


@pytest.mark.parametrize(
    "changes",
    [
        {"board": []},
        {"board": [[0, 0]]},
        {"board": [[9]]},
        {"board": [[1] * 26]},
        {"players": [{"name": "a", "places": [[1, 0]], "color": "red"}]},
        {"players": [{"name": "a", "places": [[7, 7]], "color": "red"}]},
        {"players": [{"name": "a", "places": [[0, 0], [0, 0]], "color": "red"}]},
        {"players": [{"name": "a", "places": [], "color": "red"}, {"name": "b", "places": [], "color": "red"}]},
    ],
)
def test_a_state_that_contradicts_itself_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(RemoteWireError):
        read_position(state(**changes), placing=False)


def test_a_state_without_players_is_over() -> None:
    assert read_position(state(players=[]), placing=True).to_act() == ()


def test_where_nobody_is_left_nobody_can_have_moved() -> None:
    with pytest.raises(RemoteWireError, match="there is nobody who could have done that"):
        follow(read_position(state(players=()), placing=False), ((0, 0), (1, 0)))
