"""The view of a Diplomacy player."""

from __future__ import annotations

from parlour.core.game import View
from parlour.games.diplomacy.position import Position


def diplomacy_position(view: View) -> Position:
    """Return the position in view, which must be one of Diplomacy."""
    assert isinstance(view.position, Position), "this player knows only Diplomacy"
    return view.position
