"""The match's answer to each intent: turns, flags, clocks, votes, seats, moderators."""

from __future__ import annotations

import pytest

from parlour.core.fouls import Standing
from parlour.core.game import FoulKind
from parlour.core.intents import Ballot, PlayerType, RefusalCode
from parlour.core.terms import Clock, Terms
from parlour.errors import ConfigError
from parlour.referee.conduct import DIPLOMACY, LENIENT
from parlour.referee.match import Match
from parlour.testing import BIDS, NIM
from support.matches.tables import EAST, NORTH, SOUTH, WEST, begun, ev, it, kinds, last, opened


def code(match: Match, intent: it.Intent, now: float = 0.0) -> RefusalCode | None:
    refusal = match.handle(intent, now).refusal
    return None if refusal is None else refusal.code


# Forming


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_a_seed_that_no_store_can_keep_is_refused(seed: int) -> None:
    Match(NIM, {}, Terms(conduct=LENIENT), 2**64 - 1)
    with pytest.raises(ConfigError, match="seed: expected a whole number of 64 bits"):
        Match(NIM, {}, Terms(conduct=LENIENT), seed)


def test_a_match_forms_until_all_seats_are_taken() -> None:
    match = opened()
    assert kinds(match.handle(it.Join("a"), 1.0).events) == ["Joined"]
    assert kinds(match.handle(it.Join("b"), 2.0).events) == ["Joined", "Started", "TurnBegan"]


def test_a_match_starts_with_fewer_seats_if_the_terms_say_so() -> None:
    match = opened(config={"seats": 4}, seats_to_start=3)
    for name in "abc":
        match.handle(it.Join(name), 0.0)
    assert last(match, ev.Started).seats == (NORTH, EAST, SOUTH)


def test_a_moderator_starts_with_the_seats_that_are_taken_but_not_with_too_few() -> None:
    match = opened(config={"seats": 4}, seats_to_start=0)
    match.handle(it.Join("a", WEST), 0.0)
    assert code(match, it.Start("host")) is RefusalCode.NOT_STARTED
    match.handle(it.Join("b"), 0.0)
    match.handle(it.Start("host"), 0.0)
    assert last(match, ev.Started).seats == (NORTH, WEST)


def test_whoever_leaves_before_the_start_frees_the_seat() -> None:
    match = opened()
    match.handle(it.Join("a", NORTH), 0.0)
    match.handle(it.Leave(NORTH), 0.0)
    assert code(match, it.Join("b", NORTH)) is None


@pytest.mark.parametrize(
    ("intent", "expected"),
    [
        (it.Join("", NORTH), RefusalCode.BAD_VALUE),
        (it.Join("x" * 101, NORTH), RefusalCode.BAD_VALUE),
        (it.Join("a\nb", NORTH), RefusalCode.BAD_VALUE),
        (it.Join("late", EAST), RefusalCode.SEAT_TAKEN),
        (it.Join("any", None), RefusalCode.NO_SEAT_FREE),
        (it.Join("far", WEST), RefusalCode.UNKNOWN_SEAT),
    ],
)
def test_a_seat_that_cannot_be_had_is_refused_with_the_reason(intent: it.Join, expected: RefusalCode) -> None:
    match = begun()
    assert code(match, intent) is expected


def test_a_configuration_that_does_not_fit_is_refused_before_the_match_opens() -> None:
    with pytest.raises(ConfigError, match="stones is -1"):
        opened(config={"stones": -1})


@pytest.mark.parametrize(
    "clock",
    [
        Clock(per_turn=0.0),
        Clock(first_turn=-1.0),
        Clock(per_stage={"move": float("nan")}),
        Clock(per_turn=float("inf")),
        Clock(per_turn=1.0, bank=-5.0),
    ],
)
def test_terms_under_which_no_turn_could_be_played_are_refused(clock: Clock) -> None:
    with pytest.raises(ConfigError, match="seconds"):
        opened(clock=clock)


# Turns


def test_seats_act_in_turn_and_are_asked_when_it_is_theirs() -> None:
    match = begun()
    assert [ask.seat for ask in match.asks()] == [NORTH]
    reaction = match.handle(it.Act(NORTH, 3), 0.0)
    assert kinds(reaction.events) == ["Acted", "TurnEnded", "TurnBegan"]
    assert [ask.seat for ask in reaction.asks] == [EAST]


def test_acting_twice_out_of_turn_or_late_is_answered_and_changes_nothing() -> None:
    match = begun()
    match.handle(it.Act(NORTH, 3, turn=1), 0.0)
    before = len(match.record)
    assert code(match, it.Act(NORTH, 3, turn=1)) is RefusalCode.TOO_LATE
    assert code(match, it.Act(NORTH, 3)) is RefusalCode.OUT_OF_TURN
    assert len(match.record) == before


