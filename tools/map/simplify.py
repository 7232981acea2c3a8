"""Simplifies regions arc by arc, so that neighbours still share their borders exactly."""

from __future__ import annotations

import heapq
from itertools import pairwise

from pen import XY
from regions import FRAME, polygons
from shapely.geometry import Polygon
from shapely.geometry.base import BaseGeometry

Rings = list[list[XY]]


def simplified(regions: dict[str, BaseGeometry], wet: set[str]) -> dict[str, list[Rings]]:
    """Return the polygons of each region, rounded to tenths and simplified by the kind of border."""
    kept: set[XY] = set()
    for arc, owners in _arcs(regions):
        waters = sum(owner in wet for owner in owners)
        is_coast = waters == 1 and len(owners) == 2
        kept |= set(_visvalingam(arc, 1.05 if is_coast else 0.35 if waters == 2 else 0.95))
    out = {tag: [_polygon(part, kept) for part in polygons(shape)] for tag, shape in regions.items()}
    result = {tag: [rings for rings in parts if rings] for tag, parts in out.items()}
    invalid = [tag for tag, parts in result.items() for rings in parts if not Polygon(rings[0], rings[1:]).is_valid]
    if invalid:
        raise SystemExit(f"rounding made these regions cross themselves: {invalid}")
    return result


def _key(point: tuple[float, ...]) -> XY:
    return round(point[0], 4), round(point[1], 4)


def _polygon(part: Polygon, kept: set[XY]) -> Rings:
    rings: Rings = []
    for ring in (part.exterior, *part.interiors):
        corners = [(round(x, 1), round(y, 1)) for x, y in map(_key, ring.coords[:-1]) if (x, y) in kept]
        corners = [corner for i, corner in enumerate(corners) if corner != corners[i - 1]]
        if len(corners) >= 3:
            rings.append(_without_spikes(corners))
    return rings


def _without_spikes(ring: list[XY]) -> list[XY]:
    """Return the ring without the zero-width spikes that rounding leaves behind."""
    i = 0
    while i < len(ring) and len(ring) > 3:
        if ring[i - 1] == ring[(i + 1) % len(ring)]:
            for j in sorted({i, (i + 1) % len(ring)}, reverse=True):
                del ring[j]
            i = 0
        else:
            i += 1
    return ring


def _arcs(regions: dict[str, BaseGeometry]) -> list[tuple[list[XY], tuple[str, ...]]]:
    """Return all borders, cut where three regions meet, each with its owners."""
    beside: dict[XY, list[XY]] = {}
    owners: dict[frozenset[XY], list[str]] = {}
    for tag, shape in regions.items():
        for ring in (ring for part in polygons(shape) for ring in (part.exterior, *part.interiors)):
            corners = [_key(corner) for corner in ring.coords[:-1]]
            for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
                if a != b:
                    for here, there in ((a, b), (b, a)):
                        if there not in beside.setdefault(here, []):
                            beside[here].append(there)
                    owners.setdefault(frozenset((a, b)), []).append(tag)
    nodes = {_key(corner) for corner in FRAME.exterior.coords}
    for here, others in beside.items():
        if len(others) != 2 or len({tuple(sorted(owners[frozenset((here, other))])) for other in others}) > 1:
            nodes.add(here)
    found: list[tuple[list[XY], tuple[str, ...]]] = []
    done: set[frozenset[XY]] = set()
    # Rings without a node come last; they may begin anywhere.
    for start in [*sorted(nodes & set(beside)), *sorted(beside)]:
        for step in beside[start]:
            if frozenset((start, step)) not in done:
                arc = _walk(start, step, beside, nodes)
                done |= {frozenset(edge) for edge in pairwise(arc)}
                found.append((arc, tuple(sorted(owners[frozenset(arc[:2])]))))
    return found


def _walk(start: XY, step: XY, beside: dict[XY, list[XY]], nodes: set[XY]) -> list[XY]:
    arc = [start, step]
    while arc[-1] not in nodes and arc[-1] != arc[0]:
        first, second = beside[arc[-1]]
        arc.append(second if first == arc[-2] else first)
    return arc


def _visvalingam(arc: list[XY], tolerance: float) -> list[XY]:
    """Return the arc without its corners of small triangles, removed smallest first, up to the tolerated area."""
    count = len(arc)
    before, after = list(range(-1, count - 1)), list(range(1, count + 1))
    alive = [True] * count

    def area(i: int) -> float:
        (ax, ay), (bx, by), (cx, cy) = arc[before[i]], arc[i], arc[after[i]]
        return abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2

    areas = {i: area(i) for i in range(1, count - 1)}
    heap = [(value, i) for i, value in areas.items()]
    heapq.heapify(heap)
    left, fewest = count, 8 if arc[0] == arc[-1] else 2
    while heap:
        value, i = heapq.heappop(heap)
        if not alive[i] or areas[i] != value:
            continue
        if value > tolerance or left <= fewest:
            break
        alive[i] = False
        left -= 1
        a, b = before[i], after[i]
        after[a], before[b] = b, a
        for j in (a, b):
            if 0 < j < count - 1:
                areas[j] = area(j)
                heapq.heappush(heap, (areas[j], j))
    return [point for point, stays in zip(arc, alive, strict=True) if stays]
