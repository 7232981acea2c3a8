"""The greedy player of Diplomacy."""

from __future__ import annotations

import random

from parlour.agents import plain_name
from parlour.agents.diplomacy.plan import plan
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


def make_greedy(name: str, seed: int) -> Greedy:
    """The player called greedy."""
    plain_name(name)
    return Greedy(seed)
