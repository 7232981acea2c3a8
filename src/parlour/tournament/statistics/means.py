"""Mean scores: by seat, stratified over the seats, with intervals from the spread between blocks.

A block has an agent equally often on every seat, so the mean of an agent's scores in a block is the mean of its seat
means: the advantage of a seat does not count as noise. Matches of one block share the deals and may depend on one
another; different blocks do not. So the unit is the block, and the error is that of the mean of the blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from parlour.tournament.statistics.quantiles import LEVEL, t_quantile

Floats = npt.NDArray[np.float64]

ENOUGH_TO_DRAW = 50
"""Minimum number of blocks for a bootstrap interval that covers the mean as often as its level says."""
DRAWS = 2000


class Estimate(msgspec.Struct, frozen=True):
    """A mean and its interval; there is no interval for one block, or for blocks that are all equal."""

    mean: float
    error: float | None = None
    """The standard error; None without an interval."""
    half: float | None = None
    """Half the width of the interval; None without one."""
    blocks: int = 0


def mean_of(values: Floats, level: float = LEVEL) -> Estimate | None:
    """Return the mean of one value per block; None without values."""
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    mean = float(values.mean())
    if not _spread(values):
        return Estimate(mean, blocks=len(values))
    error = float(values.std(ddof=1) / np.sqrt(len(values)))
    return Estimate(mean, error, error * t_quantile(len(values) - 1, level), len(values))


def _spread(values: Floats) -> bool:
    """Return True if values differ by more than the rounding of their computation."""
    return bool(np.ptp(values) > 1e-12)


def block_means(cells: Floats) -> Floats:
    """Return the mean of each block over the seats, from means by block and seat; NaN where an agent was absent."""
    sat = ~np.isnan(cells)
    counts = sat.sum(axis=1)
    sums = np.where(sat, cells, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def seat_means(cells: Floats) -> list[Estimate | None]:
    """Return the mean on each seat, with an interval of its own."""
    return [mean_of(cells[:, seat]) for seat in range(cells.shape[1])]


def cells_of(blocks: int, seats: int, rows: Sequence[tuple[int, int, float]]) -> Floats:
    """Return the mean scores by block and seat, from rows (block, seat, score); NaN where there is none."""
    sums, counts = np.zeros((blocks, seats)), np.zeros((blocks, seats))
    for block, seat, score in rows:
        sums[block, seat] += score
        counts[block, seat] += 1
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def drawn_interval(values: Floats, seed: int = 0, level: float = LEVEL) -> tuple[float, float] | None:
    """Return a bootstrap interval for the mean of blocks; None for too few blocks, or for equal ones."""
    values = values[~np.isnan(values)]
    if len(values) < ENOUGH_TO_DRAW or not _spread(values):
        return None
    rng = np.random.default_rng(seed)
    means = np.array([values[rng.integers(0, len(values), len(values))].mean() for _ in range(DRAWS)])
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
