"""The course's player: penguins on the first free tiles, then the best score some own turns ahead."""

from __future__ import annotations

from typing import Annotated

import msgspec

from parlour.agents.fish.simple import fish_position
from parlour.agents.specs import Recipe
from parlour.core.game import Action, View
from parlour.games.fish.kernel.lookahead import LookAhead
from parlour.games.fish.lookup_tables import flat, tables
from parlour.games.fish.notation import write_move
from parlour.games.fish.position import Move, Position


def best_move(position: Position, turns: int) -> Move | None:
    """Return the first side's move with the best own score after `turns` own turns; None if no move is possible."""
    return LookAheadPlayer(turns).best_move(position)


class LookAheadPlayer:
    """A player that maximises its own score some own turns ahead; ties go to the smallest origin, then target."""

    def __init__(self, turns: int) -> None:
        self.turns = turns
        self._search: tuple[tuple[int, ...], LookAhead] | None = None
        """The last search and its size; the next position of a match usually has the same size."""

    def best_move(self, position: Position) -> Move | None:
        """Return the first side's move with the best own score after `turns` own turns; None if no move is possible."""
        fish, places, scores, slots = flat(position)
        height, width = position.board.height, position.board.width
        size = (height, width, len(position.sides), slots)
        before, self._search = self._search, None  # another thread in the meantime creates its own search
        if before is None or before[0] != size:
            before = size, LookAhead(tables(height, width), len(position.sides), slots, self.turns)
        search = before[1]
        search.load(fish, places, scores)
        found = search.choose(self.turns)
        self._search = before
        return None if found is None else (divmod(found[0], width), divmod(found[1], width))

    def act(self, view: View) -> Action:
        """Return the first free tile, or the move that look-ahead finds."""
        position = fish_position(view)
        if position.stage == "placement":
            return list(position.placements()[0])
        move = self.best_move(position)
        assert move is not None, "only a player who can move is asked"
        return write_move(move)


class LookAheadOptions(msgspec.Struct, frozen=True):
    """The depth of the course's player."""

    turns: Annotated[int, msgspec.Meta(ge=1, le=5, description="own turns looked ahead")] = 2


RECIPE = Recipe(lambda options, seed: LookAheadPlayer(options.turns), LookAheadOptions, number="turns")
