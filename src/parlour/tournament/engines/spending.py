"""Caps on the cost of models in a whole tournament or evaluation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from parlour.agents import LLM
from parlour.agents.llm.prices import price_of
from parlour.agents.llm.spec import read_spec
from parlour.agents.specs import split_spec
from parlour.tournament.engines.base import Engine, Happening
from parlour.tournament.plan import Plan
from parlour.tournament.results import MatchPlayed
from parlour.tournament.schedules.blocks import Sitting

LONGEST_PROMPT = 40_000
"""Maximum bytes of a prompt with its repair, counted as tokens for the highest cost of a call."""


class BudgetSpent(Exception):
    """No further match fits into the cap, and none is under way."""


def dearest_calls(plan: Plan) -> dict[str, float]:
    """Return for each model whose price is known, by name, the US dollars that one call can cost at most."""
    found = {}
    for name, agent in plan.agents.items():
        kind, rest = split_spec(agent)
        if kind == LLM:
            spec = read_spec(rest)
            if price := price_of(spec.model, spec.options.prices):
                found[name] = price.of(LONGEST_PROMPT, spec.options.max_tokens)
    return found


class SpendingCap:
    """The dollars and tokens that all matches together may cost; None means no limit.

    Each match is given a part of the dollars that it cannot exceed. Tokens only decide about further matches.
    """

    def __init__(
        self, usd: float | None = None, tokens: int | None = None, calls: Mapping[str, float] | None = None
    ) -> None:
        """Begin with nothing spent.

        Args:
            usd: Maximum number of US dollars.
            tokens: Maximum number of tokens.
            calls: For each model whose price is known the dollars that one call can cost at most.
        """
        self.usd, self.tokens = usd, tokens
        self.spent_usd, self.spent_tokens = 0.0, 0
        self._calls = dict(calls or {})
        self._dearest_usd: dict[str, float] = {}
        """Dollars of the most expensive match of each model."""
        self._dearest_tokens = 0
        self._held: dict[int, float] = {}
        """Dollars that are set aside for matches under way, by the number of the match."""
        self._counted = 0

    @property
    def limits(self) -> bool:
        """True if there is a limit."""
        return self.usd is not None or self.tokens is not None

    def allows(self, under_way: int) -> bool:
        """Return True if one more match fits, by the cost of the matches so far."""
        if not self.limits:
            return True
        if not self._counted:
            return under_way == 0  # the first match shows the cost
        free, need = self._free(), max(map(self._need, self._dearest_usd), default=0.0)
        tokens = self.spent_tokens + (under_way + 1) * self._dearest_tokens
        return free > 0 and free >= need and (self.tokens is None or tokens <= self.tokens)

    def hold(self, sitting: Sitting) -> float | None:
        """Set dollars aside for a match; return those of each seat with a model, or None if they have no cap.

        The first match of a model may spend all that is left, since its cost is not yet known.
        """
        models = [name for name in sitting.players if name in self._calls]
        if self.usd is None or not models:
            return None
        known = all(name in self._dearest_usd for name in models)
        wanted = 2 * sum(map(self._need, models)) if known else math.inf
        held = self._held[sitting.number] = max(0.0, min(self._free(), wanted))
        return held / len(models)

    def add(self, played: MatchPlayed, players: Iterable[str]) -> None:
        """Count the cost of a match that is over, also of one that does not count.

        Args:
            played: The result of the match.
            players: Names of those who played it; none if they are not known, as after a void match of an earlier run.
        """
        cost, names = played.spent, set(players)
        self._held.pop(played.number, None)
        self.spent_usd, self.spent_tokens = self.spent_usd + cost.usd, self.spent_tokens + cost.tokens
        self._dearest_tokens = max(self._dearest_tokens, cost.tokens)
        for name in names & {*self._calls}:
            self._dearest_usd[name] = max(self._dearest_usd.get(name, 0.0), cost.usd)
        self._counted += bool(names)

    def lose(self, sitting: Sitting) -> None:
        """Count a match whose process died, and its record with it, as the most expensive match of its models."""
        self._held.pop(sitting.number, None)
        self.spent_usd += max((self._dearest_usd.get(name, 0.0) for name in sitting.players), default=0.0)

    def _free(self) -> float:
        return math.inf if self.usd is None else self.usd - self.spent_usd - sum(self._held.values())

    def _need(self, name: str) -> float:
        """Return the dollars that a match of this model needs: each call reserves its highest cost."""
        return 2 * self._dearest_usd[name] + self._calls[name]


class CappedEngine:
    """An engine that starts only matches that the cap can pay for, and raises BudgetSpent when none is left."""

    task_time = 0.0

    def __init__(self, engine: Engine, cap: SpendingCap) -> None:
        self._engine, self._cap = engine, cap
        self._under_way: dict[int, Sitting] = {}
        self.places = engine.places

    @property
    def depth(self) -> int:
        """Number of tasks that should be under way; none if a further match does not fit."""
        return self._engine.depth if self._cap.allows(len(self._under_way)) else 0

    def submit(self, sittings: Sequence[Sitting]) -> None:
        """Start matches, each with the dollars that it may cost."""
        capped = [msgspec.structs.replace(sitting, usd=self._cap.hold(sitting)) for sitting in sittings]
        self._under_way |= {sitting.number: sitting for sitting in capped}
        self._engine.submit(capped)

    def wait(self, seconds: float) -> Happening:
        """Return results and failures; raise BudgetSpent if no further match fits and none is under way."""
        if not self._under_way and not self._cap.allows(0):
            raise BudgetSpent
        happening = self._engine.wait(seconds)
        for delivery in happening.deliveries:
            self._cap.add(delivery.played, self._under_way.pop(delivery.played.number).players)
        for failure in happening.failures:
            for number in failure.numbers:
                self._cap.lose(self._under_way.pop(number))
        return happening

    def close(self) -> None:
        """Stop the engine."""
        self._engine.close()
