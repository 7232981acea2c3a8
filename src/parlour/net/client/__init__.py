"""Seats a local agent at a remote table; and the client library for Diplomacy servers: connect, strings, NetworkGame.

    from parlour.net.client import connect, strings

    async with connect("localhost", 8432) as connection:
        channel = await connection.authenticate("anna", "secret")
        game = await channel.join_game(game_id="friends", power_name="FRANCE", player_type=strings.PRESS_BOT)
        await game.set_orders(orders=["A PAR - BUR"], wait=False)

It speaks the websocket protocol of the `diplomacy` package 1.1.2 and of its fork with comm_status, so that it plays on
their servers as well as on ours. Names are those of the package: a program only changes its imports.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parlour.net.client import strings
    from parlour.net.client.channel import Channel
    from parlour.net.client.connection import Connection, connect
    from parlour.net.client.network_game import NetworkGame
    from parlour.net.client.questions import to_saved_game_format
    from parlour.net.mila.protocol_values import Message

_HOMES = {
    "Channel": "parlour.net.client.channel",
    "Connection": "parlour.net.client.connection",
    "Message": "parlour.net.mila.protocol_values",
    "NetworkGame": "parlour.net.client.network_game",
    "connect": "parlour.net.client.connection",
    "to_saved_game_format": "parlour.net.client.questions",
}

__all__ = ["Channel", "Connection", "Message", "NetworkGame", "connect", "strings", "to_saved_game_format"]


def __getattr__(name: str) -> Any:
    # Imported on first use, so that clients of Fish do not need the websocket library.
    if name == "strings":
        return importlib.import_module(f"{__name__}.strings")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
