"""The reciprocator: trusts powers that keep their word, by its ledger, and punishes powers that do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from parlour.agents.press.counsel import BUDGET, CounselOptions, pledges_to
from parlour.agents.press.peaceable import Peaceable
from parlour.agents.press.talker import Offers
from parlour.agents.specs import Recipe
from parlour.core.game import Seat
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.clauses import performers
from parlour.press.agreements.pacts import PactVerdict
from parlour.press.agreements.proposals import Proposal
from parlour.press.judging.findings import PromiseStatus
from parlour.press.language import message_types as v

START = 0.5
GAIN = 0.1
"""Share of the distance to 1 that a kept promise adds to trust; a broken promise ends trust."""
GRUDGE = 2
"""Years without deals after a broken promise; each further breach adds the same number."""
SEASONS = 5
"""Phases that a year can have: moves and retreats in spring and fall, and the winter."""


class Reciprocator(Peaceable):
    """Tit for tat: open to every power at first, and closed for a time to a power that broke a promise."""

    def __init__(self, seed: int, budget: int = BUDGET) -> None:
        super().__init__(seed, budget)
        self.trust: dict[str, float] = {}
        self.closed: dict[str, int] = {}
        """Phase number until which the player makes no pact with a power, by power."""
        self._breaches: Counter[str] = Counter()
        """Number of turns in which each power broke its word."""

    def offers(self, position: Position) -> Offers:
        """Yield offers of peace, the most trusted powers first; one power is always left to fight."""
        for power in sorted(self.others(), key=lambda power: -self.trust.get(power, START)):
            if power not in self.closed and power not in self.suitors() and self.may_befriend([power]):
                yield [power], v.Peace((self.me, power))

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Return True for peace while another power is left to fight, and for orders that pay by trust.

        Other proposals are accepted if they bind another power, or none. False if a party is closed.
        """
        if not self.closed.keys().isdisjoint(proposal.parties):
            return False
        match proposal.what:
            case v.Peace(powers) | v.Alliance(powers):
                return self.me in powers and self.may_befriend(powers)
            case v.Every() | v.Execute():
                return position.stage == "orders" and self._pays(proposal, position)
            case what:
                others_do_something = bool(performers(what, proposal.parties) - {self.me})
                return others_do_something or not performers(what, proposal.parties)

    def _pays(self, proposal: Proposal, position: Position) -> bool:
        """Return True if the orders promise a gain.

        Trust weighs the case that all keep them against the case that only this player does.
        """
        basis = self.expected(position)
        held = pledges_to(proposal.what, self.ledger, position)
        me = position.power_of(self.seat)
        alone = [each for each in held if each.power == me]
        nothing, kept, fooled = self.counsel.outlook(position, [basis, [*basis, *held], [*basis, *alone]])[:, me]
        trust = min(self.trusts(power) for power in proposal.parties - {self.me})
        return bool(trust * kept + (1.0 - trust) * fooled > nothing)

    def dislikes(self) -> Mapping[Seat, float]:
        """Return the dislike of each power that broke a promise, until the grudge ends."""
        return {self.lexicon.seat_of[power]: 1.5 - self.trust.get(power, 0.0) for power in self.closed}

    def trusts(self, power: str) -> float:
        """Return the trust in a power, from the promises that the power kept."""
        return 0.0 if power in self.closed else self.trust.get(power, START)

    def learns(self, verdicts: Sequence[PactVerdict]) -> None:
        """Update the trust in every partner of a pact, and end old grudges."""
        for power in [power for power, until in self.closed.items() if until <= self._now]:
            del self.closed[power]
            self.trust[power] = START
        theirs = [each for each in verdicts if each.performer != self.me and self.me in each.pact.parties]
        for power in {verdict.performer for verdict in theirs if verdict.status is PromiseStatus.BROKEN}:
            self._breaches[power] += 1
            self.closed[power] = self._now + GRUDGE * SEASONS * self._breaches[power]
            self.trust[power] = 0.0
        for power in [verdict.performer for verdict in theirs if verdict.status is PromiseStatus.KEPT]:
            if power not in self.closed:
                trust = self.trust.get(power, START)
                self.trust[power] = trust + GAIN * (1.0 - trust)

    @property
    def _now(self) -> int:
        return self.ledger.board.year * SEASONS + self.ledger.board.season


RECIPE = Recipe(lambda options, seed: Reciprocator(seed, options.budget), CounselOptions)
