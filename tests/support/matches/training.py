"""A few short matches of our own agents, as something to learn from, and values that need not be learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from parlour.agents import make_agent
from parlour.core.terms import Terms
from parlour.deepmind.network.network import Floats, Network
from parlour.deepmind.transformer import NetworkInput
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


class Standing(Network):
    """A network that takes what stands on supply centres for values, whatever its parameters."""

    def values(self, given: NetworkInput) -> Floats:
        """[B, 7]: as standing."""
        return standing(given.board)


def standing(boards: npt.NDArray[Any]) -> Floats:
    """[B, 7]: how many units of each power stand on supply centres (columns as published)."""
    centre = boards[..., 27:35].max(axis=-1, keepdims=True)
    units: Floats = (boards[..., 3:10] * centre).sum(axis=1).astype(np.float32)
    return units
