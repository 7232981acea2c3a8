"""The contract between a game and tournaments: table sizes, deals, balanced seatings, points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from parlour.core.game import Game, Outcome, Plain, Position, Seat, Seed
from parlour.errors import ConfigError

Points = Mapping[str, Mapping[str, float]]
"""Points of each seat, for each way to score."""
MOST_SEATS = 16
"""The largest number of seats that is tried when a game is asked for its table sizes."""


class Contest(Protocol):
    """A game as tournaments see it."""

    @property
    def scores(self) -> tuple[str, ...]:
        """Names of the ways to score a match; the first is the default."""

    def sizes(self, config: Mapping[str, Plain]) -> tuple[int, int]:
        """Return the numbers of seats of the smallest and the largest table."""

    def deals(self, config: Mapping[str, Plain], seats: int, seed: Seed) -> tuple[dict[str, Plain], ...]:
        """Return the configurations of all matches of one deal: the deal itself and its mirror, if it has one."""

    def orders(self, seats: int) -> tuple[tuple[int, ...], ...]:
        """Return the fewest seatings of `seats` players in which each player has every seat equally often."""

    @property
    def rivals(self) -> int | None:
        """The number of different agents at one table of a round-robin; None if each seat has an agent of its own."""

    def points(self, position: Position, outcome: Outcome, lost: Sequence[Seat]) -> Points:
        """Return each seat's points by every scoring. Seats in `lost`, which lost by a foul, get nothing."""


class PlainContest:
    """The contest of a game that declares none: each player has every seat once, and only the win counts."""

    scores = ("win share",)
    rivals = None

    def __init__(self, game: Game, counted: str = "") -> None:
        self._game = game
        self._counted = counted
        """The configuration field that holds the number of seats; empty if there is none."""

    def sizes(self, config: Mapping[str, Plain]) -> tuple[int, int]:
        """Return the fewest and the most seats that the game accepts; raise ConfigError for a bad configuration."""
        found = [seats for seats in range(2, MOST_SEATS + 1) if self._takes(config, seats)] if self._counted else []
        if found:
            return found[0], found[-1]
        seats = len(self._game.seats(config))
        return seats, seats

    def deals(self, config: Mapping[str, Plain], seats: int, seed: Seed) -> tuple[dict[str, Plain], ...]:
        """Return the given configuration for that number of seats."""
        return ({**config, self._counted: seats} if self._counted else dict(config),)

    def orders(self, seats: int) -> tuple[tuple[int, ...], ...]:
        """Return one seating per rotation of the players, so that each player has every seat once."""
        return tuple(tuple((seat + first) % seats for seat in range(seats)) for first in range(seats))

    def points(self, position: Position, outcome: Outcome, lost: Sequence[Seat]) -> Points:
        """Return the share of the win; a game that declares no contest has no other scoring."""
        return {"win share": win_share(outcome, lost)}

    def _takes(self, config: Mapping[str, Plain], seats: int) -> bool:
        try:
            return len(self._game.seats({**config, self._counted: seats})) == seats
        except ConfigError:
            return False


def win_share(outcome: Outcome, lost: Sequence[Seat]) -> dict[str, float]:
    """Return the share of the win of each seat: seats that share first place divide it, except losers by a foul."""
    winners = [seat for seat in outcome.winners if seat not in lost]
    return {seat: (seat in winners) / max(1, len(winners)) for seat in outcome.scores}
