"""The rules. Pure: no I/O, no clock, no global randomness. Each game is loaded when it is asked for.

A folder here is a game; what it says of itself is in its `declaration`. A game that lives elsewhere is registered.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping

from parlour.core.contest import Contest
from parlour.core.declaration import GameDeclaration, fetch
from parlour.core.game import Game, Plain
from parlour.core.text import hint
from parlour.errors import ConfigError

_FOLDERS = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))
_registered: dict[str, GameDeclaration] = {}


def games() -> tuple[str, ...]:
    """The names of all games that can be played here."""
    return (*_FOLDERS, *_registered)


def register(declaration: GameDeclaration) -> None:
    """Let a game that lives elsewhere be played, hosted, replayed and contested as those that live here."""
    if declaration.name in _FOLDERS:
        raise ConfigError(f"game {declaration.name!r:.40} ships with Parlour: choose another name", field="name")
    _registered[declaration.name] = declaration


def declared(name: str) -> GameDeclaration:
    """What the game of that name says of itself; ConfigError if there is none."""
    if name in _FOLDERS:
        found = fetch(f"{__name__}.{name}.declaration:DECLARATION")
        assert isinstance(found, GameDeclaration)
        return found
    if name in _registered:
        return _registered[name]
    expected = f"expected one of {', '.join(games())}{hint(name, games())}"
    raise ConfigError(f"game {name[:40]!r} does not exist, {expected}", field="game")


def load_game(name: str) -> Game:
    """The rules of the game of that name; ConfigError if there is none."""
    game: Game = fetch(declared(name).game)
    return game


def filled(declaration: GameDeclaration, config: Mapping[str, Plain]) -> dict[str, Plain]:
    """A configuration with what is left open filled in, so that a match ends in good time."""
    found: dict[str, Plain] = fetch(declaration.in_time)(config) if declaration.in_time else dict(config)
    return found


def load_contest(name: str) -> Contest:
    """What the game of that name tells tournaments of itself; ConfigError if it tells nothing."""
    declaration = declared(name)
    if not declaration.contest:
        raise ConfigError(f"game: there are no tournaments of {declaration.title}", field="game")
    contest: Contest = fetch(declaration.contest)
    return contest
