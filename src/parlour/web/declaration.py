"""The door for pages and the API, as a server declares it: its module, and a command to try."""

from __future__ import annotations

from parlour.net.declaration import DoorDeclaration


def _hint(address: str, program: str) -> str:
    socket = f"ws{address.removeprefix('http')}"
    return (
        f"open it in a browser, or curl {address}/api/v1/matches; "
        f"Diplomacy: {program} join {socket} --match ID --power FRANCE --agent broker"
    )


HTTP = DoorDeclaration("http", "http_port", ("http_port",), "parlour.web.server_door", _hint)
