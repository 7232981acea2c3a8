"""Points at the end of a match, computed from centres, by the four systems in common use."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum

from parlour.core.game import Outcome, Plain, Seat
from parlour.core.text import hint
from parlour.errors import ConfigError


class Scoring(StrEnum):
    """Scoring systems for matches without a solo. In every system a solo is worth 1 and the others get nothing."""

    SOLO = "solo"  # only a solo counts
    DRAW_SIZE = "draw size"  # the seats that share the draw share one point equally
    SUM_OF_SQUARES = "sum of squares"  # one point, shared by the squares of the numbers of centres
    CENTRE_SHARE = "centre share"  # one point, shared by the numbers of centres


def read_scoring(value: Plain) -> Scoring:
    """Return the system of that name, with spaces, hyphens or underscores; raise ConfigError if there is none."""
    if isinstance(value, str):
        name = value.lower().replace("_", " ").replace("-", " ").replace("center", "centre")
        if name in {system.value for system in Scoring}:
            return Scoring(name)
    known = [system.value for system in Scoring]
    got = f"got {str(value)!r:.60}{hint(str(value), known)}"
    raise ConfigError(f"scoring: expected one of {', '.join(known)}, {got}", field="scoring")


def points(
    system: Scoring, centres: Mapping[Seat, int], among: Collection[Seat], solo: Seat | None = None
) -> dict[Seat, float]:
    """Return the points of each seat, at most one in all: for the solo, or else for the seats that share the draw."""
    if solo is not None:
        return {seat: float(seat == solo) for seat in centres}
    match system:
        case Scoring.SOLO:
            return dict.fromkeys(centres, 0.0)
        case Scoring.DRAW_SIZE:
            weights = dict.fromkeys(among, 1)
        case Scoring.SUM_OF_SQUARES:
            weights = {seat: centres[seat] ** 2 for seat in among}
        case Scoring.CENTRE_SHARE:
            weights = {seat: centres[seat] for seat in among}
    total = sum(weights.values())
    return {seat: weights.get(seat, 0) / total if total else 0.0 for seat in centres}


def scored(
    system: Scoring, centres: Mapping[Seat, int], among: Collection[Seat], reason: str, solo: Seat | None = None
) -> Outcome:
    """Return the outcome by that system; seats without points are ranked by their centres."""
    gained = points(system, centres, among, solo)
    ladder = {seat: (gained[seat], 0 if gained[seat] else centres[seat]) for seat in centres}
    steps = sorted(set(ladder.values()), reverse=True)
    places = tuple(tuple(str(seat) for seat in centres if ladder[seat] == step) for step in steps)
    return Outcome(scores={str(seat): score for seat, score in gained.items()}, places=places, reason=reason)
