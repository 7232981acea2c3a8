"""The peace bot: offers peace to all who kept it so far, accepts what keeps the peace, and is honest."""

from __future__ import annotations

from parlour.agents.press.counsel import CounselOptions
from parlour.agents.press.peaceable import Peaceable
from parlour.agents.press.talker import Offers
from parlour.agents.specs import Recipe
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.proposals import Proposal
from parlour.press.language import message_types as v


class PeaceBot(Peaceable):
    """Makes peace with everyone who agrees, except one neighbour: a power needs an opponent.

    Who broke a promise to it is that neighbour from then on: with him it makes no second peace.
    """

    def offers(self, position: Position) -> Offers:
        """Peace, to each power that is not a friend yet, except the last one that could be fought."""
        for power in self.others():
            if power not in self.faithless and power not in self.suitors() and self.may_befriend([power]):
                yield [power], v.Peace((self.me, power))

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Accept peace and zones while one power is left to fight; nothing from a power that broke its word."""
        if not proposal.parties.isdisjoint(self.faithless):
            return False
        match proposal.what:
            case v.Peace(powers):
                return self.me in powers and self.may_befriend(powers)
            case v.Demilitarized(powers):
                return set(powers) > {self.me}
            case _:
                return False


RECIPE = Recipe(lambda options, seed: PeaceBot(seed, options.budget), CounselOptions)
