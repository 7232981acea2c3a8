"""The player interface with sync and kicks (setup, place_request, move_request, ...), and its seat at our table.

States are the course's State objects ({"players": [...], "board": [...]}, the first player to act), positions are
[row, column], a player's id is its colour.
"""

from __future__ import annotations

from typing import Any, Protocol

from parlour.agents.fish.tracking import Tracker
from parlour.core.events import Ended, Event, Removed
from parlour.core.fouls import Standing
from parlour.core.game import Action, Seat, View
from parlour.games.fish.notation import write_state
from parlour.games.fish.position import Position


class SyncPlayer(Protocol):
    """What a player must write."""

    def setup(self, player_id: str, state: dict[str, Any]) -> None:
        """The game begins: one's id, and the state without penguins."""
        ...

    def place_request(self) -> Any:
        """Where to place a penguin: the Position is the place_response."""
        ...

    def move_request(self) -> Any:
        """What to move: the Action [from, to] is the move_response."""
        ...

    def sync(self, state: dict[str, Any]) -> None:
        """The state after every placement, move and removal."""
        ...

    def kick_player(self, reason: str) -> None:
        """One is out of the game."""
        ...

    def game_over(self, leaderboard: dict[str, int], cheaters: list[str], invalid: list[str]) -> None:
        """The end: scores by id, who was removed for cheating, who for answers that were no answers."""
        ...


class SyncPlayerSeat:
    """Seats such a player."""

    def __init__(self, player: SyncPlayer) -> None:
        self._player = player
        self._tracker = Tracker()
        self._seat: Seat | None = None

    def started(self, view: View) -> None:
        """Tell the player its id and the first state."""
        assert isinstance(view.position, Position)
        self._seat = view.seat
        self._player.setup(view.seat, write_state(view.position))

    def told(self, event: Event) -> None:
        """Hand on states, the kick, and the end."""
        begun = self._tracker.position is not None
        changed = self._tracker.follow(event)
        if isinstance(event, Removed) and event.seat == self._seat:
            self._player.kick_player(event.reason)
        elif isinstance(event, Ended):
            self._over(event)
        elif changed and begun:
            assert self._tracker.position is not None
            self._player.sync(write_state(self._tracker.position))

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
