"""Frames of the protocol's text, byte for byte, and the code of each way to break it."""

from __future__ import annotations

import pytest

from parlour.net.daide.frames import (
    DIPLOMACY,
    FINAL,
    GREETING,
    Fault,
    check_greeting,
    check_message,
    check_served,
    framed,
)


def test_vectors_of_the_protocol() -> None:
    assert bytes.fromhex("000000040001da10") == GREETING
    assert framed(FINAL) == bytes.fromhex("03000000")
    assert framed(DIPLOMACY, b"\x48\x0f") == bytes.fromhex("02000002480f")
    assert framed(DIPLOMACY, bytes(0x1234))[:4] == bytes.fromhex("02001234")


def code_of(check: object, *said: object, **more: object) -> int:
    assert callable(check)
    with pytest.raises(Fault) as caught:
        check(*said, **more)
    return caught.value.code


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [(1, "", 2), (2, "480f", 2), (5, "", 2), (0, "0001da", 9), (0, "0001da1000", 9), (0, "000110da", 3),
     (0, "0001dead", 4), (0, "0002da10", 5)],
)  # fmt: skip
def test_a_greeting(kind: int, body: str, code: int) -> None:
    assert code_of(check_greeting, kind, bytes.fromhex(body)) == code


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [
        (0, "0001da10", 6),
        (1, "", 0x0D),
        (5, "", 8),
        (2, "", 9),
        (2, "48", 9),
        (2, "480f48", 9),
        (2, "480f5800", 0x0E),
        (2, "5fff", 0x0E),
    ],
)
def test_what_follows_it(kind: int, body: str, code: int) -> None:
    assert code_of(check_message, kind, bytes.fromhex(body)) == code


@pytest.mark.parametrize(
    ("kind", "body", "first", "code"),
    [(0, "0001da10", True, 7), (0, "0001da10", False, 7), (1, "", False, 0x0C), (2, "480f", True, 0x0B),
     (5, "", True, 8), (2, "48", False, 9)],
)  # fmt: skip
def test_what_a_server_says(kind: int, body: str, first: bool, code: int) -> None:
    assert code_of(check_served, kind, bytes.fromhex(body), first=first) == code


def test_what_is_lawful() -> None:
    check_greeting(0, bytes.fromhex("0001da10"))
    for kind, body in [(2, "480f"), (2, "57586059"), (3, ""), (4, "0001")]:
        check_message(kind, bytes.fromhex(body))
        check_served(kind, bytes.fromhex(body), first=False)
    check_served(1, b"", first=True)
    check_served(3, b"", first=True)
