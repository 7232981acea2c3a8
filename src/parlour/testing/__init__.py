"""Public conformance checks and stand-ins, for those who write games, players and protocols."""

from __future__ import annotations

from parlour.agents.chance import RandomPlayer
from parlour.testing.checks import GARBAGE, check_game, check_player, check_press
from parlour.testing.clock import FakeClock
from parlour.testing.players import ScriptedPlayer
from parlour.testing.toys import BIDS, NIM
from parlour.testing.wire import MemoryWire

__all__ = [
    "BIDS",
    "GARBAGE",
    "NIM",
    "FakeClock",
    "MemoryWire",
    "RandomPlayer",
    "ScriptedPlayer",
    "check_game",
    "check_player",
    "check_press",
]
