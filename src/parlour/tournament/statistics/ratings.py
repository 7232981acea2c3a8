"""Ratings: one fit of agents and seats to all matches at once (Plackett and Luce), independent of their order.

The model draws the first place among all by strength, the second among the rest, and so on; an agent's strength is
multiplied by that of its seat. A shared place counts as if all orders among those who share it were equally likely: a
drawn match of two is half a win of each. (Efron's formula approximates this. It counts a draw as a whole win of each,
and rates strong and weak agents that often draw as nearly equal.) Players who share the last place below others
are not compared with one another: all of them lost, and nothing more is known.

A weak normal prior keeps strengths finite when somebody always wins. The fit is a maximum found by Newton's method; its
curvature gives the intervals. They are widened where matches of the same block agree more than independent ones would,
and made narrower where, as with many draws, blocks differ less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, groupby

import msgspec
import numpy as np
import numpy.typing as npt

from parlour.tournament.statistics.means import Floats
from parlour.tournament.statistics.quantiles import LEVEL, normal_probability, normal_quantile

Ints = npt.NDArray[np.int64]

POINTS = 400 / math.log(10)
"""Points of an Elo scale that make one unit of strength."""
PRIOR = 350 / POINTS
"""The standard deviation of strengths before any match: 350 points."""
BLOCKS_TO_WIDEN = 5
"""Minimum number of blocks to detect that they vary more than independent matches would."""
BLOCKS_TO_NARROW = 20
"""Minimum number of blocks to accept that they vary less."""
LEAST_SPREAD = 0.25
_STEPS = 100
_NOBODY = 1 << 40
"""The place of a filler in a match with fewer players."""
_SMALL = 1e-7


class RankedMatch(msgspec.Struct, frozen=True):
    """One match: for each player the agent, the seat and the place (lower is better); equal places are shared."""

    agents: tuple[int, ...]
    seats: tuple[int, ...]
    places: tuple[int, ...]
    block: int = 0


class Rating(msgspec.Struct, frozen=True):
    """Points above the anchor, and half the width of their interval."""

    points: float
    half: float


@dataclass(frozen=True, slots=True)
class Fit:
    """Strengths of agents and seats, and their joint covariance."""

    strengths: Floats
    seats: Floats
    covariance: Floats
    """Covariance of the agents, then of the seats."""
    spread: float = 1.0
    """The variance of the blocks, as a multiple of that of independent matches."""

    def rating(self, agent: int, anchor: int, level: float = LEVEL) -> Rating:
        """Return the rating of an agent; the anchor has zero points."""
        difference, error = self._difference(agent, anchor)
        return Rating(POINTS * difference, POINTS * error * normal_quantile(level))

    def superiority(self, one: int, other: int) -> float:
        """Return the probability that the first agent is stronger than the second."""
        difference, error = self._difference(one, other)
        return normal_probability(difference / error) if error > 0 else 0.5

    def seat_points(self, seat: int, level: float = LEVEL) -> Rating:
        """Return the points of a seat against the mean of all seats."""
        weights = np.zeros(len(self.covariance))
        weights[len(self.strengths) :] = -1 / len(self.seats)
        weights[len(self.strengths) + seat] += 1
        error = math.sqrt(max(0.0, float(weights @ self.covariance @ weights)))
        return Rating(POINTS * float(self.seats[seat] - self.seats.mean()), POINTS * error * normal_quantile(level))

    def _difference(self, one: int, other: int) -> tuple[float, float]:
        c = self.covariance
        variance = float(c[one, one] + c[other, other] - 2 * c[one, other])
        return float(self.strengths[one] - self.strengths[other]), math.sqrt(max(0.0, variance))


def fit(matches: Sequence[RankedMatch], agents: int, seats: int) -> Fit:
    """Return the most likely strengths. Finite for any matches, also for none."""
    if not matches:
        return Fit(np.zeros(agents), np.zeros(seats), np.eye(agents + seats) * PRIOR**2)
    draws = _Draws(matches, agents, agents + seats)
    prior = np.eye(agents + seats) / PRIOR**2
    strengths = np.zeros(agents + seats)
    value = draws.value(strengths)
    curvature = np.zeros_like(prior)
    for _ in range(_STEPS):
        slope, curvature = draws.slopes(strengths)
        step = np.linalg.solve(curvature + prior, slope - strengths / PRIOR**2)
        # The function is concave, so Newton's direction is uphill; a step that is too long is halved.
        while (found := _penalised(draws, strengths + step)) < value - _SMALL * abs(value) and np.abs(
            step
        ).max() > _SMALL:
            step = step / 2
        strengths, value = strengths + step, found
        if np.abs(step).max() <= _SMALL:
            break
    covariance: Floats = np.asarray(np.linalg.inv(curvature + prior), np.float64)
    spread = draws.spread(strengths, covariance, curvature)
    # The prior does not vary with the blocks.
    covariance = covariance @ (spread * curvature + prior) @ covariance
    return Fit(strengths[:agents], strengths[agents:], covariance, spread)


def _penalised(draws: _Draws, strengths: Floats) -> float:
    return draws.value(strengths) - float(strengths @ strengths) / (2 * PRIOR**2)


class _Draws:
    """All draws of all matches as arrays: one row for each draw of a player from a field."""

    def __init__(self, matches: Sequence[RankedMatch], agents: int, count: int) -> None:
        self._count = count
        self._blocks = np.array([match.block for match in matches], np.int64)
        most = max(len(match.agents) for match in matches)
        # Sorted by place, so that there are few shapes; smaller matches are filled up with players without a place.
        places = _filled([match.places for match in matches], most, _NOBODY)
        order = np.argsort(places, axis=1, kind="stable")
        places = np.take_along_axis(places, order, axis=1)
        shapes = [_shape(row, most) for row in _levels(places)]
        self._agents: Ints = np.take_along_axis(_filled([match.agents for match in matches], most), order, axis=1)
        self._seats: Ints = agents + np.take_along_axis(
            _filled([match.seats for match in matches], most), order, axis=1
        )
        self._compared: Floats = np.array([shape.compared for shape in shapes])
        rows = [len(shape.weights) for shape in shapes]
        self._match: Ints = np.repeat(np.arange(len(shapes)), rows)
        self._starts: Ints = np.cumsum([0, *rows[:-1]])
        self._fields: Floats = np.concatenate([shape.fields for shape in shapes])
        self._weights: Floats = np.concatenate([shape.weights for shape in shapes])
        cells = np.arange(len(self._match))[:, None] * count
        self._cells = [(cells + which[self._match]).ravel() for which in (self._agents, self._seats)]

    def value(self, strengths: Floats) -> float:
        """Return the logarithm of the likelihood."""
        logs, top = self._logs(strengths)
        fields = (self._fields * np.exp(logs - top)[self._match]).sum(axis=1)
        drawn = np.log(fields) + top[self._match, 0]
        return float((self._compared * logs).sum() - self._weights @ drawn)

    def slopes(self, strengths: Floats) -> tuple[Floats, Floats]:
        """Return the first derivatives, and the second derivatives negated."""
        chances = self._chances(strengths)
        expected = self._expected(chances)
        slope, curvature = np.zeros(self._count), np.zeros(self._count**2)
        pair = (self._agents, self._seats)
        for one in pair:
            slope += np.bincount(one.ravel(), (self._compared - expected).ravel(), self._count)
            for other in pair:
                curvature += np.bincount((one * self._count + other).ravel(), expected.ravel(), self._count**2)
        by_row = sum(np.bincount(cells, chances.ravel(), len(chances) * self._count) for cells in self._cells)
        rows = np.asarray(by_row).reshape(len(chances), self._count)
        # Not as a product of matrices, whose threads would cost more than they save and take time from matches.
        return slope, curvature.reshape(self._count, self._count) - np.einsum("ri,rj,r->ij", rows, rows, self._weights)

    def spread(self, strengths: Floats, covariance: Floats, curvature: Floats) -> float:
        """Return the variance of the blocks, as a multiple of that of independent matches; 1 for too few blocks."""
        blocks, which = np.unique(self._blocks, return_inverse=True)
        if len(blocks) < BLOCKS_TO_WIDEN:
            return 1.0
        surprise = (self._compared - self._expected(self._chances(strengths))).ravel()
        cells = which[:, None] * self._count
        slopes = np.zeros(len(blocks) * self._count)
        for one in (self._agents, self._seats):
            slopes += np.bincount((cells + one).ravel(), surprise, len(slopes))
        by_block = slopes.reshape(len(blocks), self._count)
        seen = float(np.einsum("bi,ij,bj->", by_block, covariance, by_block)) * len(blocks) / (len(blocks) - 1)
        expected = float(np.trace(covariance @ curvature))
        least = 1.0 if len(blocks) < BLOCKS_TO_NARROW else LEAST_SPREAD
        return max(least, seen / expected) if expected > 0 else 1.0

    def _logs(self, strengths: Floats) -> tuple[Floats, Floats]:
        """Return the logarithm of each player's strength on its seat, and the maximum of each match."""
        logs: Floats = strengths[self._agents] + strengths[self._seats]
        return logs, logs.max(axis=1, keepdims=True)

    def _chances(self, strengths: Floats) -> Floats:
        """Return the chance of each player to be drawn in each row."""
        logs, top = self._logs(strengths)
        weights = self._fields * np.exp(logs - top)[self._match]
        chances: Floats = weights / weights.sum(axis=1, keepdims=True)
        return chances

    def _expected(self, chances: Floats) -> Floats:
        """Return the expected number of draws of each player of each match."""
        found: Floats = np.add.reduceat(chances * self._weights[:, None], self._starts, axis=0)
        return found


