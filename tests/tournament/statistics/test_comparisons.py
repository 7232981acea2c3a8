"""Comparisons of agents: paired, and corrected for their number."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.tournament.statistics.comparisons import compare, compare_all


def test_what_both_have_in_common_does_not_count() -> None:
    rng = np.random.default_rng(1)
    deal = rng.normal(0, 10, 30)
    found = compare("a", "b", deal + 0.5 + rng.normal(0, 0.1, 30), deal)
    assert found is not None
    assert found.difference == pytest.approx(0.5, abs=0.1)
    assert found.half is not None
    assert found.half < 0.1
    assert found.chance is not None
    assert found.chance < 1e-6


def test_equals_are_found_to_differ_as_rarely_as_they_should() -> None:
    rng = np.random.default_rng(2)
    found = [compare("a", "b", rng.exponential(size=20), rng.exponential(size=20)) for _ in range(1000)]
    assert 0.03 <= np.mean([one is not None and (one.chance or 1) < 0.05 for one in found]) <= 0.065


def test_among_many_comparisons_hardly_any_is_taken_for_a_difference_by_chance() -> None:
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(200):
        means = {name: rng.normal(size=30) for name in "abcdefg"}
        wrong += any((pair.corrected or 0) < 0.05 for pair in compare_all(means))
    assert wrong / 200 <= 0.05


def test_holm_by_hand() -> None:
    rng = np.random.default_rng(4)
    base = rng.normal(size=10)
    pairs = compare_all({"a": base, "b": base + rng.normal(1, 1, 10), "c": base + rng.normal(0.3, 1, 10)})
    chances = sorted(pair.chance or 0 for pair in pairs)
    corrected = sorted(pair.corrected or 0 for pair in pairs)
    first = 3 * chances[0]
    second = max(first, 2 * chances[1])
    assert corrected == pytest.approx([first, second, max(second, chances[2])])


def test_a_chance_by_hand() -> None:
    found = compare("a", "b", np.array([1.0, 2.0, 3.0]), np.zeros(3))
    assert found is not None
    assert found.chance == pytest.approx(1 - np.sqrt(12 / 14)), "of t = sqrt(12), with two degrees of freedom"


def test_degenerate_comparisons() -> None:
    same = compare("a", "b", np.ones(5), np.ones(5))
    assert same is not None
    assert (same.difference, same.half, same.chance, same.blocks) == (0.0, None, None, 5)
    always = compare("a", "b", np.ones(5), np.zeros(5))
    assert always is not None
    assert (always.difference, always.half, always.chance) == (1.0, None, None), "no spread is no certainty"
    assert compare("a", "b", np.array([np.nan]), np.array([1.0])) is None
    once = compare("a", "b", np.array([1.0]), np.array([0.0]))
    assert once is not None
    assert (once.half, once.chance, once.blocks) == (None, None, 1)
    assert compare_all({"a": np.ones(3)}) == []
    (pair,) = compare_all({"a": np.array([1.0]), "b": np.array([0.0])})
    assert pair.corrected is None
