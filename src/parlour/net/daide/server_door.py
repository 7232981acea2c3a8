"""The door for DAIDE bots, made from the settings of a server."""

from __future__ import annotations

import asyncio

from parlour.games.diplomacy.maps.map import named
from parlour.net.daide.declaration import read_ports
from parlour.net.daide.door import MOST, DaideDoor
from parlour.net.daide.options import read_options
from parlour.net.daide.tokens import Numbering
from parlour.net.declaration import Premises


class ServerDaideDoor:
    """The door for DAIDE bots, opened and run like the others."""

    name = "daide"

    def __init__(self, premises: Premises) -> None:
        settings = premises.settings
        self._host, self._port = settings.host, settings.daide_port or 0
        options = read_options(settings.daide_level, settings.daide_mtl, settings.daide_options)
        years = settings.daide_years
        self._door = DaideDoor(
            premises.hall,
            options,
            board=named(settings.daide_map),
            config={"years": years} if years else {},
            numbering=Numbering(settings.daide_numbering),
            ports=read_ports(settings.daide_ports),
            most=min(MOST, settings.connections),
            most_of_one=settings.connections_per_address,
        )

    @property
    def address(self) -> str:
        """The host and port of the door."""
        return f"{self._host}:{self._door.port}"

    @property
    def connections(self) -> int:
        """Number of open connections."""
        return self._door.connections

    async def port_of(self, match: str) -> int:
        """Return the port where bots of a match connect."""
        return await self._door.port_of(match)

    async def open(self) -> None:
        """Listen on the port; raise ConfigError if it cannot be opened."""
        await self._door.open(self._host, self._port)

    async def run(self) -> None:
        """Serve until cancelled."""
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Close all connections."""
        await self._door.close()


def make(premises: Premises) -> ServerDaideDoor:
    """Return the door for DAIDE bots."""
    return ServerDaideDoor(premises)
