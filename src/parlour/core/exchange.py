"""How a game is exchanged with the outside: positions that somebody posts.

A game that can do this names it in its declaration, as `exchange`. Whoever posts a position need not have
a match: it is adjudicated, its orders are listed, or it is drawn, and nothing is kept.
"""

from __future__ import annotations

from typing import Protocol, cast

from parlour.core.declaration import declaration_of, fetch
from parlour.core.game import Game, Plain
from parlour.errors import ConfigError


class Exchange(Protocol):
    """What a game does with what comes from outside. All of it raises NotationError for what it cannot read."""

    def adjudicate(self, value: Plain) -> Plain:
        """Play one turn of a posted position with its orders."""
        ...

    def orders(self, value: Plain) -> Plain:
        """What can be ordered in a posted position."""
        ...

    def draw(self, value: Plain, *, theme: str, width: int | None) -> str:
        """A posted position as SVG, with its orders if it has any."""
        ...


def exchange_of(game: Game) -> Exchange:
    """The exchange of a game; ConfigError if it has none."""
    declaration = declaration_of(game)
    if declaration is None or not declaration.exchange:
        raise ConfigError(f"game: positions of {game.name} cannot be posted", field="game")
    return cast(Exchange, fetch(declaration.exchange))
