"""Diplomacy for tournaments: one match for each power; points in all four scoring systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlour.core.contest import Points
from parlour.core.game import Outcome, Plain, Seat, Seed
from parlour.core.game import Position as AnyPosition
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.scoring import Scoring


class DiplomacyContest:
    """The Diplomacy rules that tournaments need: sizes, seat orders and points."""

    scores = (Scoring.SUM_OF_SQUARES.value, Scoring.DRAW_SIZE.value, Scoring.CENTRE_SHARE.value, Scoring.SOLO.value)
    rivals = 2  # at a table of a round-robin, one agent has one seat and the other all the rest

    def sizes(self, config: Mapping[str, Plain]) -> tuple[int, int]:
        """Return the only size: the number of powers of the map."""
        seats = len(GAME.seats(config))
        return seats, seats

    def deals(self, config: Mapping[str, Plain], seats: int, seed: Seed) -> tuple[dict[str, Plain], ...]:
        """Return the configuration alone: nothing is dealt, and the seed only decides the players' random choices."""
        return (dict(config),)

    def orders(self, seats: int) -> tuple[tuple[int, ...], ...]:
        """Return one seat order per power: playing every possible order would take too many matches."""
        return tuple(tuple((first + seat) % seats for seat in range(seats)) for first in range(seats))

    def points(self, position: AnyPosition, outcome: Outcome, lost: Sequence[Seat]) -> Points:
        """Return the points in every scoring system, not only in the system of the match."""
        assert isinstance(position, Position)
        found: dict[str, dict[str, float]] = {}
        for system in Scoring:
            board = position.on_terms(position.last_year or 0, system)
            # A match that did not end by the rules counts as a draw among the seats with points.
            ended = board.outcome() or board.drawn([Seat(seat) for seat, gained in outcome.scores.items() if gained])
            found[system.value] = {seat: 0.0 if seat in lost else gained for seat, gained in ended.scores.items()}
        return found


CONTEST = DiplomacyContest()
