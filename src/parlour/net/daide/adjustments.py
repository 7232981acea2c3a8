"""Builds as DAIDE counts them: one for each centre more than units, even if no home centre is free.

Matches count only builds that can be made. Clients waive the others explicitly, and some count the reported orders of a
winter: with one too few they wait for ever.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from parlour.core.game import Seat
from parlour.games.diplomacy.position import Position

WAIVE = "WAIVE"
_KEPT = 1024


@lru_cache(maxsize=_KEPT)
def due(position: Position, seat: Seat) -> int:
    """Return the number of builds of a power, even without room; negative for removals; 0 outside winter."""
    if position.stage != "adjustments":
        return 0
    return len(position.centers[seat]) - len(position.units[seat])


def without_room(position: Position, seat: Seat) -> int:
    """Return the number of builds for which no home centre is free."""
    return max(0, due(position, seat) - max(0, position.builds[seat])) if position.stage == "adjustments" else 0


def for_the_match(orders: Iterable[str], spare: int) -> list[str]:
    """Return orders as the match accepts them: without the waives of `spare` builds that have no room."""
    texts = list(orders)
    for _ in range(min(spare, texts.count(WAIVE)) if spare else 0):
        texts.remove(WAIVE)
    return texts
