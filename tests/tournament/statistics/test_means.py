"""Mean scores: balanced over the seats, with intervals that cover as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.tournament.statistics.means import (
    ENOUGH_TO_DRAW,
    Floats,
    block_means,
    cells_of,
    drawn_interval,
    mean_of,
    seat_means,
)

SEATS = np.array([0.08, 0.39, 0.17, 0.02, 0.14, 0.08, 0.19])
"""Scores of the same agent on the seven powers: seats differ more than most agents."""


def skewed_blocks(rng: np.random.Generator, blocks: int) -> Floats:
    """Scores of an agent, one for each block and seat: mostly little, sometimes nearly all, and deals in common."""
    luck = rng.uniform(0.5, 1.5, (blocks, 1))
    chances = np.clip(1.2 * SEATS * luck, 0.01, 0.95)
    found: Floats = rng.beta(chances, 1 - chances)
    return found


def coverage(blocks: int, runs: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    truth = float(np.clip(1.2 * SEATS * rng.uniform(0.5, 1.5, (200_000, 1)), 0.01, 0.95).mean())
    found = [mean_of(block_means(skewed_blocks(rng, blocks))) for _ in range(runs)]
    return float(np.mean([one is not None and abs(one.mean - truth) <= (one.half or 0) for one in found]))


@pytest.mark.parametrize("blocks", [10, 50])
def test_intervals_cover_as_often_as_they_say(blocks: int) -> None:
    assert 0.93 <= coverage(blocks, 400, seed=blocks) <= 0.97


@pytest.mark.long
@pytest.mark.parametrize("blocks", [5, 10, 20, 50, 200])
def test_intervals_cover_as_often_as_they_say_in_many_runs(blocks: int) -> None:
    assert 0.935 <= coverage(blocks, 4000, seed=blocks) <= 0.965


def test_the_mean_is_that_of_the_seat_means_however_often_one_sat_there() -> None:
    cells = cells_of(1, 2, [(0, 0, 1.0), (0, 0, 0.0), (0, 0, 0.5), (0, 1, 1.0)])
    assert cells.tolist() == [[0.5, 1.0]]
    assert block_means(cells).tolist() == [0.75]


def test_the_advantage_of_a_seat_is_not_noise() -> None:
    cells = np.tile(SEATS, (10, 1))
    found = mean_of(block_means(cells))
    assert found is not None
    assert (found.error, found.half, found.blocks) == (None, None, 10), "equal blocks are not certainty"
    assert found.mean == pytest.approx(SEATS.mean())
    assert drawn_interval(np.tile([0.1 + 0.2], ENOUGH_TO_DRAW)) is None


def test_one_block_has_no_interval_and_none_has_no_mean() -> None:
    one = mean_of(np.array([0.4]))
    assert one is not None
    assert (one.mean, one.error, one.half, one.blocks) == (0.4, None, None, 1)
    assert mean_of(np.array([])) is None
    assert mean_of(np.array([np.nan])) is None


def test_means_by_seat() -> None:
    cells = np.array([[1.0, np.nan], [0.0, np.nan]])
    first, second = seat_means(cells)
    assert first is not None
    assert (first.mean, first.blocks) == (0.5, 2)
    assert first.half == pytest.approx(0.5 * 12.7062, rel=1e-4)
    assert second is None


def test_blocks_in_which_one_did_not_sit_do_not_count() -> None:
    assert np.isnan(block_means(np.array([[np.nan, np.nan]]))).all()
    assert block_means(np.array([[np.nan, 0.5]])).tolist() == [0.5]
    found = mean_of(block_means(np.array([[np.nan, np.nan], [1.0, 0.0], [1.0, 1.0]])))
    assert found is not None
    assert (found.mean, found.blocks) == (0.75, 2)


def test_drawing_again_is_for_many_blocks_and_agrees_there() -> None:
    rng = np.random.default_rng(1)
    assert drawn_interval(rng.uniform(size=ENOUGH_TO_DRAW - 1)) is None
    values = rng.exponential(size=400)
    found, drawn = mean_of(values), drawn_interval(values)
    assert found is not None
    assert found.half is not None
    assert drawn is not None
    assert drawn == pytest.approx((found.mean - found.half, found.mean + found.half), rel=0.05)
    assert drawn_interval(values) == drawn


def test_every_block_is_drawn() -> None:
    for where in (0, -1):
        values = np.zeros(ENOUGH_TO_DRAW)
        values[where] = 1.0
        found = drawn_interval(values)
        assert found is not None
        assert found[0] == 0.0
        assert found[1] > 0.05
