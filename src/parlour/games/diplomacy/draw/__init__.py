"""Pictures of the board: the standard map as drawn, any other laid out automatically."""

from parlour.games.diplomacy.draw.picture import Style, draw_scene
from parlour.games.diplomacy.draw.scene import Order, OrderKind, Result, Scene, Unit

__all__ = ["Order", "OrderKind", "Result", "Scene", "Style", "Unit", "draw_scene"]
