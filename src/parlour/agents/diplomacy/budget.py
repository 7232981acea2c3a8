"""What one decision may cost: rollouts, which give the same result always, or seconds."""

from __future__ import annotations

import time


class RolloutBudget:
    """So many rollouts, or so many seconds; what is spent first ends it."""

    def __init__(self, rollouts: int | None, seconds: float | None) -> None:
        self._rollouts, self._seconds = rollouts, seconds
        self._began = time.perf_counter()
        self.spent = 0

    def spend(self, rollouts: int) -> None:
        """So many were rolled."""
        self.spent += rollouts

    def used(self) -> float:
        """The share that is spent; 1 and more when it is all."""
        used = 0.0 if self._rollouts is None else self.spent / self._rollouts
        if self._seconds is not None:
            used = max(used, (time.perf_counter() - self._began) / self._seconds)
        return used
