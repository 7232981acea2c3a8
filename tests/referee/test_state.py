"""Where a match stands: when the next event happens, and what a seat has left of its time."""

from __future__ import annotations

import pytest

from parlour.core.game import Seat
from parlour.core.terms import Terms
from parlour.referee.conduct import STRICT
from parlour.referee.match import Match
from parlour.referee.state import MatchState, Place
from parlour.testing import NIM

NOON = 1_000_000.0


def opened_at_noon(*, dated: bool) -> MatchState:
    match = Match(NIM, {}, Terms(conduct=STRICT), 7, dated=dated)
    match.start(NOON)
    assert match.state.now == NOON
    return match.state


@pytest.mark.parametrize(
    ("later", "stamped"), [(-60e6, 1), (-1, 1), (0, 1), (0.3, 1), (1, 1), (2, 2), (3, 3), (60e6, 60e6)]
)
def test_in_a_match_with_a_date_each_event_has_the_next_free_microsecond(later: float, stamped: float) -> None:
    found = opened_at_noon(dated=True).stamp(NOON + later / 1e6)
    assert found == round(NOON * 1e6 + stamped) / 1e6


def test_in_a_match_without_a_date_nothing_happens_before_the_last_event() -> None:
    state = opened_at_noon(dated=False)
    assert [state.stamp(NOON + later) for later in (-1.0, 0.0, 0.25)] == [NOON, NOON, NOON + 0.25]


def test_what_is_used_beyond_the_turns_own_time_is_taken_from_the_bank_and_no_more_than_is_in_it() -> None:
    place = Place(Seat("north"), bank=10.0)
    place.draw_on_bank(NOON)
    assert place.bank == 10.0, "a turn without a limit costs nothing"
    place.limit, place.bank_before = NOON, 10.0
    left = []
    for at in (NOON - 5.0, NOON, NOON + 4.0, NOON + 40.0):
        place.draw_on_bank(at)
        left.append(place.bank)
    assert left == [10.0, 10.0, 6.0, 0.0]


def test_a_deadline_is_moved_with_the_limit_before_it() -> None:
    place = Place(Seat("north"))
    place.move_deadline(5.0)
    assert (place.limit, place.deadline) == (None, None)
    place.limit, place.deadline = 10.0, 30.0
    place.move_deadline(5.0)
    assert (place.limit, place.deadline) == (15.0, 35.0)
