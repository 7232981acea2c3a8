"""Displays: what a terminal shows, what a pipe gets, and what is said of each event."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from parlour.cli.news import line_of, ranking
from parlour.cli.show import JsonDisplay, LineDisplay, LiveDisplay, display
from parlour.core import events as ev
from parlour.core.game import Outcome
from parlour.referee.match import Match
from parlour.testing import NIM
from tables import EAST, NORTH, begun, it


@pytest.fixture
def match() -> Match:
    match = begun(config={"stones": 2})
    match.handle(it.Act(NORTH, 2), 0.0)
    return match


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
        shown.show(match.record)
    text = capsys.readouterr().out
    assert "turn 1: north plays 2" in text
    assert "place  seat" in text


def test_a_name_is_no_markup(match: Match, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    record = [replace(event, name="[/x]") if isinstance(event, ev.Joined) else event for event in match.record]
    with display(NIM) as shown:
        shown.show(record)
    assert "[/x]" in capsys.readouterr().out


def test_where_a_person_plays_the_screen_is_left_to_them(
    match: Match, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with display(NIM, person=True) as shown:
        shown.show(match.record)
    text = capsys.readouterr().out
    assert "turn 1: north plays 2" in text
    assert "●" not in text


def test_each_kind_of_news_has_its_line() -> None:
    assert line_of(ev.Left(0.0, EAST)) == "east leaves"
    assert line_of(ev.Said(0.0, NORTH, (), "hi", 1)) == "north to all: hi"
    assert line_of(ev.TurnEnded(0.0, 3, {}, {}, passed=(EAST,))) == "turn 3: east passes"
    assert line_of(ev.Paused(0.0, "host")) == "paused by host"
    assert line_of(ev.Opened(0.0, "nim", {}, begun().terms, 1)) == ""


def test_ties_share_a_place_and_nobody_ranked_is_said() -> None:
    outcome = Outcome({"north": 1.0, "east": 1.0, "west": 0.5}, (("north", "east"), ("west",)), "over")
    assert [line.split()[0] for line in ranking(outcome, {}).splitlines()[1:]] == ["1", "1", "3"]
    assert ranking(Outcome({}, (), "rain"), {}) == "nobody is ranked: rain"
