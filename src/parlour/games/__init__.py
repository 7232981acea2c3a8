"""The rules. Pure: no I/O, no clock, no global randomness. Each game is loaded when it is asked for."""

from __future__ import annotations

import importlib

from parlour.core.contest import Contest
from parlour.core.game import Game
from parlour.core.text import hint
from parlour.errors import ConfigError

GAMES = ("diplomacy", "fish")


def load_game(name: str) -> Game:
    """The game of that name; ConfigError if there is none."""
    if name not in GAMES:
        expected = f"expected one of {', '.join(GAMES)}{hint(name, GAMES)}"
        raise ConfigError(f"game {name[:40]!r} does not exist, {expected}", field="game")
    game: Game = importlib.import_module(f"parlour.games.{name}").GAME
    return game


def load_contest(name: str) -> Contest:
    """What the game of that name tells tournaments of itself."""
    load_game(name)
    contest: Contest = importlib.import_module(f"parlour.games.{name}.contest").CONTEST
    return contest
