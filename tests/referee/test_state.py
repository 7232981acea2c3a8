"""Where a match stands: when the next event happens, what a seat has left of its time, and what a view shows."""

from __future__ import annotations

import pytest

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import Ballot, CommStatus, PlayerType
from parlour.core.table_view import TableView
from parlour.core.terms import Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.referee.conduct import DIPLOMACY, STRICT
from parlour.referee.match import Match
from parlour.referee.state import MatchState, Place
from parlour.testing import BIDS, NIM
from support.matches.tables import EAST, NORTH, SOUTH, begun, it

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


def fresh(state: MatchState) -> TableView:
    """Return the view that is made with nothing of the last one."""
    state.rows.clear()
    state.shown = None
    return state.view()


def test_every_fold_marks_the_seats_that_it_changes() -> None:
    press = PressTerms(PressMode.WINDOW, stages=("bids",), window=20.0)
    match = begun(BIDS, clock=Clock(per_turn=60.0, bank=10.0), press=press, conduct=DIPLOMACY, vacancy=Vacancy.AWAITED)
    state, now, kinds, views = match.state, 0.0, set[type[ev.Event]](), []
    first = match.position.legal(NORTH)[0]
    for intent in (
        it.SetWait(NORTH, True),
        it.SetCommStatus(NORTH, CommStatus.READY),
        it.Act(NORTH, first),
        it.Retract(NORTH),
        it.Vote(EAST, Ballot.YES),
        it.Vote(EAST, Ballot.NO),
        it.Extend("host", 5.0),
        it.Downtime("host", 1.0),
        it.Pause("host"),
        it.Extend("host", 5.0),
        it.Resume("host"),
        it.Leave(EAST),
        it.Substitute("host", EAST, "other", PlayerType.PRESS_BOT),
        it.ForceTurn("host"),
        it.Vote(EAST, Ballot.YES),
        it.SetPosition("host", match.position.encode()),
        it.Remove("host", SOUTH),
        it.Act(NORTH, first),
        it.Act(EAST, first),
        it.Cancel("host"),
    ):
        now += 2.0
        reaction = match.handle(intent, now)
        assert reaction.refusal is None, (intent, reaction.refusal)
        kinds |= {type(event) for event in reaction.events}
        views.append((reaction.views[-1], fresh(state)))
    assert [told == made for told, made in views] == [True] * len(views)
    assert kinds >= {ev.Retracted, ev.Voted, ev.Extended, ev.Stalled, ev.Resumed, ev.Left, ev.Joined, ev.TurnBegan}
    assert kinds >= {ev.PositionSet, ev.Removed, ev.TurnEnded, ev.Ended, ev.WaitSet, ev.CommStatusSet, ev.Acted}


def test_a_view_shares_what_has_not_changed() -> None:
    match = begun(BIDS, press=PressTerms(PressMode.ANYTIME))
    before = match.state.view()
    after = match.handle(it.SetWait(NORTH, True), 1.0).views[-1]
    assert [a is b for a, b in zip(before.seats, after.seats, strict=True)] == [False, True, True]
    assert match.handle(it.Say(EAST, "psst", (NORTH,)), 2.0).views[-1] is after


def test_between_turns_nobody_is_to_act_and_no_deadline_counts() -> None:
    match = begun(NIM, clock=Clock(per_turn=60.0))
    running = match.state.view()
    seat = running.to_act[0]
    assert (running.due, running.turn) == (60.0, 1)
    views = match.handle(it.Act(seat, 1), 5.0).views
    acted, ended, began = views
    assert [row.acted for row in acted.seats if row.seat == seat] == [True]
    assert (ended.to_act, ended.due) == ((), None)
    assert [row.acted for row in ended.seats if row.seat == seat] == [True], "until the next turn begins"
    assert (began.turn, began.due) == (2, 65.0)
    assert not any(row.acted for row in began.seats)


def test_an_extension_in_a_pause_is_time_left_then_and_later() -> None:
    match = begun(NIM, clock=Clock(per_turn=60.0))
    seat = match.state.view().to_act[0]
    match.handle(it.Pause("host"), 10.0)
    view = match.handle(it.Extend("host", 30.0), 15.0).views[-1]
    assert view.paused_at == 10.0
    assert view.time_left(seat, 17.0) == 80.0
    view = match.handle(it.Resume("host"), 20.0).views[-1]
    assert view.paused_at is None
    assert view.time_left(seat, 20.0) == 80.0


def test_a_match_that_nobody_views_makes_no_views() -> None:
    match = begun(NIM)
    match.viewed = False
    reaction = match.handle(it.Act(match.asks()[0].seat, 1), 1.0)
    assert reaction.events
    assert reaction.views == ()
    assert reaction.position is match.position
