"""Follows a match of Fish by its events, for players that are told of the state rather than asked about it."""

from __future__ import annotations

from parlour.core.events import Event, PositionSet, Removed, Started, TurnEnded
from parlour.core.game import Seat
from parlour.games.fish.game import GAME
from parlour.games.fish.position import Position


class Tracker:
    """The position after all events so far; None before the start."""

    def __init__(self) -> None:
        self.position: Position | None = None

    def follow(self, event: Event) -> bool:
        """Take in an event; whether it changed the position."""
        match event:
            case Started() | PositionSet():
                self.position = GAME.decode(event.position)
            case TurnEnded() if self.position is not None:
                actions = {Seat(seat): action for seat, action in event.actions.items()}
                self.position, _ = self.position.apply(actions)
            case Removed() if self.position is not None:
                self.position = self.position.without(event.seat)
            case _:
                return False
        return self.position is not None
