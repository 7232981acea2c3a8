"""The stabber: a peaceful friend to all, until breaking its word would take centres from a friend."""

from __future__ import annotations

from typing import Annotated

import msgspec

from parlour.agents.diplomacy.plan import plan
from parlour.agents.press.base import Offers, PressAgent
from parlour.agents.specs import Recipe
from parlour.games.diplomacy.position import Position
from parlour.press import values as v
from parlour.press.board import board_of
from parlour.press.proposals import Proposal

PLOTS = 6
"""How many plans without regard to its word it weighs."""


class Stabber(PressAgent):
    """Agrees to whatever lulls, and keeps it while a stab gains less than so many centres; nobody stabs it twice.

    The gain is found by playing its own orders without regard to its word, while the friends suspect nothing and
    hold, and counting the friends' centres that its units then stand on.
    """

    honest = False

    def __init__(self, seed: int, gain: int = 1) -> None:
        super().__init__(seed)
        self.gain = gain

    def offers(self, position: Position) -> Offers:
        """Peace to everyone who kept his word to it."""
        friends = self.friends()
        for power in self.others():
            if power not in friends and power not in self.faithless:
                yield [power], v.Peace((self.me, power))

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Whatever lulls, but from nobody who broke his word to it."""
        return proposal.parties.isdisjoint(self.faithless)

    def orders(self, position: Position) -> list[str]:
        """The orders that keep its word, unless those that do not gain enough."""
        honest = super().orders(position)
        if position.stage != "orders" or not self.friends():
            return honest
        plots = [plan(position, self.seat, self.rng) for _ in range(PLOTS)]
        stab = max(plots, key=lambda orders: self._taken(position, orders))
        return stab if self._taken(position, stab) >= self._taken(position, honest) + self.gain else honest

    def _taken(self, position: Position, orders: list[str]) -> int:
        """How many centres of friends its units stand on if everybody else holds."""
        following = position.resolve({self.seat: orders})
        board, friends = board_of(following), self.friends()
        return sum(
            unit.power == self.me and board.owners.get(province) in friends for province, unit in board.units.items()
        )


class StabberOptions(msgspec.Struct, frozen=True):
    """What a stabber may be asked for."""

    gain: Annotated[int, msgspec.Meta(ge=1, le=9, description="centres that a stab must take")] = 1


RECIPE = Recipe(lambda options, seed: Stabber(seed, options.gain), StabberOptions, number="gain")
