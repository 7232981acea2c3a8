"""A moderator ends a match with a result; what is no result is refused."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core.game import Outcome, Seat
from parlour.core.intents import Ballot, RefusalCode
from parlour.core.viewers import seated_on
from parlour.referee.match import Match, replay
from parlour.referee.rules import endings
from parlour.testing import BIDS
from support.matches.tables import EAST, NORTH, SOUTH, begun, it, last, opened


def test_a_moderator_calls_a_draw_of_all_who_are_left() -> None:
    match = begun(BIDS)
    match.handle(it.Remove("host", SOUTH), 1.0)
    match.handle(it.EndWithResult("host"), 2.0)
    ended = last(match, ev.Ended)
    assert (ended.by, ended.outcome.places, ended.outcome.reason) == ("host", ((NORTH, EAST),), "draw")
    assert replay(match.record, BIDS).outcome == match.outcome


def test_a_moderator_ends_a_match_with_a_result_of_his_own() -> None:
    match = begun(BIDS)
    outcome = Outcome({"north": 2.0, "east": 1.0}, (("north",), ("east", "south")), "by a ruling")
    match.handle(it.EndWithResult("host", outcome), 2.0)
    assert match.outcome == outcome
    assert replay(match.record, BIDS).outcome == outcome


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome({"nobody": 1.0}, (), ""), "expected seats of this match, got 'nobody'"),
        (Outcome({}, (("north",), ("nobody",)), ""), "expected seats of this match, got 'nobody'"),
        (Outcome({}, (("north",), ("north", "east")), ""), "two places"),
        (Outcome({"north": float("nan")}, (), ""), "finite scores"),
        (Outcome({}, (), "x" * 501), "a short reason"),
    ],
)
def test_what_is_no_result_is_refused(outcome: Outcome, words: str) -> None:
    refusal = begun(BIDS).handle(it.EndWithResult("host", outcome), 1.0).refusal
    assert refusal is not None
    assert refusal.code is RefusalCode.BAD_VALUE
    assert words in refusal.reason


def test_the_longest_reason_and_the_longest_name_are_taken() -> None:
    match = begun(BIDS)
    match.handle(it.EndWithResult("x" * 100, Outcome({}, (), "x" * 500)), 1.0)
    assert match.over


@pytest.mark.parametrize("by", ["", "x" * 101, "\x07"])
def test_whoever_ends_a_match_with_a_result_has_a_name(by: str) -> None:
    refusal = begun(BIDS).handle(it.EndWithResult(by), 1.0).refusal
    assert refusal is not None
    assert "the name of the moderator" in refusal.reason


def test_a_match_that_has_not_begun_has_no_result_to_give() -> None:
    refusal = opened(BIDS).handle(it.EndWithResult("host"), 1.0).refusal
    assert refusal is not None
    assert refusal.code is RefusalCode.NOT_STARTED


def test_a_vote_says_how_many_are_in_favour() -> None:
    match = begun(BIDS)
    counts = []
    for seat, ballot in ((NORTH, Ballot.YES), (EAST, Ballot.YES), (EAST, Ballot.NO), (EAST, Ballot.YES)):
        match.handle(it.Vote(seat, ballot), 1.0)
        counts.append(last(match, ev.Voted).in_favour)
    assert counts == [1, 2, 1, 2]


def agreeing(**terms: Any) -> Match:
    return begun(BIDS, partial_draws=True, **terms)


def vote(match: Match, seat: Seat, *among: Seat, ballot: Ballot = Ballot.YES) -> RefusalCode | None:
    refusal = match.handle(it.Vote(seat, ballot, among), 1.0).refusal
    return None if refusal is None else refusal.code


def test_a_draw_of_some_needs_the_vote_of_all() -> None:
    match = agreeing()
    assert vote(match, NORTH, SOUTH, NORTH) is None
    assert last(match, ev.Voted) == ev.Voted(1.0, NORTH, Ballot.YES, 1, (NORTH, SOUTH))
    assert vote(match, NORTH, NORTH, SOUTH) is RefusalCode.NO_CHANGE
    assert vote(match, NORTH, NORTH, EAST) is None, "several may be agreed to"
    assert vote(match, SOUTH, NORTH, SOUTH) is None
    assert not match.over
    assert vote(match, EAST, SOUTH, NORTH) is None
    assert match.outcome is not None
    assert match.outcome.winners == (NORTH, SOUTH)
    assert replay(match.record, BIDS).outcome == match.outcome


def test_a_vote_for_a_draw_of_some_can_be_taken_back_and_lasts_for_a_turn() -> None:
    match = agreeing()
    for seat in (NORTH, SOUTH):
        assert vote(match, seat, NORTH, SOUTH) is None
    assert vote(match, NORTH, NORTH, SOUTH, ballot=Ballot.NEUTRAL) is None
    assert vote(match, EAST, NORTH, SOUTH) is None
    assert not match.over
    for seat in (NORTH, EAST, SOUTH):
        match.handle(it.Act(seat, match.position.default(seat)), 2.0)
    assert match.turn == 2
    assert vote(match, NORTH, NORTH, SOUTH) is None
    assert not match.over


def test_a_draw_of_some_is_refused_where_it_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    assert vote(begun(BIDS), NORTH, NORTH, SOUTH) is RefusalCode.BAD_VALUE
    assert vote(agreeing(), NORTH, NORTH) is RefusalCode.BAD_VALUE
    assert vote(agreeing(), NORTH, NORTH, Seat("nobody")) is RefusalCode.OUT_OF_GAME
    monkeypatch.setattr(endings, "MAX_DRAWS", 1)
    match = agreeing()
    assert [vote(match, NORTH, NORTH, other) for other in (SOUTH, EAST)] == [None, RefusalCode.TOO_MUCH]
    assert vote(match, NORTH, NORTH, EAST, SOUTH) is None, "that is a draw of all"
    assert last(match, ev.Voted).among == ()


def test_a_draw_with_somebody_who_was_removed_is_none() -> None:
    match = agreeing()
    for seat in (NORTH, EAST):
        assert vote(match, seat, NORTH, SOUTH) is None
    match.handle(it.Remove("host", SOUTH), 2.0)
    assert not match.over


def test_who_wants_which_draw_is_nobody_elses_business() -> None:
    match = agreeing()
    vote(match, NORTH, NORTH, SOUTH)
    seen = match.seen_by(last(match, ev.Voted), seated_on(EAST))
    assert seen == ev.Voted(1.0, Seat(""), Ballot.NEUTRAL)  # nor how many: it would pass for a draw among all
