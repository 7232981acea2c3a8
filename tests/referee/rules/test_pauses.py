"""Clocks that are moved: by a moderator, and by the time for which the host was down."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core.intents import Intent, RefusalCode
from parlour.core.terms import Clock, PressMode, PressTerms, Vacancy
from parlour.referee.conduct import DIPLOMACY, HOSTED, STRICT
from parlour.referee.match import Match, replay
from parlour.testing import BIDS
from support.matches.tables import EAST, NORTH, begun, it, kinds, last, opened


def timed(**how: Any) -> Match:
    return begun(BIDS, clock=Clock(per_turn=60.0, bank=10.0), conduct=STRICT, **how)


def refused(match: Match, intent: Intent, now: float) -> RefusalCode:
    refusal = match.handle(intent, now).refusal
    assert refusal is not None
    return refusal.code


def test_a_moderator_moves_the_deadlines_of_the_turn() -> None:
    match = timed()
    assert match.due() == 70.0
    match.handle(it.Extend("host", 30.0), 5.0)
    assert match.due() == 100.0
    match.handle(it.Extend("host", -20), 6.0)
    assert match.due() == 80.0
    assert last(match, ev.Extended) == ev.Extended(6.0, "host", 1, -20.0)
    match.handle(it.Act(NORTH, match.position.default(NORTH)), 72.0)
    assert match.state.places[NORTH].bank == 8.0, "the bank runs when the turn's own time is spent"
    assert replay(match.record, BIDS).places[NORTH].bank == 8.0
    assert "Fouled" in kinds(match.handle(it.Extend("host", -70.0), 73.0).events)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 1e9, -1e9])
def test_deadlines_are_moved_by_a_time(seconds: float) -> None:
    assert refused(timed(), it.Extend("host", seconds), 1.0) is RefusalCode.BAD_VALUE


def test_where_there_is_no_deadline_there_is_nothing_to_move() -> None:
    assert refused(begun(BIDS), it.Extend("host", 1.0), 1.0) is RefusalCode.NO_CHANGE
    assert refused(opened(BIDS), it.Extend("host", 1.0), 1.0) is RefusalCode.NOT_STARTED


def test_time_for_which_the_host_was_down_is_made_good() -> None:
    match = timed()
    reaction = match.handle(it.Downtime("server", 500.0), 520.0)
    assert kinds(reaction.events) == ["Stalled"], "deadlines that passed in it have not passed"
    assert match.due() == 570.0
    assert replay(match.record, BIDS).places[NORTH].deadline == 570.0
    assert "Fouled" in kinds(match.tick(570.0).events)


def test_terms_may_let_downtime_count() -> None:
    match = timed(downtime_counts=True)
    assert kinds(match.handle(it.Downtime("server", 500.0), 520.0).events)[:2] == ["Stalled", "Fouled"]


def test_a_pause_makes_downtime_good_by_itself() -> None:
    match = timed()
    match.handle(it.Pause("host"), 10.0)
    match.handle(it.Downtime("server", 500.0), 520.0)
    match.handle(it.Resume("host"), 530.0)
    assert match.due() == 70.0 + 520.0


def test_a_press_window_moves_with_the_deadlines() -> None:
    match = begun(BIDS, press=PressTerms(PressMode.WINDOW, window=30.0), conduct=DIPLOMACY)
    assert last(match, ev.PressOpened).until == 30.0
    match.handle(it.Downtime("server", 100.0), 101.0)
    assert match.due() == 130.0


@pytest.mark.parametrize("seconds", [0.0, -1.0, 21.0, float("nan"), float("inf")])
def test_a_downtime_begins_after_the_match_was_opened_and_ends_now(seconds: float) -> None:
    assert refused(timed(), it.Downtime("server", seconds), 20.0) is RefusalCode.BAD_VALUE


def test_what_happened_in_a_downtime_does_not_shorten_it() -> None:
    match = timed()
    due = match.due()
    assert due is not None
    match.handle(it.Act(NORTH, match.position.default(NORTH)), 15.0)
    assert kinds(match.handle(it.Downtime("server", 20.0), 20.0).events) == ["Stalled"]
    assert match.due() == due + 20.0


def test_what_was_due_before_a_downtime_comes_before_it() -> None:
    match = timed()
    match.handle(it.Act(NORTH, match.position.default(NORTH)), 1.0)
    resumed = Match.resume(match.record[:-1], BIDS)
    assert kinds(resumed.handle(it.Downtime("server", 5.0), 10.0).events) == ["Stalled"]
    late = Match.resume(timed().record[:-1], BIDS)
    assert kinds(late.handle(it.Downtime("server", 5.0), 10.0).events) == ["TurnBegan", "Stalled"]


def test_a_match_that_waits_for_players_notes_a_downtime() -> None:
    match = opened(BIDS)
    assert kinds(match.handle(it.Downtime("server", 5.0), 10.0).events) == ["Stalled"]
    assert kinds(match.handle(it.Join("Bob", EAST), 11.0).events) == ["Joined"]


def away(**how: Any) -> Match:
    """Return a match whose clocks stop for whoever is away."""
    return begun(
        BIDS,
        clock=Clock(per_turn=60.0),
        conduct=HOSTED,
        vacancy=Vacancy.DEFAULT,
        stops_while_away=True,
        **how,
    )


def test_the_clocks_stand_still_while_somebody_is_away_who_is_to_act() -> None:
    match = away()
    assert kinds(match.handle(it.Leave(NORTH), 20.0).events) == ["Left", "Paused"]
    assert match.due() is None
    match.handle(it.Act(EAST, match.position.default(EAST)), 30.0)
    assert kinds(match.handle(it.Join("Ann", NORTH), 120.0).events) == ["Joined", "Resumed"]
    assert match.due() == 160.0, "everybody has the time that was left"
    assert last(match, ev.Resumed).deadlines == {}
    assert replay(match.record, BIDS).places[EAST].acted


def test_nobody_waits_for_one_who_is_away_and_has_acted() -> None:
    match = away()
    match.handle(it.Act(NORTH, match.position.default(NORTH)), 1.0)
    assert kinds(match.handle(it.Leave(NORTH), 20.0).events) == ["Left"]
    for seat in match.state.to_act:
        match.handle(it.Act(seat, match.position.default(seat)), 21.0)
    assert match.turn == 2
    assert match.due() is None, "now it is to act again"
    match.handle(it.Resume("host"), 30.0)
    assert match.due() is not None, "a moderator goes on without it"


def test_who_has_not_said_all_is_waited_for_too() -> None:
    match = away()
    match.handle(it.SetWait(NORTH, True), 1.0)
    match.handle(it.Act(NORTH, match.position.default(NORTH)), 1.0)
    assert kinds(match.handle(it.Leave(NORTH), 20.0).events) == ["Left", "Paused"]


def test_a_match_that_waits_for_players_can_be_paused_and_then_waits_for_the_moderator() -> None:
    match = away()
    match.handle(it.Leave(NORTH), 20.0)
    assert kinds(match.handle(it.Pause("host"), 40.0).events) == ["Paused"]
    assert match.handle(it.Pause("host"), 41.0).refusal is not None
    assert kinds(match.handle(it.Join("Ann", NORTH), 60.0).events) == ["Joined"]
    assert match.due() is None
    match.handle(it.Resume("host"), 120.0)
    assert match.due() == 160.0, "all of the pause is made good"
    assert replay(match.record, BIDS).status == "running"


def test_a_match_that_begins_with_too_few_waits_for_the_others_at_once() -> None:
    match = opened(BIDS, conduct=HOSTED, vacancy=Vacancy.AWAITED, quorum=2, clock=Clock(per_turn=60.0))
    match.handle(it.Join("Ann", NORTH), 0.0)
    assert kinds(match.handle(it.Start("host"), 1.0).events)[-1] == "Paused"
    assert kinds(match.handle(it.Join("Bo", EAST), 5.0).events)[:2] == ["Joined", "Resumed"]
    waived = opened(BIDS, conduct=HOSTED, vacancy=Vacancy.AWAITED, quorum=2, clock=Clock(per_turn=60.0))
    waived.handle(it.Start("host"), 1.0)
    assert kinds(waived.handle(it.Resume("host"), 2.0).events)[0] == "Resumed"
    assert waived.due() is not None, "nobody else is waited for"
