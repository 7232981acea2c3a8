"""Agents that a server makes for others, always from a checked spec; specs from the network obey a closed list.

A text from the network never reaches the code that makes agents. `remote_spec` turns it into a HouseSpec, and accepts
only the agents and options that a game declares for strangers. None of these names a path, a program or an address, and
every number has bounds. `local_spec` reads the specs that an operator gives on the command line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TypeAlias

from parlour.agents import DIGITS, LLM, agents_of, negotiates, read_spec
from parlour.agents.specs import IS, PAIRS, split_spec
from parlour.core.declaration import HouseOption
from parlour.core.intents import PlayerType
from parlour.core.player import Player
from parlour.core.text import hint
from parlour.errors import ConfigError
from parlour.games import declared, games

MAX_SPEC = 200
"""Characters of a spec that came over the network."""
_PLAIN = re.compile(r"[A-Za-z0-9_:=,.+-]*", re.ASCII)


class HouseSpec:
    """An agent with its options, all of them checked. Only remote_spec and local_spec make one."""

    __slots__ = ("_make", "game", "player_type", "text")

    def __init__(self, game: str, text: str, make: Callable[[int], Player]) -> None:
        self.game, self.text = game, text
        self.player_type = PlayerType.PRESS_BOT if negotiates(game, text) else PlayerType.NO_PRESS_BOT
        """The player type that the agent's class declares; no agent is made to read it."""
        self._make = make

    def make(self, seed: int) -> Player:
        """Return a new agent, whose random choices follow from the seed. May take a while, so call it off the loop."""
        return self._make(seed)


ReadSpec: TypeAlias = Callable[[str, str], HouseSpec]
"""Turns the name of a game and a text into an agent that a server may make; ConfigError for any other."""


def house_agents(game: str) -> dict[str, dict[str, HouseOption]]:
    """Return the agents that strangers may seat, each with the options that they may set."""
    if game not in games():
        return {}
    offered = declared(game).house
    return {name: dict(offered.get(name, {})) for name in agents_of(game) if name in offered or name == "random"}


def remote_spec(game: str, text: str) -> HouseSpec:
    """Return the agent that a text from the network asks for; ConfigError if strangers may not have it."""
    if len(text) > MAX_SPEC:
        raise ConfigError(f"agent: expected at most {MAX_SPEC} characters, got {len(text)}", field="agent")
    name, options = split_spec(text)
    if name == LLM:
        raise ConfigError("agent: this server seats no language models", field="agent")
    offered = house_agents(game)
    if not offered:
        raise ConfigError(f"game: {game!r:.40} is not known, expected {' or '.join(games())}", field="game")
    plain = name if name in offered else name.rstrip(DIGITS)
    if plain not in offered:
        expected = f"expected {', '.join(offered)}{hint(plain, offered)}"
        raise ConfigError(f"agent: {game} has no {name!r:.60} here, {expected}", field="agent")
    _check_names(plain, offered[plain], options)
    if _PLAIN.fullmatch(text) is None:  # the text becomes a name that other players see
        raise ConfigError("agent: expected letters, digits and : = , . + - without blanks", field="agent")
    recipe, read = read_spec(game, text)
    usual = recipe.options()
    for field in read.__struct_fields__:
        if (value := getattr(read, field)) != getattr(usual, field):
            _check_value(plain, field, value, offered[plain][field])
    return HouseSpec(game, text, lambda seed: recipe.make(read, seed))


def import_house_agents() -> None:
    """Import all agents that strangers may seat; slow, so it is called off the loop, before the first request."""
    for game in games():
        for name in house_agents(game):
            read_spec(game, name)


def local_spec(game: str, text: str) -> HouseSpec:
    """Return the agent that the operator asks for: any agent, a file or a language model."""
    recipe, read = read_spec(game, text)
    return HouseSpec(game, text, lambda seed: recipe.make(read, seed))


def _check_names(name: str, offered: dict[str, HouseOption], text: str) -> None:
    """Raise ConfigError for an option that strangers may not set."""
    for pair in filter(None, text.split(PAIRS)):
        field, given, _ = pair.partition(IS)
        field = field.strip()
        if not given or field not in offered:
            expected = f"expected {', '.join(offered)}{hint(field, offered)}" if offered else "it takes none"
            raise ConfigError(f"agent: {name} has no option {field!r:.40} here, {expected}", field="agent")


def _check_value(name: str, field: str, value: object, option: HouseOption) -> None:
    """Raise ConfigError unless the option allows the value."""
    if isinstance(value, bool):
        fits = option.switch
    elif isinstance(value, (int, float)):
        fits = math.isfinite(value) and option.low <= value <= option.high
    else:
        fits = value in option.words
    if not fits:
        raise ConfigError(f"agent: {name}:{field}: expected {option.expected}, got {str(value)!r:.40}", field="agent")