def test_orders_may_be_replaced_and_taken_back_until_the_turn_is_complete() -> None:
    match = begun(BIDS)
    hand = match.position.legal(NORTH)
    match.handle(it.Act(NORTH, hand[0]), 0.0)
    match.handle(it.Act(NORTH, hand[1]), 0.0)
    match.handle(it.Retract(NORTH), 0.0)
    assert {ask.seat for ask in match.asks()} == {NORTH, EAST, SOUTH}
    match.handle(it.Act(NORTH, hand[2]), 0.0)
    for seat in (EAST, SOUTH):
        match.handle(it.Act(seat, match.position.legal(seat)[0]), 0.0)
    assert last(match, ev.TurnEnded).actions["north"] == hand[2]


def test_who_has_submitted_nothing_has_nothing_to_take_back() -> None:
    match = begun()
    before = len(match.record)
    assert code(match, it.Retract(NORTH)) is RefusalCode.NO_CHANGE
    assert code(match, it.Retract(EAST)) is RefusalCode.NO_CHANGE, "it is another's turn"
    assert len(match.record) == before


def test_an_illegal_replacement_leaves_what_was_submitted() -> None:
    match = begun(BIDS)
    card = match.position.legal(NORTH)[0]
    match.handle(it.Act(NORTH, card), 0.0)
    assert code(match, it.Act(NORTH, 99)) is RefusalCode.ILLEGAL
    assert match.state.places[NORTH].action == card


def bid_all(match: Match, now: float = 0.0) -> tuple[str, ...]:
    events: list[str] = []
    for seat in match.position.to_act():
        events += kinds(match.handle(it.Act(seat, match.position.legal(seat)[0]), now).events)
    return tuple(events)


def test_a_wait_flag_holds_the_turn_until_it_is_lowered() -> None:
    match = begun(BIDS)
    match.handle(it.SetWait(EAST, True), 0.0)
    assert "TurnEnded" not in bid_all(match)
    assert code(match, it.SetWait(EAST, True)) is RefusalCode.NO_CHANGE
    assert "TurnEnded" in kinds(match.handle(it.SetWait(EAST, False), 0.0).events)


def test_a_wait_flag_does_not_outlast_the_clock() -> None:
    match = begun(BIDS, clock=Clock(per_turn=10.0))
    match.handle(it.SetWait(EAST, True), 0.0)
    bid_all(match, 1.0)
    assert match.due() == 10.0
    assert "TurnEnded" in kinds(match.tick(10.0).events)
    assert "Fouled" not in kinds(tuple(match.record))


def test_flags_are_up_at_the_start_of_each_turn_if_the_terms_say_so() -> None:
    match = begun(BIDS, wait_flags_up=True)
    assert "TurnEnded" not in bid_all(match)
    for seat in (NORTH, EAST, SOUTH):
        match.handle(it.SetWait(seat, False), 0.0)
    assert match.turn == 2
    assert all(place.wait for place in match.state.places.values())


# Clocks


def test_the_first_turn_of_each_seat_may_be_longer() -> None:
    match = begun(clock=Clock(per_turn=10.0, first_turn=30.0))
    assert match.due() == 30.0
    match.handle(it.Act(NORTH, 1), 5.0)
    assert match.due() == 35.0
    match.handle(it.Act(EAST, 1), 6.0)
    assert match.due() == 16.0


def test_a_time_bank_is_used_after_the_turns_own_time_and_not_given_back() -> None:
    match = begun(clock=Clock(per_turn=10.0, bank=5.0))
    match.handle(it.Act(NORTH, 1), 12.0)
    match.handle(it.Act(EAST, 1), 12.0)
    assert match.state.places[NORTH].bank == 3.0
    assert match.due() == 12.0 + 10.0 + 3.0


def test_a_stage_may_have_time_of_its_own() -> None:
    match = begun(clock=Clock(per_turn=10.0, per_stage={"move": 3.0}))
    assert match.due() == 3.0


def test_clocks_stand_still_while_the_match_is_paused() -> None:
    match = begun(clock=Clock(per_turn=10.0))
    match.handle(it.Pause("host"), 4.0)
    assert match.due() is None
    assert not match.tick(100.0).events
    match.handle(it.Resume("host"), 100.0)
    assert match.due() == 106.0


def test_an_answer_during_a_pause_counts_and_the_turn_ends_when_it_is_over() -> None:
    match = begun()
    match.handle(it.Pause("host"), 0.0)
    assert kinds(match.handle(it.Act(NORTH, 1), 1.0).events) == ["Acted"]
    assert kinds(match.handle(it.Resume("host"), 2.0).events) == ["Resumed", "TurnEnded", "TurnBegan"]


