"""Players that ship with Parlour, by game and name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parlour.agents.specs import Recipe, described, read_options, split_spec
from parlour.core.declaration import fetch
from parlour.core.game import Plain
from parlour.core.player import Player
from parlour.core.text import hint
from parlour.errors import ConfigError
from parlour.games import declared, games, load_game

EVERYWHERE = {"random": "parlour.agents.chance:RANDOM"}
"""Agents that play any game, each as module:recipe, because agents are imported only on demand."""

LLM = "llm"
"""Prefix of language models, llm:MODEL@URL. A game declares which player drives them."""
DIGITS = "0123456789"


def agents_of(game: str) -> dict[str, str]:
    """Return the agents of a game by name, as module:recipe: those that it declares, and those that play any game."""
    if game not in games():
        return {}
    declaration = declared(game)
    return {**EVERYWHERE, **declaration.agents, **declaration.scripted}


def make_agent(game: str, spec: str, seed: int = 0) -> Player:
    """Return a new player by name and options, as in `search:budget=200`; the seed sets all its random choices.

    ConfigError lists what exists if the game, the agent, an option or a value is unknown.
    """
    recipe, options = read_spec(game, spec)
    return recipe.make(options, seed)


def read_spec(game: str, spec: str) -> tuple[Recipe[Any], Any]:
    """Return the recipe of the agent and its options; raise ConfigError for the same errors as make_agent."""
    name, options = split_spec(spec)
    plain, recipe = _recipe(game, name)
    return recipe, recipe.read(options) if recipe.read else read_options(recipe, plain, name[len(plain) :], options)


def check_match(game: str, spec: str, config: Mapping[str, Plain]) -> None:
    """Raise ConfigError, in one sentence, if an agent of ours cannot play a match of this configuration."""
    refuses = _recipe(game, split_spec(spec)[0])[1].refuses if is_agent(game, spec) else None
    if refuses is None:
        return
    rules = load_game(game)
    if reason := refuses(rules.start(config, rules.seats(config), 0)):
        raise ConfigError(f"agent: {reason}", field="agent")


def _recipe(game: str, name: str) -> tuple[str, Recipe[Any]]:
    """Return the agent's own name, without the number that may follow it, and its recipe."""
    agents = agents_of(game)
    if not agents:
        raise ConfigError(f"game: {game!r:.40} is not known, expected {' or '.join(games())}", field="game")
    plain = name if name in agents else name.rstrip(DIGITS)
    path = declared(game).model if name == LLM else agents.get(plain)
    if not path:
        expected = f"expected {', '.join(agents)}{hint(plain, agents)}"
        raise ConfigError(f"agent: {game} has no {name!r:.60}, {expected}", field="agent")
    return plain, fetch(path)


def is_agent(game: str, spec: str) -> bool:
    """Return True if a text names an agent of the game, with any options; False for a path or a command."""
    name, _ = split_spec(spec)
    agents = agents_of(game)
    return name in agents or name.rstrip(DIGITS) in agents or (name == LLM and bool(agents))


def options_of(game: str, name: str) -> dict[str, str]:
    """Return the allowed values and the meaning of each option of an agent, in words."""
    return described(_recipe(game, name)[1].options)


def negotiates(game: str, spec: str) -> bool:
    """Return True if a text names one of our agents that negotiate; no agent is made."""
    name = split_spec(spec)[0]
    if game not in games():
        return False
    declaration, plain = declared(game), name.rstrip(DIGITS)
    return declaration.talks if name == LLM else plain in declaration.talkers or plain in declaration.scripted
