"""Public conformance checks and stand-ins, for authors of games, players and protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parlour.agents.chance import RandomPlayer
from parlour.testing.checks import GARBAGE, check_game, check_player, check_press
from parlour.testing.clock import FakeClock
from parlour.testing.model_scripts import by_agent, by_rule
from parlour.testing.players import ScriptedPlayer, observed
from parlour.testing.toys import BIDS, NIM
from parlour.testing.wire import MemoryWire

if TYPE_CHECKING:
    from parlour.testing.endpoint import FakeEndpoint

__all__ = [
    "BIDS",
    "GARBAGE",
    "NIM",
    "FakeClock",
    "FakeEndpoint",
    "MemoryWire",
    "RandomPlayer",
    "ScriptedPlayer",
    "by_agent",
    "by_rule",
    "check_game",
    "check_player",
    "check_press",
    "observed",
]


def __getattr__(name: str) -> Any:
    if name == "FakeEndpoint":  # run with -m, its module must not be imported before
        from parlour.testing.endpoint import FakeEndpoint

        return FakeEndpoint
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