def test_an_answer_after_the_deadline_is_late_even_without_a_tick_between() -> None:
    match = begun(clock=Clock(per_turn=10.0), config={"seats": 3})
    reaction = match.handle(it.Act(NORTH, 1, turn=1), 11.0)
    assert kinds(reaction.events)[:2] == ["Fouled", "Removed"]
    assert reaction.refusal is not None


def test_time_never_runs_backward() -> None:
    match = begun(clock=Clock(per_turn=10.0))
    match.handle(it.Act(NORTH, 1), 5.0)
    match.handle(it.Act(EAST, 1), 1.0)
    assert [event.at for event in match.record] == sorted(event.at for event in match.record)


# Votes


def test_a_draw_needs_the_vote_of_everyone_who_is_there() -> None:
    match = begun(BIDS, conduct=DIPLOMACY)
    match.handle(it.Vote(NORTH, Ballot.YES), 0.0)
    match.handle(it.Vote(EAST, Ballot.YES), 0.0)
    match.handle(it.Vote(EAST, Ballot.NO), 0.0)
    match.handle(it.Vote(SOUTH, Ballot.YES), 0.0)
    assert not match.over
    match.handle(it.Vote(EAST, Ballot.YES), 0.0)
    assert match.outcome is not None
    assert match.outcome.reason == "draw"


def test_an_absent_player_does_not_block_a_draw() -> None:
    match = begun(BIDS, conduct=DIPLOMACY)
    match.handle(it.Leave(EAST), 0.0)
    for seat in (NORTH, SOUTH):
        match.handle(it.Vote(seat, Ballot.YES), 0.0)
    assert match.over


def test_votes_are_for_one_turn() -> None:
    match = begun(BIDS)
    match.handle(it.Vote(NORTH, Ballot.YES), 0.0)
    bid_all(match)
    assert match.state.places[NORTH].ballot is Ballot.NEUTRAL


# Leaving and coming


def test_a_seat_left_under_diplomacy_conduct_does_its_default_and_may_be_taken_over() -> None:
    match = begun(BIDS, conduct=DIPLOMACY)
    events = kinds(match.handle(it.Leave(EAST), 0.0).events)
    assert events == ["Left", "Fouled"]
    for seat in (NORTH, SOUTH):
        match.handle(it.Act(seat, match.position.legal(seat)[-1]), 0.0)
    ended = last(match, ev.TurnEnded)
    assert ended.defaulted == (EAST,)
    reaction = match.handle(it.Join("newcomer", EAST), 0.0)
    assert [ask.seat for ask in reaction.asks] == [EAST]
    assert match.state.places[EAST].name == "newcomer"


def test_a_seat_left_under_strict_conduct_is_out() -> None:
    match = begun(BIDS)
    match.handle(it.Leave(EAST), 0.0)
    assert match.state.standings() == {EAST: Standing.FAILURE}
    assert code(match, it.Join("again", EAST)) is RefusalCode.SEAT_TAKEN


def test_a_substitute_takes_over_in_the_middle_and_is_asked() -> None:
    match = begun()
    reaction = match.handle(it.Substitute("host", NORTH, "second", PlayerType.PRESS_BOT), 0.0)
    assert [ask.seat for ask in reaction.asks] == [NORTH]
    assert match.state.places[NORTH].player_type is PlayerType.PRESS_BOT


def test_nobody_joins_a_running_match_that_does_not_allow_it() -> None:
    match = begun(BIDS, conduct=DIPLOMACY, rejoin=False)
    match.handle(it.Leave(EAST), 0.0)
    assert code(match, it.Join("again", EAST)) is RefusalCode.SEAT_TAKEN


def test_a_match_that_everyone_left_is_over() -> None:
    match = begun(BIDS, conduct=DIPLOMACY)
    for seat in (NORTH, EAST, SOUTH):
        match.handle(it.Leave(seat), 0.0)
    assert match.over


# Moderators


def test_a_forced_turn_ends_without_fouls() -> None:
    match = begun(BIDS)
    events = kinds(match.handle(it.ForceTurn("host"), 0.0).events)
    assert events == ["TurnForced", "TurnEnded", "TurnBegan"]
    assert set(last(match, ev.TurnEnded).defaulted) == {NORTH, EAST, SOUTH}


def test_a_moderator_sets_the_position_and_a_new_turn_begins() -> None:
    match = begun()
    position = {"heap": 2, "order": ["east", "north"], "last": None}
    reaction = match.handle(it.SetPosition("host", position), 0.0)
    assert kinds(reaction.events) == ["PositionSet", "TurnBegan"]
    assert [ask.seat for ask in reaction.asks] == [EAST]


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        {"heap": -1, "order": [], "last": None},
        {"heap": 3, "order": ["mars"], "last": None},
        {"heap": 3, "order": ["north", "mars"], "last": None},
    ],
)
def test_what_is_no_position_of_this_match_is_refused(value: object) -> None:
    assert code(begun(), it.SetPosition("host", value)) is RefusalCode.BAD_VALUE


