"""Talk besides press in a running turn: before the start, for all only, notes, and what the host says."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import Intent, RefusalCode
from parlour.core.terms import Clock, PressMode, PressTerms
from parlour.games import load_game
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.position import Position
from parlour.referee.match import Match, replay
from parlour.referee.rules import press
from parlour.testing import BIDS
from support.matches.tables import EAST, NORTH, begun, it, last, opened


def code(match: Match, intent: Intent) -> RefusalCode | None:
    refusal = match.handle(intent, 1.0).refusal
    return None if refusal is None else refusal.code


def joined(game: Any = BIDS, **press: Any) -> Match:
    match = opened(game, press=PressTerms(**press))
    match.handle(it.Join("Ann"), 0.0)
    return match


@pytest.mark.parametrize("mode", [PressMode.ANYTIME, PressMode.WINDOW])
def test_terms_may_let_those_who_wait_talk_to_all(mode: PressMode) -> None:
    match = joined(mode=mode, before_start=True)
    assert code(match, it.Say(NORTH, "anybody here?")) is None
    assert last(match, ev.Said).turn == 0
    assert code(match, it.Say(NORTH, "psst", (EAST,))) is RefusalCode.PRESS_CLOSED
    assert code(match, it.Say(EAST, "me!")) is RefusalCode.NOT_SEATED
    assert code(joined(mode=mode), it.Say(NORTH, "anybody here?")) is RefusalCode.NOT_STARTED
    assert code(joined(mode=PressMode.NONE, before_start=True), it.Say(NORTH, "hm")) is RefusalCode.PRESS_CLOSED


def test_before_the_start_any_text_will_do() -> None:
    match = joined(load_game("diplomacy"), before_start=True)
    assert code(match, it.Say(match.game.seats({})[0], "PRP ( nonsense")) is None


def test_terms_may_want_all_press_to_be_for_all() -> None:
    match = begun(BIDS, press=PressTerms(private=False))
    assert code(match, it.Say(NORTH, "psst", (EAST,))) is RefusalCode.PRESS_CLOSED
    assert code(match, it.Say(NORTH, "hello")) is None


def test_a_note_is_written_down_in_any_status() -> None:
    match = joined()
    assert code(match, it.Note(NORTH, "nobody here yet")) is None
    assert last(match, ev.Noted) == ev.Noted(1.0, NORTH, "nobody here yet", 0)
    assert code(match, it.Note(EAST, "me")) is RefusalCode.NOT_SEATED


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", RefusalCode.BAD_VALUE),
        (" \n", RefusalCode.BAD_VALUE),
        ("\ud800", RefusalCode.BAD_VALUE),
        ("x" * (press.MAX_NOTE + 1), RefusalCode.TOO_LONG),
        ("x" * press.MAX_NOTE, None),
    ],
)
def test_notes_and_announcements_are_texts_of_a_bounded_length(text: str, refusal: RefusalCode | None) -> None:
    match = begun(BIDS)
    assert code(match, it.Note(NORTH, text)) is refusal
    assert code(match, it.Announce("host", text)) is refusal


def test_a_seat_writes_so_many_notes_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(press, "MAX_NOTES_PER_TURN", 2)
    match = begun(BIDS)
    assert [code(match, it.Note(NORTH, "hm")) for _ in range(3)] == [None, None, RefusalCode.TOO_MUCH]
    match.handle(it.ForceTurn("host"), 2.0)
    assert code(match, it.Note(NORTH, "hm")) is None


def test_what_the_host_says_is_for_all_and_no_press() -> None:
    match = begun(BIDS, press=PressTerms(PressMode.NONE))
    assert code(match, it.Announce("host", "back at eight")) is None
    assert last(match, ev.Proclaimed) == ev.Proclaimed(1.0, "host", "back at eight")
    assert replay(match.record, BIDS).count == len(match.record)


def test_there_are_stages_in_which_nobody_may_talk() -> None:
    stage = begun(BIDS).position.stage
    match = begun(BIDS, press=PressTerms(silent_stages=(stage,)))
    assert code(match, it.Say(NORTH, "hello")) is RefusalCode.PRESS_CLOSED
    assert code(begun(BIDS, press=PressTerms(silent_stages=("other",))), it.Say(NORTH, "hello")) is None


@pytest.mark.parametrize(
    ("stages", "at", "shut"), [("here", 49.0, False), ("here", 51.0, True), ("other", 51.0, False)]
)
def test_talk_may_end_before_the_deadline(stages: str, at: float, shut: bool) -> None:
    stage = begun(BIDS).position.stage if stages == "here" else stages
    press = PressTerms(silent_before=10.0, stages=(stage,))
    match = begun(BIDS, press=press, clock=Clock(per_turn=60.0))
    refusal = match.handle(it.Say(NORTH, "hello"), at).refusal
    assert (refusal is not None) is shut
    assert replay(match.record, BIDS).now == match.state.now


def test_press_in_the_games_language_fits_the_level_of_the_table_and_other_words_are_free() -> None:
    match = begun(load_game("diplomacy"), press=PressTerms(PressMode.ANYTIME, level=10))
    france, england = Seat("FRANCE"), Seat("ENGLAND")
    for text in ("PRP ( PCE ( FRA ENG ) )", "shall we have peace?"):
        assert code(match, it.Say(france, text, (england,))) is None, text
    for text in ("PRP ( SCD ( FRA BRE ) )", "PRP ( PCE ( FRA ENG )"):
        assert code(match, it.Say(france, text, (england,))) is not None, text
    assert code(match, it.Say(france, "one more", (england, england))) is None
    assert last(match, ev.Said).to == (england,)


def test_a_seat_without_anything_on_the_board_is_out_though_somebody_sits_there() -> None:
    match = begun(load_game("diplomacy"), press=PressTerms(PressMode.ANYTIME))
    left = {"units": {"FRANCE": ["A PAR"], "ENGLAND": ["F LON"]}, "centers": {"FRANCE": ["PAR"], "ENGLAND": ["LON"]}}
    position = Position(*read_state({"phase": "S1902M", **left}, standard()))
    assert code(match, it.SetPosition("host", position.encode())) is None
    france, england, italy = Seat("FRANCE"), Seat("ENGLAND"), Seat("ITALY")
    assert code(match, it.Say(france, "hello", (england,))) is None
    assert code(match, it.Say(italy, "hello", (france,))) is RefusalCode.OUT_OF_GAME
    assert code(match, it.Say(italy, "hello")) is RefusalCode.OUT_OF_GAME
    assert code(match, it.Say(france, "hello", (italy,))) is RefusalCode.OUT_OF_GAME


def test_a_match_from_which_all_are_removed_before_it_begins_is_over() -> None:
    match = opened(BIDS)
    for seat in BIDS.seats({}):
        assert not match.over
        match.handle(it.Remove("host", seat), 1.0)
    assert match.outcome is not None
    assert match.outcome.reason == "no player is left"
