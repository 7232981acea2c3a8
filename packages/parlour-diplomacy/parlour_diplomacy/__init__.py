"""Diplomacy for verifiers: seven seats that negotiate and order, one trace each."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf

from parlour.harness.verifiers_env import SEAT, DirectHarness, MatchPlay, MatchRows, MatchTask, MatchTasksetConfig

__all__ = ["DiplomacyEnv", "DiplomacyTaskset", "DirectHarness"]


class DiplomacyTasksetConfig(MatchTasksetConfig):
    """The settings of a taskset, under `--env.taskset.*`."""

    press: bool = False
    """True if powers negotiate."""
    rounds: int = 3
    """Maximum number of talks per turn."""
    level: int = 60
    """Highest DAIDE level of press; 8000 allows free text."""
    last_year: int = 1910
    """Matches end after this year."""


class DiplomacyTaskset(MatchRows, vf.Taskset[MatchTask, DiplomacyTasksetConfig]):
    """Matches of Diplomacy by seed."""

    GAME = "diplomacy"

    def game_config(self) -> dict[str, Any]:
        """Return the configuration of the game."""
        return {"last_year": self.config.last_year}

    def talks(self) -> dict[str, Any]:
        """Return the settings of press."""
        config = self.config
        return {"press": config.press, "level": config.level, "rounds": config.rounds} if config.press else {}


class DiplomacyEnvConfig(vf.EnvConfig):
    """The seats, under `--env.<power>.*`."""

    austria: vf.AgentConfig = SEAT
    england: vf.AgentConfig = SEAT
    france: vf.AgentConfig = SEAT
    germany: vf.AgentConfig = SEAT
    italy: vf.AgentConfig = SEAT
    russia: vf.AgentConfig = SEAT
    turkey: vf.AgentConfig = SEAT


class DiplomacyEnv(MatchPlay, vf.Env[DiplomacyEnvConfig]):
    """One match of Diplomacy per episode."""
