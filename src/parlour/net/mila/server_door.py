"""The door for clients of the `diplomacy` package, made from the settings of a server."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.routing import WebSocketRoute

from parlour.net.daide.server_door import ServerDaideDoor
from parlour.net.declaration import Premises
from parlour.net.doors import HttpDoor, ServerDoor
from parlour.net.mila.door import MilaDoor
from parlour.net.mila.endpoint import mila_route
from parlour.net.mila.hall_host import HallHost


def mila_websocket(premises: Premises) -> WebSocketRoute:
    """Return the websocket of these clients: the same on its own port and on that of the pages."""
    daide = premises.door("daide")
    port_of = daide.port_of if isinstance(daide, ServerDaideDoor) else None
    host = HallHost(premises.hall, premises.accounts, bot=premises.bot, daide_port=port_of)
    return mila_route(MilaDoor(host), premises.settings.origins)


def make(premises: Premises) -> ServerDoor:
    """Return the door with a port of its own for these clients."""
    app = Starlette(routes=[mila_websocket(premises)])
    return HttpDoor(app, port=premises.settings.mila_port or 0, name="mila", scheme="ws", **premises.http())
