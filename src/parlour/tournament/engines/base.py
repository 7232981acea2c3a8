"""The contract of an engine: it takes tasks of several matches, and returns their results in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from parlour.tournament.results import Delivery
from parlour.tournament.schedules.blocks import Sitting


class Failure(msgspec.Struct, frozen=True):
    """Matches that were not played without a fault of a player: their process died, or their machine is gone."""

    numbers: tuple[int, ...]
    reason: str
    begun: bool = True
    """True if one of them was under way; otherwise they did not cause the failure."""


class Happening(msgspec.Struct, frozen=True):
    """Results and failures that an engine returns."""

    deliveries: tuple[Delivery, ...] = ()
    failures: tuple[Failure, ...] = ()
    idle: int = 0
    """Number of tasks that are over."""


class AnyEngine(Protocol):
    """An engine that plays matches in any place."""

    @property
    def places(self) -> int:
        """Number of matches that can be played at once."""
        ...

    @property
    def depth(self) -> int:
        """Number of tasks that should run or wait."""
        ...

    @property
    def task_time(self) -> float:
        """Seconds that a task should take, so that sending it does not matter."""
        ...

    def submit(self, sittings: Sequence[Sitting]) -> None:
        """Send these matches to be played."""
        ...


class Engine(AnyEngine, Protocol):
    """Plays matches in other processes."""

    def wait(self, seconds: float) -> Happening:
        """Return results and failures: at once if there are any, otherwise after at most this time."""
        ...

    def close(self) -> None:
        """Stop all tasks and end every process that was started."""
        ...


class AsyncEngine(AnyEngine, Protocol):
    """Plays matches on the running event loop."""

    async def happened(self) -> Happening:
        """Wait until results return, and return them."""
        ...
