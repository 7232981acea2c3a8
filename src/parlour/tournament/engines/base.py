"""What an engine is: takes tasks of some matches each, and gives back what became of them, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from parlour.tournament.blocks import Sitting
from parlour.tournament.playing import Delivery


class Failure(msgspec.Struct, frozen=True):
    """Matches that were not played, for no fault of a player: their process died, their machine is gone."""

    numbers: tuple[int, ...]
    reason: str
    begun: bool = True
    """Whether one of them was under way; if not, they are no reason for what happened."""


class Happening(msgspec.Struct, frozen=True):
    """What came back."""

    deliveries: tuple[Delivery, ...] = ()
    failures: tuple[Failure, ...] = ()
    idle: int = 0
    """How many tasks are over."""


class Engine(Protocol):
    """Plays matches somewhere."""

    @property
    def places(self) -> int:
        """How many matches can be played at once."""
        ...

    @property
    def depth(self) -> int:
        """How many tasks should be under way."""
        ...

    @property
    def task_time(self) -> float:
        """How many seconds a task should take, so that its way there and back does not matter."""
        ...

    def submit(self, sittings: Sequence[Sitting]) -> None:
        """Have these matches played."""
        ...

    def wait(self, seconds: float) -> Happening:
        """What came back, at once if there is something, else within the time."""
        ...

    def close(self) -> None:
        """Stop, whatever is under way; nothing that was started stays behind."""
        ...
