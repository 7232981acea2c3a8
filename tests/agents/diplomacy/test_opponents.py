"""Models of opponents: what a power does moves the weights of its manners, and samples follow the weights."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from parlour.agents.diplomacy.choices import HOLD
from parlour.agents.diplomacy.opponents import FLOOR, PRIOR, Manner, Opponent, dealt

MOVES, OTHERS = (4 | 7 << 8, 4 | 9 << 8), (4 | 1 << 8, 4 | 2 << 8)
EXPECTED = {
    Manner.DUMB: [OTHERS] * 8,
    Manner.HOLDS: [(HOLD, HOLD)],
    Manner.GRABS: [(OTHERS[0], MOVES[1])] * 4,
    Manner.SEARCHES: [MOVES] * 2,
}


@pytest.mark.parametrize(
    ("given", "manner"),
    [
        (OTHERS, Manner.DUMB),
        ((HOLD, HOLD), Manner.HOLDS),
        ((OTHERS[0], MOVES[1]), Manner.GRABS),
        (MOVES, Manner.SEARCHES),
    ],
)
def test_who_plays_in_one_manner_is_found_out(given: tuple[int, ...], manner: Manner) -> None:
    opponent = Opponent()
    before = opponent.weights()[manner]
    for _ in range(4):
        opponent.learn(EXPECTED, given, (12, 12))
    weights = opponent.weights()
    assert weights[manner] > max(before, 0.8)
    assert min(weights.values()) >= FLOOR
    assert sum(weights.values()) == pytest.approx(1)


def test_who_changes_is_found_out_again() -> None:
    opponent = Opponent()
    for _ in range(10):
        opponent.learn(EXPECTED, (HOLD, HOLD), (12, 12))
    for _ in range(10):
        opponent.learn(EXPECTED, MOVES, (12, 12))
    assert max(opponent.weights(), key=opponent.weights().__getitem__) is Manner.SEARCHES


def test_what_is_long_ago_fades() -> None:
    steady, opponent = Opponent(), Opponent()
    steady.learn(EXPECTED, MOVES, (12, 12))
    for _ in range(60):
        opponent.learn(EXPECTED, MOVES, (12, 12))
    bound = opponent.weights()[Manner.SEARCHES]
    for _ in range(60):
        opponent.learn({Manner.DUMB: [OTHERS]}, MOVES, (12, 12))
    assert steady.weights()[Manner.SEARCHES] < bound
    assert opponent.weights() == pytest.approx(Opponent().weights(), abs=0.03)


def test_a_manner_that_was_not_asked_is_not_blamed() -> None:
    opponent = Opponent()
    opponent.learn({Manner.DUMB: [OTHERS] * 8}, MOVES, (12, 12))
    assert opponent.weights() == pytest.approx(Opponent().weights())
    opponent.learn({}, MOVES, (12, 12))
    assert opponent.weights()[Manner.DUMB] == pytest.approx(FLOOR + (1 - 4 * FLOOR) * PRIOR[Manner.DUMB])


def test_what_nobody_expected_speaks_for_no_manner() -> None:
    """Least of all for the one with the fewest samples."""
    opponent, unexpected = Opponent(), (4 | 5 << 8, 4 | 6 << 8)
    for _ in range(5):
        opponent.learn(EXPECTED, unexpected, (12, 12))
    weights = opponent.weights()
    assert weights[Manner.DUMB] == pytest.approx(weights[Manner.SEARCHES])
    assert weights[Manner.DUMB] > 5 * weights[Manner.GRABS]


def test_a_manner_that_was_not_asked_stays_as_likely_as_the_best() -> None:
    """A power that is far away is not thought through, but it may be searched."""
    opponent = Opponent()
    for _ in range(5):
        opponent.learn({manner: EXPECTED[manner] for manner in (Manner.DUMB, Manner.HOLDS)}, OTHERS, (12, 12))
    weights = opponent.weights()
    assert weights[Manner.DUMB] == pytest.approx(weights[Manner.SEARCHES])
    assert weights[Manner.HOLDS] < 0.05


def test_samples_are_dealt_by_weight() -> None:
    weights = {Manner.DUMB: 0.5, Manner.HOLDS: 0.3, Manner.SEARCHES: 0.2}
    found = dealt(weights, 20, np.random.default_rng(1))
    assert Counter(found) == {Manner.DUMB: 10, Manner.HOLDS: 6, Manner.SEARCHES: 4}
    assert found != sorted(found)
    assert dealt({Manner.DUMB: 1.0}, 3, np.random.default_rng(1)) == [Manner.DUMB] * 3
