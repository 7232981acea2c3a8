"""The player called random: plays any game by chance alone."""

from __future__ import annotations

import random

from parlour.agents import plain_name
from parlour.core.game import Action, View


class RandomPlayer:
    """Any legal action, each with the same chance; the same ones for the same seed."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)

    def act(self, view: View) -> Action:
        """Choose at random."""
        return view.position.sample(view.seat, self._rng)


def make(name: str, seed: int) -> RandomPlayer:
    """The player called random."""
    plain_name(name)
    return RandomPlayer(seed)
