"""The greedy player of Diplomacy."""

from __future__ import annotations

import random

from parlour.agents.diplomacy.plan import plan
from parlour.agents.specs import NoOptions, Recipe
from parlour.core.game import Action, View
from parlour.games.diplomacy.position import Position


def diplomacy_position(view: View) -> Position:
    """The position in view, which must be one of Diplomacy."""
    assert isinstance(view.position, Position), "this player knows only Diplomacy"
    return view.position


class Greedy:
    """Sends each unit where the most centres are near, and lets the others support."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def act(self, view: View) -> Action:
        """Choose by the lie of the land."""
        return plan(diplomacy_position(view), view.seat, self._rng)


GREEDY = Recipe(lambda options, seed: Greedy(seed), NoOptions)
