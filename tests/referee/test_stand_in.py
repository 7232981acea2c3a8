"""Stand-ins in local matches: the seat of whoever is gone is played on, and the record says by whom."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.game import Seat, View
from parlour.core.player import Player
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.games import load_game
from parlour.press.ledger import ledger_of
from parlour.press.reports.metrics import measure
from parlour.press.reports.report import report
from parlour.press.reports.summary import summary
from parlour.referee.conduct import preset, with_stand_ins
from parlour.referee.local import play
from parlour.referee.match import Match, replay
from parlour.testing import ScriptedPlayer


class Quitter:
    """Plays as another does, and leaves after some turns."""

    def __init__(self, player: Any, turns: int) -> None:
        self._player, self._turns = player, turns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._player, name)

    def act(self, view: View) -> Any:
        self._turns -= 1
        if self._turns < 0:
            raise EOFError("the person has left")
        return self._player.act(view)


def deputy(game: str, spec: str) -> Any:
    def made(seat: Seat) -> tuple[str, Player]:
        return f"{spec} (stand-in)", make_agent(game, spec, 1)

    return made


@pytest.mark.parametrize("clock", [Clock(), Clock(per_turn=30.0)])
def test_somebody_plays_on_for_who_left(clock: Clock) -> None:
    game, config = load_game("fish"), {"players": 2, "rows": 5, "cols": 5}
    match = Match(game, config, Terms(with_stand_ins(preset("strict")), clock), 1)
    red, white = game.seats(config)
    quitter = Quitter(ScriptedPlayer(), 5)
    outcome = play(match, {red: quitter, white: ScriptedPlayer()}, stand_in=deputy("fish", "greedy"))
    joined = [event for event in match.record if isinstance(event, ev.Joined) and event.seat == red]
    assert [event.name for event in joined] == ["Quitter", "greedy (stand-in)"]
    at = match.record.index(joined[1])
    assert any(isinstance(event, ev.Left) and event.seat == red for event in match.record[:at])
    acted = [event for event in match.record[at:] if isinstance(event, ev.Acted) and event.seat == red and event.given]
    assert acted
    assert outcome.reason == "nobody can move"
    assert red in outcome.scores
    replay(match.record)


def test_without_a_stand_in_the_seat_is_empty() -> None:
    game, config = load_game("fish"), {"players": 2, "rows": 5, "cols": 5}
    match = Match(game, config, Terms(preset("strict")), 1)
    red, white = game.seats(config)
    play(match, {red: Quitter(ScriptedPlayer(), 5), white: ScriptedPlayer()})
    assert any(isinstance(event, ev.Removed) and event.seat == red for event in match.record)


def test_the_ledger_charges_deeds_to_who_sat() -> None:
    """France makes peace, leaves, and an agent that knows nothing of it plays on."""
    game, config = load_game("diplomacy"), {"last_year": 1904}
    terms = Terms(with_stand_ins(preset("diplomacy")), press=PressTerms(PressMode.WINDOW))
    match = Match(game, config, terms, 1)
    players: dict[Seat, Player] = {
        seat: make_agent("diplomacy", "peace", i) for i, seat in enumerate(game.seats(config))
    }
    france = Seat("FRANCE")
    players[france] = Quitter(players[france], 3)
    play(match, players, stand_in=deputy("diplomacy", "dumbbot"))
    ledger = ledger_of(match.record)
    assert len(ledger.charged) == len(ledger.verdicts)
    mine = {
        names["FRA"]
        for verdict, names in zip(ledger.verdicts, ledger.charged, strict=True)
        if verdict.performer == "FRA"
    }
    assert mine == {"Quitter", "dumbbot (stand-in)"}
    text = summary(ledger, measure(ledger))
    assert "FRA had several players: Quitter kept" in text
    verdicts = report(ledger, measure(ledger))["verdicts"]
    assert {verdict["player"] for verdict in verdicts if verdict["power"] == "FRA"} == mine
