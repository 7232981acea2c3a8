"""The budget of one decision: rollouts, which are reproducible, or seconds."""

from __future__ import annotations

import time

from parlour.core.thinking import checkpoint


class RolloutBudget:
    """A limit of rollouts, of seconds, or of both; the search ends when either is spent."""

    def __init__(self, rollouts: int | None, seconds: float | None) -> None:
        self._rollouts, self._seconds = rollouts, seconds
        self._began = time.perf_counter()
        self.spent = 0

    def spend(self, rollouts: int) -> None:
        """Count rollouts; raise ThinkingStopped if nobody waits for the result."""
        self.spent += rollouts
        checkpoint()

    def used(self) -> float:
        """Return the spent share of the budget; at least 1 when all of it is spent."""
        used = 0.0 if self._rollouts is None else self.spent / self._rollouts
        if self._seconds is not None:
            used = max(used, (time.perf_counter() - self._began) / self._seconds)
        return used
