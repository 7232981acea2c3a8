"""Asks `search` for orders under promises, and for the values of promises."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated

import msgspec
import numpy as np

from parlour.agents.diplomacy.bounds import Bounds, Limits, Pledge
from parlour.agents.diplomacy.search import Search, SearchOptions
from parlour.agents.diplomacy.trials import Values
from parlour.agents.press.commitments import Commitments, province_of
from parlour.core import events as ev
from parlour.core import seeds
from parlour.core.game import Seat
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.clauses import flat
from parlour.press.language import message_types as v
from parlour.press.ledger import Ledger
from parlour.press.orders import performer, spellings

BUDGET = 200
"""Rollouts per decision of a press agent; negotiation multiplies the decisions."""
RICH = 1000
"""Least budget with which the search learns how each power plays, and expects that others search."""
SAMPLES = 64
"""Number of samples of all powers' orders, for comparing promises."""


class CounselOptions(msgspec.Struct, frozen=True):
    """Options of a press agent."""

    budget: Annotated[int, msgspec.Meta(ge=1, le=100_000_000, description="rollouts per decision")] = BUDGET


class Counsel:
    """The judgement of a press agent: `search`, bounded by its promises.

    Guesses and comparisons use a second search with its own seed, so talk without a result changes no orders.
    """

    def __init__(self, seed: int, budget: int = BUDGET) -> None:
        rich = budget >= RICH
        options = SearchOptions(budget=budget, mixture=rich, regret=rich)
        self.search = Search(seed, options)
        self._scout = Search(seeds.second_search(seed), options)

    def learn(self, event: ev.Event) -> None:
        """Learn from the others' orders, if a turn has ended."""
        self.search.learn(event)
        self._scout.learn(event)

    def orders(self, position: Position, seat: Seat, bounds: Bounds) -> list[str]:
        """Return the best orders found within bounds."""
        return _chosen(self.search, position, seat, bounds)

    def weighed(self, position: Position, seat: Seat, bounds: Bounds) -> list[str]:
        """Return the best orders that the second search finds within bounds, for guesses and comparisons."""
        return _chosen(self._scout, position, seat, bounds)

    def outlook(self, position: Position, scenarios: Sequence[Sequence[Pledge]]) -> Values:
        """Return the mean share of each power's squared centres after a year, for each scenario of pledges.

        The result has the shape [scenarios, powers].
        """
        return self._scout.outlook(position, scenarios, SAMPLES)

    def guess(self, ledger: Ledger, position: Position, power: str) -> list[str]:
        """Return the likely orders of a power that searches, if all keep the pacts of a ledger."""
        seat, others = ledger.lexicon.seat_of[power], {other: 1.0 for other in ledger.present if other != power}
        limits = limits_of(Commitments(ledger, power), position, seat)
        return self.weighed(position, seat, Bounds(limits, pledges=pledges_of(ledger, position, others)))

    def concert(
        self, ledger: Ledger, position: Position, plans: Mapping[str, Iterable[str]]
    ) -> tuple[dict[str, list[str]], dict[str, float]]:
        """Return the best orders that some powers find together while all keep the pacts of a ledger.

        The second value is the gain of each power compared to the plans.
        """
        seats = {power: ledger.lexicon.seat_of[power] for power in plans}
        planned: dict[int, Collection[str]] = {}
        limits: dict[int, Collection[str]] = {}
        for power, orders in plans.items():
            planned |= pledge(position, seats[power], orders).limits
            limits |= limits_of(Commitments(ledger, power), position, seats[power])
        numbers = {power: position.power_of(seat) for power, seat in seats.items()}
        pledges = pledges_of(ledger, position, {other: 1.0 for other in ledger.present if other not in plans})
        found = self._scout.concert(position, list(numbers.values()), planned, limits, pledges)
        return (
            {power: found.orders[number] for power, number in numbers.items()},
            {power: found.gains[number] for power, number in numbers.items()},
        )

    def centres(self, position: Position, seat: Seat, scenarios: Sequence[Sequence[Pledge]]) -> list[float]:
        """Return an estimate of the power's centres in each scenario, from shares of squared centres."""
        roots = np.sqrt(self.outlook(position, scenarios))
        total = sum(province.centre for province in position.board.provinces)
        return [float(share) for share in total * roots[:, position.power_of(seat)] / roots.sum(axis=1)]


def _chosen(search: Search, position: Position, seat: Seat, bounds: Bounds) -> list[str]:
    return [str(position.order_of(action)) for action in search.choose(position, position.power_of(seat), bounds)]


def limits_of(commitments: Commitments, position: Position, seat: Seat) -> Limits:
    """Return the orders that keep the power's promises, by province; provinces without limits are left out."""
    if not commitments.is_bound():
        return {}
    due, allowed = commitments.due(), commitments.allows()
    tags = {province.tag: number for number, province in enumerate(position.board.provinces)}
    found: dict[int, Sequence[str]] = {}
    for tag in position.orderable()[seat]:
        texts = position.orders_at(tags[tag])
        if due.get(tag) in texts:
            found[tags[tag]] = (due[tag],)
        elif len(may := [text for text in texts if allowed(text)]) < len(texts):
            # A unit without an allowed order holds or disbands.
            found[tags[tag]] = may or [text for text in texts if text.endswith((" H", " D"))]
    return found


def due_of(commitments: Commitments, position: Position) -> set[int]:
    """Return the provinces for which a power has promised an order in this turn."""
    due = commitments.due()
    return {number for number, province in enumerate(position.board.provinces) if province.tag in due}


def pledge(position: Position, seat: Seat, orders: Iterable[str]) -> Pledge:
    """Return the pledge that a power gives these orders."""
    places = {province.tag: number for number, province in enumerate(position.board.provinces)}
    limits = {places[province_of(text)]: (text,) for text in orders if text != "WAIVE"}
    return Pledge(position.power_of(seat), limits)


def pledges_to(what: v.Arrangement, ledger: Ledger, position: Position) -> list[Pledge]:
    """Return the pledges of agreed orders; an order that cannot be given now is left out."""
    orders: dict[str, list[str]] = {}
    for part in flat(what):
        if isinstance(part, v.Execute):
            power = performer(part.order)
            legal = position.legal(ledger.lexicon.seat_of[power])
            orders.setdefault(power, []).extend([w for w in spellings(part.order, ledger.board) if w in legal][:1])
    return [pledge(position, ledger.lexicon.seat_of[power], texts) for power, texts in orders.items()]


def pledges_of(ledger: Ledger, position: Position, trust: Mapping[str, float]) -> list[Pledge]:
    """Return the pledges of powers from the pacts in a ledger, each with the trust in its power."""
    found = []
    for power, chance in trust.items():
        seat = ledger.lexicon.seat_of[power]
        limits = limits_of(Commitments(ledger, power), position, seat)
        if limits and chance > 0:
            found.append(Pledge(position.power_of(seat), limits, chance))
    return found
