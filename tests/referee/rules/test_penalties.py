"""Fouls that are reported, and fouls that a record says there were."""

from __future__ import annotations

import random

import msgspec
import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.fouls import Consequence, Standing
from parlour.core.game import FoulKind
from parlour.core.intents import RefusalCode
from parlour.core.terms import Clock, Vacancy
from parlour.errors import RecordError
from parlour.games import load_game
from parlour.referee.conduct import DIPLOMACY, HOSTED, LENIENT
from parlour.referee.match import replay
from parlour.referee.rules import penalties
from parlour.testing import BIDS
from support.matches.tables import EAST, NORTH, begun, last

FISH = load_game("fish")


def test_so_many_fouls_of_a_seat_are_written_down_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(penalties, "MAX_NOTES", 3)
    match = begun(BIDS, conduct=LENIENT)
    for moment in range(3):
        assert match.handle(it.Report(NORTH, FoulKind.CRASHED, "in told", "told"), float(moment)).refusal is None
    refusal = match.handle(it.Report(NORTH, FoulKind.CRASHED, "in told", "told"), 3.0).refusal
    assert refusal is not None
    assert (refusal.code, refusal.reason) == (RefusalCode.TOO_MUCH, "3 fouls of north are on record already")
    assert match.handle(it.Report(EAST, FoulKind.CRASHED, "in told", "told"), 4.0).refusal is None


def test_beyond_that_a_foul_still_costs_the_turn_that_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(penalties, "MAX_NOTES", 2)
    match = begun(BIDS, conduct=DIPLOMACY)
    for _ in range(2):
        match.handle(it.Report(NORTH, FoulKind.GARBLED, "noise", turn=1), 1.0)
        assert last(match, ev.Fouled).does is Consequence.ASK_AGAIN
    assert match.handle(it.Report(NORTH, FoulKind.GARBLED, "told", None), 1.0).refusal is not None
    match.handle(it.Report(NORTH, FoulKind.GARBLED, "noise", turn=1), 1.0)
    assert last(match, ev.Fouled).does is Consequence.DEFAULT
    assert NORTH not in match.state.pending
    assert match.handle(it.Report(NORTH, FoulKind.GARBLED, "noise", turn=1), 1.0).refusal is not None
    replay(match.record, BIDS)


def test_who_is_away_and_may_be_is_not_written_down_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(penalties, "MAX_NOTES", 2)
    match = begun(BIDS, conduct=HOSTED, vacancy=Vacancy.DEFAULT)
    gone = it.Report(NORTH, FoulKind.DISCONNECTED, "gone", turn=1)
    refusals = [match.handle(gone, 1.0).refusal for _ in range(3)]
    assert refusals[:2] == [None, None]
    assert refusals[2] is not None


def test_who_lets_turn_after_turn_pass_is_removed_whatever_the_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody is removed, two who could not place a penguin had passed to one another for ever."""
    monkeypatch.setattr(penalties, "MAX_SKIPS", 3)
    match = begun(FISH, config={"players": 2}, conduct=DIPLOMACY)
    fouls = []
    for kind in (FoulKind.CRASHED, FoulKind.ILLEGAL, FoulKind.CRASHED):
        seat, other = match.position.to_act()[0], match.position.alive()[1]
        wrong = (
            it.Act(seat, "no place")
            if kind is FoulKind.ILLEGAL
            else it.Report(seat, kind, "no idea", turn=match.state.turn)
        )
        match.handle(wrong, 1.0)
        while kind is FoulKind.ILLEGAL and seat in match.state.pending:
            match.handle(wrong, 1.0)
        fouls.append(last(match, ev.Fouled))
        if not match.over:
            match.handle(it.Act(other, match.position.sample(other, random.Random(1))), 1.0)
    assert [foul.does for foul in fouls] == [Consequence.SKIP, Consequence.SKIP, Consequence.REMOVE]
    assert fouls[-1].standing is Standing.FAILURE
    assert last(match, ev.Removed).seat == fouls[0].seat
    replay(match.record, FISH)


def test_a_seat_that_nobody_has_is_not_removed_for_letting_turns_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(penalties, "MAX_SKIPS", 2)
    clock = Clock(per_turn=5.0)
    match = begun(FISH, config={"players": 2}, conduct=HOSTED, vacancy=Vacancy.AWAITED, clock=clock)
    vacant, other = match.position.alive()
    match.handle(it.Leave(vacant), 1.0)
    for round_ in range(1, 4):
        match.tick(10.0 * round_)
        assert match.position.to_act() == (other,)
        match.handle(it.Act(other, match.position.sample(other, random.Random(1))), 10.0 * round_)
    assert match.state.places[vacant].skips == 3
    assert not match.state.places[vacant].removed


def test_a_record_in_which_somebody_plays_badly_who_was_not_to_play_is_refused() -> None:
    """An action that was not allowed is not in the record, only why it was not."""
    honest, other = begun(BIDS), begun(BIDS)
    other.handle(it.Act(NORTH, "no bid at all"), 1.0)
    fouled = last(other, ev.Fouled)
    assert fouled.violation is not None
    replay([*honest.record, fouled], BIDS)
    honest.handle(it.Act(NORTH, honest.position.default(NORTH)), 1.0)
    with pytest.raises(RecordError):
        replay([*honest.record, msgspec.structs.replace(fouled, at=2.0)], BIDS)
