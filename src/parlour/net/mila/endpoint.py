"""The door of the `diplomacy` package's protocol as a websocket of the HTTP server, where its clients knock."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from parlour.net.framing.websocket import EXTENSION
from parlour.net.mila.door import MilaDoor
from parlour.net.mila.protocol_values import OWN_AGENT
from parlour.net.mila.websocket_io import Pump

FOREIGN = 1008
"""Close code for pages of other sites."""


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
        pump = Pump(door, websocket.scope["extensions"][EXTENSION], address=address, regrades=regrades)
        try:
            # Whole texts go straight to the pump; what comes in pieces, or as bytes, comes here.
            while (message := await websocket.receive())["type"] != "websocket.disconnect":
                text = message.get("text")
                pump.receive(text.encode() if text is not None else message["bytes"])
        finally:
            await pump.gone()

    return WebSocketRoute("/", meet)


def _is_own(origin: str, host: str, origins: Sequence[str]) -> bool:
    """Return True if a page is of this host, on whatever port, or of nobody in particular, or trusted."""
    if origin == "null" or origin in origins:
        return True
    return _without_port(origin.partition("://")[2]) == _without_port(host)


def _without_port(host: str) -> str:
    bare, colon, port = host.rpartition(":")
    return bare if colon and port.isdecimal() else host
