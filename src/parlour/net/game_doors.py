"""The doors that serve the matches of one game, and the forms in which programs behind them save such matches."""

from __future__ import annotations

from collections.abc import Mapping

from parlour.net.daide.declaration import DAIDE
from parlour.net.declaration import DoorDeclaration
from parlour.net.fish.declaration import FISH
from parlour.net.mila.declaration import MILA

GAME_DOORS: tuple[DoorDeclaration, ...] = (MILA, FISH, DAIDE)
"""The doors in the order in which a server opens them."""


def saving_of(game: str) -> str:
    """Return the name of the function that writes a match of a game as a saved game; empty if no door has one."""
    return next((door.saving for door in GAME_DOORS if door.game == game and door.saving), "")


def door_exports() -> Mapping[str, Mapping[str, str]]:
    """Return by game the formats in which records can be written for the programs behind its doors."""
    return {door.game: door.exports for door in GAME_DOORS if door.exports}
