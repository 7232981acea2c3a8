"""The support broker: proposes pairs of supports, one for it and one for the other, that help both."""

from __future__ import annotations

from collections.abc import Iterator

from parlour.agents import plain_name
from parlour.agents.diplomacy.plan import plan
from parlour.agents.press.base import Offers, PressAgent
from parlour.games.diplomacy.position import Position
from parlour.press import values as v
from parlour.press.orders import from_text, performer
from parlour.press.proposals import Proposal, State

MOST = 3
"""Proposals in one turn."""
PATIENCE = 2
"""Deals in a row that a power may decline before it is asked no more."""


class SupportBroker(PressAgent):
    """Looks for moves of its own that another's unit can support, and for the like service in return.

    What the other wants is guessed by planning for it as for oneself. A deal names all four orders: both moves and
    both supports.
    """

    def offers(self, position: Position) -> Offers:
        """Mutual supports with neighbours, and peace to go with them."""
        mine = self._moves(position, self.me)
        made = 0
        for power in self.others():
            if power in self.faithless or self._declines(power):
                continue
            deal = self._deal(position, power, mine)
            if deal is not None and made < MOST and self.fits(deal):
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
                asked = [order for order in orders if performer(order) == self.me and self._helps_other(order)]
                given = [order for order in orders if performer(order) != self.me and self._helps_me(order)]
                return len(orders) == len(parts) and len(given) >= len(asked)
            case v.Execute(order):
                return self._helps_me(order)
            case _:
                return False

    def _declines(self, power: str) -> bool:
        """Whether the power wanted none of the last deals."""
        last = [
            proposal.state
            for proposal in self.ledger.proposals
            if proposal.proposer == self.me and power in proposal.addressees and isinstance(proposal.what, v.Every)
        ][-PATIENCE:]
        return len(last) == PATIENCE and set(last) == {State.REJECTED}

    def _helps_me(self, order: v.Order) -> bool:
        return isinstance(order, (v.SupportHold, v.SupportMove, v.Convoy)) and order.other.power == self.me

    def _helps_other(self, order: v.Order) -> bool:
        return isinstance(order, (v.SupportHold, v.SupportMove, v.Convoy)) and order.other.power != self.me

    def _moves(self, position: Position, power: str) -> list[v.Move]:
        """The moves that a power would plan, its own with its word kept."""
        seat, board = self.lexicon.seat_of[power], self.ledger.board
        if power == self.me:
            texts = plan(position, seat, self.rng, fixed=self.honour.due(), allowed=self.honour.allows())
        else:
            texts = plan(position, seat, self.rng)
        orders = (from_text(text, board, power) for text in texts)
        return [order for order in orders if isinstance(order, v.Move)]

    def _deal(self, position: Position, power: str, mine: list[v.Move]) -> v.Arrangement | None:
        theirs = self._moves(position, power)
        for my_move in mine:
            for their_help in self._supports(position, power, my_move):
                for their_move in theirs:
                    if their_move.unit == their_help.unit or their_move.to[:3] == my_move.to[:3]:
                        continue
                    for my_help in self._supports(position, self.me, their_move):
                        if my_help.unit != my_move.unit:
                            orders = (my_move, their_help, their_move, my_help)
                            return v.Every(tuple(v.Execute(order) for order in orders))
        return None

    def _supports(self, position: Position, power: str, move: v.Move) -> Iterator[v.SupportMove]:
        """The supports that a power can give to another's move; none against its own unit or centre."""
        board = self.ledger.board
        holder, owner = board.units.get(move.to[:3]), board.owners.get(move.to[:3])
        if owner == power or (holder is not None and holder.power == power):
            return
        for text in position.legal(self.lexicon.seat_of[power]):
            if " S " in text and " - " in text:
                order = from_text(text, board, power)
                if isinstance(order, v.SupportMove) and order.other == move.unit and order.to == move.to[:3]:
                    yield order


def make(name: str, seed: int) -> SupportBroker:
    """The player called broker."""
    plain_name(name)
    return SupportBroker(seed)
