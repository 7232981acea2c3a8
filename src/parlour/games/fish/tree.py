"""The lazy game tree: every position with the actions that lead on from it, computed on request.

Unlike Position.apply, which hands the turn to the next player who can move, an edge of the tree is one turn of one
player. A player who is stuck while another can move has the single action SKIP.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from parlour.games.fish.position import SKIP, Move, Position

Edge = Move | str
"""A move, or SKIP."""


@dataclass(frozen=True, slots=True)
class Node:
    """A position in the stage of moves; its children are made once, on first use."""

    position: Position
    _children: dict[Edge, Node] = field(default_factory=dict, repr=False, compare=False)

    def actions(self) -> list[Edge]:
        """Return the first player's moves in order, SKIP if only others can move, none at the end of the game."""
        if not self.position.sides or self.position.outcome() is not None:
            return []
        return [*self.position.moves(self.position.sides[0].seat)] or [SKIP]

    def after(self, action: Edge) -> Node:
        """Return the child that an action leads to; raise KeyError if the action is not one of actions."""
        child = self._children.get(action)
        if child is None:
            if action not in self.actions():
                raise KeyError(action)
            child = self._children[action] = Node(self.position.after(action))
        return child

    def children(self) -> Iterator[tuple[Edge, Node]]:
        """Return each action with the child that it leads to."""
        return ((action, self.after(action)) for action in self.actions())
