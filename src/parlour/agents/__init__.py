"""Players that ship with Parlour, by game and name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TypeAlias

from parlour.core.player import Player
from parlour.errors import ConfigError

Factory: TypeAlias = Callable[[str, int], Player]
"""Makes a player from the name it was asked for by and a seed."""

AGENTS: dict[str, dict[str, str]] = {
    "diplomacy": {
        "random": "parlour.agents.chance:make",
        "greedy": "parlour.agents.diplomacy.simple:make_greedy",
        "silent": "parlour.agents.press.simple:make_silent",
        "yesman": "parlour.agents.press.simple:make_yesman",
        "noman": "parlour.agents.press.simple:make_noman",
        "proposer": "parlour.agents.press.proposer:make",
        "peace": "parlour.agents.press.peace:make",
        "broker": "parlour.agents.press.broker:make",
        "reciprocator": "parlour.agents.press.reciprocator:make",
        "stabber": "parlour.agents.press.stabber:make",
    },
    "fish": {
        "random": "parlour.agents.chance:make",
        "greedy": "parlour.agents.fish.simple:make_greedy",
        "lookahead": "parlour.agents.fish.lookahead:make",
        "strong": "parlour.agents.fish.strong:make",
    },
}
"""For each game its agents as module:factory. A number may follow a name; the factory knows what it means."""


def make_agent(game: str, name: str, seed: int) -> Player:
    """A new player of that name for a game; all its chance comes from the seed."""
    agents = AGENTS.get(game)
    if agents is None:
        raise ConfigError(f"game: {game!r} is not known, expected {' or '.join(sorted(AGENTS))}", field="game")
    path = agents.get(name) or agents.get(name.rstrip("0123456789"))
    if path is None:
        raise ConfigError(f"agent: {game} has no {name!r}, expected {', '.join(agents)}", field="agent")
    module, _, factory = path.partition(":")
    make: Factory = getattr(importlib.import_module(module), factory)
    return make(name, seed)


def plain_name(name: str) -> None:
    """ConfigError if a number follows the name of an agent that knows none."""
    if name[-1:].isdigit():
        raise ConfigError(f"agent: {name.rstrip('0123456789')!r} takes no number", field="agent")
