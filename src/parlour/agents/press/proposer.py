"""The random proposer: asks for orders, peace and zones at random, and agrees at random."""

from __future__ import annotations

from parlour.agents.press.base import PressAgent
from parlour.agents.press.counsel import CounselOptions
from parlour.agents.press.talker import Offers
from parlour.agents.specs import Recipe
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.proposals import Proposal
from parlour.press.language import message_types as v
from parlour.press.orders import from_text

MOST = 3
"""Maximum number of proposals in one turn, and of orders in one proposal."""


class RandomProposer(PressAgent):
    """A source of well-formed press of several kinds, to test other players and the table."""

    honest = False

    def offers(self, position: Position) -> Offers:
        """Yield one to three proposals, each to one other power."""
        others = self.others()
        for power in self.rng.sample(others, min(len(others), self.rng.randint(1, MOST))):
            yield [power], self._anything(power, position)

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Return True at random, one time in two."""
        return self.rng.random() < 0.5

    def _anything(self, power: str, position: Position) -> v.Arrangement:
        pair = (self.me, power)
        match self.rng.randrange(5):
            case 0:
                return v.Peace(pair)
            case 1:
                places = self.rng.sample(sorted(self.lexicon.provinces), 2)
                return v.Demilitarized(pair, tuple(places))
            case 2:
                third = [other for other in self.others() if other != power]
                return v.Alliance(pair, (self.rng.choice(third),)) if third else v.Peace(pair)
            case _:
                orders = self._orders_of(power, position)
                return v.Every(orders) if len(orders) > 1 else orders[0] if orders else v.Peace(pair)

    def _orders_of(self, power: str, position: Position) -> tuple[v.Arrangement, ...]:
        """Return up to three legal orders of the power, each for a different unit."""
        board = self.ledger.board
        legal = list(position.legal(self.lexicon.seat_of[power]))
        found: dict[str, v.Arrangement] = {}
        for text in self.rng.sample(legal, min(len(legal), self.rng.randint(1, MOST))):
            order = from_text(text, board, power)
            if order is not None and not isinstance(order, v.Waive):
                found.setdefault(order.unit.province, v.Execute(order))
        return tuple(found.values())


RECIPE = Recipe(lambda options, seed: RandomProposer(seed, options.budget), CounselOptions)
