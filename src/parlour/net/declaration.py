"""The declaration of a door: its name, its settings, its module, and a first command to try.

`serve`, the help of its options and the documentation read it. A new door is a folder with a declaration, its fields in
`ServerSettings`, and a place in the list of `game_doors.py`, or, for pages, of `cli/servers/doors.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ssl

    from parlour.net.accounts.accounts import Accounts
    from parlour.net.accounts.principals import Principal
    from parlour.net.doors import ServerDoor
    from parlour.net.hall import Hall
    from parlour.net.settings import ServerSettings


@dataclass(frozen=True, slots=True)
class Premises:
    """Resources that the doors of a server share."""

    settings: ServerSettings
    hall: Hall
    accounts: Accounts
    bot: Principal
    """The account whose bots may ask for powers without a player."""
    tls: ssl.SSLContext | None
    tournaments: Callable[[ServerSettings, Hall], tuple[Any, Callable[[Any], None]]]
    """Makes the tournament server and the function that prints results."""
    doors: list[ServerDoor] = field(default_factory=list)
    """The doors that have been made so far."""

    def door(self, name: str) -> ServerDoor | None:
        """Return a door that was made; None if this server does not open it."""
        return next((door for door in self.doors if door.name == name), None)

    def connections(self) -> dict[str, float]:
        """Return the number of connections at each door."""
        return {door.name: door.connections for door in self.doors}

    def http(self) -> dict[str, Any]:
        """Return the limits of an HTTP door."""
        settings = self.settings
        return {
            "host": settings.host,
            "tls": self.tls,
            "connections": settings.connections,
            "connections_of_one": settings.connections_per_address,
            "max_message": settings.max_body,
            "trusted_proxies": settings.trusted_proxies,
            "stop_time": settings.stop_time,
        }


@dataclass(frozen=True, slots=True)
class DoorDeclaration:
    """A door before it is opened: its name, settings and how to open it."""

    name: str
    """The door's name in `--only`, in logs and in metrics."""
    port: str
    """The name of the setting with its port; a door whose port is None stays closed."""
    settings: tuple[str, ...]
    """The names of its own settings, in the order of the help."""
    module: str
    """Name of the module whose `make` makes the door; the module imports whatever the door needs."""
    hint: Callable[[str, str], str]
    """Returns a command to try, given the door's address and the name of this program."""
    game: str = ""
    """The game whose matches the door serves; empty for all games."""
    saving: str = ""
    """A function of a session, a match and a viewer that returns the match as a saved game; None before the start."""
    exports: Mapping[str, str] = field(default_factory=dict)
    """For each format of the door's programs, the function that writes a record in it; see GameDeclaration.exports."""

    def load(self) -> Callable[[Premises], ServerDoor]:
        """Import the module of the door, and return the function that makes an unopened door."""
        make: Callable[[Premises], ServerDoor] = import_module(self.module).make
        return make
