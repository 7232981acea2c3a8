"""The door for DAIDE bots, as a server declares it: settings, how it is made, what to try."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from parlour.errors import ConfigError
from parlour.net.declaration import DoorDeclaration, Premises

if TYPE_CHECKING:
    from parlour.net.doors import ServerDoor

NUMBERINGS = ("clients", "document")


def read_ports(text: str) -> range:
    """Return the ports from the first to the last, as in 8434-8600; an empty range for an empty text.

    Raise ConfigError if the text is not a range.
    """
    if not text:
        return range(0)
    found = re.fullmatch(r"([0-9]{1,5})-([0-9]{1,5})", text)
    first, last = (int(number) for number in found.groups()) if found else (0, 0)
    if not 1024 <= first <= last <= 65_535:
        raise ConfigError(f"daide-ports: expected like 8434-8600, from 1024 on, not {text[:40]!r}", field="daide_ports")
    return range(first, last + 1)


class ServerDaideDoor:
    """The door for DAIDE bots, opened and run like the others."""

    name = "daide"

    def __init__(self, premises: Premises) -> None:
        from parlour.games.diplomacy.maps.map import named
        from parlour.net.daide.door import MOST, DaideDoor
        from parlour.net.daide.options import read_options
        from parlour.net.daide.tokens import Numbering

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
        """Address on which the door listens."""
        return f"{self._host}:{self._door.port}"

    @property
    def connections(self) -> int:
        """Number of open connections."""
        return self._door.connections

    async def port_of(self, match: str) -> int:
        """Return the port where bots of a match connect."""
        return await self._door.port_of(match)

    async def open(self) -> None:
        """Listen; raise ConfigError if the port cannot be had."""
        await self._door.open(self._host, self._port)

    async def run(self) -> None:
        """Serve until cancelled."""
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Send everyone home."""
        await self._door.close()


def _make(premises: Premises) -> ServerDoor:
    return ServerDaideDoor(premises)


def _hint(address: str, program: str) -> str:
    return f"let a DAIDE bot connect, or {program} join daide://{address} --agent search"


DAIDE = DoorDeclaration(
    "daide",
    "daide_port",
    (
        "daide_port",
        "daide_level",
        "daide_mtl",
        "daide_options",
        "daide_years",
        "daide_map",
        "daide_numbering",
        "daide_ports",
    ),
    _make,
    _hint,
)
