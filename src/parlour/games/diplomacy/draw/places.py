"""Finds places within an outline: for a unit, for what is beside it, for a tag and for a name that fits."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from parlour.games.diplomacy.draw.shapes import LETTER, Label, Name
from parlour.games.diplomacy.draw.svg import Point
from parlour.games.diplomacy.draw.symbols import UNIT_HEIGHT, UNIT_WIDTH

_GRID = 26
_TAG_SIZES = (12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0)
_NAME_SIZES = (12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0)


class RegionSpace:
    """The room within an outline."""

    def __init__(self, ring: list[Point]) -> None:
        self._corners = np.array(ring, np.float64)
        self._following = np.roll(self._corners, -1, axis=0)
        low, high = self._corners.min(axis=0), self._corners.max(axis=0)
        across, down = (np.linspace(low[axis], high[axis], _GRID + 2)[1:-1] for axis in (0, 1))
        points = np.array([(x, y) for y in down for x in across])
        self._points = points[self._inside(points)]
        self._clear = self._clearance(self._points)
        if not len(self._points):  # thinner than the grid
            self._points, self._clear = self._corners.mean(axis=0)[None], np.zeros(1)

    def _inside(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        (ax, ay), (bx, by) = self._corners.T, self._following.T
        x, y = points[:, 0, None], points[:, 1, None]
        spans = (ay > y) != (by > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = (bx - ax) * (y - ay) / (by - ay) + ax
        return np.asarray((spans & (x < crossing)).sum(axis=1) % 2 == 1)

    def _clearance(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far each point is from the outline."""
        along = self._following - self._corners
        size = np.maximum((along**2).sum(axis=1), 1e-9)
        way = points[:, None] - self._corners[None]
        part = np.clip((way * along).sum(axis=2) / size, 0, 1)
        apart = way - part[:, :, None] * along[None]
        found: NDArray[np.float64] = np.sqrt((apart**2).sum(axis=2)).min(axis=1, initial=np.inf)
        return found

    def unit(self) -> Point:
        """Return where a unit stands: in the clear, with room for a tag below if there is some."""
        below = self._points + np.array([0, 0.5 * UNIT_HEIGHT + 8])
        room = np.minimum(self._clear, 30) + 0.1 * self._clear
        room += 0.7 * np.where(self._inside(below), np.minimum(self._clearance(below), 9), -9)
        room -= 0.05 * np.hypot(*(self._points - self._points.mean(axis=0)).T)
        return _rounded(self._points[int(room.argmax())])

    def beside(self, unit: Point, offsets: Iterable[Point]) -> Point:
        """Return the first place beside the unit that is well inside, or else the one that is farthest inside."""
        places = np.array([(unit[0] + x, unit[1] + y) for x, y in offsets])
        clear = np.where(self._inside(places), self._clearance(places), -1)
        good = np.flatnonzero(clear >= 6)
        if len(good):
            return _rounded(places[good[0]])
        if clear.max() > 0:
            return _rounded(places[int(clear.argmax())])
        away = np.hypot(*(self._points - unit).T)
        return _rounded(self._points[int((np.minimum(self._clear, 6) - np.abs(away - 14) / 4).argmax())])

    def tag(self, unit: Point) -> Label:
        """Return the place of a tag, below the unit if it fits there."""
        for size in _TAG_SIZES:
            for x, y in self._near(unit, size):
                if self._fits(x, y, 1.1 * size, 0.42 * size):
                    return Label(x, y, size)
        return Label(unit[0], unit[1], _TAG_SIZES[-1])

    def name(self, text: str, unit: Point) -> Name:
        """Return the place and size of a name, on as many lines as make it largest."""
        for size in _NAME_SIZES:
            for lines in _wrapped(text):
                width, height = 0.5 * LETTER * size * max(map(len, lines)), 0.58 * size * len(lines)
                for x, y in self._near(unit, 1.16 * size * len(lines)):
                    if self._fits(x, y, width, height):
                        return Name(lines, x, y, size)
        best = self._points[int(self._clear.argmax())]
        return Name((text,), *_rounded(best), _NAME_SIZES[-1])

    def _near(self, unit: Point, height: float) -> Iterator[Point]:
        """Return places for words: below the unit, above it, then wherever there is room off the unit."""
        away = 0.5 * (UNIT_HEIGHT + height) + 2
        yield (unit[0], round(unit[1] + away, 1))
        yield (unit[0], round(unit[1] - away, 1))
        off = (np.abs(self._points - unit) > (0.5 * UNIT_WIDTH, away)).any(axis=1)
        for point in self._points[off][np.argsort(-self._clear[off], kind="stable")][:40]:
            yield _rounded(point)
        for point in self._points[np.argsort(-self._clear, kind="stable")][:10]:
            yield _rounded(point)

    def _fits(self, x: float, y: float, across: float, down: float) -> bool:
        box = [(x + i * across, y + j * down) for i in (-1, -0.5, 0, 0.5, 1) for j in (-1, 1)]
        return bool(self._inside(np.array(box)).all())


def _wrapped(text: str) -> list[tuple[str, ...]]:
    """Return a text on one line, and also on two and three lines if it has at least that number of words."""
    words = text.split()
    found: list[tuple[str, ...]] = [(text,)]
    for count in range(2, min(3, len(words)) + 1):
        width = max(max(map(len, words)), -(-len(text) // count))
        found.append(tuple(textwrap.wrap(text, width)))
    return found


def _rounded(point: NDArray[np.float64]) -> Point:
    return (round(float(point[0]), 1), round(float(point[1]), 1))
