"""What a game tells tournaments of itself: how large tables are, what is dealt, how seats are balanced, what counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from parlour.core.game import Game, Outcome, Plain, Position, Seat, Seed
from parlour.errors import ConfigError

Points = Mapping[str, Mapping[str, float]]
"""For each way to score, what each seat gets."""
MOST_SEATS = 16
"""Up to how many seats a game is asked whether it takes so many."""


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


class PlainContest:
    """Any game that tells tournaments nothing of itself: everybody is on every seat once, and the win counts."""

    scores = ("win share",)
    rivals = None

    def __init__(self, game: Game, counted: str = "") -> None:
        self._game = game
        self._counted = counted
        """The field of the configuration that says how many seats there are, if one does."""

    def sizes(self, config: Mapping[str, Plain]) -> tuple[int, int]:
        """As few and as many as the game takes; ConfigError if it takes the configuration with no number of seats."""
        found = [seats for seats in range(2, MOST_SEATS + 1) if self._takes(config, seats)] if self._counted else []
        if found:
            return found[0], found[-1]
        seats = len(self._game.seats(config))
        return seats, seats

    def deals(self, config: Mapping[str, Plain], seats: int, seed: Seed) -> tuple[dict[str, Plain], ...]:
        """What is asked for, with so many seats."""
        return ({**config, self._counted: seats} if self._counted else dict(config),)

    def orders(self, seats: int) -> tuple[tuple[int, ...], ...]:
        """Everybody moves on by one seat."""
        return tuple(tuple((seat + first) % seats for seat in range(seats)) for first in range(seats))

    def points(self, position: Position, outcome: Outcome, lost: Sequence[Seat]) -> Points:
        """The win alone, for what a game's own scores are worth only the game knows."""
        return {"win share": win_share(outcome, lost)}

    def _takes(self, config: Mapping[str, Plain], seats: int) -> bool:
        try:
            return len(self._game.seats({**config, self._counted: seats})) == seats
        except ConfigError:
            return False


def win_share(outcome: Outcome, lost: Sequence[Seat]) -> dict[str, float]:
    """The win, shared by those who share the first place and did not lose by a foul."""
    winners = [seat for seat in outcome.winners if seat not in lost]
    return {seat: (seat in winners) / max(1, len(winners)) for seat in outcome.scores}
