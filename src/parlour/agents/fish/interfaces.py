"""Seats any player of Fish: an ordinary one, or one written for either of the two in-process interfaces."""

from __future__ import annotations

from parlour.agents.fish.abstract_player import AbstractPlayerSeat
from parlour.agents.fish.sync_player import SyncPlayer, SyncPlayerSeat
from parlour.core.player import Player
from parlour.errors import ConfigError


def seated(player: object) -> Player:
    """Return the player in the referee's interface, recognised by its methods; raise ConfigError if none fits."""
    if isinstance(player, Player):
        return player
    if hasattr(player, "place_penguin") and hasattr(player, "send_next_move"):
        return AbstractPlayerSeat(player)
    if hasattr(player, "place_request") and hasattr(player, "move_request"):
        sync_player: SyncPlayer = player  # type: ignore[assignment]  # recognised by its methods, not by its class
        return SyncPlayerSeat(sync_player)
    raise ConfigError(
        f"agent: {type(player).__name__} has neither act, nor place_penguin and send_next_move, "
        "nor place_request and move_request",
        field="agent",
    )
