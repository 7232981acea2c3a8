"""The door for clients of the `diplomacy` package, as a server declares it: settings, how it is made, what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlour.net.declaration import DoorDeclaration, Premises

if TYPE_CHECKING:
    from starlette.routing import WebSocketRoute

    from parlour.net.doors import ServerDoor


def mila_websocket(premises: Premises) -> WebSocketRoute:
    """Return the websocket of these clients: the same on its own port and on that of the pages."""
    from parlour.net.daide.declaration import ServerDaideDoor
    from parlour.net.mila.door import MilaDoor
    from parlour.net.mila.endpoint import mila_route
    from parlour.net.mila.hall_host import HallHost

    daide = premises.door("daide")
    port_of = daide.port_of if isinstance(daide, ServerDaideDoor) else None
    host = HallHost(premises.hall, premises.accounts, bot=premises.bot, daide_port=port_of)
    return mila_route(MilaDoor(host), premises.settings.origins)


def _make(premises: Premises) -> ServerDoor:
    from starlette.applications import Starlette

    from parlour.net.doors import HttpDoor

    app = Starlette(routes=[mila_websocket(premises)])
    return HttpDoor(app, port=premises.settings.mila_port or 0, name="mila", scheme="ws", **premises.http())


def _hint(address: str, program: str) -> str:
    return f"clients of the diplomacy package, or {program} join {address} --match ID --agent broker"


MILA = DoorDeclaration(
    "mila",
    "mila_port",
    (
        "mila_port",
        "mila_bot",
        "mila_bot_password",
    ),
    _make,
    _hint,
)
