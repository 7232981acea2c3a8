"""Finds places within an outline: for a unit, for the marks beside it, for a tag and for a name that fits."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from parlour.games.diplomacy.draw.shapes import Label, Name
from parlour.games.diplomacy.draw.svg import Point
from parlour.games.diplomacy.draw.symbols import UNIT_HEIGHT, UNIT_WIDTH

_GRID = 26
_TAG_SIZES = (12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0)
_NAME_SIZES = (12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0)


Points = NDArray[np.float64]
"""An array with one point, x and y, per row."""


class RegionSpace:
    """The room within an outline: a ring, and the rings of its holes."""

    def __init__(self, *rings: Sequence[Point]) -> None:
        self._corners = np.vstack([np.array(ring, np.float64) for ring in rings])
        self._following = np.vstack([np.roll(np.array(ring, np.float64), -1, axis=0) for ring in rings])
        low, high = self._corners.min(axis=0), self._corners.max(axis=0)
        across, down = (np.linspace(low[axis], high[axis], _GRID + 2)[1:-1] for axis in (0, 1))
        points = np.array([(x, y) for y in down for x in across])
        self._points = points[self._inside(points)]
        self._clear = self._clearance(self._points)
        if not len(self._points):  # the outline is narrower than the steps of the grid
            self._points, self._clear = self._corners.mean(axis=0)[None], np.zeros(1)

    def _inside(self, points: Points) -> NDArray[np.bool_]:
        (ax, ay), (bx, by) = self._corners.T, self._following.T
        x, y = points[:, 0, None], points[:, 1, None]
        spans = (ay > y) != (by > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = (bx - ax) * (y - ay) / (by - ay) + ax
        return np.asarray((spans & (x < crossing)).sum(axis=1) % 2 == 1)

    def _clearance(self, points: Points) -> Points:
        """Return the distance of each point from the outline."""
        along = self._following - self._corners
        size = np.maximum((along**2).sum(axis=1), 1e-9)
        way = points[:, None] - self._corners[None]
        part = np.clip((way * along).sum(axis=2) / size, 0, 1)
        apart = way - part[:, :, None] * along[None]
        found: Points = np.sqrt((apart**2).sum(axis=2)).min(axis=1, initial=np.inf)
        return found

    def unit(self) -> Point:
        """Return the place of a unit: far from the outline, with room for a tag below it if possible."""
        below = self._points + np.array([0, 0.5 * UNIT_HEIGHT + 8])
        room = np.minimum(self._clear, 30) + 0.1 * self._clear
        room += 0.7 * np.where(self._inside(below), np.minimum(self._clearance(below), 9), -9)
        room -= 0.05 * np.hypot(*(self._points - self._points.mean(axis=0)).T)
        return _rounded(self._points[int(room.argmax())])

    def beside(self, unit: Point, offsets: Iterable[Point]) -> Point:
        """Return the first place beside the unit that is well inside, or else the place farthest inside."""
        places = np.array([(unit[0] + x, unit[1] + y) for x, y in offsets])
        clear = np.where(self._inside(places), self._clearance(places), -1)
        good = np.flatnonzero(clear >= 6)
        if len(good):
            return _rounded(places[good[0]])
        if clear.max() > 0:
            return _rounded(places[int(clear.argmax())])
        away = np.hypot(*(self._points - unit).T)
        return _rounded(self._points[int((np.minimum(self._clear, 6) - np.abs(away - 14) / 4).argmax())])

    def tag(self, tag: str, unit: Point) -> Label:
        """Return the place and size of a tag: as large as the outline allows, below the unit if the tag fits there."""
        for size in _TAG_SIZES:
            label = Label(*unit, size)
            found = self.fitting(self._near(unit, 0.8 * size), label.reach(tag))
            if len(found):
                return Label(*_rounded(found[0]), size)
        return Label(*_rounded(self._points[int(self._clear.argmax())]), _TAG_SIZES[-1])

    def name(self, name: str, tag: str, unit: Point) -> Name:
        """Return the place, size and lines of a name at its largest; of the tag if the name has no room."""
        for text, sizes in ((name, _NAME_SIZES), (tag, _TAG_SIZES)):
            for size in sizes:
                for lines in wrapped(text):
                    words = Name(lines, *unit, size)
                    found = self.fitting(self._near(unit, 2 * words.reach[1]), words.reach)
                    if len(found):
                        return Name(lines, *_rounded(found[0]), size)
        return Name((tag,), *_rounded(self._points[int(self._clear.argmax())]), _TAG_SIZES[-1])

    def _near(self, unit: Point, height: float) -> Points:
        """Return places for words: below the unit, above it, then wherever there is room, off the unit first."""
        away = 0.5 * (UNIT_HEIGHT + height) + 2
        off = (np.abs(self._points - unit) > (0.5 * UNIT_WIDTH, away)).any(axis=1)
        order = np.lexsort((-self._clear, ~off))
        return np.vstack([(unit[0], unit[1] + away), (unit[0], unit[1] - away), self._points[order]])

    def fitting(self, places: Points, reach: Point, turn: float = 0) -> Points:
        """Return the places at which a box of that half size lies wholly inside; `turn` is its rotation in degrees.

        The box lies inside if its middle does and no edge of the outline meets it.
        """
        angle = math.radians(turn)
        along = np.array([(math.cos(angle), -math.sin(angle)), (math.sin(angle), math.cos(angle))])
        across, down = reach
        middle = ((self._corners + self._following) / 2)[None] - places[:, None]
        (mx, my), (hx, hy) = np.moveaxis(middle @ along, 2, 0), ((self._following - self._corners) / 2 @ along).T
        apart = (np.abs(mx) > across + np.abs(hx)) | (np.abs(my) > down + np.abs(hy))
        apart |= np.abs(mx * hy - my * hx) > across * np.abs(hy) + down * np.abs(hx)
        found: Points = places[self._inside(places) & apart.all(axis=1)]
        return found


def wrapped(text: str) -> list[tuple[str, ...]]:
    """Return the ways to write a text: on one line, and on two or three lines if it has enough words."""
    words = text.split()
    found: list[tuple[str, ...]] = [(text,)]
    for count in range(2, min(3, len(words)) + 1):
        width = max(max(map(len, words)), -(-len(text) // count))
        found.append(tuple(textwrap.wrap(text, width)))
    return found


def _rounded(point: NDArray[np.float64]) -> Point:
    return (round(float(point[0]), 1), round(float(point[1]), 1))
