"""The course's calls: exactly its keys, values and order; and the quirk of the list of actions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from parlour.core.game import Seat
from parlour.errors import RemoteWireError
from parlour.games.fish.notation import read_state
from parlour.net.fish.neu import calls

# Captured from the course's own server.
SETUP = (
    b'["setup",[{"board":[[5,3],[3,3]],"players":[{"color":"red","places":[],"score":0},'
    b'{"color":"white","places":[[0,0]],"score":0}]}]]\n'
)


def position() -> Any:
    state = {
        "board": [[5, 3], [3, 3]],
        "players": [
            {"color": "red", "score": 0, "places": []},
            {"color": "white", "score": 0, "places": [[0, 0]]},
        ],
        "penguins": 4,
    }
    return read_state(state)


def test_calls_are_written_as_the_course_writes_them() -> None:
    assert calls.start() == b'["start",[true]]\n'
    assert calls.playing_as(Seat("red")) == b'["playing-as",["red"]]\n'
    assert calls.playing_with([Seat("white"), Seat("brown")]) == b'["playing-with",[["white","brown"]]]\n'
    assert calls.setup(position()) == SETUP
    assert calls.end(False) == b'["end",[false]]\n'
    name, (state, actions) = json.loads(calls.take_turn(position(), [[[0, 0], [2, 0]], "skip"]))
    assert (name, actions) == ("take-turn", [[[0, 0], [2, 0]], "skip"])
    assert list(state) == ["board", "players"]
    assert [list(player) for player in state["players"]] == [["color", "places", "score"]] * 2


def test_the_newest_penguin_comes_first() -> None:
    after, _ = position().apply({Seat("red"): [1, 1]})
    after, _ = after.apply({Seat("white"): [0, 1]})
    assert calls.state(after)["players"][1]["places"] == [(0, 1), (0, 0)]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_list_of_actions_is_what_the_others_did_with_the_quirk_of_the_first_seat(players: int) -> None:
    history: list[int] = []
    for turn in range(4):
        for seat in range(players):
            given = list(calls.actions_since(history, players))
            if turn == 0 or (turn == 1 and seat == 0):
                assert given == []
            else:
                assert given == history[-(players - 1) :]
            history.append(turn * players + seat)


def test_one_player_alone_has_no_others() -> None:
    assert list(calls.actions_since([1, 2, 3], 1)) == []


@pytest.mark.parametrize("name", ["a", "Pz", "abcdefghijkl"])
def test_names_of_one_to_twelve_letters(name: str) -> None:
    assert calls.read_name(json.dumps(name).encode()) == name


@pytest.mark.parametrize("value", ["", "abcdefghijklm", "two words", "é", "a1", "a\n", 7, None, ["a"]])
def test_other_names_are_refused(value: Any) -> None:
    with pytest.raises(RemoteWireError, match="expected a name"):
        calls.read_name(json.dumps(value).encode())


def test_results() -> None:
    calls.read_void(b'"void"')
    assert calls.read_place(b" [3, 4]") == (3, 4)
    assert calls.read_action(b"[[0,0],[1,1]]") == ((0, 0), (1, 1))
    assert calls.read_action(b'"skip"') == "skip"


@pytest.mark.parametrize("read", [calls.read_void, calls.read_place, calls.read_action])
@pytest.mark.parametrize("value", [b"false", b"{}", b"[]", b"[[0,0],[1]]", b"[1,-1]", b'"no"', b"null", b"\xff"])
def test_other_results_are_refused(read: Any, value: bytes) -> None:
    with pytest.raises(RemoteWireError, match="expected"):
        read(value)


@pytest.mark.parametrize(("number", "fits"), [(-1, False), (0, True), (1_000_000, True), (1_000_001, False)])
def test_rows_and_columns_are_bounded(number: int, fits: bool) -> None:
    place, move = f"[0,{number}]".encode(), f"[[{number},0],[0,0]]".encode()
    if fits:
        assert calls.read_place(place) == (0, number)
        assert calls.read_action(move) == ((number, 0), (0, 0))
    else:
        for read, value in ((calls.read_place, place), (calls.read_action, move)):
            with pytest.raises(RemoteWireError, match="expected"):
                read(value)
