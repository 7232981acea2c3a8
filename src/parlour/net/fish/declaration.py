"""The declaration of the door for Fish players: settings, module, a command to try."""

from __future__ import annotations

from parlour.net.declaration import DoorDeclaration


def _hint(address: str, program: str) -> str:
    return f"{program} join {address} --game fish --agent greedy"


FISH = DoorDeclaration("fish", "fish_port", ("fish_port",), "parlour.net.fish.door", _hint, game="fish")
