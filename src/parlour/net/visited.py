"""A match that somebody else drives, such as a tournament: it can be looked at, and nothing else."""

from __future__ import annotations

from parlour.net.hosted import HostedMatch, Means
from parlour.net.waking import Lying
from parlour.referee.match import Reaction
from parlour.referee.table import Table


class VisitedMatch(HostedMatch):
    """A match of a tournament, to be looked at: played at a table of somebody else's, or not any more."""

    visited = True

    def __init__(self, lying: Lying, means: Means, table: Table | None) -> None:
        self._played_at = table
        if table is not None:
            lying.match = table.match
        super().__init__(lying, means)

    def _make_table(self, means: Means) -> Table:
        return self._played_at or Table(self.match, means.now)

    def owed(self, seconds: float) -> float:
        """Nothing: its deadlines are kept by whoever drives it."""
        return 0.0

    def reacted(self, reaction: Reaction) -> None:
        """Nothing follows from it here."""
