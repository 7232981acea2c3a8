"""The same rules for learners: PettingZoo AEC and Parallel, Gymnasium vectors, and batches of games in flat arrays."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parlour.envs.diplomacy import DiplomacyAEC, DiplomacyParallel
    from parlour.envs.fish import FishAEC
    from parlour.envs.fish_self_play import FishSelfPlay
    from parlour.envs.vector_diplomacy import VectorDiplomacy
    from parlour.envs.vector_fish import VectorFish

__all__ = ["DiplomacyAEC", "DiplomacyParallel", "FishAEC", "FishSelfPlay", "VectorDiplomacy", "VectorFish"]

_HOMES = {
    "DiplomacyAEC": "diplomacy",
    "DiplomacyParallel": "diplomacy",
    "FishAEC": "fish",
    "FishSelfPlay": "fish_self_play",
    "VectorDiplomacy": "vector_diplomacy",
    "VectorFish": "vector_fish",
}


def __getattr__(name: str) -> Any:
    # The vectors need no PettingZoo, so nothing is imported before it is asked for.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
