"""Every agent that needs no network plays on every map that ships, in clear sight and in fog, without a foul."""

from __future__ import annotations

from itertools import cycle, islice

import pytest

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.maps.map import SHIPPED
from parlour.referee.conduct import PRESETS
from parlour.referee.local import play
from parlour.referee.match import Match, replay

GAME = Diplomacy()
SILENT = ("hold", "random", "greedy", "dumbbot", "sbr", "search")
TALKING = ("silent", "yesman", "noman", "proposer", "peace", "broker", "reciprocator", "stabber")
KINDS = {
    "clear": (SILENT, PressMode.NONE, "clear"),
    "fog": (SILENT, PressMode.NONE, "fog"),
    "press": (TALKING, PressMode.WINDOW, "clear"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SHIPPED)
def test_all_agents_play_a_year_without_a_foul(name: str, kind: str) -> None:
    agents, mode, sight = KINDS[kind]
    config = {"map": name, "years": 1, "sight": sight}
    seats = GAME.seats(config)
    waiting = cycle(agents)
    for number in range(-(-len(agents) // len(seats))):
        match = Match(GAME, config, Terms(conduct=PRESETS["diplomacy"], press=PressTerms(mode)), 1)
        sitting = islice(waiting, len(seats))
        play(match, {seat: make_agent("diplomacy", agent, number) for seat, agent in zip(seats, sitting, strict=True)})
        assert match.over
        assert [event for event in match.record if isinstance(event, ev.Fouled)] == []
        assert replay(match.record).position == match.position
