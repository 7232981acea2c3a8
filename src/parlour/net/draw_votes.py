"""Draws that all people at a table want: house agents vote for them, unless they have more than half of the points."""

from __future__ import annotations

from collections.abc import Collection

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import Ballot
from parlour.core.table_view import MatchStatus
from parlour.referee.state import MatchState


def votes_to_follow(state: MatchState, house: Collection[Seat]) -> list[it.Vote]:
    """Return the votes of house agents for a draw that everybody else who plays has voted for."""
    if state.status is not MatchStatus.RUNNING or state.position is None or not state.terms.draw_votes:
        return []
    voters = state.present()
    people = [seat for seat in voters if seat not in house]
    if not people or not state.in_favour.issuperset(people):
        return []
    points = state.position.drawn(state.alive()).scores
    half = sum(points.values()) / 2
    undecided = [seat for seat in voters if seat in house and state.places[seat].ballot is not Ballot.YES]
    return [it.Vote(seat, Ballot.YES) for seat in undecided if points.get(seat, 0.0) <= half]
