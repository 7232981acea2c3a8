"""A game of another server, told again from its beginning."""

from __future__ import annotations

from parlour.core import events as ev
from parlour.core.terms import Terms
from parlour.net.client.retelling import story
from parlour.referee.conduct import DIPLOMACY

from .test_local_game import game_of, phase_of


def test_a_game_with_a_past_is_told_turn_by_turn_from_its_start() -> None:
    game = game_of(phase="S1902M")
    for name in ("S1901M", "F1901M"):
        game.extend_phase_history(phase_of(name, orders={"FRANCE": ["A PAR H"]}))
    events = story(game, Terms(DIPLOMACY))
    told = [(type(event).__name__, getattr(event, "turn", 0)) for event in events]
    assert told[:2] == [("Opened", 0), ("Joined", 0)]
    assert told[told.index(("Started", 0)) :] == [
        ("Started", 0),
        ("TurnBegan", 1),
        ("TurnEnded", 1),
        ("TurnBegan", 2),
        ("TurnEnded", 2),
    ]
    ended = [event for event in events if isinstance(event, ev.TurnEnded)]
    assert [event.actions["FRANCE"] for event in ended] == [["A PAR H"], ["A PAR H"]]
