"""The broker: finds orders by which it and its partners all gain, if they give them together, and proposes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parlour.agents.press.base import Basis
from parlour.agents.press.concern import JointPlan, UnitOrder
from parlour.agents.press.counsel import BUDGET, CounselOptions, pledge, pledges_to
from parlour.agents.press.peaceable import LEAD, Peaceable
from parlour.agents.press.talker import Offers
from parlour.agents.specs import Recipe
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.clauses import performers
from parlour.press.agreements.proposals import Proposal, Reply
from parlour.press.language import message_types as v
from parlour.press.orders import from_text

MOST = 2
"""Maximum number of partners in one deal."""
PATIENCE = {v.Peace: 2, v.Every: 4}
"""Number of offers of a kind that a power may decline in a row before the broker stops making them."""
QUIET = 2
"""Number of deals offered to a silent power, after which the broker no longer lets it propose first."""
EDGE = 0.002
"""Gain in the share of squared centres that every party of a plan must exceed."""


class Broker(Peaceable):
    """A player that makes peace and searches for orders that help all partners: supports, room, joint attacks.

    The search begins with the orders of each power alone. It treats the partners as one power, but no partner may
    lose. The deal names only the orders that need an agreement, and each party must gain by these.
    """

    def __init__(self, seed: int = 0, budget: int = BUDGET) -> None:
        super().__init__(seed, budget)
        self._guesses: tuple[Basis | None, dict[str, list[str]]] = None, {}

    def offers(self, position: Position) -> Offers:
        """Yield an offer of peace to each power that is not a friend, has kept its word and does not decline peace."""
        for power in self.others():
            asked = power in self.suitors() or power in self.faithless or self._declines(power, v.Peace)
            if not asked and self.may_befriend([power]):
                yield [power], v.Peace((self.me, power))

    def later_offers(self, position: Position) -> Offers:
        """Yield a deal with all partners in reach; after a refusal, a deal with the remaining partners."""
        partners = self._partners(position)
        if not partners or self.commitments.due():
            return
        plans = {self.me: self.plan(position)} | {power: self._guess(position, power) for power in partners}
        while partners:
            group = {power: plans[power] for power in (self.me, *partners)}
            orders, gains = self.counsel.concert(self.ledger, position, group)
            if min(gains.values()) <= EDGE:
                partners.remove(min(partners, key=lambda power: gains[power]))
                continue
            deal = self._deal(orders, group)
            asked = sorted(performers(deal) - {self.me})
            if not asked or min(self._gains(deal, asked, position)) <= 0.0:
                return
            yield asked, deal
            against = self._opponents_of(deal)
            if not against:
                return
            partners = [power for power in partners if power not in against]

    def lets_speak(self) -> Sequence[str]:
        """Return the powers that propose deals before this one in this turn, because crossing offers bind no power."""
        board, powers = self.ledger.board, list(self.lexicon.powers)
        first = (2 * board.year + (board.season > 2)) % len(powers)
        order = [*powers[first:], *powers[:first]]
        return [power for power in order[: order.index(self.me)] if self._proposes(power)]

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Return True for peace and for profitable orders.

        False if a party broke its word, or for orders if a party is about to win.
        """
        if not proposal.parties.isdisjoint(self.faithless):
            return False
        match proposal.what:
            case v.Peace(powers):
                return self.me in powers and self.may_befriend(powers)
            case v.Every() | v.Execute():
                others = sorted(proposal.parties - {self.me})
                if position.stage != "orders" or any(self._leads(position, power) for power in others):
                    return False
                return self._gains(proposal.what, others, position)[0] > 0.0
            case _:
                return False

    def _gains(self, what: v.Arrangement, others: Sequence[str], position: Position) -> list[float]:
        """Return the gains of this power and of the others if all give the agreed orders, compared to no deal."""
        guesses = [pledge(position, self.lexicon.seat_of[power], self._guess(position, power)) for power in others]
        basis, held = [*guesses, *self.expected(position)], pledges_to(what, self.ledger, position)
        without, with_it = self.counsel.outlook(position, [basis, [*basis, *held]])
        powers = [position.power_of(self.lexicon.seat_of[power]) for power in (self.me, *others)]
        return [float(with_it[power] - without[power]) for power in powers]

    def _guess(self, position: Position, power: str) -> list[str]:
        """Return the likely orders of a power without a deal, found by search."""
        basis = position, self._pacts()
        if self._guesses[0] != basis:
            self._guesses = basis, {}
        found = self._guesses[1]
        if power not in found:
            found[power] = self.counsel.guess(self.ledger, position, power)
        return found[power]

    def _deal(self, together: Mapping[str, Iterable[str]], alone: Mapping[str, Iterable[str]]) -> v.Every:
        """Return the part of a joint plan that needs an agreement; empty if no order needs one."""
        plan = JointPlan(self._read(together), set(self._read(alone)), self.ledger.board)
        return v.Every(tuple(v.Execute(order) for order in plan.concerning(self.me)))

    def _read(self, orders: Mapping[str, Iterable[str]]) -> list[UnitOrder]:
        board = self.ledger.board
        read = (from_text(text, board, power) for power, texts in orders.items() for text in texts)
        return [order for order in read if isinstance(order, UnitOrder)]

    def _opponents_of(self, deal: v.Arrangement) -> set[str]:
        """Return the powers that refused this deal when the broker last offered it."""
        for proposal in reversed(self.ledger.proposals):
            if proposal.proposer == self.me and proposal.what == deal:
                return {power for power in proposal.replies if not _said_yes(proposal, power)}
        return set()

    def _partners(self, position: Position) -> list[str]:
        """Return at most MOST willing powers whose units can reach the same provinces as the group's units."""
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
        """Return True if a power keeps its word, does not decline deals, and is not about to win."""
        shunned = power in self.faithless or self._leads(position, power)
        return not shunned and not self._declines(power, v.Every)

    def _leads(self, position: Position, power: str) -> bool:
        return len(position.centers[self.lexicon.seat_of[power]]) >= LEAD

    def _is_willing(self, power: str) -> bool:
        """Return True if a power ever made or accepted a proposal to which this power is a party."""
        return any(
            proposal.proposer == power or _said_yes(proposal, power)
            for proposal in self.ledger.proposals
            if self.me in proposal.parties
        )

    def _declines(self, power: str, kind: type[v.Arrangement]) -> bool:
        """Return True if a power accepted none of the last offers of a kind."""
        asked = [p for p in self.ledger.proposals if p.proposer == self.me and power in p.addressees]
        last = [proposal for proposal in asked if isinstance(proposal.what, kind)][-PATIENCE[kind] :]
        return len(last) == PATIENCE[kind] and not any(_said_yes(proposal, power) for proposal in last)

    def _proposes(self, power: str) -> bool:
        """Return True if a power proposes deals, or is willing and has received fewer than QUIET deals."""
        deals = [proposal for proposal in self.ledger.proposals if isinstance(proposal.what, v.Every)]
        made = any(deal.proposer == power for deal in deals)
        return made or (self._is_willing(power) and sum(power in deal.addressees for deal in deals) < QUIET)


def _said_yes(proposal: Proposal, power: str) -> bool:
    return power in proposal.replies and proposal.replies[power][0] is Reply.YES


RECIPE = Recipe(lambda options, seed: Broker(seed, options.budget), CounselOptions)
