"""The door for Fish players, as a server declares it: settings, how it is made, what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlour.net.declaration import DoorDeclaration, Premises

if TYPE_CHECKING:
    from parlour.net.doors import ServerDoor


def _make(premises: Premises) -> ServerDoor:
    from parlour.net.fish.door import FishDoor

    return FishDoor(*premises.tournaments(premises.settings, premises.hall))


def _hint(address: str, program: str) -> str:
    return f"{program} join {address} --game fish --agent greedy"


FISH = DoorDeclaration("fish", "fish_port", ("fish_port",), _make, _hint)
