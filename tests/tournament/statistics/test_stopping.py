"""The stop rule: it errs as rarely as it says, and always comes to an end."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from parlour.errors import ConfigError
from parlour.tournament.statistics.stopping import (
    BOUND,
    MIN_BLOCKS,
    PRICE,
    Decision,
    StopRule,
    judge,
    read_rule,
    sentence,
)

BY = 0.05
CAP = 300
SEATS = np.array([0.08, 0.39, 0.17, 0.02, 0.14, 0.08, 0.19])
EVEN = 1 / 7


def decisions(mean: float, runs: int, seed: int) -> Counter[Decision]:
    """Return the rule's verdict on agents with that mean score against six others, skewed like scores of Diplomacy."""
    rng = np.random.default_rng(seed)
    chances = np.clip(SEATS / SEATS.mean() * mean, 0.01, 0.95)
    found: Counter[Decision] = Counter()
    for _ in range(runs):
        scores = rng.beta(chances, 1 - chances, (CAP, 7))
        differences = (scores - (1 - scores) / 6).mean(axis=1).tolist()
        verdicts = (judge(differences[:count], BY).decision for count in range(MIN_BLOCKS, CAP + 1))
        found[next((verdict for verdict in verdicts if verdict is not Decision.UNDECIDED), Decision.UNDECIDED)] += 1
    return found


@pytest.mark.parametrize(("runs", "most"), [(400, 0.05), pytest.param(4000, 0.05, marks=pytest.mark.long)])
def test_equals_are_rarely_called_better(runs: int, most: float) -> None:
    assert decisions(EVEN, runs, seed=1)[Decision.BETTER] / runs <= most


@pytest.mark.parametrize(("runs", "most"), [(400, 0.05), pytest.param(4000, 0.05, marks=pytest.mark.long)])
def test_who_is_better_by_so_much_is_rarely_called_not_better(runs: int, most: float) -> None:
    assert decisions(EVEN + BY * 6 / 7, runs, seed=2)[Decision.NOT_BETTER] / runs <= most


def test_the_ratio_is_that_of_what_both_say_of_the_spread() -> None:
    found = judge([0.1, 0.3] * 10, BY)
    least = (BY / 100) ** 2
    assert found.ratio == pytest.approx((20 - PRICE) / 2 * math.log((0.01 + 0.2**2 + least) / (0.01 + least)))
    mirrored = judge([0.05 - 0.1, 0.05 - 0.3] * 10, BY)
    assert mirrored.ratio == pytest.approx(-found.ratio), "by how much one is better decides as zero does"
    assert pytest.approx(math.log(19)) == BOUND
    alike = judge([0.1] * 20, BY)
    assert alike.ratio == pytest.approx((20 - PRICE) / 2 * math.log((0.1**2 + least) / least), rel=1e-9)
    assert judge([0.1, 0.3] * 2, BY).ratio == 0, "so few do not count"
    assert (found.share, mirrored.share) == (1.0, -1.0)


def test_nothing_is_decided_before_there_are_enough_blocks() -> None:
    assert judge([1.0] * (MIN_BLOCKS - 1), BY).decision is Decision.UNDECIDED
    assert judge([1.0] * MIN_BLOCKS, BY).decision is Decision.BETTER
    assert judge([1.0], BY).ratio == 0
    assert judge([], BY).decision is Decision.UNDECIDED


@pytest.mark.parametrize(
    ("difference", "decision"),
    [(1.0, Decision.BETTER), (0.0, Decision.NOT_BETTER), (-1.0, Decision.NOT_BETTER), (BY, Decision.BETTER)],
)
def test_differences_that_are_all_the_same_are_decided(difference: float, decision: Decision) -> None:
    assert judge([difference] * 200, BY).decision is decision


def test_a_difference_of_half_as_much_stays_undecided() -> None:
    progress = judge([BY / 2] * CAP, BY)
    assert progress.decision is Decision.UNDECIDED
    assert progress.share == pytest.approx(0.0, abs=1e-9)


def test_how_far_it_has_come() -> None:
    rng = np.random.default_rng(3)
    ratios = [judge((rng.normal(BY, 0.1, 200)).tolist()[:count], BY) for count in (5, 20)]
    assert all(progress.ratio > -BOUND * 10 for progress in ratios)
    assert judge([1.0] * 100, BY).share == 1.0
    assert judge([-1.0] * 100, BY).share == -1.0


def test_rules_are_read() -> None:
    assert read_rule("search > dumbbot by 0.05", ["search", "dumbbot"]) == StopRule("search", "dumbbot", 0.05)
    assert read_rule("x by y > z by 1", ["x by y", "z"]) == StopRule("x by y", "z", 1.0)
    assert read_rule("strong >  greedy by .1", ["strong", "greedy"]).by == 0.1
    assert str(read_rule("a > b by 0.10", "ab")) == "a > b by 0.1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a is better", "expected a rule such as"),
        ("a > b", "expected a rule such as"),
        ("a > nobody by 0.1", "nobody here is called 'nobody': a, b"),
        ("a > a by 0.1", "two agents that differ"),
        ("a > b by much", "a difference above 0"),
        ("a > b by 0", "a difference above 0"),
        ("a > b by nan", "a difference above 0"),
        ("a > b by inf", "a difference above 0"),
    ],
)
def test_rules_that_are_none_are_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_rule(text, "ab")


def test_verdicts_are_sentences() -> None:
    rule = StopRule("a", "b", 0.05)
    assert sentence(rule, judge([1.0] * 20, 0.05), over=True) == "a is better than b, by about 0.05 or more (20 blocks)"
    worse = sentence(rule, judge([-1.0] * 20, 0.05), over=True)
    assert worse == "a is not better than b by as much as 0.05 (20 blocks)"
    undecided = judge([1.0], 0.05)
    least = "the test needs at least 20"
    assert sentence(rule, undecided, over=True) == f"undecided at the cap of 1 block whether a > b by 0.05: {least}"
    assert sentence(rule, undecided, over=False) == "undecided after 1 block whether a > b by 0.05"
