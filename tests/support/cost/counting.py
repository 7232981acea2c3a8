"""Counts what a piece of work costs: calls of functions and the largest memory it held, never time."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NamedTuple

STEP = 4
"""By how much each size is larger than the one before it."""
SLACK = 1.6
"""By how much more than in proportion a cost may grow: rehashing, caches that fill, numbers with more digits."""


class Cost(NamedTuple):
    """The cost of one piece of work."""

    calls: int
    peak: int
    """Bytes."""


def cost_of(work: Callable[[], object]) -> Cost:
    """Return the calls that work makes in this thread, and the memory that it holds at most."""
    calls = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        if event in ("call", "c_call"):
            calls += 1

    before = sys.getprofile()
    tracemalloc.start()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return Cost(calls, peak)


NOISE = Cost(10_000, 1 << 20)
"""A server's own work meanwhile: agents that think, clocks that tick, caches that fill."""


def is_noise(cost: Cost) -> bool:
    """Return True if a cost is too small for `excess_growth` to report it, whatever other sizes cost."""
    return all(spent <= noise for spent, noise in zip(cost, NOISE, strict=True))


def least(costs: Sequence[Cost]) -> Cost:
    """Return the least of each that was measured."""
    return Cost(min(cost.calls for cost in costs), min(cost.peak for cost in costs))


def excess_growth(costs: Sequence[Cost], step: int = STEP) -> str:
    """Return what grew faster than the size, which grows by step each time; empty if nothing did."""
    for name in Cost._fields:
        small, middle, large = (getattr(cost, name) for cost in costs)
        # What does not depend on the size cancels out in the differences; of memory only if it is held all the time.
        first, second = middle - small, large - middle
        base = max(first, small // 4 if name == "calls" else small, 1)
        noise = getattr(NOISE, name)
        # The last one may have been refused for taking too long, so that the second alone must tell, too.
        if (second > noise and second > SLACK * step * base) or (first > noise and first > SLACK * step * small):
            return f"{name}: {small:,}, {middle:,}, {large:,} for sizes that grow {step} times"
    return ""
