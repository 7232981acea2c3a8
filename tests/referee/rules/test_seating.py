"""Seats that stay: vacant ones, proxies, players who come and go, and a match that stops for want of them."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core.game import FoulKind, Seat
from parlour.core.intents import Ballot, CommStatus, RefusalCode
from parlour.core.table_view import MatchStatus
from parlour.core.terms import Clock, PressMode, PressTerms, Vacancy
from parlour.games import load_game
from parlour.referee.conduct import DIPLOMACY, HOSTED, STRICT, VACATING
from parlour.referee.match import Match, Reaction, replay
from parlour.testing import BIDS, NIM
from support.matches.tables import EAST, NORTH, SOUTH, it, kinds, last, opened

TALK = PressTerms(PressMode.ANYTIME)


def code(reaction: Reaction) -> RefusalCode | None:
    return None if reaction.refusal is None else reaction.refusal.code


def staying(vacancy: Vacancy = Vacancy.DEFAULT, *, game: Any = BIDS, **terms: Any) -> Match:
    terms = dict[str, Any]({"conduct": HOSTED, "press": TALK, "seats_to_start": 1}) | terms
    return opened(game, vacancy=vacancy, **terms)


def act(match: Match, seat: Seat, now: float = 1.0, by: str = "") -> Reaction:
    return match.handle(it.Act(seat, match.position.default(seat), by=by), now)


def test_seats_that_nobody_takes_are_left_out_where_the_terms_say_so() -> None:
    match = opened(BIDS, seats_to_start=2)
    match.handle(it.Join("Ann", NORTH), 0.0)
    match.handle(it.Join("Bob", SOUTH), 0.0)
    assert last(match, ev.Started).seats == (NORTH, SOUTH)
    assert code(match.handle(it.Join("Cid", EAST), 1.0)) is RefusalCode.UNKNOWN_SEAT


@pytest.mark.parametrize("vacancy", [Vacancy.DEFAULT, Vacancy.AWAITED])
def test_seats_that_nobody_takes_stay_and_can_be_taken_at_any_time(vacancy: Vacancy) -> None:
    match = staying(vacancy)
    match.handle(it.Join("Ann", NORTH), 0.0)
    assert last(match, ev.Started).seats == (NORTH, EAST, SOUTH)
    assert kinds(match.handle(it.Join("Bob", EAST), 1.0).events) == ["Joined"]
    assert EAST in match.state.pending
    assert {ask.seat for ask in match.asks()} >= {NORTH, EAST}
    assert kinds(match.handle(it.Leave(EAST), 2.0).events) == ["Left"], "leaving is no foul here"
    assert (EAST in match.state.pending) is (vacancy is Vacancy.AWAITED)
    assert kinds(match.handle(it.Substitute("host", EAST, "Cid"), 3.0).events) == ["Joined"]
    assert match.state.places[EAST].name == "Cid"


def test_a_vacant_seat_does_the_default_and_nobody_waits_for_it() -> None:
    match = staying()
    match.handle(it.Join("Ann", NORTH), 0.0)
    ended = act(match, NORTH).events[1]
    assert isinstance(ended, ev.TurnEnded)
    assert ended.defaulted == (EAST, SOUTH)


def test_where_vacant_seats_are_awaited_a_proxy_orders_for_them() -> None:
    match = staying(Vacancy.AWAITED)
    match.handle(it.Join("Ann", NORTH), 0.0)
    assert kinds(act(match, NORTH).events) == ["Acted"]
    assert code(act(match, EAST)) is RefusalCode.NOT_SEATED
    assert kinds(act(match, EAST, by="host").events) == ["Acted"]
    assert last(match, ev.Acted).by == "host"
    assert kinds(match.handle(it.Retract(EAST, "host"), 1.0).events) == ["Retracted"]
    act(match, EAST, by="Ann")
    assert "TurnEnded" in kinds(act(match, SOUTH, by="Ann").events)
    assert last(match, ev.TurnEnded).defaulted == ()


def test_what_a_proxy_does_wrong_is_refused_or_mended_and_never_a_foul_of_the_seat() -> None:
    match = staying(Vacancy.AWAITED, conduct=STRICT)
    match.handle(it.Join("Ann", NORTH), 0.0)
    assert code(match.handle(it.Act(NORTH, 99, by="host"), 1.0)) is RefusalCode.ILLEGAL
    assert code(match.handle(it.Act(EAST, "rubbish", by="host"), 1.0)) is RefusalCode.ILLEGAL
    mending = staying(Vacancy.AWAITED)
    mending.handle(it.Join("Ann", NORTH), 0.0)
    mending.handle(it.Act(EAST, 99, by="host"), 1.0)
    acted = last(mending, ev.Acted)
    assert (acted.seat, acted.by, len(acted.violations)) == (EAST, "host", 1)


def test_a_proxy_acts_for_a_seat_that_has_a_player_but_not_for_one_that_was_removed() -> None:
    match = staying(Vacancy.AWAITED)
    match.handle(it.Join("Ann", NORTH), 0.0)
    assert code(act(match, NORTH, by="host")) is None
    match.handle(it.Remove("host", EAST), 1.0)
    for intent in (it.Act(EAST, 1, by="host"), it.SetWait(EAST, True, "host"), it.Retract(EAST, "host")):
        assert code(match.handle(intent, 2.0)) is RefusalCode.OUT_OF_GAME


def test_a_proxy_sets_flags_and_comm_status_of_a_vacant_seat() -> None:
    match = staying(Vacancy.AWAITED, wait_flags_up=True)
    match.handle(it.Join("Ann", NORTH), 0.0)
    for seat in (NORTH, EAST, SOUTH):
        act(match, seat, by="host")
        assert match.state.turn == 1, "the flags are up"
    for seat in (NORTH, EAST):
        match.handle(it.SetWait(seat, False, "host"), 2.0)
    assert code(match.handle(it.SetWait(SOUTH, False), 2.0)) is RefusalCode.NOT_SEATED
    assert code(match.handle(it.SetCommStatus(SOUTH, CommStatus.READY), 2.0)) is RefusalCode.NOT_SEATED
    match.handle(it.SetCommStatus(SOUTH, CommStatus.READY, "host"), 2.0)
    assert last(match, ev.CommStatusSet).by == "host"
    assert "TurnEnded" in kinds(match.handle(it.SetWait(SOUTH, False, "host"), 2.0).events)
    assert last(match, ev.WaitSet).by == "host"


def test_a_seat_that_is_awaited_has_its_flag_as_at_first_when_it_changes_hands() -> None:
    match = staying(Vacancy.AWAITED, wait_flags_up=True)
    match.handle(it.Join("Ann", NORTH), 0.0)
    for seat in (EAST, SOUTH):
        act(match, seat, by="host")
        match.handle(it.SetWait(seat, False, "host"), 1.0)
    match.handle(it.SetWait(NORTH, False), 1.0)
    match.handle(it.Leave(NORTH), 2.0)
    assert kinds(act(match, NORTH, by="host").events) == ["Acted"], "nobody has said that the turn may end"
    match.handle(it.SetWait(NORTH, False, "host"), 3.0)
    assert match.state.turn == 2
    act(match, NORTH, by="host")
    match.handle(it.SetWait(NORTH, False, "host"), 3.0)
    match.handle(it.Join("Bob", NORTH), 4.0)
    assert match.state.places[NORTH].wait, "who sits down now is waited for"
    replay(match.record, BIDS)


def test_flags_of_vacant_seats_alone_are_up_where_the_terms_say_so() -> None:
    match = staying(Vacancy.AWAITED, vacant_flags_up=True)
    match.handle(it.Join("Ann", NORTH), 0.0)
    for seat in (NORTH, EAST, SOUTH):
        act(match, seat, by="" if seat == NORTH else "host")
    assert [place.wait for place in match.state.places.values()] == [False, True, True]
    match.handle(it.Join("Bob", EAST), 1.0)
    assert match.state.turn == 1
    assert "TurnEnded" in kinds(match.handle(it.SetWait(SOUTH, False, "host"), 2.0).events), "Bob's is down"
    match.handle(it.Leave(EAST), 3.0)
    assert [place.wait for place in match.state.places.values()] == [False, True, True]


def test_the_flag_of_a_vacant_seat_that_nobody_waits_for_holds_nothing_up() -> None:
    match = staying(wait_flags_up=True)
    match.handle(it.Join("Ann", NORTH), 0.0)
    act(match, NORTH)
    assert "TurnEnded" in kinds(match.handle(it.SetWait(NORTH, False), 2.0).events)


@pytest.mark.parametrize("vacancy", [Vacancy.DEFAULT, Vacancy.AWAITED])
def test_a_match_that_everyone_has_left_waits_for_somebody(vacancy: Vacancy) -> None:
    match = staying(vacancy)
    match.handle(it.Join("Ann", NORTH), 0.0)
    assert kinds(match.handle(it.Leave(NORTH), 1.0).events) == ["Left"]
    assert match.tick(1e6).events == ()
    assert match.state.status is MatchStatus.RUNNING
    assert match.due() is None
    match.handle(it.Join("Bob", SOUTH), 2e6)
    assert match.state.turn == 1
    assert code(act(match, SOUTH, 2e6)) is None


def test_a_match_that_everyone_has_left_goes_on_by_its_clock_by_proxies_and_by_force() -> None:
    match = staying(clock=Clock(per_turn=60.0))
    match.handle(it.Join("Ann", NORTH), 0.0)
    match.handle(it.Leave(NORTH), 1.0)
    assert match.due() == 60.0
    assert kinds(match.tick(60.0).events) == ["TurnEnded", "TurnBegan"]
    for seat in (NORTH, EAST, SOUTH):
        assert match.state.turn == 2
        act(match, seat, 61.0, by="host")
    assert match.state.turn == 3
    assert kinds(match.handle(it.ForceTurn("host"), 62.0).events) == ["TurnForced", "TurnEnded", "TurnBegan"]


def test_a_moderator_starts_a_match_that_nobody_has_joined() -> None:
    match = staying(seats_to_start=0)
    match.handle(it.Start("host"), 1.0)
    assert match.state.status is MatchStatus.RUNNING
    assert code(opened(NIM, seats_to_start=0).handle(it.Start("host"), 1.0)) is RefusalCode.NOT_STARTED


def test_diplomacy_starts_with_one_player_and_somebody_who_orders_for_all() -> None:
    game = load_game("diplomacy")
    match = staying(Vacancy.AWAITED, game=game)
    match.handle(it.Join("Ann", Seat("FRANCE")), 0.0)
    assert len(last(match, ev.Started).seats) == 7
    for seat in game.seats({}):
        match.handle(it.Act(seat, [], by="Ann"), 1.0)
    assert match.position.phase == "F1901M"  # type: ignore[attr-defined]
    assert replay(match.record).turn == 2


def test_where_absence_has_no_default_a_vacant_seat_is_late_by_conduct() -> None:
    match = staying(Vacancy.AWAITED, game=NIM, clock=Clock(per_turn=60.0))
    match.handle(it.Join("Ann", EAST), 0.0)
    fouled = match.tick(60.0).events[0]
    assert isinstance(fouled, ev.Fouled)
    assert (fouled.seat, fouled.does) == (NORTH, "skip")
    vacating = staying(Vacancy.AWAITED, game=NIM, clock=Clock(per_turn=60.0), conduct=VACATING)
    vacating.handle(it.Join("Ann", EAST), 0.0)
    assert kinds(vacating.tick(60.0).events)[:2] == ["Fouled", "TurnEnded"]


def test_an_awaited_vacant_seat_does_the_default_at_the_deadline_and_that_is_no_foul() -> None:
    match = staying(Vacancy.AWAITED, clock=Clock(per_turn=60.0))
    match.handle(it.Join("Ann", NORTH), 0.0)
    act(match, NORTH)
    assert kinds(match.tick(60.0).events) == ["Acted", "Acted", "TurnEnded", "TurnBegan"]
    assert last(match, ev.TurnEnded).defaulted == (EAST, SOUTH)


def test_press_reaches_a_vacant_seat_that_stays() -> None:
    match = staying()
    match.handle(it.Join("Ann", NORTH), 0.0)
    assert code(match.handle(it.Say(NORTH, "later", (EAST,)), 1.0)) is None


def test_vacant_seats_do_not_vote_and_a_draw_needs_only_those_who_play() -> None:
    match = staying()
    match.handle(it.Join("Ann", NORTH), 0.0)
    assert code(match.handle(it.Vote(EAST, Ballot.YES), 1.0)) is RefusalCode.NOT_SEATED
    assert kinds(match.handle(it.Vote(NORTH, Ballot.YES), 1.0).events) == ["Voted", "Ended"]


def test_when_every_seat_is_removed_a_match_in_which_seats_stay_is_over() -> None:
    for paused in (False, True):
        match = staying()
        match.handle(it.Join("Ann", NORTH), 0.0)
        if paused:
            match.handle(it.Pause("host"), 0.0)
        for seat in (NORTH, EAST, SOUTH):
            match.handle(it.Remove("host", seat), 1.0)
        assert match.over


# A match that stops while too few seats are taken


def short(**terms: Any) -> Match:
    match = staying(Vacancy.AWAITED, quorum=2, seats_to_start=2, clock=Clock(per_turn=60.0), **terms)
    match.handle(it.Join("Ann", NORTH), 0.0)
    match.handle(it.Join("Bob", EAST), 0.0)
    return match


def test_whoever_is_late_loses_the_seat_and_the_match_stops_until_it_is_taken() -> None:
    match = short(conduct=VACATING)
    act(match, NORTH, 59.0)
    assert kinds(match.tick(60.0).events) == ["Fouled", "Left", "Paused"]
    assert last(match, ev.Fouled).does == "vacate"
    assert not match.state.places[EAST].present
    assert match.tick(1000.0).events == ()
    events = match.handle(it.Join("Cid", EAST), 1100.0).events
    assert kinds(events) == ["Joined", "Resumed"]
    assert match.state.places[EAST].deadline == 1160.0
    assert kinds(act(match, EAST, 1159.0).events) == ["Acted"]
    assert replay(match.record, BIDS).status is MatchStatus.RUNNING


def test_all_who_are_late_lose_their_seats_at_once() -> None:
    match = short(conduct=VACATING)
    assert kinds(match.tick(60.0).events) == ["Fouled", "Left", "Fouled", "Left", "Paused"]


def test_a_match_stops_when_somebody_leaves_and_a_moderators_pause_is_his_own() -> None:
    match = short()
    assert kinds(match.handle(it.Leave(EAST), 1.0).events) == ["Left", "Paused"]
    assert kinds(match.handle(it.Join("Cid", EAST), 2.0).events) == ["Joined", "Resumed"]
    match.handle(it.Pause("host"), 3.0)
    match.handle(it.Leave(EAST), 4.0)
    assert kinds(match.handle(it.Join("Dan", EAST), 5.0).events) == ["Joined"]
    assert kinds(match.handle(it.Resume("host"), 6.0).events) == ["Resumed"]


def test_a_match_that_waits_for_players_may_be_paused_and_has_all_the_time_that_it_stood_still() -> None:
    match = short()
    assert match.state.places[NORTH].deadline == 60.0
    match.handle(it.Leave(EAST), 10.0)
    assert kinds(match.handle(it.Pause("host"), 20.0).events) == ["Paused"]
    assert match.handle(it.Pause("other"), 21.0).refusal is not None
    assert kinds(match.handle(it.Join("Cid", EAST), 30.0).events) == ["Joined"]
    assert kinds(match.handle(it.Resume("host"), 40.0).events) == ["Resumed"]
    assert match.state.places[NORTH].deadline == 90.0
    assert replay(match.record, BIDS).places[NORTH].deadline == 90.0


def test_a_moderator_goes_on_without_those_who_are_missing_until_another_leaves() -> None:
    match = short()
    match.handle(it.Leave(EAST), 1.0)
    assert kinds(match.handle(it.Resume("host"), 2.0).events) == ["Resumed"]
    assert kinds(match.handle(it.ForceTurn("host"), 3.0).events) == ["TurnForced", "TurnEnded", "TurnBegan"]
    assert match.state.status is MatchStatus.RUNNING
    assert kinds(match.handle(it.Leave(NORTH), 4.0).events) == ["Left", "Paused"]
    assert replay(match.record, BIDS).status is MatchStatus.PAUSED


def test_a_moderators_pause_ends_a_waiver_no_more_than_a_seat_that_is_taken() -> None:
    match = short()
    match.handle(it.Leave(EAST), 1.0)
    match.handle(it.Resume("host"), 2.0)
    match.handle(it.Pause("host"), 3.0)
    assert kinds(match.handle(it.Resume("host"), 4.0).events) == ["Resumed"]
    assert kinds(match.handle(it.Join("Cid", EAST), 5.0).events) == ["Joined"]


@pytest.mark.parametrize("quorum", [3, 4])
def test_a_quorum_of_all_seats_or_more_is_short_without_any_of_them(quorum: int) -> None:
    match = staying(Vacancy.AWAITED, quorum=quorum, seats_to_start=3)
    for name, seat in (("Ann", NORTH), ("Bob", EAST), ("Cid", SOUTH)):
        match.handle(it.Join(name, seat), 0.0)
    assert match.state.status is MatchStatus.RUNNING
    assert kinds(match.handle(it.Leave(EAST), 1.0).events) == ["Left", "Paused"]
    assert kinds(match.handle(it.Join("Dan", EAST), 2.0).events) == ["Joined", "Resumed"]


def test_a_match_without_a_quorum_does_not_stop() -> None:
    match = staying(Vacancy.AWAITED)
    match.handle(it.Join("Ann", NORTH), 0.0)
    assert kinds(match.handle(it.Leave(NORTH), 1.0).events) == ["Left"]


def test_a_seat_that_is_out_of_the_game_counts_for_no_quorum() -> None:
    match = short()
    match.handle(it.Remove("host", SOUTH), 1.0)
    assert match.state.status is MatchStatus.RUNNING
    match.handle(it.Leave(EAST), 2.0)
    assert match.state.status is MatchStatus.RUNNING, "one vacancy of three was foreseen, and south is none"


def test_a_match_that_stops_between_turns_goes_on_with_the_next() -> None:
    match = short()
    act(match, NORTH, 1.0)
    act(match, SOUTH, 1.0, by="host")
    match.handle(it.Pause("host"), 2.0)
    act(match, EAST, 3.0)
    match.handle(it.Leave(EAST), 3.0)
    assert "TurnEnded" not in kinds(tuple(match.record))
    match.handle(it.Join("Cid", EAST), 5.0)
    assert kinds(match.handle(it.Resume("host"), 6.0).events) == ["Resumed", "TurnEnded", "TurnBegan"]


def test_under_diplomacy_conduct_leaving_is_a_foul_wherever_seats_stay() -> None:
    match = staying(conduct=DIPLOMACY)
    match.handle(it.Join("Ann", NORTH), 0.0)
    assert kinds(match.handle(it.Leave(NORTH), 1.0).events)[:2] == ["Left", "Fouled"]


def test_who_must_go_before_the_start_goes_once() -> None:
    match = opened(BIDS, conduct=VACATING, vacancy=Vacancy.AWAITED)
    match.handle(it.Join("slow", NORTH), 0.0)
    match.handle(it.Report(NORTH, FoulKind.LATE, "did not say who it is", "identify"), 1.0)
    assert kinds(tuple(match.record))[-2:] == ["Fouled", "Left"]
    match.handle(it.Join("quick", NORTH), 2.0)
    assert match.state.places[NORTH].name == "quick"
    assert replay(match.record, BIDS).places[NORTH].present


def test_the_first_turn_begins_before_all_are_there_and_who_is_may_act() -> None:
    match = staying(Vacancy.AWAITED, quorum=2, seats_to_start=0, clock=Clock(per_turn=60.0))
    assert kinds(match.handle(it.Start("host"), 1.0).events) == ["Started", "TurnBegan", "Paused"]
    match.handle(it.Join("Ann", NORTH), 5.0)
    assert kinds(act(match, NORTH, 6.0).events) == ["Acted"]
    assert match.due() is None
    assert kinds(match.handle(it.Join("Bob", EAST), 100.0).events) == ["Joined", "Resumed"]
    assert match.state.places[NORTH].acted
    assert match.state.places[EAST].deadline == 160.0
