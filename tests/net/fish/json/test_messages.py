"""The JSON messages: as the protocol's description writes them, both ways, and strict about types."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.errors import RemoteWireError
from parlour.net.fish.json import messages as ms
from parlour.net.framing.json_stream import encode_line

STATE = {"board": [[1, 2], [0, 5]], "players": [{"name": "ann", "places": [[0, 0]], "color": "red"}]}

# As in the description of the protocol, in its order.
FROM_PLAYER: list[dict[str, Any]] = [
    {"type": "tournament_ready", "value": True},
    {"type": "player_respond_placement", "value": [1, 2]},
    {"type": "player_respond_move", "value": [[1, 2], [3, 4]]},
    {"type": "player_respond_move", "value": "Skip"},
    {"type": "tournament_end_response", "value": True},
]
FROM_SERVER: list[dict[str, Any]] = [
    {"type": "signup_confirmation", "value": True},
    {"type": "tournament_start", "value": True},
    {"type": "player_assign_color", "value": "brown"},
    {"type": "player_request_placement", "value": STATE},
    {"type": "broadcast_state", "value": STATE},
    {"type": "player_request_move", "value": True},
    {"type": "broadcast_action", "value": [[0, 0], [2, 0]]},
    {
        "type": "broadcast_game_over",
        "value": {"winners": ["ann"], "losers": [], "kicked_players": ["bob"], "state": STATE},
    },
    {"type": "tournament_end", "value": False},
]


def written(message: Any) -> Any:
    return json.loads(encode_line(message))


@pytest.mark.parametrize("message", FROM_PLAYER, ids=lambda message: message["type"])
def test_what_players_say_is_read_and_written_alike(message: dict[str, Any]) -> None:
    assert written(ms.read(ms.from_player, json.dumps(message).encode())) == message


@pytest.mark.parametrize("message", FROM_SERVER, ids=lambda message: message["type"])
def test_what_the_server_says_is_read_and_written_alike(message: dict[str, Any]) -> None:
    assert written(ms.read(ms.from_server, json.dumps(message).encode())) == message


def test_signing_up_is_read_and_written_alike() -> None:
    message = {"type": "signup_request", "value": "ann"}
    assert written(ms.read(ms.greetings, json.dumps(message).encode())) == message


@pytest.mark.parametrize("message", FROM_SERVER + FROM_PLAYER, ids=lambda message: message["type"])
def test_unknown_keys_are_passed_over(message: dict[str, Any]) -> None:
    decoder: Any = ms.from_server if message in FROM_SERVER else ms.from_player
    more = message | {"sent_by": "another program", "nested": {"deep": [1]}}
    assert written(ms.read(decoder, json.dumps(more).encode())) == message


def test_optional_keys_are_left_out_unless_they_say_something() -> None:
    assert written(ms.SignupConfirmation(True)) == {"type": "signup_confirmation", "value": True}
    assert written(ms.SignupConfirmation(False, reason="full"))["reason"] == "full"
    assert "score" not in written(ms.PlayerState("ann", (), "red"))
    assert written(ms.PlayerState("ann", (), "red", 0))["score"] == 0


WRONG: list[Any] = [
    *(None, True, 7, "text", [], {}, {"type": "tournament_ready"}, {"type": "no_such", "value": 1}),
    *({"type": 3, "value": True}, {"value": True}, {"type": "tournament_ready", "value": "yes"}),
    *({"type": "player_respond_placement", "value": value} for value in (None, [1], [1, 2, 3], [1, -1], [1.5, 0], "x")),
    *({"type": "player_respond_placement", "value": [10**9, 0]},),
    *({"type": "player_respond_move", "value": value} for value in ("Jump", [[0, 0]], [[0, 0], [1]], {"from": [0, 0]})),
    *(FROM_SERVER[0], FROM_SERVER[4]),
]


@pytest.mark.parametrize("value", WRONG, ids=json.dumps)
def test_what_is_not_of_the_form_is_refused_in_one_line(value: Any) -> None:
    with pytest.raises(RemoteWireError) as caught:
        ms.read(ms.from_player, json.dumps(value).encode())
    assert "\n" not in str(caught.value)
    assert "expected" in str(caught.value)


@pytest.mark.parametrize(
    ("key", "fits", "too_much"),
    [
        ("value", ["x", "x" * 64], ["", "x" * 65]),
        ("age", [0, 1_000_000, None], [-1, 1_000_001]),
        ("token", ["", "x" * 64, None], ["x" * 65]),
    ],
)
def test_names_ages_and_tokens_are_bounded(key: str, fits: list[Any], too_much: list[Any]) -> None:
    def signed_up(value: Any) -> ms.Greeting:
        return ms.read(ms.greetings, json.dumps({"type": "signup_request", "value": "ann", key: value}).encode())

    for value in fits:
        assert getattr(signed_up(value), key) == value
    for value in too_much:
        with pytest.raises(RemoteWireError, match=rf"\$\.{key}"):
            signed_up(value)


@pytest.mark.parametrize(("number", "fits"), [(-1, False), (0, True), (1_000_000, True), (1_000_001, False)])
def test_rows_and_columns_are_bounded(number: int, fits: bool) -> None:
    text = json.dumps({"type": "player_respond_placement", "value": [number, 0]}).encode()
    if fits:
        assert ms.read(ms.from_player, text) == ms.PlayerRespondPlacement((number, 0))
    else:
        with pytest.raises(RemoteWireError):
            ms.read(ms.from_player, text)


def test_the_refusal_names_the_field() -> None:
    with pytest.raises(RemoteWireError, match=r"\$\.value\[1\]"):
        ms.read(ms.from_player, b'{"type":"player_respond_placement","value":[1,"x"]}')


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_refused(text: bytes) -> None:
    try:
        message = ms.read(ms.from_player, text)
    except RemoteWireError:
        return
    assert ms.tag_of(message) in text.decode()
