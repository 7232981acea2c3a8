"""Bodies of requests: refused before they are read, if they say that they are too large."""

from __future__ import annotations

import asyncio

import pytest
from starlette.requests import Request
from starlette.types import Message

from parlour.net.http.bodies import read_body
from parlour.net.http.problems import Answered


def _read(declared: bytes | None, body: bytes, most: int) -> tuple[bytes, int]:
    """Return the body, and how often somebody wanted to have some of it."""
    asked = 0

    async def receive() -> Message:
        nonlocal asked
        asked += 1
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [] if declared is None else [(b"content-length", declared)]
    request = Request({"type": "http", "method": "POST", "path": "/", "headers": headers}, receive)
    try:
        return asyncio.run(read_body(request, most)), asked
    except Answered as refused:
        return str(int(refused.status)).encode(), asked


@pytest.mark.parametrize(
    ("declared", "body", "found"),
    [
        (b"3", b"abc", (b"abc", 1)),
        (None, b"abc", (b"abc", 1)),
        (b"4", b"abcd", (b"abcd", 1)),
        (b"5", b"abcde", (b"413", 0)),
        (b"-1", b"abc", (b"413", 0)),
        (b"many", b"abc", (b"413", 0)),
        (None, b"abcde", (b"413", 1)),
        (b"1", b"abcde", (b"413", 1)),
    ],
)
def test_what_says_that_it_is_too_large_is_not_read_and_what_lies_is_cut_off(
    declared: bytes | None, body: bytes, found: tuple[bytes, int]
) -> None:
    assert _read(declared, body, 4) == found
