"""Displays: what a terminal shows, what a pipe gets, and what is said of each event."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from parlour.cli.display.event_lines import line_of, news_of, ranking
from parlour.cli.display.show import Display, JsonDisplay, LineDisplay, LiveDisplay, display
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Consequence
from parlour.core.game import FoulKind, Outcome
from parlour.core.player import ObservedEvent
from parlour.games.diplomacy.game import Diplomacy
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.match import Match
from parlour.referee.state import MatchState
from parlour.testing import NIM
from support.matches.tables import EAST, NORTH, begun, it


@pytest.fixture
def match() -> Match:
    match = begun(config={"stones": 2})
    match.handle(it.Act(NORTH, 2), 0.0)
    return match


def show(display: Display, record: Sequence[Event]) -> None:
    state = MatchState(NIM)
    for number, event in enumerate(record):
        state.fold(event)
        display.on_event(ObservedEvent(number, number, event, state.view))


def test_a_pipe_gets_lines_and_json_if_asked_for() -> None:
    assert isinstance(display(NIM), LineDisplay)
    assert isinstance(display(NIM, as_json=True), JsonDisplay)


def test_a_terminal_keeps_the_table_in_place_below_the_news(
    match: Match, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = display(NIM)
    assert isinstance(shown, LiveDisplay)
    with shown:
        show(shown, match.record)
    text = capsys.readouterr().out
    assert "turn 1: north plays 2" in text
    assert "place  seat" in text


def test_a_name_is_no_markup(match: Match, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    record = [replace(event, name="[/x]") if isinstance(event, ev.Joined) else event for event in match.record]
    with display(NIM) as shown:
        show(shown, record)
    assert "[/x]" in capsys.readouterr().out


def test_where_a_person_plays_the_screen_is_left_to_them(
    match: Match, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with display(NIM, person=True) as shown:
        show(shown, match.record)
    text = capsys.readouterr().out
    assert "turn 1: north plays 2" in text
    assert "●" not in text


def test_each_kind_of_news_has_its_line() -> None:
    assert line_of(ev.Left(0.0, EAST)) == "east leaves"
    assert line_of(ev.Said(0.0, NORTH, (), "hi", 1)) == "north to all: hi"
    assert line_of(ev.TurnEnded(0.0, 3, {}, {}, passed=(EAST,))) == "turn 3: east passes"
    assert line_of(ev.Paused(0.0, "host")) == "paused by host"
    assert line_of(ev.Paused(0.0, "")) == "paused: too few are here"
    assert line_of(ev.Resumed(0.0, "host")) == "resumed by host"
    assert line_of(ev.Resumed(0.0, "")) == "the match continues"
    assert line_of(ev.Opened(0.0, "nim", {}, begun().terms, 1)) == ""


def test_the_orders_of_a_turn_are_shown_with_what_failed() -> None:
    game = Diplomacy()
    match = begun(game, conduct=DIPLOMACY)
    for seat in match.state.to_act:
        orders = {"FRANCE": ["A PAR - BUR", "F BRE H"], "GERMANY": ["A MUN - BUR"]}.get(seat, [])
        match.handle(it.Act(seat, orders), 0.0)
    news = news_of(game)
    lines = [line for event in match.record for line in news(event, match.position)]
    assert "  FRANCE: A PAR - BUR (bounced); F BRE H" in lines
    assert "  GERMANY: A MUN - BUR (bounced)" in lines
    assert not any(line.startswith("  ENGLAND") for line in lines), "nobody ordered those holds"


HOSTILE = "\x1b]0;PWNED\x07\x1b[2J\u202e"


@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_that_a_player_says_reaches_the_terminal_raw(
    terminal: bool, match: Match, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    record: list[Event] = []
    for event in match.record:
        if isinstance(event, ev.Joined):
            event = replace(event, name=f"evil{HOSTILE}")
        record.append(event)
        if isinstance(event, ev.TurnBegan):
            record.append(ev.Said(0.0, NORTH, (), f"hi{HOSTILE}", 1))
            record.append(ev.Fouled(0.0, NORTH, FoulKind.CRASHED, "move", 1, f"ouch{HOSTILE}", Consequence.NOTE))
    with display(NIM) as shown:
        show(shown, record)
    text = capsys.readouterr().out
    assert "ouch?]0;PWNED" in text
    assert not {"\x1b]0;", "\x07", "\x1b[2J", "\u202e"} & {text[i : i + n] for n in (1, 4) for i in range(len(text))}


def test_those_without_a_place_are_listed_too() -> None:
    names = {NORTH: "good", EAST: "cheater"}
    lines = ranking(Outcome({"north": 12.0}, (("north",),), "over"), names).splitlines()
    assert [line.split() for line in lines[1:]] == [["1", "north", "good", "12"], ["-", "east", "cheater"]]
    assert "0.136" in ranking(Outcome({"north": 0.13587}, (("north",),), "over"), names)


def test_ties_share_a_place_and_nobody_ranked_is_said() -> None:
    outcome = Outcome({"north": 1.0, "east": 1.0, "west": 0.5}, (("north", "east"), ("west",)), "over")
    assert [line.split()[0] for line in ranking(outcome, {}).splitlines()[1:]] == ["1", "1", "3"]
    assert ranking(Outcome({}, (), "rain"), {}) == "nobody is ranked: rain"
