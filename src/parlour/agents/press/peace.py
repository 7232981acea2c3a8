"""The peace bot: offers peace to all powers that kept their word, accepts peace and zones, and is honest."""

from __future__ import annotations

from parlour.agents.press.counsel import CounselOptions
from parlour.agents.press.peaceable import Peaceable
from parlour.agents.press.talker import Offers
from parlour.agents.specs import Recipe
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.proposals import Proposal
from parlour.press.language import message_types as v


class PeaceBot(Peaceable):
    """A player that makes peace with every power that agrees except the last, because a power needs an opponent.

    It makes no second peace with a power that broke a promise.
    """

    def offers(self, position: Position) -> Offers:
        """Yield an offer of peace to each power that is not a friend yet, except the last possible opponent."""
        for power in self.others():
            if power not in self.faithless and power not in self.suitors() and self.may_befriend([power]):
                yield [power], v.Peace((self.me, power))

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Return True for a zone that binds others too, and for peace while another power is left to fight.

        False if a party broke its word.
        """
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
