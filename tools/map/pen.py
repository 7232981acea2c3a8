"""Draws lines on paper: smooth through points, with the grain of surveyed borders, or along today's borders."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from atlas import Atlas
from borders import Line, LonLat, Shared
from projection import Array, points, project
from shapely.geometry import LineString, Point
from shapely.ops import linemerge, substring

XY = tuple[float, float]


def smooth(path: Sequence[XY], steps: int = 10) -> list[XY]:
    """Return a centripetal Catmull-Rom curve through points."""
    if len(path) == 2:
        return list(path)
    through = [np.array(point, float) for point in path]
    knots = [2 * through[0] - through[1], *through, 2 * through[-1] - through[-2]]
    out: list[XY] = []
    for quad in zip(knots, knots[1:], knots[2:], knots[3:], strict=False):
        out.extend(_segment(quad, steps))
    return [path[0], *out[1:], path[-1]]


def _segment(quad: tuple[Array, Array, Array, Array], steps: int) -> list[XY]:
    times = [0.0]
    for a, b in pairwise(quad):
        times.append(times[-1] + float(np.linalg.norm(b - a)) ** 0.5 + 1e-9)

    def mixed(p: Array, q: Array, start: float, end: float, t: float) -> Array:
        return (end - t) / (end - start) * p + (t - start) / (end - start) * q

    t0, t1, t2, t3 = times
    out: list[XY] = []
    for step in range(steps):
        t = t1 + (t2 - t1) * step / steps
        sides = [mixed(quad[i], quad[i + 1], times[i], times[i + 1], t) for i in range(3)]
        before, after = mixed(sides[0], sides[1], t0, t2, t), mixed(sides[1], sides[2], t1, t3, t)
        x, y = mixed(before, after, t1, t2, t)
        out.append((float(x), float(y)))
    return out


class Pen:
    """Draws lines with a fixed seed, so that they are the same every time."""

    def __init__(self, atlas: Atlas) -> None:
        self._atlas = atlas
        self._chance = random.Random(1901)

    def whole(self, country: str, other: str) -> list[LineString]:
        """Return a whole border of today."""
        return [LineString(project(np.array(line.coords))) for line in self._atlas.border(country, other)]

    def land(self, line: Line) -> LineString:
        """Return a border on land: hand-placed points get grain, today's borders stay as they are."""
        drawn: list[XY] = []
        waiting: list[LonLat] = []
        for part in line.parts:
            if isinstance(part, Shared):
                along = self._shared(part)
                self._free(drawn, waiting, [along[0]], line.grain)
                drawn.extend(along[1:] if drawn else along)
                waiting = []
            else:
                waiting.append(part)
        if waiting:
            self._free(drawn, waiting, [], line.grain)
        return LineString(drawn)

    def rough(self, path: Sequence[XY], grain: float, shortest: float = 3.2) -> list[XY]:
        """Return the path with randomly displaced midpoints, repeatedly, down to the shortest step."""
        line = LineString(path)
        count = max(2, round(line.length / 13))
        steps = [np.array(line.interpolate(i / count, normalized=True).coords[0]) for i in range(count + 1)]
        steps[0], steps[-1] = np.array(path[0], float), np.array(path[-1], float)  # ends are shared exactly
        finer = True
        while finer and len(steps) <= 900:
            finer = False
            out = []
            for a, b in pairwise(steps):
                out.append(a)
                if np.linalg.norm(b - a) > shortest:
                    finer = True
                    across = np.array([-(b - a)[1], (b - a)[0]])
                    out.append((a + b) / 2 + across * self._chance.gauss(0, grain))
            steps = [*out, steps[-1]]
        return [(float(x), float(y)) for x, y in steps]

    def ring(self, path: Sequence[LonLat]) -> list[XY]:
        """Return a closed shore, smoothed and then roughened."""
        corners = points(path)
        around = smooth([*corners[-2:], *corners, *corners[:2]], 6)[12:-12]
        return self.rough([*around, around[0]], 0.07, 3.0)

    def _free(self, drawn: list[XY], waiting: list[LonLat], onward: list[XY], grain: float) -> None:
        """Append the waiting hand-placed points, from the end of the line to its continuation."""
        path = [*drawn[-1:], *(points(waiting) if waiting else []), *onward]
        if len(path) > 1:
            rough = self.rough(smooth(path), grain)
            drawn.extend(rough[1:] if drawn else rough)

    def _shared(self, part: Shared) -> list[XY]:
        merged = linemerge(self.whole(part.country, part.other))
        line = merged if isinstance(merged, LineString) else max(merged.geoms, key=lambda part: part.length)

        def along(place: LonLat) -> float:
            at = line.project(Point(points([place])[0]))
            return 0 if at < 4 else line.length if at > line.length - 4 else at

        start, end = along(part.start), along(part.end)
        cut = [(x, y) for x, y in substring(line, min(start, end), max(start, end)).coords]
        return cut if start <= end else cut[::-1]
