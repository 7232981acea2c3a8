"""The lazy game tree: every position with the actions that lead on from it, computed when asked for.

Unlike Position.apply, which hands the turn to the next player who can move, an edge of the tree is one turn of one
player: who is stuck while somebody else can move has the single action SKIP.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from parlour.games.fish.position import SKIP, Move, Position

Edge = Move | str
"""A move, or SKIP."""


@dataclass(frozen=True, slots=True)
class Node:
    """A position in the stage of moves; its children are made once, when they are first asked for."""

    position: Position
    _children: dict[Edge, Node] = field(default_factory=dict, repr=False, compare=False)

    def actions(self) -> list[Edge]:
        """Return the first player's moves in order, SKIP if only others can move, nothing at the end."""
        if not self.position.sides or self.position.outcome() is not None:
            return []
        return [*self.position.moves(self.position.sides[0].seat)] or [SKIP]

    def after(self, action: Edge) -> Node:
        """Return the child that an action leads to; KeyError if it is none of actions."""
        child = self._children.get(action)
        if child is None:
            if action not in self.actions():
                raise KeyError(action)
            child = self._children[action] = Node(self.position.after(action))
        return child

    def children(self) -> Iterator[tuple[Edge, Node]]:
        """Return each action with where it leads."""
        return ((action, self.after(action)) for action in self.actions())
