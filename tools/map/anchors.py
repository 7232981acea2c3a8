"""Searches places for a province's unit, tag, supply centre and dislodged unit that keep clear of one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from pen import XY
from places import Wish
from projection import HEIGHT, WIDTH, Array
from scipy.ndimage import minimum_filter
from shapely.geometry import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry
from simplify import Rings

UNIT = (31.0, 26.0)
"""Width and height of a unit's symbol."""

_SIZES = (13, 12, 11)
_PAD = 30


@dataclass(frozen=True)
class Anchors:
    """The places that the search found."""

    unit: XY
    label: XY
    size: float
    centre: XY | None
    dislodged: XY


def shape_of(parts: list[Rings]) -> BaseGeometry:
    """Return the polygons of a province as one shape."""
    return MultiPolygon([Polygon(rings[0], rings[1:]) for rings in parts]).buffer(0)


class Clearance:
    """The clearance of boxes within a province: the distance to its border, for a box at any whole point."""

    def __init__(self, shape: BaseGeometry) -> None:
        x0, y0, x1, y1 = (int(v) for v in shape.bounds)
        self.xs = np.arange(x0 - _PAD, x1 + _PAD + 1)
        self.ys = np.arange(y0 - _PAD, y1 + _PAD + 1)
        self.grid_x, self.grid_y = np.meshgrid(self.xs, self.ys)
        inside = shapely.contains_xy(shape, self.grid_x, self.grid_y)
        depth = shapely.distance(shapely.points(self.grid_x, self.grid_y), shape.boundary) * np.where(inside, 1, -1)
        at_frame = np.minimum(
            np.minimum(self.grid_x - 4, WIDTH - 4 - self.grid_x), np.minimum(self.grid_y - 4, HEIGHT - 4 - self.grid_y)
        )
        self._depth = np.minimum(depth, at_frame)
        self.for_centre = self.of(9, 9)

    def of(self, width: float, height: float) -> Array:
        """Return the clearance of a box for every whole point."""
        found: Array = minimum_filter(self._depth, size=(int(height) + 1, int(width) + 1), mode="nearest")
        return found

    def at(self, values: Array, x: Array, y: Array) -> Array:
        """Return the values at some points."""
        row = np.clip((np.round(y) - self.ys[0]).astype(int), 0, len(self.ys) - 1)
        column = np.clip((np.round(x) - self.xs[0]).astype(int), 0, len(self.xs) - 1)
        found: Array = values[row, column]
        return found


def _worth(clearance: Array, enough: float) -> Array:
    """Return a score: more clearance is better up to enough, and outside counts three times."""
    return np.where(clearance < 0, 3 * clearance, np.minimum(clearance, enough))


def search(parts: list[Rings], city: XY | None, wish: Wish) -> Anchors:
    """Return the best places in a province; city is the wanted place of its supply centre, if it has one."""
    shape = shape_of(parts)
    room = Clearance(shape)
    for_unit = room.of(*UNIT)
    units = np.array([wish.unit], float) if wish.unit else _unit_places(room, for_unit)
    middle = np.array((shape.centroid if shape.contains(shape.centroid) else shape.representative_point()).coords[0])
    base = 3.2 * _worth(room.at(for_unit, *units.T), 6) - 0.03 * np.hypot(*(units - middle).T)
    centres = _centre_places(room, city, wish)
    best = -np.inf
    found: tuple[Array, Array, float, Array | None] | None = None
    for size in (wish.size,) if wish.size else _SIZES:
        for_label = room.of(2.5 * size, 0.82 * size)
        for dx, dy, cost in _offsets(size, wish):
            labels = np.array([[dx, dy]]) + (0 if wish.label else units)
            labels = np.broadcast_to(labels, units.shape)
            score = base + 3 * _worth(room.at(for_label, *labels.T), 3.5) - cost * 1.4 + size * 0.9
            if score.max() + 8 < best:
                continue
            for centre, penalty in centres:
                total = score - penalty
                if centre is not None:
                    total = total + _centre_worth(room, centre, units, labels, size)
                k = int(total.argmax())
                if total[k] > best:
                    best, found = float(total[k]), (units[k], labels[k], size, centre)
    assert found is not None
    unit, label, size, centre = found
    dislodged = wish.dislodged or _rounded(_dislodged(room, for_unit, unit, label, size, centre))
    return Anchors(_rounded(unit), _rounded(label), size, None if centre is None else _rounded(centre), dislodged)


