"""Fish for verifiers: two to four seats that move penguins, one trace each."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf

from parlour.harness.verifiers_env import SEAT, DirectHarness, MatchPlay, MatchRows, MatchTask, MatchTasksetConfig

__all__ = ["DirectHarness", "FishEnv", "FishTaskset"]


class FishTasksetConfig(MatchTasksetConfig):
    """The settings of a taskset, under `--env.taskset.*`."""

    players: int = 3
    """Number of seats, two to four."""
    rows: int = 4
    cols: int = 4


class FishTaskset(MatchRows, vf.Taskset[MatchTask, FishTasksetConfig]):
    """Matches of Fish by seed."""

    GAME = "fish"

    def game_config(self) -> dict[str, Any]:
        """Return the configuration of the game."""
        return {"players": self.config.players, "rows": self.config.rows, "cols": self.config.cols}


class FishEnvConfig(vf.EnvConfig):
    """The seats, under `--env.<colour>.*`; those beyond the number of players are not used."""

    red: vf.AgentConfig = SEAT
    white: vf.AgentConfig = SEAT
    brown: vf.AgentConfig = SEAT
    black: vf.AgentConfig = SEAT


class FishEnv(MatchPlay, vf.Env[FishEnvConfig]):
    """One match of Fish per episode."""
