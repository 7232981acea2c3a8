"""Players that ship with Parlour, by game and name."""

from __future__ import annotations

import importlib
from typing import Any

from parlour.agents.specs import Recipe, described, read_options, split_spec
from parlour.core.player import Player
from parlour.core.text import hint
from parlour.errors import ConfigError

AGENTS: dict[str, dict[str, str]] = {
    "diplomacy": {
        "hold": "parlour.agents.diplomacy.simple:HOLD",
        "random": "parlour.agents.chance:RANDOM",
        "greedy": "parlour.agents.diplomacy.simple:GREEDY",
        "dumbbot": "parlour.agents.diplomacy.dumbbot:RECIPE",
        "sbr": "parlour.agents.diplomacy.sbr:RECIPE",
        "search": "parlour.agents.diplomacy.search:RECIPE",
        "deepmind": "parlour.agents.diplomacy.network:RECIPE",
        "silent": "parlour.agents.press.simple:SILENT",
        "yesman": "parlour.agents.press.simple:YESMAN",
        "noman": "parlour.agents.press.simple:NOMAN",
        "proposer": "parlour.agents.press.proposer:RECIPE",
        "peace": "parlour.agents.press.peace:RECIPE",
        "broker": "parlour.agents.press.broker:RECIPE",
        "reciprocator": "parlour.agents.press.reciprocator:RECIPE",
        "stabber": "parlour.agents.press.stabber:RECIPE",
    },
    "fish": {
        "random": "parlour.agents.chance:RANDOM",
        "greedy": "parlour.agents.fish.simple:GREEDY",
        "lookahead": "parlour.agents.fish.lookahead:RECIPE",
        "strong": "parlour.agents.fish.strong:RECIPE",
    },
}
"""For each game its agents, each as module:recipe, since an agent is imported only when it is asked for."""

DIGITS = "0123456789"


def make_agent(game: str, spec: str, seed: int = 0) -> Player:
    """A new player for a game by its name and options, as in `search:budget=200`; all its chance comes from the seed.

    ConfigError, in one line that says what there is, for a game, an agent, an option or a value that there is not.
    """
    name, options = split_spec(spec)
    plain, recipe = _recipe(game, name)
    return recipe.make(read_options(recipe, plain, name[len(plain) :], options), seed)


def _recipe(game: str, name: str) -> tuple[str, Recipe[Any]]:
    """The agent's own name, without the number that may follow it, and how it is made."""
    agents = AGENTS.get(game)
    if agents is None:
        raise ConfigError(f"game: {game!r} is not known, expected {' or '.join(sorted(AGENTS))}", field="game")
    plain = name if name in agents else name.rstrip(DIGITS)
    path = agents.get(plain)
    if path is None:
        raise ConfigError(
            f"agent: {game} has no {name!r:.60}, expected {', '.join(agents)}{hint(plain, agents)}", field="agent"
        )
    module, _, recipe = path.partition(":")
    return plain, getattr(importlib.import_module(module), recipe)


def is_agent(game: str, spec: str) -> bool:
    """Whether a text asks for an agent of the game by name, whatever its options; so no path and no command."""
    name, _ = split_spec(spec)
    agents = AGENTS.get(game, {})
    return name in agents or name.rstrip(DIGITS) in agents


def options_of(game: str, name: str) -> dict[str, str]:
    """For each option of an agent what it may be and what it means, in words."""
    return described(_recipe(game, name)[1].options)


def negotiates(game: str, spec: str) -> bool:
    """Whether what is asked for is one of our agents that talk; nothing is made for it."""
    path = AGENTS.get(game, {}).get(split_spec(spec)[0].rstrip(DIGITS), "")
    return path.startswith("parlour.agents.press.")