def _unit_places(room: Clearance, for_unit: Array) -> Array:
    even = (room.grid_x % 2 == 0) & (room.grid_y % 2 == 0) & (for_unit > -6)
    return np.stack([room.grid_x[even], room.grid_y[even]], 1).astype(float)


def _centre_places(room: Clearance, city: XY | None, wish: Wish) -> list[tuple[Array | None, float]]:
    """Return the possible places of the centre and the cost of each; the nearest to the city costs nothing."""
    if city is None:
        return [(None, 0.0)]
    if wish.centre:
        return [(np.array(wish.centre, float), 0.0)]
    clearance = room.for_centre
    cells = np.argwhere(clearance > 1.5)
    if not len(cells):
        cells = np.argwhere(clearance >= clearance.max() - 0.3)
    places = np.stack([room.xs[cells[:, 1]], room.ys[cells[:, 0]]], 1).astype(float)
    away = np.hypot(*(places - np.array(city)).T)
    found: list[tuple[Array | None, float]] = [(places[away.argmin()], 0.0)]
    coarse = (places[:, 0] % 4 == 0) & (places[:, 1] % 4 == 0) & (away < 60)
    found += [(place, 2.0 + 0.12 * far) for place, far in zip(places[coarse], away[coarse], strict=True)]
    return found


def _centre_worth(room: Clearance, centre: Array, units: Array, labels: Array, size: float) -> Array:
    """Return a score of a centre: it should be inside, and apart from unit and label."""
    inside = 2 * _worth(room.at(room.for_centre, centre[None, 0], centre[None, 1]), 3)[0]
    half = np.array(UNIT) / 2 + 5.5
    from_unit = np.maximum(*(np.abs(units - centre) - half).T)
    from_label = np.maximum(*(np.abs(labels - centre) - (1.25 * size + 6, 0.41 * size + 6)).T)
    worth: Array = inside + 4 * np.minimum(from_unit, 0) + 4 * np.minimum(from_label, 0)
    return worth


def _offsets(size: float, wish: Wish) -> Iterator[tuple[float, float, float]]:
    """Yield the offsets of a label from its unit, and their costs: below is best, then above, then beside."""
    if wish.label:
        yield (*wish.label, 0.0)
        return
    width, height = 2.5 * size, 0.82 * size
    down = UNIT[1] / 2 + height / 2 + 1.5
    across = UNIT[0] / 2 + width / 2 + 1.5
    for dx in range(-16, 17, 4):
        for dy, cost in ((down, 0.0), (down + 4, 0.5), (-down, 0.7), (-down - 4, 1.2)):
            yield dx, dy, cost + 0.06 * abs(dx)
    for dy in range(-12, 13, 4):
        for dx_, cost in ((across, 1.2), (-across, 1.2), (across + 5, 1.6), (-across - 5, 1.6)):
            yield dx_, dy, cost + 0.03 * abs(dy)


def _dislodged(room: Clearance, for_unit: Array, unit: Array, label: Array, size: float, centre: Array | None) -> Array:
    """Return a place beside the unit, apart from its label and centre."""
    others = [(label, 2.5 * size, 0.82 * size)] + ([] if centre is None else [(centre, 9.0, 9.0)])
    best, found = -np.inf, unit
    for reach in (25, 23, 27):
        for angle in np.radians(np.arange(0, 360, 15)):
            place = unit + reach * np.array([np.cos(angle), np.sin(angle)])
            score = 1.5 * _worth(room.at(for_unit, place[None, 0], place[None, 1]), 4)[0] - 0.5 * abs(reach - 25)
            for other, width, height in others:
                gap = np.abs(place - other) - np.array([UNIT[0] + width, UNIT[1] + height]) / 2
                score += 1.2 * min(0.0, float(gap.max()))
            if score > best:
                best, found = score, place
    return found


def _rounded(place: Array) -> XY:
    return round(float(place[0]), 1), round(float(place[1]), 1)
