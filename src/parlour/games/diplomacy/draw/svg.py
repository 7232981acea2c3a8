"""The few pieces of SVG that pictures are made of: numbers, paths, text, escaping."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from xml.sax.saxutils import escape

Point = tuple[float, float]


def number(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def body(text: str) -> str:
    """Return text escaped as the content of an element."""
    return escape(text)


def outline(flat: Sequence[float], *, closed: bool = True) -> str:
    """Return the path data of a ring or line given as x, y, x, y, ...; tenths and relative steps keep it short."""
    tenths = [round(value * 10) for value in flat]
    steps = (now - before for before, now in zip(tenths, tenths[2:], strict=False))
    return f"M{_packed(tenths[:2])}l{_packed(steps)}" + ("z" if closed else "")


def through(points: Iterable[Point]) -> str:
    """Return the path data of an open line through points."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


def placed(point: Point, scale: float = 1.0) -> str:
    """Return the transform that puts a symbol at a point."""
    grown = "" if scale == 1 else f" scale({round(scale, 2):g})"
    return f"translate({number(point[0])} {number(point[1])}){grown}"


def write(point: Point, size: float, text: str, *, turn: float = 0, spacing: float = 0) -> str:
    """Return a line of text whose middle is at point; turn is in degrees."""
    x, y = point
    turned = f' transform="rotate({number(turn)} {number(x)} {number(y)})"' if turn else ""
    spaced = f' letter-spacing="{spacing:g}"' if spacing else ""
    return (
        f'<text x="{number(x)}" y="{number(y + size * 0.35)}" font-size="{number(size)}"{turned}{spaced}>'
        f"{body(text)}</text>"
    )


def spikes(outer: float, inner: float, count: int) -> str:
    """Return the path data of a star with count spikes round the origin."""
    corners = (
        (radius * math.cos(angle), radius * math.sin(angle))
        for i in range(2 * count)
        for radius, angle in [(outer if i % 2 == 0 else inner, i * math.pi / count)]
    )
    return through(corners) + "z"


def pairs(flat: Sequence[float]) -> list[Point]:
    """Return the points of a ring given as x, y, x, y, ..."""
    return list(zip(flat[::2], flat[1::2], strict=True))


def flatten(points: Iterable[Point]) -> list[float]:
    """Return points as one list: x, y, x, y, ..."""
    return list(chain.from_iterable(points))


def _packed(values: Iterable[int]) -> str:
    text = " ".join(map(str, values))
    return text.replace(" -", "-")
