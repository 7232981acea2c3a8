"""Caps on what the models of a whole tournament or evaluation may cost."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.tournament.engines.base import Engine, Happening
from parlour.tournament.results import MatchPlayed
from parlour.tournament.schedules.blocks import Sitting


class BudgetSpent(Exception):
    """No further match fits into the cap, and none is under way."""


class SpendingCap:
    """The dollars and tokens that all matches together may cost; None is no limit."""

    def __init__(self, usd: float | None = None, tokens: int | None = None) -> None:
        self.usd, self.tokens = usd, tokens
        self.spent_usd, self.spent_tokens = 0.0, 0
        self._dearest_usd, self._dearest_tokens = 0.0, 0
        """The cost of the most expensive match."""
        self._counted = 0

    @property
    def limits(self) -> bool:
        """True if there is a limit."""
        return self.usd is not None or self.tokens is not None

    def add(self, played: MatchPlayed) -> None:
        """Count what a match cost."""
        calls = [seat.calls for seat in played.seats if seat.calls is not None]
        usd, tokens = sum(call.usd for call in calls), sum(call.tokens for call in calls)
        self.spent_usd, self.spent_tokens = self.spent_usd + usd, self.spent_tokens + tokens
        self._dearest_usd, self._dearest_tokens = max(self._dearest_usd, usd), max(self._dearest_tokens, tokens)
        self._counted += 1

    def allows(self, under_way: int) -> bool:
        """Return True if one more match fits, should it and all that run cost as much as the dearest so far."""
        if not self.limits:
            return True
        if not self._counted:
            return under_way == 0  # the first shows what a match costs
        more = under_way + 1
        dollars = self.usd is None or self.spent_usd + more * self._dearest_usd <= self.usd
        return dollars and (self.tokens is None or self.spent_tokens + more * self._dearest_tokens <= self.tokens)


class CappedEngine:
    """An engine that starts no match for which there is no money left, and raises BudgetSpent then."""

    task_time = 0.0

    def __init__(self, engine: Engine, cap: SpendingCap) -> None:
        self._engine, self._cap = engine, cap
        self._under_way = 0
        self.places = engine.places

    @property
    def depth(self) -> int:
        """Number of tasks that should be under way; none if a further match does not fit."""
        return self._engine.depth if self._cap.allows(self._under_way) else 0

    def submit(self, sittings: Sequence[Sitting]) -> None:
        """Start matches."""
        self._under_way += len(sittings)
        self._engine.submit(sittings)

    def wait(self, seconds: float) -> Happening:
        """Return what has come in."""
        if not self._under_way and not self._cap.allows(0):
            raise BudgetSpent
        happening = self._engine.wait(seconds)
        for delivery in happening.deliveries:
            self._cap.add(delivery.played)
        self._under_way -= len(happening.deliveries) + sum(len(failure.numbers) for failure in happening.failures)
        return happening

    def close(self) -> None:
        """Stop the engine."""
        self._engine.close()
