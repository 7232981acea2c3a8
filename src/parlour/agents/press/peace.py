"""The peace bot: offers peace to all, one by one, accepts what keeps the peace, and is honest."""

from __future__ import annotations

from parlour.agents import plain_name
from parlour.agents.press.base import Offers, PressAgent
from parlour.games.diplomacy.position import Position
from parlour.press import values as v
from parlour.press.proposals import Proposal


class PeaceBot(PressAgent):
    """Pairwise peace with everyone who will have it, but for one neighbour: somebody has to be fought."""

    def offers(self, position: Position) -> Offers:
        """Peace, to each power that is not a friend yet, except the last one that could be fought."""
        for power in self.others():
            if power not in self.suitors() and len(self.suitors()) < len(self.others()) - 1:
                yield [power], v.Peace((self.me, power))

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Peace and zones, as long as one power is left that it may fight."""
        match proposal.what:
            case v.Peace(powers):
                return self.me in powers and len(self.suitors() | set(powers) - {self.me}) < len(self.others())
            case v.Demilitarized(powers):
                return set(powers) > {self.me}
            case _:
                return False


def make(name: str, seed: int) -> PeaceBot:
    """The player called peace."""
    plain_name(name)
    return PeaceBot(seed)
