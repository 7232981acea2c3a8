"""The door for clients of the `diplomacy` package: their websocket, on its own port and on that of the pages."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from parlour.net.daide.door import DaideDoor
from parlour.net.declaration import Premises
from parlour.net.doors import HttpDoor, ServerDoor
from parlour.net.framing.websocket import EXTENSION
from parlour.net.mila.door import MilaDoor
from parlour.net.mila.hall_host import HallHost
from parlour.net.mila.protocol_values import OWN_AGENT
from parlour.net.mila.websocket_io import Pump

FOREIGN = 1008
"""Close code for pages of other sites."""


def make(premises: Premises) -> ServerDoor:
    """Return the door with a port of its own for these clients."""
    app = Starlette(routes=[mila_websocket(premises)])
    return HttpDoor(app, port=premises.settings.mila_port or 0, name="mila", scheme="ws", **premises.http())


def mila_websocket(premises: Premises) -> WebSocketRoute:
    """Return the websocket of these clients: the same on its own port and on that of the pages."""
    daide = premises.door("daide")
    port_of = daide.port_of if isinstance(daide, DaideDoor) else None
    host = HallHost(premises.hall, premises.accounts, bot=premises.bot, daide_port=port_of)
    return mila_route(MilaDoor(host), premises.settings.origins)


def mila_route(door: MilaDoor, origins: Sequence[str] = ()) -> WebSocketRoute:
    """Return the websocket route; `origins` are the pages that may connect besides the server's own."""

    async def meet(websocket: WebSocket) -> None:
        origin = websocket.headers.get("origin")
        if origin is not None and not _is_own(origin, websocket.headers.get("host", ""), origins):
            await websocket.close(FOREIGN)
            return
        await websocket.accept()
        # Clients of 1.1.2 send no Origin, and crash on newer notifications.
        regrades = origin is not None or websocket.headers.get("user-agent") == OWN_AGENT
        address = websocket.client.host if websocket.client is not None else ""
        pump = Pump(door, websocket.scope["extensions"][EXTENSION], address=address, regrades=regrades)
        try:
            # Whole texts go straight to the pump; messages in pieces, or as bytes, come here.
            while (message := await websocket.receive())["type"] != "websocket.disconnect":
                text = message.get("text")
                pump.receive(text.encode() if text is not None else message["bytes"])
        finally:
            await pump.gone()

    return WebSocketRoute("/", meet)


def _is_own(origin: str, host: str, origins: Sequence[str]) -> bool:
    """Return True if a page is of this host, on any port, has the origin `null`, or is trusted."""
    if origin == "null" or origin in origins:
        return True
    return _without_port(origin.partition("://")[2]) == _without_port(host)


def _without_port(host: str) -> str:
    bare, colon, port = host.rpartition(":")
    return bare if colon and port.isdecimal() else host
