"""A hosted match as it stands for one viewer: one value that every door translates."""

from __future__ import annotations

import msgspec

from parlour.core.game import Outcome, Plain, Position, Seat
from parlour.core.intents import Ballot, CommStatus, PlayerType
from parlour.core.terms import Terms
from parlour.core.viewers import Viewer
from parlour.referee.consequences import due
from parlour.referee.state import MatchState, Place
from parlour.store import RecordHead


class SeatView(msgspec.Struct, frozen=True):
    """One seat as a viewer may see it."""

    name: str | None
    """Of the player; None if nobody sits there."""
    player_type: PlayerType
    present: bool
    removed: bool
    to_act: bool
    """True if the seat is to act in this turn."""
    acted: bool
    """True if it has; with what is in own, for those who may know."""
    wait: bool
    comm_status: CommStatus
    deadline: float | None
    ballot: Ballot | None = None
    """Only for those who may know."""
    own: Plain = None
    """The action of this turn that is pending; only for those who may know."""


class MatchView(msgspec.Struct, frozen=True):
    """A match as it stands."""

    head: RecordHead
    config: dict[str, Plain]
    terms: Terms
    status: str
    turn: int
    stage: str
    seats: dict[Seat, SeatView]
    position: Position | None
    """None before the start."""
    due: float | None
    """Time of the next automatic event; None also if the match has a clock of its own."""
    now: float
    """The server's time, by which deadlines are to be read."""
    in_favour: int
    """Number of seats that vote for a draw. Which seats is secret."""
    outcome: Outcome | None
    k: int
    """The number of the next event of this view."""


def view_of(head: RecordHead, state: MatchState, viewer: Viewer, k: int, now: float) -> MatchView:
    """Return the match as that viewer may see it."""
    return MatchView(
        head=head,
        config=state.opened.config,
        terms=state.terms,
        status=state.status.value,
        turn=state.turn,
        stage=state.stage,
        seats={seat: _seat_view(state, place, viewer) for seat, place in state.places.items()},
        position=None if state.position is None else state.position.view(viewer),
        due=None if state.opened.date is None else due(state),
        now=now,
        in_favour=len(state.in_favour),
        outcome=state.outcome,
        k=k,
    )


def _seat_view(state: MatchState, place: Place, viewer: Viewer) -> SeatView:
    own = viewer.owns(place.seat)
    return SeatView(
        name=place.name if place.present else None,
        player_type=place.player_type,
        present=place.present,
        removed=place.removed,
        to_act=place.seat in state.to_act,
        acted=place.acted,
        wait=place.wait,
        comm_status=place.comm_status,
        deadline=place.deadline,
        ballot=place.ballot if own else None,
        own=place.action if place.acted and viewer.at(place.acted_at).owns(place.seat) else None,
    )
