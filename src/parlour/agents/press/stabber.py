"""The stabber: a peaceful friend to all, until its rollouts show that a breach gains centres."""

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
    """A player that agrees to any deal, and keeps it until a stab gains enough centres.

    It makes no deal with a faithless power.

    The gain is the difference between two rollouts of a year: with the best orders that keep its promises, and with
    the best orders without promises, while the other powers keep theirs.
    """

    honest = False

    def __init__(self, seed: int, gain: int = 1, budget: int = BUDGET) -> None:
        super().__init__(seed, budget)
        self.gain = gain

    def offers(self, position: Position) -> Offers:
        """Yield an offer of peace to each power that is neither a friend nor faithless."""
        friends = self.friends()
        for power in self.others():
            if power not in friends and power not in self.faithless:
                yield [power], v.Peace((self.me, power))

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Return True for any deal without a faithless party."""
        return proposal.parties.isdisjoint(self.faithless)

    def orders(self, position: Position) -> list[str]:
        """Return the orders that keep all promises, or the orders of a stab if it gains enough centres."""
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
