"""Counts one client's concurrent requests and websockets, where a named proxy speaks for many clients."""

from __future__ import annotations

from collections import Counter

from starlette.types import ASGIApp, Receive, Scope, Send

from parlour.net.accounts.limits import network_of

BODY = b"too many connections from your address"


class ClientLimit:
    """An application that serves each client only so much at once; the proxy has said who it is."""

    def __init__(self, app: ASGIApp, *, most_of_one: int) -> None:
        self._app = app
        self._most = most_of_one
        self._at_once: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request or a websocket, or refuse it."""
        client = network_of(scope["client"][0]) if scope.get("client") else ""
        if self._at_once[client] >= self._most:
            await _refuse(scope, send)
            return
        self._at_once[client] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._at_once[client] -= 1
            if not self._at_once[client]:
                del self._at_once[client]


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1013, "reason": BODY.decode()})
        return
    headers = [(b"content-type", b"text/plain"), (b"retry-after", b"1"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": BODY})
