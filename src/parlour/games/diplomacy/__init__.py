"""Diplomacy: map, orders, positions, adjudication, explanation, scoring; pure rules without clocks or wires.

>>> from parlour.games import diplomacy
>>> position = diplomacy.start().resolve({"FRANCE": ["A PAR - BUR"], "GERMANY": ["A MUN - BUR"]})
>>> position.turn.results["FRANCE"]["A PAR - BUR"]
<Verdict.BOUNCED: 'bounced'>
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parlour.games.diplomacy.explaining.explain import Explanation
    from parlour.games.diplomacy.formats.saved import SavedGame, read_saved, save_game
    from parlour.games.diplomacy.formats.states import position_of_state, write_state
    from parlour.games.diplomacy.game import GAME
    from parlour.games.diplomacy.maps.map import Map, load_map, named, standard
    from parlour.games.diplomacy.ordering.orders import Order
    from parlour.games.diplomacy.ordering.reasons import Flaw, Reason
    from parlour.games.diplomacy.position import Position
    from parlour.games.diplomacy.scoring import Scoring
    from parlour.games.diplomacy.turn import Ruling, Turn, Verdict

_HOMES = {
    "Explanation": "explaining.explain",
    "Flaw": "ordering.reasons",
    "GAME": "game",
    "Map": "maps.map",
    "Order": "ordering.orders",
    "Position": "position",
    "Reason": "ordering.reasons",
    "Ruling": "turn",
    "SavedGame": "formats.saved",
    "Scoring": "scoring",
    "Turn": "turn",
    "Verdict": "turn",
    "load_map": "maps.map",
    "named": "maps.map",
    "position_of_state": "formats.states",
    "read_saved": "formats.saved",
    "save_game": "formats.saved",
    "standard": "maps.map",
    "write_state": "formats.states",
}

__all__ = [
    "GAME",
    "Explanation",
    "Flaw",
    "Map",
    "Order",
    "Position",
    "Reason",
    "Ruling",
    "SavedGame",
    "Scoring",
    "Turn",
    "Verdict",
    "load_map",
    "named",
    "position_of_state",
    "read_saved",
    "save_game",
    "standard",
    "start",
    "write_state",
]


def start(map_name: str = "standard") -> Position:
    """Return the first position of a map that comes with the package.

    Args:
        map_name: Name of a map.
    """
    from parlour.games.diplomacy.maps.map import named
    from parlour.games.diplomacy.position import Position

    return Position.start(named(map_name))


def __getattr__(name: str) -> Any:
    # The kernel and its tables load when something is played, not when the package is imported.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
