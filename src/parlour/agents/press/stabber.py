"""The stabber: a peaceful friend to all, until its rollouts say that breaking its word gains centres."""

from __future__ import annotations

from typing import Annotated

import msgspec

from parlour.agents.diplomacy.bounds import Bounds
from parlour.agents.press.base import PressAgent
from parlour.agents.press.counsel import BUDGET, CounselOptions, pledge
from parlour.agents.press.talker import Offers
from parlour.agents.specs import Recipe
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.proposals import Proposal
from parlour.press.language import message_types as v


class Stabber(PressAgent):
    """Agrees to any deal that lulls, and keeps it until a stab gains enough centres; nobody stabs it twice.

    The gain is found by rollouts of a year: with the best orders that keep its word, and with the best without regard
    to it, while the friends suspect nothing and keep theirs.
    """

    honest = False

    def __init__(self, seed: int, gain: int = 1, budget: int = BUDGET) -> None:
        super().__init__(seed, budget)
        self.gain = gain

    def offers(self, position: Position) -> Offers:
        """Return offers of peace to all powers that kept their word to it."""
        friends = self.friends()
        for power in self.others():
            if power not in friends and power not in self.faithless:
                yield [power], v.Peace((self.me, power))

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Accept any deal that lulls, except from a power that broke its word to it."""
        return proposal.parties.isdisjoint(self.faithless)

    def orders(self, position: Position) -> list[str]:
        """Return the orders that keep its word, unless those that do not gain enough."""
        honest = super().orders(position)
        if position.stage != "orders" or not self.friends():
            return honest
        pledges = self.pledges(position)
        stab = self.counsel.weighed(position, self.seat, Bounds(pledges=pledges))
        scenarios = [[*pledges, pledge(position, self.seat, orders)] for orders in (honest, stab)]
        kept, broken = self.counsel.centres(position, self.seat, scenarios)
        return stab if broken >= kept + self.gain else honest


class StabberOptions(CounselOptions, frozen=True):
    """Options of a stabber."""

    gain: Annotated[int, msgspec.Meta(ge=1, le=9, description="centres that a stab must gain by its rollouts")] = 1


RECIPE = Recipe(lambda options, seed: Stabber(seed, options.gain, options.budget), StabberOptions, number="gain")
