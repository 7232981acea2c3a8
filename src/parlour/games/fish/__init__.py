"""Fish: penguins on a melting hex board."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parlour.games.fish.board import Board
    from parlour.games.fish.game import GAME
    from parlour.games.fish.position import COLOURS, Position, Rules, Side

_HOMES = {
    "COLOURS": "position",
    "GAME": "game",
    "Board": "board",
    "Position": "position",
    "Rules": "position",
    "Side": "position",
}

__all__ = ["COLOURS", "GAME", "Board", "Position", "Rules", "Side", "start"]


def start(players: int = 2, seed: int = 0, rows: int = 5, cols: int = 5) -> Position:
    """Return the first position for that number of players, on a random board of that seed.

    Args:
        players: Number of players.
        seed: Seed of the board.
        rows: Rows of the board.
        cols: Columns of the board.
    """
    from parlour.games.fish.game import GAME

    config = {"players": players, "rows": rows, "cols": cols}
    return GAME.start(config, GAME.seats(config), seed)


def __getattr__(name: str) -> Any:
    # The game's declaration is read without loading its rules.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
