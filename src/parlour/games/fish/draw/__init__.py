"""Pictures of a position: hexagons in plain text for the terminal, and SVG with fish and penguins."""

from parlour.games.fish.draw.picture import Picture, svg
from parlour.games.fish.draw.plain import LETTERS, text

__all__ = ["LETTERS", "Picture", "svg", "text"]
