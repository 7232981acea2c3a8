"""Press at the table: who may write to whom, when, how much; comm status and the press window."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.core.game import Seat
from parlour.core.intents import CommStatus, PlayerType, RefusalCode
from parlour.core.terms import Clock, PressMode, PressTerms
from parlour.core.viewers import SPECTATOR, seated_on
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.match import Match
from parlour.testing import BIDS
from support.matches.tables import EAST, NORTH, SOUTH, begun, ev, it, kinds, last

ANYTIME = PressTerms(PressMode.ANYTIME, max_length=20, max_per_turn=2)
WINDOW = PressTerms(PressMode.WINDOW, window=60.0)


def table(press: PressTerms, **how: Any) -> Match:
    return begun(BIDS, conduct=DIPLOMACY, press=press, player_type=PlayerType.PRESS_BOT, **how)


def say(match: Match, text: str, to: tuple[Seat, ...] = (), seat: Seat = NORTH) -> RefusalCode | None:
    refusal = match.handle(it.Say(seat, text, to), 0.0).refusal
    return None if refusal is None else refusal.code


def test_press_reaches_only_those_it_is_for() -> None:
    match = table(ANYTIME)
    assert say(match, "psst", (EAST,)) is None
    said = last(match, ev.Said)
    assert match.seen_by(said, seated_on(EAST)) == match.seen_by(said, seated_on(NORTH)) == said
    assert match.seen_by(said, seated_on(SOUTH)) is None
    assert match.seen_by(said, SPECTATOR) is None


def test_press_to_all_is_seen_by_spectators_too() -> None:
    match = table(ANYTIME)
    say(match, "hello")
    assert match.seen_by(last(match, ev.Said), SPECTATOR) is not None


@pytest.mark.parametrize(
    ("text", "to", "expected"),
    [
        ("hi", (Seat("mars"),), RefusalCode.UNKNOWN_SEAT),
        ("hi", (NORTH,), RefusalCode.BAD_VALUE),
        ("  ", (EAST,), RefusalCode.BAD_VALUE),
        ("x" * 21, (EAST,), RefusalCode.TOO_LONG),
    ],
)
def test_press_that_cannot_be_delivered_is_refused(text: str, to: tuple[Seat, ...], expected: RefusalCode) -> None:
    assert say(table(ANYTIME), text, to) is expected


def test_a_seat_sends_only_so_much_a_turn() -> None:
    match = table(ANYTIME)
    assert [say(match, "hi", (EAST,)) for _ in range(3)] == [None, None, RefusalCode.TOO_MUCH]
    match.handle(it.ForceTurn("host"), 0.0)
    assert say(match, "hi", (EAST,)) is None


def test_a_seat_that_is_out_neither_sends_nor_gets_press() -> None:
    match = table(ANYTIME)
    match.handle(it.Remove("host", SOUTH), 0.0)
    assert say(match, "hi", (SOUTH,)) is RefusalCode.OUT_OF_GAME
    assert say(match, "hi", (EAST,), SOUTH) is RefusalCode.OUT_OF_GAME


def test_a_match_without_press_delivers_none() -> None:
    assert say(table(PressTerms(PressMode.NONE)), "hi") is RefusalCode.PRESS_CLOSED


def test_comm_status_is_inactive_at_first_and_busy_after_each_turn() -> None:
    match = table(ANYTIME)
    assert {place.comm_status for place in match.state.places.values()} == {CommStatus.INACTIVE}
    match.handle(it.SetCommStatus(NORTH, CommStatus.READY), 0.0)
    match.handle(it.ForceTurn("host"), 0.0)
    assert {place.comm_status for place in match.state.places.values()} == {CommStatus.BUSY}


def ready(match: Match, now: float = 0.0) -> list[str]:
    events: list[str] = []
    for seat in (NORTH, EAST, SOUTH):
        events += kinds(match.handle(it.SetCommStatus(seat, CommStatus.READY), now).events)
    return events


def test_the_window_opens_when_every_press_bot_is_ready_and_closes_by_itself() -> None:
    match = table(WINDOW)
    assert say(match, "too early") is RefusalCode.PRESS_CLOSED
    assert ready(match, 5.0)[-1] == "PressOpened"
    assert match.due() == 65.0
    assert say(match, "now") is None
    assert kinds(match.tick(65.0).events) == ["PressClosed"]
    assert say(match, "too late") is RefusalCode.PRESS_CLOSED


def test_humans_and_silent_bots_do_not_keep_the_window_shut() -> None:
    match = table(WINDOW)
    match.handle(it.Substitute("host", SOUTH, "silent", PlayerType.NO_PRESS_BOT), 0.0)
    for seat in (NORTH, EAST):
        match.handle(it.SetCommStatus(seat, CommStatus.READY), 0.0)
    assert isinstance(match.record[-1], ev.PressOpened)


def act(match: Match, seat: Seat, now: float) -> list[str]:
    return kinds(match.handle(it.Act(seat, match.position.legal(seat)[0]), now).events)


def test_the_window_closes_when_all_press_bots_are_done() -> None:
    match = table(WINDOW)
    ready(match)
    match.handle(it.Substitute("host", SOUTH, "silent", PlayerType.NO_PRESS_BOT), 0.0)
    act(match, NORTH, 1.0)
    assert "PressClosed" in act(match, EAST, 1.0)
    assert match.turn == 1


def test_quick_bots_do_not_close_the_window_on_a_person() -> None:
    match = table(WINDOW)
    ready(match)
    match.handle(it.Substitute("host", SOUTH, "human", PlayerType.HUMAN), 0.0)
    act(match, NORTH, 1.0)
    assert "PressClosed" not in act(match, EAST, 1.0)
    assert say(match, "wait, what about us?", seat=SOUTH) is None
    assert "PressClosed" in act(match, SOUTH, 30.0)


def test_a_person_who_says_nothing_holds_the_window_no_longer_than_its_time() -> None:
    match = table(WINDOW)
    ready(match)
    match.handle(it.Substitute("host", SOUTH, "human", PlayerType.HUMAN), 0.0)
    act(match, NORTH, 1.0)
    act(match, EAST, 1.0)
    assert kinds(match.tick(60.0).events) == ["PressClosed"]


def test_people_among_themselves_talk_at_once() -> None:
    match = begun(BIDS, conduct=DIPLOMACY, press=WINDOW, player_type=PlayerType.HUMAN)
    assert isinstance(match.record[-1], ev.PressOpened)
    assert say(match, "hello") is None


def test_where_nobody_talks_no_window_opens() -> None:
    match = begun(BIDS, conduct=DIPLOMACY, press=WINDOW, player_type=PlayerType.NO_PRESS_BOT)
    assert "PressOpened" not in ready(match)


def test_there_is_no_window_in_other_stages() -> None:
    match = table(PressTerms(PressMode.WINDOW, stages=("movement",)))
    assert "PressOpened" not in ready(match)


def test_a_window_opens_once_a_turn() -> None:
    match = table(WINDOW)
    ready(match)
    match.tick(60.0)
    match.handle(it.SetCommStatus(NORTH, CommStatus.BUSY), 61.0)
    events = match.handle(it.SetCommStatus(NORTH, CommStatus.READY), 62.0).events
    assert kinds(events) == ["CommStatusSet"]


def test_a_pause_keeps_the_window_as_long_as_it_was() -> None:
    match = table(WINDOW, clock=Clock(per_turn=500.0))
    ready(match)
    match.handle(it.Pause("host"), 10.0)
    match.handle(it.Resume("host"), 110.0)
    assert match.due() == 160.0
