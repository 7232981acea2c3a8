"""Fish: penguins on a melting hex board."""

from parlour.games.fish.board import Board
from parlour.games.fish.game import GAME
from parlour.games.fish.position import COLOURS, Position, Rules, Side

__all__ = ["COLOURS", "GAME", "Board", "Position", "Rules", "Side"]
