"""The two distributions that intervals are made of: normal and Student's t."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

LEVEL = 0.95
"""Share of the intervals that cover the true value."""

_NORMAL = NormalDist()
_TINY = 1e-300


def normal_probability(z: float) -> float:
    """Return the chance that a standard normal value is below z."""
    return _NORMAL.cdf(z)


@cache
def normal_quantile(level: float = LEVEL) -> float:
    """Return half the width of a two-sided interval of that level, in standard errors."""
    return _NORMAL.inv_cdf((1 + level) / 2)


@cache
def t_quantile(freedom: int, level: float = LEVEL) -> float:
    """Return normal_quantile's counterpart for a spread estimated with `freedom` degrees of freedom."""
    low, high = 0.0, 1.0
    while 1 - t_tail(high, freedom) < level:
        high *= 2
    while low < (middle := (low + high) / 2) < high:  # until no floating-point number lies between them
        low, high = (middle, high) if 1 - t_tail(middle, freedom) < level else (low, middle)
    return high


def t_tail(t: float, freedom: int) -> float:
    """Return the two-sided probability that Student's t is at least this far from zero."""
    if math.isinf(t):
        return 0.0
    return _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b))
    # The fraction converges quickly on one side of the mean; the other follows by symmetry.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function, by the modified Lentz method."""
    c, d = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            c, d = _apart(1 + term / c), 1 / _apart(1 + term * d)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _apart(value: float) -> float:
    """Return a divisor: the value, or a tiny number if it is almost zero."""
    return value if abs(value) > _TINY else _TINY
