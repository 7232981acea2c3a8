"""Environments for learners: PettingZoo AEC and Parallel, Gymnasium vectors, and batches of games in flat arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parlour.core.declaration import fetch
from parlour.games import declared, games

if TYPE_CHECKING:
    from parlour.envs.diplomacy import DiplomacyAEC, DiplomacyParallel
    from parlour.envs.diplomacy_single import DiplomacySingle
    from parlour.envs.fish import FishAEC
    from parlour.envs.fish_self_play import FishSelfPlay
    from parlour.envs.fish_single import FishSingle
    from parlour.envs.vector_diplomacy import VectorDiplomacy
    from parlour.envs.vector_fish import VectorFish

__all__ = [
    "DiplomacyAEC",
    "DiplomacyParallel",
    "DiplomacySingle",
    "FishAEC",
    "FishSelfPlay",
    "FishSingle",
    "VectorDiplomacy",
    "VectorFish",
]


def __getattr__(name: str) -> Any:
    # Imported on first use, because the vectors need no PettingZoo. Other games may declare further names.
    for game in games() if not name.startswith("_") else ():
        if name in (found := declared(game).environments):
            return fetch(found[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
