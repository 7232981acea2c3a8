"""Draws the regions of a map that has no drawing: outlines from its layout, and places for units, names and stars."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise, product

import numpy as np

from parlour.games.diplomacy.draw.cells import Array, Layout, Mesh, layout_of, province_borders
from parlour.games.diplomacy.draw.places import RegionSpace
from parlour.games.diplomacy.draw.planar import Edge
from parlour.games.diplomacy.draw.roughness import COAST, FRONTIER, roughened
from parlour.games.diplomacy.draw.shapes import Berth, Decor, DrawnBorder, Filler, Geometry, Ring, Shape
from parlour.games.diplomacy.draw.svg import Point
from parlour.games.diplomacy.maps.map import Ground, Map, Province

_SAMPLES = 12
"""Points between the ends of a drawn border before it is made rough."""
_SMALLEST = 4200.0
"""Square units that the smallest region should have."""
_LARGEST = 1.8
"""Largest factor by which a layout is enlarged for its smallest region."""
_INWARD = 15.0
"""Distance between a fleet and its shore."""
_STUB = 22.0
"""Length of the part of a bridge that lies within each of its regions."""
Arc = list[Point]


def drawn_regions(board: Map) -> Geometry:
    """Return a geometry of regions for any map."""
    layout = layout_of(board)
    outlines = _Outlines(layout)
    smallest = min(_area(outlines.ring(province.id)) for province in board.provinces)
    layout = layout.enlarged(min(max(1.0, math.sqrt(_SMALLEST / max(smallest, 1.0))), _LARGEST))
    outlines = _Outlines(layout)
    rings = {vertex: outlines.ring(vertex) for vertex in range(layout.mesh.frame)}
    provinces = {p.tag: _shape(board, p, rings[p.id], outlines) for p in board.provinces}
    mesh = layout.mesh
    fillers = {
        f"x{vertex}": Filler("", _is_water(board, around), ((_flat(rings[vertex]),),))
        for vertex, around in _round_fillers(mesh).items()
    }
    borders = province_borders(board)
    units = [provinces[province.tag].unit for province in board.provinces]
    bridges = tuple(
        DrawnBorder(
            units[a],
            units[b],
            *borders[min(a, b), max(a, b)],
            bridge_line(
                [(units[a], rings[a]), (units[b], rings[b])],
                (arc for edge, arc in outlines.arcs.items() if not {a, b} & {*edge} and outlines.is_dry(edge)),
            ),
        )
        for a, b in sorted(mesh.embedding.removed)
    )
    return Geometry(
        about=f"{board.title}, drawn from its borders.",
        width=round(layout.width, 1),
        height=round(layout.height, 1),
        provinces=provinces,
        fillers=fillers,
        decor=Decor(channels=tuple(_flat(outlines.arcs[edge]) for edge in _channels(board) if edge in outlines.arcs)),
        bridges=bridges,
    )


def bridge_line(ends: Iterable[tuple[Point, list[Point]]], borders: Iterable[Arc]) -> tuple[Point, ...]:
    """Return the line of a bridge between two regions, given the unit and the outline of each.

    It follows the shortest border that leads from one to the other, or else runs straight; it continues a little way
    towards each unit.
    """
    (unit, ring), (other_unit, other_ring) = ends
    both_ways = (way for arc in borders for way in (arc, arc[::-1]))
    forth = [way for way in both_ways if way[0] in ring and way[-1] in other_ring]
    shortest = min(product(ring, other_ring), key=lambda ends: math.dist(*ends))
    way = min(forth, key=_length) if forth else shortest
    points = (_stub(unit, ring, way[0]), *way, _stub(other_unit, other_ring, way[-1]))
    return tuple(dict.fromkeys(points))  # regions that touch in a point have one point of the shore in common


def _stub(unit: Point, ring: list[Point], shore: Point) -> Point:
    """Return the end of a bridge: a little way from the shore, or at the unit if the way there leaves the region."""
    end = _towards(unit, shore, _STUB)
    return end if len(RegionSpace(ring).fitting(np.array([end]), (2.0, 2.0))) else unit


def _length(line: Arc) -> float:
    return sum(math.dist(*step) for step in pairwise(line))


def _towards(unit: Point, shore: Point, inward: float) -> Point:
    """Return the point at that distance from a shore on the way to a unit, or the unit's place if it is closer."""
    far = max(math.dist(shore, unit), 1e-6)
    part = min(inward, far) / far
    return (round(shore[0] + part * (unit[0] - shore[0]), 1), round(shore[1] + part * (unit[1] - shore[1]), 1))