def test_a_removed_seat_stays_out_after_the_position_is_set() -> None:
    match = begun(config={"seats": 3})
    match.handle(it.Remove("host", SOUTH), 0.0)
    match.handle(it.SetPosition("host", {"heap": 5, "order": ["south", "north", "east"], "last": None}), 0.0)
    assert match.asks()[0].seat == NORTH


def test_removal_of_the_seat_to_act_passes_the_turn_on() -> None:
    match = begun(config={"seats": 3})
    reaction = match.handle(it.Remove("host", NORTH, "rude"), 0.0)
    assert kinds(reaction.events) == ["Removed", "TurnBegan"]
    assert [ask.seat for ask in reaction.asks] == [EAST]


def test_a_cancelled_match_has_no_places() -> None:
    match = begun()
    match.handle(it.Cancel("host", "rain"), 0.0)
    assert match.outcome is not None
    assert (match.outcome.reason, match.outcome.places) == ("rain", ())
    assert code(match, it.Act(NORTH, 1)) is RefusalCode.OVER


def test_before_it_is_open_a_match_takes_nothing() -> None:
    match = Match(NIM, {}, begun().terms, 1)
    assert code(match, it.Join("a")) is RefusalCode.NOT_STARTED


# Fouls


def test_a_mended_action_stands_with_what_was_wrong_in_it() -> None:
    match = begun(BIDS, conduct=DIPLOMACY)
    match.handle(it.Act(NORTH, 99), 0.0)
    acted = last(match, ev.Acted)
    assert acted.action == min(match.position.legal(NORTH))
    assert acted.violations[0].kind == "hand"


def test_an_illegal_action_is_asked_for_again_within_the_same_time() -> None:
    match = begun(conduct=LENIENT, clock=Clock(per_turn=10.0))
    reaction = match.handle(it.Act(NORTH, 9), 3.0)
    [ask] = reaction.asks
    assert (ask.seat, ask.deadline) == (NORTH, 10.0)
    assert ask.violation is not None
    assert ask.violation.kind == "heap"


def test_flooding_with_illegal_actions_counts_as_silence_in_the_end() -> None:
    match = begun(conduct=LENIENT)
    for _ in range(100):
        assert match.asks()[0].seat == NORTH
        match.handle(it.Act(NORTH, 9), 0.0)
    match.handle(it.Act(NORTH, 9), 0.0)
    assert last(match, ev.TurnEnded).passed == (NORTH,)


def test_two_skips_in_a_row_remove_and_an_action_between_forgives() -> None:
    match = begun(conduct=LENIENT, clock=Clock(per_turn=10.0), config={"stones": 100})
    match.tick(10.0)  # north skipped
    match.handle(it.Act(EAST, 1), 10.0)
    match.handle(it.Act(NORTH, 1), 10.0)
    match.handle(it.Act(EAST, 1), 10.0)
    match.tick(20.0)  # north skipped again, but not in a row
    assert not match.state.places[NORTH].removed
    match.handle(it.Act(EAST, 1), 20.0)
    match.tick(30.0)
    assert match.state.places[NORTH].removed


def test_a_report_of_a_finished_turn_is_answered_only() -> None:
    match = begun()
    match.handle(it.Act(NORTH, 1), 0.0)
    assert code(match, it.Report(NORTH, FoulKind.CRASHED, "late crash", turn=1)) is RefusalCode.TOO_LATE


def test_a_foul_at_the_very_end_is_noted_after_the_outcome() -> None:
    match = begun(config={"stones": 1})
    match.handle(it.Act(NORTH, 1), 0.0)
    assert match.over
    match.handle(it.Report(NORTH, FoulKind.LATE, "did not answer"), 1.0)
    assert isinstance(match.record[-1], ev.Fouled)
    assert match.record[-1].stage == "end"
    assert match.outcome is not None
    assert match.outcome.winners == (NORTH,)


# Inert events


def test_only_what_is_said_written_and_spent_is_inert() -> None:
    inert = {kind.__name__ for kind in ev.EVENTS if kind.inert}
    assert inert == {"Said", "Noted", "Reserved", "Consulted", "Proclaimed"}


def test_a_deadline_that_passes_with_a_message_counts_at_once() -> None:
    match = Match(NIM, {}, Terms(conduct=LENIENT, clock=Clock(per_turn=5.0)), 7, dated=True)
    match.start(100.0)
    for name in "ab":
        match.handle(it.Join(name), 100.0)
    due = match.due()
    assert due is not None
    # Rounded to the microseconds of the record, the note is written at the deadline itself, so that comes first.
    followed = match.handle(it.Note(EAST, "too late"), due - 1e-7).events
    assert kinds(followed)[0] == "Fouled"
    assert Match.resume(match.record, NIM).state.count == match.state.count
