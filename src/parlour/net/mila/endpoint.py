"""The door of the `diplomacy` package's protocol as a websocket of the HTTP server, where its clients knock."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from parlour.errors import RemoteWireError
from parlour.net.mila.door import MilaDoor
from parlour.net.mila.pump import Pump
from parlour.net.mila.values import OWN_AGENT

FOREIGN = 1008
"""How a page of another site is told that it may not come in."""
SLOW = 1013
"""How a client is told that it does not read what it is sent."""


def mila_route(door: MilaDoor, origins: Sequence[str] = ()) -> WebSocketRoute:
    """The route; origins are those of pages that may come in besides the server's own."""

    async def meet(websocket: WebSocket) -> None:
        origin = websocket.headers.get("origin")
        if origin is not None and not _is_own(origin, websocket.headers.get("host", ""), origins):
            await websocket.close(FOREIGN)
            return
        await websocket.accept()
        # Clients of 1.1.2 send no Origin, and die of what these can read.
        regrades = origin is not None or websocket.headers.get("user-agent") == OWN_AGENT
        address = websocket.client.host if websocket.client is not None else ""

        async def send(frames: Sequence[bytes]) -> None:
            with suppress(WebSocketDisconnect, RuntimeError):  # it is gone, as reading will tell in a moment
                for frame in frames:
                    await websocket.send_text(frame.decode())

        try:
            await Pump(door, send, address=address, regrades=regrades).run(_frames(websocket))
        except* RemoteWireError:
            if websocket.application_state is WebSocketState.CONNECTED:
                await websocket.close(SLOW)

    return WebSocketRoute("/", meet)


async def _frames(websocket: WebSocket) -> AsyncIterator[bytes | str]:
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        yield text if text is not None else message["bytes"]


def _is_own(origin: str, host: str, origins: Sequence[str]) -> bool:
    """Whether a page is of this host, on whatever port, or of nobody in particular, or trusted."""
    if origin == "null" or origin in origins:
        return True
    return _without_port(origin.partition("://")[2]) == _without_port(host)


def _without_port(host: str) -> str:
    bare, colon, port = host.rpartition(":")
    return bare if colon and port.isdecimal() else host
