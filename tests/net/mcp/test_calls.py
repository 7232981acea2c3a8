"""Calls over HTTP that are cut off, never end, or are none: the application never hears of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from parlour.net.mcp.server import MAX_BODY, WholeCalls

CUT_OFF: Message = {"type": "http.disconnect"}


def part(body: bytes, *, more: bool) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


class Line:
    """A connection to an application: what comes over it, and what is answered."""

    def __init__(self, app: ASGIApp, *coming: Message, method: str = "POST", headers: Iterable[Any] = ()) -> None:
        self._app = WholeCalls(app)
        self._scope: Scope = {"type": "http", "method": method, "path": "/mcp", "headers": list(headers)}
        self.coming: asyncio.Queue[Message] = asyncio.Queue()
        for message in coming:
            self.coming.put_nowait(message)
        self.sent: list[Message] = []

    async def call(self) -> None:
        await self._app(self._scope, self.coming.get, self._send)

    async def _send(self, message: Message) -> None:
        self.sent.append(message)

    @property
    def status(self) -> int | None:
        return next((message["status"] for message in self.sent if "status" in message), None)


class Echo:
    """An application that answers with the body it was given; or waits for ever."""

    def __init__(self, *, waits: bool = False) -> None:
        self.given: list[bytes] = []
        self.ended = False
        self.waiting = asyncio.Event()
        self._waits = waits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.given.append((await receive())["body"])
        try:
            if self._waits:
                self.waiting.set()
                await asyncio.Event().wait()
        finally:
            self.ended = True
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": self.given[-1]})


async def test_a_call_in_pieces_is_given_as_a_whole() -> None:
    echo = Echo()
    line = Line(echo, part(b"a", more=True), part(b"b", more=False))
    await line.call()
    assert (echo.given, line.status, line.sent[-1]["body"]) == ([b"ab"], 200, b"ab")


async def test_a_call_that_is_cut_off_is_never_given() -> None:
    echo = Echo()
    await Line(echo, part(b"a", more=True), CUT_OFF).call()
    assert echo.given == []


async def test_one_that_is_too_large_or_no_call_is_refused() -> None:
    echo = Echo()
    assert MAX_BODY <= 1 << 16, "what is no call costs the SDK a second for each mebibyte"
    large = Line(echo, *[part(b"x" * (MAX_BODY // 2), more=True) for _ in range(3)])
    listening = Line(echo, part(b"", more=False), method="GET")
    for line in (large, listening):
        await line.call()
    assert (large.status, listening.status, echo.given) == (413, 405, [])


async def test_who_hangs_up_is_not_waited_for() -> None:
    echo = Echo(waits=True)
    line = Line(echo, part(b"a", more=False))
    call = asyncio.ensure_future(line.call())
    await echo.waiting.wait()
    assert echo.given == [b"a"]
    assert not echo.ended
    line.coming.put_nowait(CUT_OFF)
    await call
    assert echo.ended
    assert len(asyncio.all_tasks()) == 1


async def test_a_server_that_stops_says_so() -> None:
    echo = Echo(waits=True)
    line = Line(echo, part(b"a", more=False))
    call = asyncio.ensure_future(line.call())
    await echo.waiting.wait()
    call.cancel()
    await call
    assert line.status == 503


async def test_a_server_that_stops_in_the_middle_of_an_answer_does_not_begin_another() -> None:
    begun = asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        begun.set()
        await asyncio.Event().wait()

    line = Line(slow, part(b"a", more=False))
    call = asyncio.ensure_future(line.call())
    await begun.wait()
    call.cancel()
    await call
    assert [message["type"] for message in line.sent] == ["http.response.start"]


async def test_what_fails_in_the_application_is_not_hidden_and_what_is_no_call_goes_through() -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await Line(broken, part(b"a", more=False)).call()
    lives: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        lives.append(scope["type"])

    await WholeCalls(app)({"type": "lifespan"}, asyncio.Queue[Message]().get, Line(app)._send)
    assert lives == ["lifespan"]
