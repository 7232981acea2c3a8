"""Reads Natural Earth's countries from the TopoJSON of the npm package world-atlas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from projection import Array
from shapely.geometry import LineString, Polygon, box
from shapely.geometry.base import BaseGeometry
from shapely.ops import linemerge

_WINDOW = (-36, 22, 75, 80.5)
"""West, south, east and north limits of the map, in degrees."""


class Atlas:
    """Countries by their English names: outlines and common borders."""

    def __init__(self, path: Path) -> None:
        topology = json.loads(path.read_text(encoding="utf-8"))
        scale, move = topology["transform"]["scale"], topology["transform"]["translate"]
        self._arcs: list[Array] = [np.cumsum(np.array(arc), 0) * scale + move for arc in topology["arcs"]]
        self._countries: dict[str, Any] = {
            country["properties"]["name"]: country for country in topology["objects"]["countries"]["geometries"]
        }

    def names(self) -> list[str]:
        """Return the names of all countries."""
        return list(self._countries)

    def polygons(self, name: str) -> list[BaseGeometry]:
        """Return the parts of a country that can be on the map."""
        west, south, east, north = _WINDOW
        found = []
        for rings in self._rings(name):
            curves = [curve for curve in map(self._ring, rings) if len(curve) > 3]
            if not curves:
                continue
            (left, low), (right, high) = curves[0].min(axis=0), curves[0].max(axis=0)
            if right >= west and left <= east and high >= south and low <= north:
                found.append(shapely.make_valid(Polygon(curves[0], curves[1:])).intersection(box(*_WINDOW)))
        return [part for part in found if not part.is_empty]

    def border(self, name: str, other: str) -> list[LineString]:
        """Return the common border of two countries in Europe."""
        lines = [LineString(self._arcs[i]) for i in sorted(self._arc_ids(name) & self._arc_ids(other))]
        lines = [line for line in lines if -30 < line.centroid.x < 60 and 25 < line.centroid.y < 75]
        merged = linemerge(lines)
        return [merged] if isinstance(merged, LineString) else list(merged.geoms)

    def _rings(self, name: str) -> list[list[list[int]]]:
        country = self._countries[name]
        kind, arcs = country["type"], country["arcs"]
        return [arcs] if kind == "Polygon" else arcs if kind == "MultiPolygon" else []

    def _arc_ids(self, name: str) -> set[int]:
        return {i if i >= 0 else ~i for rings in self._rings(name) for ring in rings for i in ring}

    def _ring(self, arcs: list[int]) -> Array:
        lines = [self._arcs[i] if i >= 0 else self._arcs[~i][::-1] for i in arcs]
        ring = np.concatenate([lines[0], *(line[1:] for line in lines[1:])])
        if np.abs(np.diff(ring[:, 0])).max() > 180:  # it crosses the antimeridian
            ring[:, 0] = np.where(ring[:, 0] < 0, ring[:, 0] + 360, ring[:, 0])
        return ring
