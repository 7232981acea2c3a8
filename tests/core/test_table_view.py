"""A TableView hides from each viewer what the events hide, and says how much time is left."""

from __future__ import annotations

import msgspec

from parlour.core.game import Seat
from parlour.core.intents import Ballot
from parlour.core.table_view import MatchStatus, SeatRow, TableView
from parlour.core.viewers import MODERATOR, OMNISCIENT, SPECTATOR, seated_on
from parlour.testing import BIDS

NORTH, SOUTH = Seat("north"), Seat("south")
ROWS = (SeatRow(NORTH, ballot=Ballot.YES, deadline=30.0), SeatRow(SOUTH, ballot=Ballot.NO, deadline=40.0))
TABLE = TableView(status=MatchStatus.RUNNING, in_favour=1, seats=ROWS, voted=True)


def test_a_ballot_is_seen_by_those_who_may_see_the_vote() -> None:
    def ballots(view: TableView) -> list[Ballot]:
        return [row.ballot for row in view.seats]

    assert ballots(TABLE.seen(SPECTATOR)) == [Ballot.NEUTRAL, Ballot.NEUTRAL]
    assert ballots(TABLE.seen(seated_on(NORTH))) == [Ballot.YES, Ballot.NEUTRAL]
    assert ballots(TABLE.seen(seated_on(SOUTH))) == [Ballot.NEUTRAL, Ballot.NO]
    for viewer in (OMNISCIENT, MODERATOR, SPECTATOR.looking_back(), seated_on(NORTH, SOUTH)):
        assert TABLE.seen(viewer) is TABLE
    assert {TABLE.seen(viewer).in_favour for viewer in (SPECTATOR, seated_on(NORTH), OMNISCIENT)} == {1}


def test_a_view_without_secrets_is_shared_by_all() -> None:
    table = msgspec.structs.replace(TABLE, seats=(SeatRow(NORTH), SeatRow(SOUTH)), voted=False)
    assert table.seen(SPECTATOR) is table


def test_a_position_is_seen_as_the_game_shows_it() -> None:
    seats = BIDS.seats({})
    position = BIDS.start({}, seats, 7)
    view = TableView(position=position).seen(seated_on(seats[0]))
    assert view.position == position.view(seated_on(seats[0])) != position
    assert TableView(position=position).seen(OMNISCIENT).position == position.view(OMNISCIENT)


def test_the_time_left_stands_still_in_a_pause() -> None:
    assert (TABLE.time_left(NORTH, 25.0), TABLE.time_left(SOUTH, 25.0)) == (5.0, 15.0)
    paused = msgspec.structs.replace(TABLE, paused_at=20.0)
    assert (paused.time_left(NORTH, 25.0), paused.time_left(SOUTH, 99.0)) == (10.0, 20.0)


def test_a_seat_without_a_deadline_has_time_until_the_turn_is_due() -> None:
    assert TABLE.due == 40.0
    assert TABLE.time_left(None, 25.0) == TABLE.time_left(Seat("east"), 25.0) == 15.0
    assert TableView().due is TableView().time_left(NORTH, 25.0) is None


def test_a_seat_is_found_by_its_name() -> None:
    assert TABLE.seat(SOUTH) is ROWS[1]
    assert TABLE.seat(Seat("east")) is None
