"""Two agents compared: paired by block, so by deal and seats, and corrected by Holm for many comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import msgspec

from parlour.tournament.statistics.means import Floats, mean_of
from parlour.tournament.statistics.quantiles import t_tail


class PairedDifference(msgspec.Struct, frozen=True):
    """Difference of two agents' scores in the same blocks."""

    one: str
    other: str
    difference: float
    half: float | None
    """Half the width of its interval, not corrected for other comparisons; None if all blocks differ equally."""
    chance: float | None
    """Probability (p) of at least this difference between equal agents; None without an interval."""
    corrected: float | None = None
    """The p-value corrected by Holm's method for all comparisons made."""
    blocks: int = 0


def compare(one: str, other: str, ours: Floats, theirs: Floats) -> PairedDifference | None:
    """Return the difference of block means; None if the agents were never in one block."""
    found = mean_of(ours - theirs)
    if found is None:
        return None
    chance = None if found.error is None else t_tail(abs(found.mean / found.error), found.blocks - 1)
    return PairedDifference(one, other, found.mean, found.half, chance, blocks=found.blocks)


def compare_all(means: Mapping[str, Floats]) -> list[PairedDifference]:
    """Return the differences of all pairs, with corrected p-values."""
    pairs = (compare(one, other, means[one], means[other]) for one, other in combinations(means, 2))
    found = [pair for pair in pairs if pair is not None]
    tested = [pair for pair in found if pair.chance is not None]
    tested.sort(key=lambda pair: pair.chance or 0.0)
    corrected: dict[tuple[str, str], float] = {}
    least = 0.0
    for rank, pair in enumerate(tested):
        least = max(least, min(1.0, (len(tested) - rank) * (pair.chance or 0.0)))
        corrected[pair.one, pair.other] = least
    return [msgspec.structs.replace(pair, corrected=corrected.get((pair.one, pair.other))) for pair in found]
