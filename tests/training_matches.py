"""A few short matches of our own agents, as something to learn from."""

from __future__ import annotations

from pathlib import Path

from parlour.agents import make_agent
from parlour.core.terms import Terms
from parlour.games.diplomacy.game import GAME
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.referee.record import RecordWriter


def write_matches(folder: Path, count: int, agent: str = "random", last_year: int = 1902) -> list[Path]:
    """Records of so many matches in a folder."""
    paths = []
    for number in range(count):
        match = Match(GAME, {"last_year": last_year}, Terms(DIPLOMACY), seed=number)
        players = {seat: make_agent("diplomacy", agent, 7 * number + at) for at, seat in enumerate(GAME.seats({}))}
        paths.append(folder / f"match-{number}.jsonl")
        with RecordWriter(paths[-1]) as writer:
            play(match, players, keep=writer.write)
    return paths
