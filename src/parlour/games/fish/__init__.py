"""Fish: penguins on a melting hex board."""

from parlour.games.fish.board import Board
from parlour.games.fish.game import GAME
from parlour.games.fish.position import COLOURS, Position, Rules, Side

__all__ = ["COLOURS", "GAME", "Board", "Position", "Rules", "Side", "start"]


def start(players: int = 2, seed: int = 0, rows: int = 5, cols: int = 5) -> Position:
    """The first position for so many players, on a board that the seed chooses."""
    config = {"players": players, "rows": rows, "cols": cols}
    return GAME.start(config, GAME.seats(config), seed)
