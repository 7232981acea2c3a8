"""Operations on positions that a user posts: adjudicate them, list their orders, draw them.

A game that supports it names it in its declaration, as `exchange`. A posted position needs no match: it is
adjudicated, its orders are listed, or it is drawn, and nothing is stored.
"""

from __future__ import annotations

from typing import Protocol, cast

from parlour.core.declaration import declaration_of, fetch
from parlour.core.game import Game, Plain
from parlour.errors import ConfigError


class Exchange(Protocol):
    """Operations on posted positions. Each raises NotationError for input that it cannot read."""

    def adjudicate(self, value: Plain) -> Plain:
        """Return the results of one turn of a posted position with its orders."""

    def orders(self, value: Plain) -> Plain:
        """Return the possible orders of a posted position."""

    def draw(self, value: Plain, *, theme: str, width: int | None) -> str:
        """Return a posted position as SVG, with its orders if it has any."""


def exchange_of(game: Game) -> Exchange:
    """Return the exchange of a game; raise ConfigError if it has none."""
    declaration = declaration_of(game)
    if declaration is None or not declaration.exchange:
        raise ConfigError(f"game: positions of {game.name} cannot be posted", field="game")
    return cast(Exchange, fetch(declaration.exchange))
