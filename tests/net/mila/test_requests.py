"""Frames that are no requests: each says why, and by which id to answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from parlour.net.mila.requests import REQUESTS, Logout, Unreadable, read_request

DEEP = b"[" * 100_000


def test_an_optional_key_may_be_null() -> None:
    assert not read_request(b'{"name":"logout","request_id":"r","token":"t","re_sent":null}').re_sent


def test_unknown_keys_are_passed_over() -> None:
    frame = {"request_id": "a", "name": "logout", "token": "t", "more": {"deep": [1, 2]}}
    assert read_request(json.dumps(frame).encode()) == Logout(request_id="a", token="t")


@pytest.mark.parametrize(
    ("frame", "request_id", "reason"),
    [
        (b"", None, "JSON object"),
        (b"{", None, "JSON object"),
        (b"[]", None, "JSON object"),
        (b"5", None, "JSON object"),
        (b"\xff\xfe", None, "JSON object"),
        (DEEP, None, "JSON object"),
        (b'{"request_id": "a", "name": "logout", "more": ' + DEEP, "a", "JSON object"),
        (b'{"request_id": "a", "name": "sign_in", "username": "\\ud800", "password": "p"}', "a", "JSON object"),
        (b'{"request_id": "a"}', "a", "no request None"),
        (b'{"request_id": "a", "name": "knight"}', "a", "no request 'knight'"),
        (b'{"request_id": "a", "name": 5}', "a", "no request 5"),
        (b'{"request_id": 7, "name": "logout", "token": "t"}', 7, "Wrong request format"),
        (b'{"name": "logout", "token": "t"}', None, "Wrong request format"),
        (b'{"request_id": "a", "name": "logout"}', "a", "token"),
        (b'{"request_id": "a", "name": "logout", "token": 5}', "a", "token"),
    ],
)
def test_what_is_no_request_says_why_and_by_which_id_to_answer(frame: bytes, request_id: Any, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason) as raised:
        read_request(frame)
    assert raised.value.request_id == request_id


def test_an_id_inside_a_text_is_not_taken_for_that_of_the_request() -> None:
    text = json.dumps('"request_id": "other"')
    frame = f'{{"message": {text}, "odd": "\\ud800", "request_id": "own"}}'.encode()
    with pytest.raises(Unreadable) as raised:
        read_request(frame)
    assert raised.value.request_id == "own"


@pytest.mark.parametrize("name", sorted(REQUESTS))
def test_a_request_with_everything_wrong_is_answered_by_its_id(name: str) -> None:
    frame = {"request_id": "a", "name": name, "token": 1, "username": 1, "game_id": 1}
    with pytest.raises(Unreadable) as raised:
        read_request(json.dumps(frame).encode())
    assert raised.value.request_id == "a"
