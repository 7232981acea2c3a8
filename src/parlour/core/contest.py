"""What a game tells tournaments of itself: how large tables are, what is dealt, how seats are balanced, what counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from parlour.core.game import Outcome, Plain, Position, Seat, Seed

Points = Mapping[str, Mapping[str, float]]
"""For each way to score, what each seat gets."""


class Contest(Protocol):
    """A game as tournaments see it."""

    @property
    def scores(self) -> tuple[str, ...]:
        """The ways to score a match; the first is taken if none is asked for."""
        ...

    def sizes(self, config: Mapping[str, Plain]) -> tuple[int, int]:
        """How many seats the smallest and the largest table have."""
        ...

    def deals(self, config: Mapping[str, Plain], seats: int, seed: Seed) -> tuple[dict[str, Plain], ...]:
        """The configurations of the matches that play one deal: the deal itself and, where it has one, its mirror."""
        ...

    def orders(self, seats: int) -> tuple[tuple[int, ...], ...]:
        """The fewest ways to seat so many players such that each is on every seat as often as every other."""
        ...

    @property
    def rivals(self) -> int | None:
        """How many agents meet at a table where all meet all; None if as many as there are seats."""
        ...

    def points(self, position: Position, outcome: Outcome, lost: Sequence[Seat]) -> Points:
        """What each seat gets, by every way to score. Those who lost by a foul get nothing."""
        ...