@dataclass(frozen=True, slots=True)
class _Shape:
    """The draws that the places of a match stand for."""

    fields: Floats
    weights: Floats
    compared: Floats
    """1 for players that were drawn; 0 for those who share the last place."""


@lru_cache(maxsize=1024)
def _shape(sizes: tuple[int, ...], most: int) -> _Shape:
    """Return the draws for the numbers of players who share the first place, the next, and so on."""
    fields: list[Floats] = []
    weights: list[float] = []
    compared = np.zeros(most)
    left = sum(sizes)
    first = 0
    for size in sizes:
        if size == left and size > 1 and first:
            break  # players who share the last place are not compared
        compared[first : first + size] = 1
        for drawn in range(size):
            # The mean over all orders equals the mean over all sets of players drawn before.
            for before in combinations(range(first, first + size), drawn):
                field = np.zeros(most)
                field[first : first + left] = 1
                field[list(before)] = 0
                fields.append(field)
                weights.append(1 / math.comb(size, drawn))
        first, left = first + size, left - size
    return _Shape(np.array(fields), np.array(weights), compared)


def _levels(places: Ints) -> list[tuple[int, ...]]:
    """Return for each row of places, in order, the number of players who share each of them."""
    return [tuple(len(list(same)) for place, same in groupby(row) if place != _NOBODY) for row in places.tolist()]


def _filled(rows: Sequence[tuple[int, ...]], most: int, filling: int = 0) -> Ints:
    return np.array([row + (filling,) * (most - len(row)) for row in rows], np.int64)
