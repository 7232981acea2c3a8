"""The course's player: penguins on the first free tiles, then the best score some own turns ahead."""

from __future__ import annotations

from typing import Annotated

import msgspec

from parlour.agents.fish.simple import fish_position
from parlour.agents.specs import Recipe
from parlour.core.game import Action, View
from parlour.games.fish.kernel.lookahead import LookAhead
from parlour.games.fish.notation import write_move
from parlour.games.fish.position import Move, Position
from parlour.games.fish.tables import flat, tables


def best_move(position: Position, turns: int) -> Move | None:
    """The move of the first side with the best own score after so many own turns; None if it cannot move."""
    return LookAheadPlayer(turns).best_move(position)


class LookAheadPlayer:
    """Deterministic; ties go to the smallest from, then to."""

    def __init__(self, turns: int) -> None:
        self.turns = turns
        self._search: tuple[tuple[int, ...], LookAhead] | None = None
        """The last search and the size it was made for; the next position of a match mostly has the same."""

    def best_move(self, position: Position) -> Move | None:
        """The move of the first side with the best own score after all own turns; None if it cannot move."""
        fish, places, scores, slots = flat(position)
        height, width = position.board.height, position.board.width
        size = (height, width, len(position.sides), slots)
        if self._search is None or self._search[0] != size:
            self._search = size, LookAhead(tables(height, width), len(position.sides), slots, self.turns)
        search = self._search[1]
        search.load(fish, places, scores)
        found = search.choose(self.turns)
        return None if found is None else (divmod(found[0], width), divmod(found[1], width))

    def act(self, view: View) -> Action:
        """The first free tile, or the move that look-ahead finds."""
        position = fish_position(view)
        if position.stage == "placement":
            return list(position.placements()[0])
        move = self.best_move(position)
        assert move is not None, "only a player who can move is asked"
        return write_move(move)


class LookAheadOptions(msgspec.Struct, frozen=True):
    """How far the course's player looks."""

    turns: Annotated[int, msgspec.Meta(ge=1, le=5, description="own turns looked ahead")] = 2


RECIPE = Recipe(lambda options, seed: LookAheadPlayer(options.turns), LookAheadOptions, number="turns")
