"""The broker: finds orders by which it and its partners all gain, if they give them together, and proposes them."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.agents.diplomacy.bounds import Bounds
from parlour.agents.press.base import Offers
from parlour.agents.press.counsel import CounselOptions, pledges_to
from parlour.agents.press.peaceable import LEAD, Peaceable
from parlour.agents.specs import Recipe
from parlour.games.diplomacy.position import Position
from parlour.press import values as v
from parlour.press.orders import from_text
from parlour.press.proposals import Proposal, Reply

MOST = 3
"""Partners in one deal."""
PATIENCE = 2
"""Offers in a row that a power may decline before it is asked no more."""
EDGE = 0.002
"""Less of the squared centres is no gain."""


class Broker(Peaceable):
    """Makes peace, and with those who do looks for orders that help all of them: supports, room, joint attacks.

    A deal names the orders of all their units for this turn. It begins with what each would do alone, and is searched
    for as if the partners were one power, but for one thing: none may lose by it.
    """

    def offers(self, position: Position) -> Offers:
        """Peace to whoever may want it, and one deal if it is its turn to propose one."""
        for power in self.others():
            asked = power in self.suitors() or power in self.faithless or self._declines(power)
            if not asked and self.may_befriend([power]):
                yield [power], v.Peace((self.me, power))

    def later_offers(self, position: Position) -> Offers:
        """A deal with all partners in reach, or with those of them who gain by it."""
        partners = self._partners(position)
        if not partners:
            return
        plans = {self.me: self.plan(position)}
        for power in partners:
            bounds = Bounds(pledges=self.pledges(position))
            plans[power] = self.counsel.weighed(position, self.lexicon.seat_of[power], bounds)
        while partners:
            orders, gains = self._concert(position, {power: plans[power] for power in (self.me, *partners)})
            if min(gains.values()) > EDGE:
                yield partners, self._deal(orders)
                return
            partners.remove(min(partners, key=lambda power: gains[power]))

    def lets_speak(self) -> Sequence[str]:
        """Those before it this turn among all who propose deals: offers that cross would bind nobody."""
        speakers = [power for power in self.lexicon.powers if power == self.me or self._proposes(power)]
        board = self.ledger.board
        first = (2 * board.year + (board.season > 2)) % len(speakers)
        speakers = speakers[first:] + speakers[:first]
        return speakers[: speakers.index(self.me)]

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Peace, and orders that bring it more than without; nothing from who broke his word."""
        if not proposal.parties.isdisjoint(self.faithless):
            return False
        match proposal.what:
            case v.Peace(powers):
                return self.me in powers and self.may_befriend(powers)
            case v.Every() | v.Execute():
                basis, held = self.expected(position), pledges_to(proposal.what, self.ledger, position)
                without, with_it = self.counsel.outlook(position, [basis, [*basis, *held]])
                mine = position.power_of(self.seat)
                return bool(with_it[mine] > without[mine])
            case _:
                return False

    def _concert(
        self, position: Position, plans: dict[str, list[str]]
    ) -> tuple[dict[str, list[str]], dict[str, float]]:
        """What powers order together, and what each gains by it."""
        seats = {power: self.lexicon.seat_of[power] for power in plans}
        found = self.counsel.concert(self.ledger, position, {seats[power]: plans[power] for power in plans})
        numbers = {power: position.power_of(seat) for power, seat in seats.items()}
        return (
            {power: found.orders[number] for power, number in numbers.items()},
            {power: found.gains[number] for power, number in numbers.items()},
        )

    def _deal(self, orders: dict[str, list[str]]) -> v.Arrangement:
        read = (from_text(text, self.ledger.board, power) for power, texts in orders.items() for text in texts)
        return v.Every(tuple(v.Execute(order) for order in read if order is not None))

    def _partners(self, position: Position) -> list[str]:
        """Those who were ready to agree on something, are not about to win, and have units near those of the group."""
        willing = [power for power in self.others() if self._is_willing(power) and self._may_help(position, power)]
        found: list[str] = []
        reach = self._reach(self.me)
        while len(found) < MOST:
            near = {power: len(reach & self._reach(power)) for power in willing if power not in found}
            if not any(near.values()):
                break
            found.append(max(near, key=lambda power: near[power]))
            reach |= self._reach(found[-1])
        return found

    def _may_help(self, position: Position, power: str) -> bool:
        """Whether deals with a power are of use: it keeps its word, wants them, and is not about to win."""
        leads = len(position.centers[self.lexicon.seat_of[power]]) >= LEAD
        return not leads and power not in self.faithless and not self._declines(power)

    def _is_willing(self, power: str) -> bool:
        """Whether a power ever agreed to what it offered, or offered something."""
        return any(
            proposal.proposer == power or _said_yes(proposal, power)
            for proposal in self.ledger.proposals
            if self.me in proposal.parties
        )

    def _declines(self, power: str) -> bool:
        """Whether the power wanted none of the last offers."""
        asked = [p for p in self.ledger.proposals if p.proposer == self.me and power in p.addressees]
        last = asked[-PATIENCE:]
        return len(last) == PATIENCE and not any(_said_yes(proposal, power) for proposal in last)

    def _proposes(self, power: str) -> bool:
        """Whether a power proposes deals, or may do so because it was not asked for many yet."""
        deals = [proposal for proposal in self.ledger.proposals if isinstance(proposal.what, v.Every)]
        made = any(deal.proposer == power for deal in deals)
        return made or (self._is_willing(power) and sum(power in deal.addressees for deal in deals) < PATIENCE)


def _said_yes(proposal: Proposal, power: str) -> bool:
    return power in proposal.replies and proposal.replies[power][0] is Reply.YES


RECIPE = Recipe(lambda options, seed: Broker(seed, options.budget), CounselOptions)
