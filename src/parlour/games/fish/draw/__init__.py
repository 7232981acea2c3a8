"""Pictures of a position: hexagons in plain text for the terminal, and SVG with fish and penguins."""

from parlour.games.fish.draw.picture import FishPicture, svg
from parlour.games.fish.draw.plain import LETTERS, text

__all__ = ["LETTERS", "FishPicture", "svg", "text"]
