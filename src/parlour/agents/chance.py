"""The player `random`: plays any game at random."""

from __future__ import annotations

import random

from parlour.agents.specs import NoOptions, Recipe
from parlour.core.game import Action, View


class RandomPlayer:
    """Plays legal actions, each with the same probability; the same ones for the same seed."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)

    def act(self, view: View) -> Action:
        """Return a random legal action of the seat that the view is for."""
        return view.position.sample(view.seat, self._rng)


RANDOM = Recipe(lambda options, seed: RandomPlayer(seed), NoOptions)
