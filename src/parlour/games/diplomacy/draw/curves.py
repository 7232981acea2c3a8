"""Lines of orders as sampled curves: arcs, smooth routes, trimming, and spots on them that cover nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from parlour.games.diplomacy.draw.svg import Point, number, through

Curve = list[Point]

_CLOSE = 0.4
"""Largest invisible distance between a curve and the arc that replaces it."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle that something else occupies, by its middle and its half width and height."""

    x: float
    y: float
    half_width: float
    half_height: float

    def overlap(self, other: Box) -> float:
        """Return the depth by which the other box reaches into this one; 0 if they are apart."""
        across = self.half_width + other.half_width - abs(self.x - other.x)
        down = self.half_height + other.half_height - abs(self.y - other.y)
        return max(0.0, min(across, down))


def arc(start: Point, end: Point, bend: float = 0.09) -> Curve:
    """Return a slight arc; bend is its height as a part of its length."""
    (a, b), (c, d) = start, end
    mx, my = (a + c) / 2 - (d - b) * bend, (b + d) / 2 + (c - a) * bend
    steps = [i / 16 for i in range(17)]
    return [
        (
            (1 - t) ** 2 * a + 2 * t * (1 - t) * mx + t * t * c,
            (1 - t) ** 2 * b + 2 * t * (1 - t) * my + t * t * d,
        )
        for t in steps
    ]


def route(points: Sequence[Point]) -> Curve:
    """Return a smooth curve through points; an arc if there are only two."""
    if len(points) == 2:
        return arc(points[0], points[1])
    first, last = _beyond(points[0], points[1]), _beyond(points[-1], points[-2])
    knots = [first, *points, last]
    found: Curve = []
    for before, here, there, after in zip(knots, knots[1:], knots[2:], knots[3:], strict=False):
        found.extend(
            (
                _spline(before[0], here[0], there[0], after[0], i / 10),
                _spline(before[1], here[1], there[1], after[1], i / 10),
            )
            for i in range(10)
        )
    return [*found, points[-1]]


def length(curve: Curve) -> float:
    """Return the length of the curve."""
    return sum(math.dist(p, q) for p, q in pairwise(curve))


def trimmed(curve: Curve, start: float, end: float) -> Curve:
    """Return the curve shortened by start and end; at least a quarter of it stays."""
    whole = length(curve)
    excess = (start + end) / (0.75 * whole) if whole else 0
    if excess > 1:
        start, end = start / excess, end / excess
    return _cut(_cut(curve, start)[::-1], end)[::-1]


def spot(curve: Curve, part: float) -> Point:
    """Return the point at that part (0 to 1) of the curve's length."""
    rest = part * length(curve)
    for p, q in pairwise(curve):
        step = math.dist(p, q)
        if step and rest <= step:
            return _between(p, q, rest / step)
        rest -= step
    return curve[-1]


def nearest(curve: Curve, point: Point) -> Point:
    """Return the sampled point of the curve nearest to a point."""
    return min(curve, key=lambda p: math.dist(p, point))


def clear_part(curve: Curve, parts: Iterable[float], radius: float, taken: Sequence[Box]) -> float:
    """Return the first of `parts` at which a mark of that radius covers no taken box, or else covers the least."""
    best, least = 1.0, math.inf
    (left, *_, right), (top, *_, bottom) = (sorted(values) for values in zip(*curve, strict=True))
    whole = Box((left + right) / 2, (top + bottom) / 2, (right - left) / 2 + radius, (bottom - top) / 2 + radius)
    near = [box for box in taken if box.overlap(whole)]
    for part in parts:
        x, y = spot(curve, part)
        mark = Box(x, y, radius, radius)
        covered = sum(box.overlap(mark) for box in near)
        if covered < least - 1e-9:
            best, least = part, covered
        if not covered:
            break
    return best


def up_to(curve: Curve, part: float) -> Curve:
    """Return the beginning of the curve, up to that part of its length."""
    return _cut(curve[::-1], (1 - part) * length(curve))[::-1]


def drawn(curve: Curve) -> str:
    """Return the path data of the curve: one quadratic bow if that is close enough, or else all its points."""
    bow = _bow(curve)
    if bow is None:
        return through(curve)
    (a, b), (x, y), (c, d) = curve[0], bow, curve[-1]
    return f"M{number(a)} {number(b)}Q{number(x)} {number(y)} {number(c)} {number(d)}"


def _bow(curve: Curve) -> Point | None:
    """Return the control point of a quadratic bow that follows the curve, or None if no bow is close enough."""
    start, end = curve[0], curve[-1]
    span = math.dist(start, end)
    if len(curve) < 4 or not span:
        return None
    ex, ey = (end[0] - start[0]) / span, (end[1] - start[1]) / span
    # Coordinates of the points: along the line between the ends, and the distance from it.
    local = [((x - start[0]) * ex + (y - start[1]) * ey, (y - start[1]) * ex - (x - start[0]) * ey) for x, y in curve]
    (ux, uy), (vx, vy) = local[1], (span - local[-2][0], local[-2][1])
    rise, fall = uy * vx, vy * ux
    if ux <= 0 or vx <= 0 or not rise + fall:
        return None
    along = span * fall / (rise + fall)  # where the directions at both ends meet
    x, y = local[len(local) // 2]
    away = y / _height(along, span, x)
    tests = (local[len(local) * i // 8] for i in (1, 2, 3, 5, 6, 7))
    if not 0 < along < span or any(abs(away * _height(along, span, x) - y) > _CLOSE for x, y in tests):
        return None
    return start[0] + along * ex - away * ey, start[1] + along * ey + away * ex


def _height(along: float, span: float, x: float) -> float:
    """Return the height at x of a bow that is bent by a point of height 1."""
    t = x / span
    for _ in range(5):
        slope = 2 * (1 - 2 * t) * along + 2 * t * span
        t -= (2 * t * (1 - t) * along + t * t * span - x) / (slope or 1)
    return 2 * t * (1 - t) or 1


def _cut(curve: Curve, amount: float) -> Curve:
    rest = list(curve)
    while len(rest) > 2:
        step = math.dist(rest[0], rest[1])
        if step > amount:
            break
        amount -= step
        rest.pop(0)
    step = math.dist(rest[0], rest[1])
    if step > amount > 0:
        rest[0] = _between(rest[0], rest[1], amount / step)
    return rest


def _between(p: Point, q: Point, part: float) -> Point:
    return p[0] + (q[0] - p[0]) * part, p[1] + (q[1] - p[1]) * part


def _beyond(p: Point, q: Point) -> Point:
    return 2 * p[0] - q[0], 2 * p[1] - q[1]


def _spline(before: float, here: float, there: float, after: float, t: float) -> float:
    """Return the value of a Catmull-Rom spline at `t` (0 to 1) between the values `here` and `there`."""
    return 0.5 * (
        2 * here
        + (there - before) * t
        + (2 * before - 5 * here + 4 * there - after) * t * t
        + (3 * here - before - 3 * there + after) * t**3
    )
