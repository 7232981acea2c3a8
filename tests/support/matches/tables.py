"""Short ways to set up matches of the toy games, for tests of the referee."""

from __future__ import annotations

from typing import Any

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.fouls import Conduct
from parlour.core.game import Game, Plain, Seat
from parlour.core.intents import PlayerType
from parlour.core.player import Player
from parlour.core.terms import Clock, PressTerms, Terms
from parlour.referee.conduct import STRICT
from parlour.referee.match import Match
from parlour.testing import BIDS, NIM, RandomPlayer

NORTH, EAST, SOUTH, WEST = (Seat(name) for name in ("north", "east", "south", "west"))


def opened(
    game: Game = NIM,
    config: dict[str, Plain] | None = None,
    *,
    conduct: Conduct = STRICT,
    clock: Clock | None = None,
    press: PressTerms | None = None,
    **more: Any,
) -> Match:
    """Return a match that waits for players."""
    terms = Terms(conduct=conduct, clock=clock or Clock(), press=press or PressTerms(), **more)
    match = Match(game, config or {}, terms, 7)
    match.start(0.0)
    return match


def begun(game: Game = NIM, *, player_type: PlayerType = PlayerType.HUMAN, **how: Any) -> Match:
    """Return a match in its first turn."""
    match = opened(game, **how)
    for seat in game.seats(match.config):
        match.handle(it.Join(f"player {seat}", seat, player_type), 0.0)
    return match


def bids(conduct: Conduct = STRICT, clock: Clock | None = None, **more: Any) -> Match:
    """Return a match of the game of bids that nobody has opened yet."""
    return Match(BIDS, {}, Terms(conduct=conduct, clock=clock or Clock(), **more), 7)


def trio(odd: Player) -> dict[Seat, Player]:
    """Return two who play at random, and between them the one whom a test is about."""
    return {NORTH: RandomPlayer(1), EAST: odd, SOUTH: RandomPlayer(3)}


def kinds(events: tuple[Event, ...]) -> list[str]:
    """Return the names of the events."""
    return [type(event).__name__ for event in events]


def last(match: Match, kind: type[Event]) -> Any:
    """Return the last event of a kind."""
    return next(event for event in reversed(match.record) if isinstance(event, kind))


__all__ = ["EAST", "NORTH", "SOUTH", "WEST", "begun", "bids", "ev", "it", "kinds", "last", "opened", "trio"]
