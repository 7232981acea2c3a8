"""The game rules. They are pure: no I/O, no clock, no global randomness. A game is loaded on its first use.

A folder here is a game; its properties are in its `declaration`. A game in another package is registered by the program
that imports it, or named in PARLOUR_GAMES as module:declaration, separated by commas. Programs that
Parlour starts inherit PARLOUR_GAMES.
"""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache

from parlour.core.contest import Contest, PlainContest
from parlour.core.declaration import GameDeclaration, fetch
from parlour.core.game import Game, Plain
from parlour.core.text import hint
from parlour.errors import ConfigError

_FOLDERS = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))
_registered: dict[str, GameDeclaration] = {}


def games() -> tuple[str, ...]:
    """Return the names of all playable games."""
    return (*_FOLDERS, *_elsewhere())


def register(declaration: GameDeclaration) -> Callable[[], None]:
    """Register a game of another package, which can then be played, hosted and replayed like a shipped game.

    Returns:
        A function that removes the registration.
    """
    if declaration.name in _FOLDERS:
        raise ConfigError(f"game {declaration.name!r:.40} ships with Parlour: choose another name", field="name")
    _registered[declaration.name] = declaration
    return lambda: _taken_back(declaration)


def _taken_back(declaration: GameDeclaration) -> None:
    if _registered.get(declaration.name) is declaration:
        del _registered[declaration.name]


def declared(name: str) -> GameDeclaration:
    """Return the declaration of a game; raise ConfigError if no game has that name."""
    if name in _FOLDERS:
        found = fetch(f"{__name__}.{name}.declaration:DECLARATION")
        assert isinstance(found, GameDeclaration)
        return found
    if (elsewhere := _elsewhere().get(name)) is not None:
        return elsewhere
    expected = f"expected one of {', '.join(games())}{hint(name, games())}"
    raise ConfigError(f"game {name[:40]!r} does not exist, {expected}", field="game")


def _elsewhere() -> Mapping[str, GameDeclaration]:
    named = os.environ.get("PARLOUR_GAMES", "")
    return {**_named(named), **_registered} if named else _registered


@cache
def _named(paths: str) -> Mapping[str, GameDeclaration]:
    """Return the declarations named in PARLOUR_GAMES.

    Raises:
        ConfigError: A path does not lead to a declaration, or its game has the name of a shipped game.
    """
    found = {}
    for path in paths.split(","):
        try:
            declaration = fetch(path.strip())
        except (ImportError, AttributeError, ValueError) as error:
            raise ConfigError(
                f"PARLOUR_GAMES: there is no {path.strip()!r:.80} ({error!s:.80})", field="games"
            ) from None
        if not isinstance(declaration, GameDeclaration) or declaration.name in _FOLDERS:
            raise ConfigError(f"PARLOUR_GAMES: {path.strip()!r:.80} declares no game of its own", field="games")
        found[declaration.name] = declaration
    return found


def load_game(name: str) -> Game:
    """Return the rules of a game; raise ConfigError if no game has that name."""
    game: Game = fetch(declared(name).game)
    return game


def filled(declaration: GameDeclaration, config: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return a configuration with limits filled in where none are given, so that a match ends in reasonable time."""
    found: dict[str, Plain] = fetch(declaration.in_time)(config) if declaration.in_time else dict(config)
    return found


def completed(name: str, config: Mapping[str, Plain], usual: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return a configuration with usual values for the options of a game that it leaves open, such as a server's map.

    A configuration with a position is returned as it is: a position has a map of its own.
    """
    if name not in games() or "position" in config:
        return dict(config)
    options = {option.name for option in declared(name).options}
    return {**{field: value for field, value in usual.items() if field in options}, **config}


def load_contest(name: str) -> Contest:
    """Return the tournament rules of a game, or general rules if the game declares none."""
    declaration = declared(name)
    if not declaration.contest:
        return PlainContest(load_game(name), declaration.counted)
    contest: Contest = fetch(declaration.contest)
    return contest
