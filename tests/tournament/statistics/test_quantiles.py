"""The distributions against tables that anybody can look up."""

from __future__ import annotations

import pytest

from parlour.tournament.statistics.quantiles import normal_probability, normal_quantile, t_quantile, t_tail


@pytest.mark.parametrize(
    ("freedom", "level", "expected"),
    [(1, 0.95, 12.7062), (2, 0.95, 4.30265), (4, 0.95, 2.77645), (9, 0.95, 2.26216), (49, 0.95, 2.00958),
     (1000, 0.95, 1.96234), (1, 0.99, 63.6567), (10, 0.5, 0.699812)],
)  # fmt: skip
def test_quantiles_of_students_t(freedom: int, level: float, expected: float) -> None:
    assert t_quantile(freedom, level) == pytest.approx(expected, rel=1e-5)


def test_tails_of_students_t() -> None:
    assert t_tail(0.0, 5) == 1.0
    assert t_tail(2.0, 10) == pytest.approx(0.0733880, rel=1e-5)
    assert t_tail(1.0, 1) == pytest.approx(0.5)
    assert t_tail(float("inf"), 3) == 0.0
    assert t_tail(-2.0, 10) == t_tail(2.0, 10)


def test_the_normal_distribution() -> None:
    assert normal_quantile(0.95) == pytest.approx(1.959964)
    assert normal_probability(0.0) == 0.5
    assert normal_probability(1.959964) == pytest.approx(0.975)
