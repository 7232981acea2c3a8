"""The player interface with sync and kicks (setup, place_request, move_request, ...), and its seat at a table.

States are the course's State objects ({"players": [...], "board": [...]}, the first player to act), positions are
[row, column], a player's id is its colour.
"""

from __future__ import annotations

from typing import Any, Protocol

from parlour.core.events import Ended, Removed
from parlour.core.fouls import Standing
from parlour.core.game import Action, Seat, View
from parlour.core.game import Position as AnyPosition
from parlour.core.player import ObservedEvent
from parlour.games.fish.notation import write_state
from parlour.games.fish.position import Position


class SyncPlayer(Protocol):
    """The interface that a player with sync and kicks implements."""

    def setup(self, player_id: str, state: dict[str, Any]) -> None:
        """Receive the player's id, and the state without penguins, at the start of a game."""

    def place_request(self) -> Any:
        """Return the Position of a placement, as place_response."""

    def move_request(self) -> Any:
        """Return the Action [from, to] of a move, as move_response."""

    def sync(self, state: dict[str, Any]) -> None:
        """Receive the state after every placement, move and removal."""

    def kick_player(self, reason: str) -> None:
        """Receive the reason why the player is out of the game."""

    def game_over(self, leaderboard: dict[str, int], cheaters: list[str], invalid: list[str]) -> None:
        """Receive the scores by id, the players removed for cheating, and the other removed players."""


class SyncPlayerSeat:
    """The seat of a SyncPlayer at a table."""

    def __init__(self, player: SyncPlayer) -> None:
        self._player = player
        self._position: AnyPosition | None = None
        self._seat: Seat | None = None

    def on_start(self, view: View) -> None:
        """Pass the player its id and the first state."""
        assert isinstance(view.position, Position)
        self._seat, self._position = view.seat, view.position
        self._player.setup(view.seat, write_state(view.position))

    def on_event(self, observed: ObservedEvent) -> None:
        """Pass each new state, the kick, or the end to the player."""
        event, before, self._position = observed.event, self._position, observed.view.position
        if isinstance(event, Removed) and event.seat == self._seat:
            self._player.kick_player(event.reason_words)
        elif isinstance(event, Ended):
            self._over(event)
        elif before is not None and before is not self._position:
            assert isinstance(self._position, Position)
            self._player.sync(write_state(self._position))

    def act(self, view: View) -> Action:
        """Ask for a placement or a move."""
        if view.position.stage == "placement":
            return self._player.place_request()
        return self._player.move_request()

    def _over(self, event: Ended) -> None:
        cheaters = [seat for seat, standing in event.removed.items() if standing is Standing.CHEATER]
        invalid = [seat for seat in event.removed if seat not in cheaters]
        leaderboard = {seat: int(score) for seat, score in event.outcome.scores.items()}
        self._player.game_over(leaderboard, cheaters, invalid)
