"""Calls over HTTP as the SDK wants them: whole ones, and no longer than the caller is there.

The SDK takes a caller who hangs up in the middle of a call for a failure of its own, which it writes down at length; it
goes on waiting for whoever has hung up since; and to one who only wants to listen it gives a stream without an end in
which nothing is ever said.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from parlour.net.http.bodies import read_body
from parlour.net.http.problems import Answered

MAX_BODY = 1 << 16
"""Bytes of one call: the longest that is of use has a message in it, and what is no call costs as much to look at."""


class WholeCalls:
    """Gives an application only calls of which everything has come, for as long as the caller is there."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            if scope["method"] != "POST":
                raise Answered(HTTPStatus.METHOD_NOT_ALLOWED, "bad value", "expected POST", {"Allow": "POST"})
            body = await read_body(Request(scope, receive), MAX_BODY)
            await _while_there(self._app, scope, body, receive, send)
        except Answered as answer:
            await PlainTextResponse(str(answer), answer.status, answer.headers)(scope, receive, send)


async def _while_there(app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
    """Let the application answer, and give it up when the caller hangs up or the server stops."""
    coming: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    begun = False

    async def received() -> Message:
        return coming.pop() if coming else await receive()

    async def sent(message: Message) -> None:
        nonlocal begun
        begun = True
        await send(message)

    tasks = asyncio.ensure_future(app(scope, received, sent)), asyncio.ensure_future(receive())
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        if not begun:  # or else there is no more to be said
            raise Answered(HTTPStatus.SERVICE_UNAVAILABLE, "closing", "the server stops") from None
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    if not tasks[0].cancelled():
        tasks[0].result()
