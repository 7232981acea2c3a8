"""The support broker: proposes pairs of supports, one for it and one for the other, that help both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from parlour.agents.diplomacy.plan import plan
from parlour.agents.press.base import Offers, PressAgent
from parlour.agents.specs import NoOptions, Recipe
from parlour.games.diplomacy.position import Position
from parlour.press import values as v
from parlour.press.orders import from_text, performer
from parlour.press.proposals import Proposal, ProposalState

MOST = 3
"""Proposals in one turn."""
PATIENCE = 2
"""Deals in a row that a power may decline before it is asked no more."""

Wish: TypeAlias = v.Move | v.Hold
Aid: TypeAlias = v.SupportMove | v.SupportHold


class SupportBroker(PressAgent):
    """Looks for moves and stays of its own that another's unit can support, and for the like service in return.

    What the other wants is guessed by planning for it as for oneself. A deal names all four orders: what both want and
    both supports. Each support must be of use: a third power stands where it is given to, or can go there.
    """

    def offers(self, position: Position) -> Offers:
        """Mutual supports with neighbours, and peace to go with them."""
        mine, aids = self._wishes(position, self.me), self._aids(position, self.me)
        made = 0
        for power in self.others():
            if made == MOST or power in self.faithless or self._declines(power):
                continue
            got = self._served(mine, self._aids(position, power))
            given = self._served(self._wishes(position, power), aids)
            deal = next((deal for deal in _deals(got, given) if self.fits(deal)), None)
            if deal is not None:
                made += 1
                yield [power], v.Peace((self.me, power))
                yield [power], deal

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Peace, and deals in which as many orders serve it as are asked of it; nothing from who broke his word."""
        if not proposal.parties.isdisjoint(self.faithless):
            return False
        match proposal.what:
            case v.Peace(powers):
                return self.me in powers
            case v.Every(parts):
                orders = [part.order for part in parts if isinstance(part, v.Execute)]
                asked = sum(performer(order) == self.me and _helped(order) not in ("", self.me) for order in orders)
                given = sum(performer(order) != self.me and _helped(order) == self.me for order in orders)
                return len(orders) == len(parts) and given >= asked
            case v.Execute(order):
                return _helped(order) == self.me
            case _:
                return False

    def _declines(self, power: str) -> bool:
        """Whether the power wanted none of the last deals."""
        last = [
            proposal.state
            for proposal in self.ledger.proposals
            if proposal.proposer == self.me and power in proposal.addressees and isinstance(proposal.what, v.Every)
        ][-PATIENCE:]
        return len(last) == PATIENCE and set(last) == {ProposalState.REJECTED}

    def _wishes(self, position: Position, power: str) -> list[Wish]:
        """What a power would plan, its own with its word kept, and every move to a centre that it does not own."""
        seat, board = self.lexicon.seat_of[power], self.ledger.board
        if power == self.me:
            texts = plan(position, seat, self.rng, fixed=self.honour.due(), allowed=self.honour.allows())
        else:
            texts = plan(position, seat, self.rng)
        planned = [from_text(text, board, power) for text in texts]
        moves = [order for order in planned if isinstance(order, v.Move)]
        stays = [v.Hold(order.unit) for order in planned if isinstance(order, (v.Hold, v.SupportHold, v.SupportMove))]
        legal = [from_text(text, board, power) for text in position.legal(seat) if " S " not in text]
        gains = [order for order in legal if isinstance(order, v.Move) and self._is_gain(order.to[:3], power)]
        return [*moves, *gains, *stays]

    def _is_gain(self, province: str, power: str) -> bool:
        return province in self.lexicon.centres and self.ledger.board.owners.get(province) != power

    def _aids(self, position: Position, power: str) -> list[Aid]:
        """The supports that a power can give; none against its own unit or centre."""
        board = self.ledger.board
        own = {place for place, owner in board.owners.items() if owner == power}
        own.update(place for place, unit in board.units.items() if unit.power == power)
        legal = [from_text(text, board, power) for text in position.legal(self.lexicon.seat_of[power]) if " S " in text]
        aids = [order for order in legal if isinstance(order, (v.SupportHold, v.SupportMove))]
        return [aid for aid in aids if isinstance(aid, v.SupportHold) or aid.to not in own]

    def _served(self, wishes: list[Wish], aids: list[Aid]) -> list[tuple[Wish, Aid]]:
        """What one power wants and another can support, where a third can oppose it."""
        return [
            (wish, aid)
            for wish in wishes
            for aid in aids
            if aid.other == wish.unit and _target(aid) == _target(wish) and self._is_contested(aid)
        ]

    def _is_contested(self, aid: Aid) -> bool:
        """Whether a third power stands where a support is given to, or can go there."""
        board, province = self.ledger.board, _target(aid)
        return any(
            here == province or province in board.names.reach[unit.kind][unit.place]
            for here, unit in board.units.items()
            if unit.power not in (aid.unit.power, aid.other.power)
        )


def _target(order: Wish | Aid) -> str:
    """The province that is to be taken or held."""
    match order:
        case v.Move(to=to) | v.SupportMove(to=to):
            return to[:3]
        case v.Hold(unit) | v.SupportHold(other=unit):
            return unit.province


def _helped(order: v.Order) -> str:
    """The power whose unit is supported or convoyed; empty if there is none."""
    return order.other.power if isinstance(order, (v.SupportHold, v.SupportMove, v.Convoy)) else ""


def _deals(got: list[tuple[Wish, Aid]], given: list[tuple[Wish, Aid]]) -> Iterator[v.Arrangement]:
    """Each pair of services that do not get into each other's way."""
    for mine, their_aid in got:
        for theirs, my_aid in given:
            if their_aid.unit != theirs.unit and my_aid.unit != mine.unit and _target(mine) != _target(theirs):
                yield v.Every(tuple(v.Execute(order) for order in (mine, their_aid, theirs, my_aid)))


RECIPE = Recipe(lambda options, seed: SupportBroker(seed), NoOptions)
