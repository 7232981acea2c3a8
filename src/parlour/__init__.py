"""Programs, models and people play Diplomacy and Fish under one fair referee.

>>> import parlour
>>> position = parlour.diplomacy.start()
>>> print(position.phase_name)
Spring 1901, movement
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from parlour.core import kernels as _kernels

if TYPE_CHECKING:
    from parlour import deepmind
    from parlour.agents.loading import make_player
    from parlour.core.game import Seat, View
    from parlour.core.player import Player
    from parlour.core.terms import Terms
    from parlour.games import diplomacy, fish
    from parlour.referee.local import play
    from parlour.referee.match import Match, replay
    from parlour.referee.record import read_record
    from parlour.running import run

if _kernels.PURE:
    _kernels.prefer_source()

__version__ = "0.1.0"

__all__ = [
    "Match",
    "Player",
    "Seat",
    "Terms",
    "View",
    "__version__",
    "deepmind",
    "diplomacy",
    "fish",
    "make_player",
    "play",
    "read_record",
    "replay",
    "run",
]

_HOMES = {
    "Match": "referee.match",
    "Player": "core.player",
    "Seat": "core.game",
    "Terms": "core.terms",
    "View": "core.game",
    "make_player": "agents.loading",
    "play": "referee.local",
    "read_record": "referee.record",
    "replay": "referee.match",
    "run": "running",
}
_PACKAGES = {"deepmind": "deepmind", "diplomacy": "games.diplomacy", "fish": "games.fish"}


def __getattr__(name: str) -> Any:
    # Nothing is loaded before it is used, so that `parlour --help` stays quick.
    if name in _PACKAGES:
        return importlib.import_module(f"parlour.{_PACKAGES[name]}")
    if name in _HOMES:
        return getattr(importlib.import_module(f"parlour.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
