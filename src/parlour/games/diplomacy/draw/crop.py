"""Finds the part of a drawing that matters in a scene: units, owned centres, and provinces that units can reach."""

from __future__ import annotations

from parlour.games.diplomacy.draw.labels import View
from parlour.games.diplomacy.draw.scene import Scene, province_of
from parlour.games.diplomacy.draw.shapes import Geometry
from parlour.games.diplomacy.maps.map import Map

STEPS = 1
"""Moves from a unit within which a province matters."""
_AROUND = 58.0
"""Margin around the outermost place that matters."""
_MARGIN = 8.0
"""Paper around the name of a sea."""
_SMALLEST = 0.5
"""The least part of the width and height that is shown."""


def cropped(board: Map, geometry: Geometry, scene: Scene) -> View:
    """Return the part of the paper that shows every province that matters, by the places of units, stars and names."""
    xs, ys = [], []
    for tag in _reached(board, scene) | set(scene.centres):
        shape = geometry.provinces[tag]
        places = [shape.unit, (shape.label.x, shape.label.y), *(berth.unit for berth in shape.coasts.values())]
        if shape.centre is not None:
            places.append(shape.centre)
        if shape.sea:
            (x, y), (across, down) = (shape.name.x, shape.name.y), shape.name.reach
            xs += [x - across + _AROUND - _MARGIN, x + across - _AROUND + _MARGIN]
            ys += [y - down + _AROUND - _MARGIN, y + down - _AROUND + _MARGIN]
        xs += [x for x, _ in places]
        ys += [y for _, y in places]
    left, width = _span(xs, geometry.width)
    top, height = _span(ys, geometry.height)
    return left, top, width, height


def _reached(board: Map, scene: Scene) -> set[str]:
    """Return the provinces of all units, and those within STEPS moves of them."""
    tags = {province.tag: province for province in board.provinces}
    found = {(unit.kind == "F", area) for unit in scene.units for area in tags[province_of(unit.area)].areas}
    for _ in range(STEPS):
        found |= {(fleet, end) for fleet, area in found for end in (board.fleet if fleet else board.army)[area]}
    return {board.provinces[board.areas[area].province].tag for _, area in found}


def _span(values: list[float], whole: float) -> tuple[float, float]:
    """Return start and length of the part of a side that contains all values; the whole side if there are none."""
    if not values:
        return 0.0, whole
    low, high = max(0.0, min(values) - _AROUND), min(whole, max(values) + _AROUND)
    missing = max(0.0, _SMALLEST * whole - (high - low))
    low = min(max(0.0, low - missing / 2), whole - (high - low) - missing)
    return round(low, 1), round(min(whole - low, max(high - low, _SMALLEST * whole)), 1)
