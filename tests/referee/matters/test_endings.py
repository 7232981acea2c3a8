"""A moderator ends a match with a result; what is no result is refused."""

from __future__ import annotations

import pytest

from parlour.core import events as ev
from parlour.core.game import Outcome
from parlour.core.intents import Ballot, RefusalCode
from parlour.referee.match import replay
from parlour.testing import BIDS
from tables import EAST, NORTH, SOUTH, begun, it, last, opened


def test_a_moderator_calls_a_draw_of_all_who_are_left() -> None:
    match = begun(BIDS)
    match.handle(it.Remove("host", SOUTH), 1.0)
    match.handle(it.Conclude("host"), 2.0)
    ended = last(match, ev.Ended)
    assert (ended.by, ended.outcome.places, ended.outcome.reason) == ("host", ((NORTH, EAST),), "draw")
    assert replay(match.record, BIDS).outcome == match.outcome


def test_a_moderator_ends_a_match_with_a_result_of_his_own() -> None:
    match = begun(BIDS)
    outcome = Outcome({"north": 2.0, "east": 1.0}, (("north",), ("east", "south")), "by a ruling")
    match.handle(it.Conclude("host", outcome), 2.0)
    assert match.outcome == outcome
    assert replay(match.record, BIDS).outcome == outcome


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome({"nobody": 1.0}, (), ""), "a seat 'nobody'"),
        (Outcome({}, (("north",), ("nobody",)), ""), "a seat 'nobody'"),
        (Outcome({}, (("north",), ("north", "east")), ""), "two places"),
        (Outcome({"north": float("nan")}, (), ""), "finite scores"),
        (Outcome({}, (), "x" * 501), "a short reason"),
    ],
)
def test_what_is_no_result_is_refused(outcome: Outcome, words: str) -> None:
    refusal = begun(BIDS).handle(it.Conclude("host", outcome), 1.0).refusal
    assert refusal is not None
    assert refusal.code is RefusalCode.BAD_VALUE
    assert words in refusal.reason


@pytest.mark.parametrize("by", ["", "x" * 65, "\x07"])
def test_whoever_ends_a_match_with_a_result_has_a_name(by: str) -> None:
    refusal = begun(BIDS).handle(it.Conclude(by), 1.0).refusal
    assert refusal is not None
    assert "who ends a match" in refusal.reason


def test_a_match_that_has_not_begun_has_no_result_to_give() -> None:
    refusal = opened(BIDS).handle(it.Conclude("host"), 1.0).refusal
    assert refusal is not None
    assert refusal.code is RefusalCode.NOT_STARTED


def test_a_vote_says_how_many_are_in_favour() -> None:
    match = begun(BIDS)
    counts = []
    for seat, ballot in ((NORTH, Ballot.YES), (EAST, Ballot.YES), (EAST, Ballot.NO), (EAST, Ballot.YES)):
        match.handle(it.Vote(seat, ballot), 1.0)
        counts.append(last(match, ev.Voted).in_favour)
    assert counts == [1, 2, 1, 2]
