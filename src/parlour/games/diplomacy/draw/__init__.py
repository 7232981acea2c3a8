"""Pictures of the board: from the geometry that ships with a map, or else from its borders."""

from parlour.games.diplomacy.draw.picture import Style, draw_scene
from parlour.games.diplomacy.draw.scene import DrawnKind, DrawnOrder, DrawnUnit, Result, Scene

__all__ = ["DrawnKind", "DrawnOrder", "DrawnUnit", "Result", "Scene", "Style", "draw_scene"]
