"""Recorded matches as saved games: with all press, under their true rules, and without loss on the way back."""

from __future__ import annotations

import json
from pathlib import Path

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.games.diplomacy.formats.saved import read_saved
from parlour.games.diplomacy.game import GAME
from parlour.net.mila.saving import export_saved
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.local import play
from parlour.referee.match import Match


def exported(folder: Path, mode: PressMode) -> tuple[Match, bytes]:
    match = Match(GAME, {"last_year": 1901}, Terms(DIPLOMACY, press=PressTerms(mode, level=60)), 1)
    play(match, {Seat(seat): make_agent("diplomacy", "peace:budget=20", i) for i, seat in enumerate(GAME.seats({}))})
    export_saved(match.record, folder, "game")
    return match, (folder / "game.json").read_bytes()


def test_an_exported_match_keeps_its_press_and_its_rules(tmp_path: Path) -> None:
    match, written = exported(tmp_path, PressMode.WINDOW)
    said = [event for event in match.record if isinstance(event, ev.Said)]
    assert said
    value = json.loads(written)
    messages = [message for phase in value["phases"] for message in phase["messages"]]
    wanted = [(event.seat, to, event.text) for event in said for to in event.to]
    assert [(one["sender"], one["recipient"], one["message"]) for one in messages] == wanted
    times = [one["time_sent"] for one in messages]
    assert times == sorted(set(times)), "the package keeps one for each time"
    assert "NO_PRESS" not in value["rules"]
    (saved,) = read_saved(written)
    assert saved.encode() == written, "export, import, export"
    _, silent = exported(tmp_path, PressMode.NONE)
    assert "NO_PRESS" in json.loads(silent)["rules"]
