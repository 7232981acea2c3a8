"""The rules. Pure: no I/O, no clock, no global randomness. Each game is loaded when it is asked for.

A folder here is a game; what it says of itself is in its `declaration`. A game that lives elsewhere is registered by
whoever imports it, or named in PARLOUR_GAMES as module:declaration, with commas between several; programs that we start
know it then, too.
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
    """The names of all games that can be played here."""
    return (*_FOLDERS, *_elsewhere())


def register(declaration: GameDeclaration) -> Callable[[], None]:
    """Let a game that lives elsewhere be played, hosted, replayed and contested as those that live here.

    Call what is returned to take it back.
    """
    if declaration.name in _FOLDERS:
        raise ConfigError(f"game {declaration.name!r:.40} ships with Parlour: choose another name", field="name")
    _registered[declaration.name] = declaration
    return lambda: _taken_back(declaration)


def _taken_back(declaration: GameDeclaration) -> None:
    if _registered.get(declaration.name) is declaration:
        del _registered[declaration.name]


def declared(name: str) -> GameDeclaration:
    """What the game of that name says of itself; ConfigError if there is none."""
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
    """The declarations of these names; ConfigError if one of them is none, since then something else was meant."""
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
    """The rules of the game of that name; ConfigError if there is none."""
    game: Game = fetch(declared(name).game)
    return game


def filled(declaration: GameDeclaration, config: Mapping[str, Plain]) -> dict[str, Plain]:
    """A configuration with what is left open filled in, so that a match ends in good time."""
    found: dict[str, Plain] = fetch(declaration.in_time)(config) if declaration.in_time else dict(config)
    return found


def load_contest(name: str) -> Contest:
    """What the game of that name tells tournaments of itself, or what can be told of any game if it tells nothing."""
    declaration = declared(name)
    if not declaration.contest:
        return PlainContest(load_game(name), declaration.counted)
    contest: Contest = fetch(declaration.contest)
    return contest
