"""The greedy player of Fish."""

from __future__ import annotations

from parlour.agents.specs import NoOptions, Recipe
from parlour.core.game import Action, View
from parlour.games.fish.notation import write_move
from parlour.games.fish.position import Position


def fish_position(view: View) -> Position:
    """Return the position in a view, which must be a position of Fish."""
    assert isinstance(view.position, Position), "this player knows only Fish"
    return view.position


class Greedy:
    """A player that takes the tile with the most fish; ties go to the smallest origin, then target."""

    def act(self, view: View) -> Action:
        """Return the placement on, or the move to, the tile with the most fish."""
        position = fish_position(view)
        board = position.board
        if position.stage == "placement":
            spot = max(position.placements(), key=board.__getitem__)
            return list(spot)
        return write_move(min(position.moves(view.seat), key=lambda move: (-board[move[1]], move)))


GREEDY = Recipe(lambda options, seed: Greedy(), NoOptions)