def _channels(board: Map) -> list[Edge]:
    """Return the pairs of coasts between which fleets pass and armies do not."""
    return [
        (a, b)
        for (a, b), (army, _) in sorted(province_borders(board).items())
        if not army and Ground.SEA not in (board.provinces[a].kind, board.provinces[b].kind)
    ]


def _round_fillers(mesh: Mesh) -> dict[int, list[int]]:
    """Return the provinces round each filler, once for each triangle."""
    found: dict[int, list[int]] = {v: [] for v in range(len(mesh.board.provinces), mesh.frame)}
    for triangle in mesh.triangles:
        for vertex in triangle:
            if vertex in found:
                found[vertex] += [other for other in triangle if other < len(mesh.board.provinces)]
    return found


def _is_water(board: Map, around: list[int]) -> bool:
    return 2 * sum(board.provinces[v].kind is Ground.SEA for v in around) > len(around)


def _area(ring: list[Point]) -> float:
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, [*ring[1:], ring[0]], strict=True))) / 2


def _flat(points: Iterable[Point]) -> Ring:
    return tuple(value for point in points for value in point)


class _Outlines:
    """The borders of a layout as smooth lines, each computed once, so that neighbours share every point."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.mesh = layout, layout.mesh
        self._places: Array = layout.places
        self._weights = self._weighed()
        self._sides: dict[Edge, list[int]] = {}
        for number, triangle in enumerate(self.mesh.triangles):
            a, b, c = triangle
            for p, q in ((a, b), (b, c), (c, a)):
                if max(p, q) < self.mesh.frame:
                    self._sides.setdefault((min(p, q), max(p, q)), []).append(number)
        self._round_fillers = _round_fillers(self.mesh)
        self._ends = [self._end(number) for number in range(len(self.mesh.triangles))]
        self.arcs = {edge: self._arc(edge) for edge in self._sides}

    def _weighed(self) -> list[float]:
        """Return the weight with which each vertex attracts the corners of regions: heavy fillers stay small."""
        mesh = self.mesh
        weights = [1.0] * len(mesh.board.provinces) + [2.5] * (mesh.frame - len(mesh.board.provinces))
        for filler, face in mesh.fillers.items():
            weights[filler] = 6.0 if len(face) == 4 else 2.0
        return weights

    def _end(self, number: int) -> Point:
        """Return the point where the borders of a triangle meet: within the triangle, or at the frame."""
        triangle = self.mesh.triangles[number]
        on_frame = [vertex for vertex in triangle if vertex >= self.mesh.frame]
        if on_frame:
            return _rounded(self._places[max(on_frame)])
        weights = np.array([self._weights[vertex] for vertex in triangle])
        return _rounded(weights @ self._places[list(triangle)] / weights.sum())

    def _arc(self, edge: Edge) -> Arc:
        """Return the border of two regions from one end to the other."""
        a, b = edge
        ends = [self._ends[number] for number in self._sides[edge]]
        start, stop = np.array(ends[0]), np.array(ends[-1])
        wa, wb = self._weights[a], self._weights[b]
        middle = (wa * self._places[a] + wb * self._places[b]) / (wa + wb)
        if not _passes(self._places[a], self._places[b], start, stop):
            return [ends[0], _rounded(middle), ends[-1]]
        steps = np.linspace(0, 1, _SAMPLES + 2)[:, None]
        curve = (1 - steps) ** 2 * start + 2 * steps * (1 - steps) * middle + steps**2 * stop
        # Between the places of two neighbours and the ends of their border nothing else is drawn.
        room = np.array([self._places[a], start, self._places[b], stop])
        curve = roughened(curve, room, self._stray(edge), f"{a} {b}")
        points = [ends[0], *map(_rounded, curve[1:-1]), ends[-1]]
        return [point for at, point in enumerate(points) if at == 0 or point != points[at - 1]]

    def _stray(self, edge: Edge) -> float:
        """Return the roughness of a border: most for coasts, none for borders between seas."""
        seas = sum(self._is_sea(vertex) for vertex in edge)
        return 0.0 if seas == 2 else COAST if seas else FRONTIER

    def is_dry(self, edge: Edge) -> bool:
        """Return True if a border has land on both sides."""
        return not any(map(self._is_sea, edge))

    def _is_sea(self, vertex: int) -> bool:
        provinces = self.mesh.board.provinces
        if vertex < len(provinces):
            return provinces[vertex].kind is Ground.SEA
        return _is_water(self.mesh.board, self._round_fillers[vertex])

    def ring(self, vertex: int) -> list[Point]:
        """Return the outline of a region: its borders, joined where they meet."""
        left = [(*self._meet(edge), arc) for edge, arc in self.arcs.items() if vertex in edge]
        if vertex in self.mesh.outer:
            at, count = self.mesh.outer.index(vertex), len(self.mesh.outer)
            ends = (self.mesh.frame + each % count for each in (at - 1, at))
            first, last = (-1 - end for end in ends)
            left.append((first, last, self._along_frame(vertex)))
        _, end, ring = left.pop(0)
        ring = list(ring)
        while left:
            number = next(number for number, (first, last, _) in enumerate(left) if end in (first, last))
            first, last, arc = left.pop(number)
            ring += (arc if first == end else arc[::-1])[1:]
            end = last if first == end else first
        ring = ring[:-1] if ring[0] == ring[-1] else ring
        return [point for at, point in enumerate(ring) if point != ring[at - 1]] or ring

    def _meet(self, edge: Edge) -> tuple[int, int]:
        """Return the two ends of a border: numbers of triangles, or, below 0, points of the frame."""
        ends = []
        for number in (self._sides[edge][0], self._sides[edge][-1]):
            on_frame = max(self.mesh.triangles[number])
            ends.append(number if on_frame < self.mesh.frame else -1 - on_frame)
        return ends[0], ends[1]

    def _along_frame(self, vertex: int) -> Arc:
        """Return the part of the frame that belongs to a region, with the corners of the paper on the way."""
        at, count = self.mesh.outer.index(vertex), len(self.mesh.outer)
        start, stop = (self._places[self.mesh.frame + each % count] for each in (at - 1, at))
        width, height = self.layout.width, self.layout.height
        whole = 2 * (width + height)
        first, last = (_way(point, width, height) for point in (start, stop))
        forth = (last - first) % whole
        corners = [
            (0.0, (0.0, 0.0)),
            (width, (width, 0.0)),
            (width + height, (width, height)),
            (2 * width + height, (0.0, height)),
        ]
        if forth <= whole / 2:
            passed = sorted(
                ((far - first) % whole, corner) for far, corner in corners if 0 < (far - first) % whole < forth
            )
        else:
            back = whole - forth
            passed = sorted(
                ((first - far) % whole, corner) for far, corner in corners if 0 < (first - far) % whole < back
            )
        return [_rounded(start), *(_rounded(np.array(corner)) for _, corner in passed), _rounded(stop)]


def _way(point: Array, width: float, height: float) -> float:
    """Return the distance along the frame of a point on the frame."""
    x, y = float(point[0]), float(point[1])
    if y <= 1e-9:
        return x
    if x >= width - 1e-9:
        return width + y
    if y >= height - 1e-9:
        return 2 * width + height - x
    return 2 * (width + height) - y


def _passes(a: Array, b: Array, start: Array, stop: Array) -> bool:
    """Return True if the line through start and stop crosses the line from a to b, and not close to a or b."""
    along, way = b - a, stop - start
    turn = along[0] * way[1] - along[1] * way[0]
    if abs(turn) < 1e-9:
        return False
    far = ((start[0] - a[0]) * way[1] - (start[1] - a[1]) * way[0]) / turn
    return bool(0.02 < far < 0.98)


def _rounded(point: Array) -> Point:
    return (round(float(point[0]), 1), round(float(point[1]), 1))


def _shape(board: Map, province: Province, ring: list[Point], outlines: _Outlines) -> Shape:
    room = RegionSpace(ring)
    unit = room.unit()
    label = room.tag(province.tag, unit)
    return Shape(
        polygons=((_flat(ring),),),
        unit=unit,
        dislodged=room.beside(unit, ((17, -15), (-17, -15), (17, 12), (-17, 12))),
        label=label,
        name=room.name(province.name, province.tag, unit),
        sea=province.kind is Ground.SEA,
        centre=room.beside(unit, ((-22, -9), (22, -9), (-21, 9), (21, 9), (0, -20))) if province.centre else None,
        realm=None if province.home is None else board.powers[province.home].name,
        coasts={
            coast: _berth(board, province, number, unit, outlines) for number, coast in enumerate(province.coasts, 1)
        },
    )


def _berth(board: Map, province: Province, number: int, unit: Point, outlines: _Outlines) -> Berth:
    """Return the place of a fleet on one shore: beside the waters that the fleet can sail to."""
    near = {board.areas[there].province for there in board.fleet[province.area + number]}
    seas = {each for each in near if board.provinces[each].kind is Ground.SEA} or near
    edges = [(min(each, province.id), max(each, province.id)) for each in sorted(seas)]
    arcs = [outlines.arcs[edge] for edge in edges if edge in outlines.arcs]
    if not arcs:
        return Berth(unit, unit)
    arc = max(arcs, key=lambda points: math.dist(points[0], points[-1]))
    shore = arc[len(arc) // 2]
    at = _towards(unit, shore, _INWARD)
    return Berth(at, (round(at[0] + 13, 1), round(at[1] - 11, 1)))
