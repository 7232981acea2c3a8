"""The support broker: proposes pairs of supports, one for it and one for the other, that its rollouts say help both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from parlour.agents.diplomacy.bounds import Bounds, Pledge
from parlour.agents.press.base import Offers
from parlour.agents.press.counsel import CounselOptions, pledge, pledges_to
from parlour.agents.press.peaceable import Peaceable
from parlour.agents.specs import Recipe
from parlour.games.diplomacy.position import Position
from parlour.press import values as v
from parlour.press.orders import from_text
from parlour.press.proposals import Proposal, ProposalState

MOST = 3
"""Proposals in one turn."""
SERVICES = 6
"""Supports each way that are thought about with each neighbour."""
TRIED = 3
"""Deals of which all four orders are tried together."""
PATIENCE = 2
"""Deals in a row that a power may decline before it is asked no more."""
EDGE = 0.002
"""Less of the squared centres is no gain."""

Wish: TypeAlias = v.Move | v.Hold
Aid: TypeAlias = v.SupportMove | v.SupportHold
Orders: TypeAlias = dict[v.Unit, v.Order]


class GoodTurn(NamedTuple):
    """What one power wants and another supports, and what that brings the broker and the other."""

    wish: Wish
    aid: Aid
    mine: float = 0.0
    theirs: float = 0.0


class SupportBroker(Peaceable):
    """Looks for moves and stays of its own that another's unit can support, and for the like service in return.

    A deal names all four orders: what both want and both supports. Each support must be of use: a third power stands
    where it is given to, or can go there. And both must have more after a year of rollouts than without the deal.
    """

    def offers(self, position: Position) -> Offers:
        """Mutual supports with neighbours, and peace to go with them."""
        mine = self._orders_of(self.me, self.plan(position))
        made = 0
        for power in self.others():
            if made == MOST or power in self.faithless or self._declines(power):
                continue
            deal = self._deal_with(position, power, mine)
            if deal is not None:
                made += 1
                if power not in self.friends() and self.may_befriend([power]):
                    yield [power], v.Peace((self.me, power))
                yield [power], deal

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Peace, and orders that bring it more than without; nothing from who broke his word."""
        if not proposal.parties.isdisjoint(self.faithless):
            return False
        match proposal.what:
            case v.Peace(powers):
                return self.me in powers and self.may_befriend(powers)
            case v.Every() | v.Execute():
                [gain] = self._gains(position, proposal.proposer, self.expected(position), [proposal.what])
                return gain[0] > EDGE
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

    def _deal_with(self, position: Position, power: str, mine: Orders) -> v.Arrangement | None:
        """A deal with another power that serves both; what the other plans is guessed by searching for it."""
        seat = self.lexicon.seat_of[power]
        lends, borrows = self._aids(position, self.me), self._aids(position, power)
        if not any(aid.other in mine for aid in borrows):
            return None
        plan = self.counsel.weighed(position, seat, Bounds(pledges=self.pledges(position)))
        theirs = self._orders_of(power, plan)
        got = self._served(self._wishes(position, self.me, mine), borrows, theirs)
        given = self._served(self._wishes(position, power, theirs), lends, mine)
        if not got or not given:
            return None
        return self._best_deal(position, power, [*self.expected(position), pledge(position, seat, plan)], got, given)

    def _orders_of(self, power: str, texts: Iterable[str]) -> Orders:
        found = (from_text(text, self.ledger.board, power) for text in texts)
        return {order.unit: order for order in found if order is not None and not isinstance(order, v.Waive)}

    def _best_deal(
        self, position: Position, power: str, basis: list[Pledge], got: list[GoodTurn], given: list[GoodTurn]
    ) -> v.Arrangement | None:
        """The deal that brings the one of the two who gains less the most; None if one of them gains nothing."""
        weighed = self._weighed(position, power, basis, [*got, *given])
        pairs = sorted(
            _pairs(weighed[: len(got)], weighed[len(got) :]),
            key=lambda pair: -min(pair[0].mine + pair[1].mine, pair[0].theirs + pair[1].theirs),
        )
        deals = [deal for deal in (_deal(*pair) for pair in pairs[:TRIED]) if self.fits(deal)]
        gains = self._gains(position, power, basis, deals)
        best = max(zip(gains, deals, strict=True), key=lambda found: min(found[0]), default=None)
        return best[1] if best is not None and min(best[0]) > EDGE else None

    def _weighed(self, position: Position, power: str, basis: list[Pledge], services: list[GoodTurn]) -> list[GoodTurn]:
        """Services with what each brings by itself."""
        each = [v.Every((v.Execute(service.wish), v.Execute(service.aid))) for service in services]
        gains = self._gains(position, power, basis, each)
        return [
            service._replace(mine=mine, theirs=theirs)
            for service, (mine, theirs) in zip(services, gains, strict=True)
        ]  # fmt: skip

    def _gains(
        self, position: Position, power: str, basis: list[Pledge], deals: Sequence[v.Arrangement]
    ) -> list[tuple[float, float]]:
        """What each deal brings it and another; one that cannot be carried out brings nothing."""
        mine, theirs = position.power_of(self.seat), position.power_of(self.lexicon.seat_of[power])
        held = [pledges_to(deal, self.ledger, position) for deal in deals]
        outlook = self.counsel.outlook(position, [basis, *([*basis, *pledges] for pledges in held)])
        gains = outlook[1:] - outlook[0]
        return [(float(gain[mine]), float(gain[theirs])) for gain in gains]

    def _wishes(self, position: Position, power: str, plan: Orders) -> list[Wish]:
        """The moves that a power plans, every move to a centre that it does not own, and to stay."""
        seat, board = self.lexicon.seat_of[power], self.ledger.board
        moves = [order for order in plan.values() if isinstance(order, v.Move)]
        legal = [from_text(text, board, power) for text in position.legal(seat) if " S " not in text]
        gains = [order for order in legal if isinstance(order, v.Move) and self._is_gain(order.to[:3], power)]
        stays = [order for order in legal if isinstance(order, v.Hold)]
        return list(dict.fromkeys([*moves, *gains, *stays]))

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

    def _served(self, wishes: list[Wish], aids: list[Aid], plan: Orders) -> list[GoodTurn]:
        """What one wants and another can support, where a third can oppose it; first by units that plan to stay."""
        found = [
            GoodTurn(wish, aid)
            for wish in wishes
            for aid in aids
            if aid.other == wish.unit and _target(aid) == _target(wish) and self._is_contested(aid)
        ]
        return sorted(found, key=lambda service: isinstance(plan.get(service.aid.unit), v.Move))[:SERVICES]

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


def _pairs(got: list[GoodTurn], given: list[GoodTurn]) -> Iterator[tuple[GoodTurn, GoodTurn]]:
    """Each pair of services that do not get into each other's way."""
    for one in got:
        for other in given:
            apart = one.aid.unit != other.wish.unit and other.aid.unit != one.wish.unit
            if apart and _target(one.wish) != _target(other.wish):
                yield one, other


def _deal(got: GoodTurn, given: GoodTurn) -> v.Arrangement:
    return v.Every(tuple(v.Execute(order) for order in (got.wish, got.aid, given.wish, given.aid)))


RECIPE = Recipe(lambda options, seed: SupportBroker(seed, options.budget), CounselOptions)
