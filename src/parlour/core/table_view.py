"""TableView: the state of a match after an event, frozen, as one viewer may see it.

The referee makes it from its own state, so that no player or watcher computes the state a second time.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from parlour.core.game import Outcome, Position, Seat
from parlour.core.intents import Ballot, CommStatus, PlayerType
from parlour.core.viewers import Viewer


class MatchStatus(StrEnum):
    """The stages in the life of a match."""

    UNOPENED = "unopened"
    FORMING = "forming"
    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"


class SeatRow(msgspec.Struct, frozen=True, gc=False):
    """One seat of a TableView."""

    seat: Seat
    name: str | None = None
    """Name of the player who has the seat, or had it last; None before anybody took it."""
    player_type: PlayerType = PlayerType.HUMAN
    present: bool = False
    """True while a player has the seat."""
    removed: bool = False
    """True once the seat is out of the match."""
    acted: bool = False
    """True if the seat has acted in the turn that runs or has just ended."""
    wait: bool = False
    """True while the wait flag is up."""
    comm_status: CommStatus = CommStatus.INACTIVE
    ballot: Ballot = Ballot.NEUTRAL
    """Vote of this turn on a draw of all; neutral where it is secret from the viewer."""
    deadline: float | None = None
    """End of the seat's time in the turn that runs; None without one."""


class TableView(msgspec.Struct, frozen=True, gc=False):
    """State of a match after an event. Times are on the match's clock."""

    status: MatchStatus = MatchStatus.UNOPENED
    turn: int = 0
    """Number of the turn; 0 before the first."""
    stage: str = ""
    to_act: tuple[Seat, ...] = ()
    """Seats that are to act in the turn that runs; empty between turns."""
    window_until: float | None = None
    """End of the press window; None while it is shut."""
    window_due: bool = False
    """True while a press window is still to open in this turn."""
    paused_at: float | None = None
    """Time since when the clocks stand still; None while they run."""
    paused_by: str = ""
    """Moderator who paused the match; empty if it waits for players."""
    in_favour: int = 0
    """Number of seats that voted for a draw of all in this turn."""
    outcome: Outcome | None = None
    position: Position | None = None
    """Position as the viewer may see it; None before the start."""
    seats: tuple[SeatRow, ...] = ()
    """All seats of the match, in the game's order."""
    voted: bool = False
    """True if some seat's ballot is not neutral."""
    sealing: bool = False
    """True in a turn in which seats may seal their plans."""

    def seen(self, viewer: Viewer) -> TableView:
        """Return the view as that viewer may see it, with the secrets of ballots and position hidden as in the events.

        The result shares no mutable value with this view.
        """
        position, rows, outcome = self.position, self.seats, self.outcome
        if position is not None:
            position = position.view(viewer)
        if self.voted and not all(viewer.knows(row.seat) for row in rows):
            rows = tuple([row if viewer.knows(row.seat) else _uncast(row) for row in rows])
        if outcome is not None:
            outcome = replace(outcome, scores=dict(outcome.scores))
        if position is self.position and rows is self.seats and outcome is None:
            return self
        return replace(self, position=position, seats=rows, outcome=outcome, voted=self.voted and rows is self.seats)

    def seat(self, seat: Seat | None) -> SeatRow | None:
        """Return the row of a seat; None if the match does not have it."""
        for row in self.seats:
            if row.seat == seat:
                return row
        return None

    @property
    def due(self) -> float | None:
        """Latest deadline of the turn that runs; None without one."""
        return max((row.deadline for row in self.seats if row.deadline is not None), default=None)

    def time_left(self, seat: Seat | None, now: float) -> float | None:
        """Return the seconds left for a seat, or until the turn is due if the seat has no deadline of its own."""
        row = self.seat(seat)
        deadline = self.due if row is None or row.deadline is None else row.deadline
        return None if deadline is None else deadline - (now if self.paused_at is None else self.paused_at)


def _uncast(row: SeatRow) -> SeatRow:
    return row if row.ballot is Ballot.NEUTRAL else replace(row, ballot=Ballot.NEUTRAL)
