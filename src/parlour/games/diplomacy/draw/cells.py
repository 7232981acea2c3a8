"""Lays out a map that has no drawing as regions: two of them share a border exactly if a unit can pass.

The borders are embedded in the plane, faces of more than three corners get a filler, and the frame a ring of points.
The triangles are laid out after Tutte and relaxed, so that their sizes become similar. Then each province takes its
part of every triangle around it. Borders that cannot be drawn without crossings are bridges. The same map gives the
same layout.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parlour.games.diplomacy.draw.planar import Edge, Embedding, embedded
from parlour.games.diplomacy.draw.svg import Point
from parlour.games.diplomacy.maps.map import Map

Array = NDArray[np.float64]
Triangle = tuple[int, int, int]

ROOM = 15_000.0
"""Square units of paper per province."""
_TURNS = 24
_ROUNDS = 400
_AT_FRAME = 3.0
_FEW = 40
"""A second embedding is tried if fewer borders than this are left out."""
_UP = {
    "NC": (0, -1),
    "SC": (0, 1),
    "EC": (1, 0),
    "WC": (-1, 0),
    "NE": (1, -1),
    "SE": (1, 1),
    "SW": (-1, 1),
    "NW": (-1, -1),
}
"""The direction of each shore of a split province on paper."""


def province_borders(board: Map) -> dict[Edge, tuple[bool, bool]]:
    """Return the pairs of bordering provinces, lower id first: True if armies can pass, True if fleets can."""
    found: dict[Edge, tuple[bool, bool]] = {}
    for kind, reach in enumerate((board.army, board.fleet)):
        for area, others in enumerate(reach):
            for other in others:
                a, b = sorted((board.areas[area].province, board.areas[other].province))
                army, fleet = found.get((a, b), (False, False))
                found[a, b] = (army or kind == 0, fleet or kind == 1)
    return found


@dataclass(frozen=True)
class Mesh:
    """Triangles between provinces, fillers and the points of the frame."""

    board: Map
    embedding: Embedding
    outer: list[int]
    """The vertices along the frame, in their order."""
    triangles: list[Triangle]
    fillers: dict[int, list[int]]
    """The neighbours round each filler, in order."""
    count: int
    """Number of vertices: provinces, fillers, then the points of the frame."""

    @property
    def frame(self) -> int:
        """The number of the frame's first vertex."""
        return self.count - len(self.outer)

    @cached_property
    def corners(self) -> NDArray[np.int64]:
        """The triangles as an array."""
        return np.array(self.triangles, np.int64)


def mesh_of(board: Map) -> Mesh:
    """Return the triangles of a map."""
    borders = province_borders(board)
    embedding = _embedding(board, list(borders))
    outer = _outer(board, embedding)
    inner = [face for face in embedding.faces if face is not outer]
    fillers: dict[int, list[int]] = {}
    triangles: list[Triangle] = []
    count = embedding.count
    for face in inner:
        if len(face) == 3:
            triangles.append((face[0], face[1], face[2]))
            continue
        fillers[count] = face
        triangles += [(a, b, count) for a, b in zip(face, [*face[1:], face[0]], strict=True)]
        count += 1
    ring = outer[::-1]
    for at, vertex in enumerate(ring):
        beyond, before = count + at, count + (at - 1) % len(ring)
        after = ring[(at + 1) % len(ring)]
        triangles += [(after, vertex, beyond), (vertex, before, beyond)]
    return Mesh(board, embedding, ring, triangles, fillers, count + len(ring))


def _embedding(board: Map, borders: list[Edge]) -> Embedding:
    """Return the better of two embeddings: one with the likeliest borders first, one with the failed borders first."""
    near: list[set[int]] = [set() for _ in board.provinces]
    for a, b in borders:
        near[a].add(b)
        near[b].add(a)
    places = [province.at for province in board.provinces]

    def likeliest(edge: Edge) -> tuple[float, ...]:
        a, b = edge
        start, end = places[a], places[b]
        length = math.dist(start, end) if start and end else 0.0
        crossed = sum(_cross(start, end, places[c], places[d]) for c, d in borders if not {a, b} & {c, d})
        return (crossed, -min(2, len(near[a] & near[b])), length, a, b)

    order = sorted(borders, key=likeliest)
    best = embedded(len(board.provinces), order)
    if 0 < len(best.removed) < _FEW:
        again = embedded(len(board.provinces), [*best.removed, *(each for each in order if each not in best.removed)])
        best = min(best, again, key=lambda found: len(found.removed))
    return best


def _cross(a: Point | None, b: Point | None, c: Point | None, d: Point | None) -> bool:
    """Return True if two lines cross; never if a place is not known."""
    if a is None or b is None or c is None or d is None:
        return False
    return _turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _outer(board: Map, embedding: Embedding) -> list[int]:
    """Return the face that is the outside: the largest if all places are known, or else the face with most corners."""
    places = [province.at for province in board.provinces]

    def extent(face: list[int]) -> tuple[float, int]:
        known = [place for v in face if v < len(places) and (place := places[v]) is not None]
        area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(known, [*known[1:], *known[:1]], strict=True))
        return (abs(area) if all(places) else 0.0, len(face))

    return max(embedding.faces, key=extent)


@dataclass(frozen=True)
class Layout:
    """A mesh on paper."""

    mesh: Mesh
    places: Array
    width: float
    height: float

    def enlarged(self, factor: float) -> Layout:
        """Return the same layout on larger paper."""
        return Layout(self.mesh, factor * self.places, factor * self.width, factor * self.height)


def layout_of(board: Map) -> Layout:
    """Return the mesh of a map with the place of each vertex."""
    mesh = mesh_of(board)
    wanted = _wanted(board)
    aspect = 1.25
    if wanted is not None:
        spread = np.ptp(wanted, axis=0)
        aspect = float(np.clip(spread[0] / max(spread[1], 1e-6), 0.6, 1.8))
    height = math.sqrt(ROOM * len(board.provinces) / aspect)
    width = aspect * height
    best = max(
        ((mirrored, turn) for mirrored in (False, True) for turn in range(_TURNS)),
        key=lambda way: _fit(board, mesh, _tutte(mesh, width, height, *way), wanted),
    )
    places = _relaxed(mesh, _tutte(mesh, width, height, *best), _on_paper(wanted, width, height))
    return Layout(mesh, places, width, height)


def _wanted(board: Map) -> Array | None:
    """Return the places that the file gives, if it gives all."""
    places = [province.at for province in board.provinces]
    return np.array(places, np.float64) if all(place is not None for place in places) else None


def _on_paper(wanted: Array | None, width: float, height: float) -> Array | None:
    """Return places spread over the paper, with a margin."""
    if wanted is None:
        return None
    low, size = wanted.min(axis=0), np.maximum(np.ptp(wanted, axis=0), 1e-6)
    paper: Array = (0.07 + 0.86 * (wanted - low) / size) * np.array([width, height])
    return paper


def _ring(count: int, width: float, height: float, mirrored: bool, turn: int) -> Array:
    """Return points round the frame, clockwise on paper unless mirrored; turn shifts the first point."""
    steps = (np.arange(count) / count + turn / _TURNS) % 1.0
    if mirrored:
        steps = 1.0 - steps
    way = steps * 2 * (width + height)
    found = np.empty((count, 2))
    for at, far in enumerate(way):
        if far < width:
            found[at] = (far, 0)
        elif far < width + height:
            found[at] = (width, far - width)
        elif far < 2 * width + height:
            found[at] = (2 * width + height - far, height)
        else:
            found[at] = (0, 2 * (width + height) - far)
    return found


def _tutte(mesh: Mesh, width: float, height: float, mirrored: bool, turn: int) -> Array:
    """Return each vertex in the middle of its neighbours, with the points of the frame in their places."""
    free = mesh.frame
    places = np.zeros((mesh.count, 2))
    places[free:] = _ring(len(mesh.outer), width, height, mirrored, turn)
    matrix = np.zeros((mesh.count, mesh.count))
    for a, b, c in mesh.triangles:
        for p, q in ((a, b), (b, c), (c, a)):
            matrix[p, q] = matrix[q, p] = 1
    inner, outer = matrix[:free, :free], matrix[:free, free:]
    degrees = np.diag(matrix[:free].sum(axis=1))
    # Rounded, because the last bits differ from one processor to the next, and everything after depends on them.
    places[:free] = np.round(np.linalg.solve(degrees - inner, outer @ places[free:]), 6)
    return places


def _fit(board: Map, mesh: Mesh, places: Array, wanted: Array | None) -> float:
    """Return how well a layout agrees with the places that the file gives, or else with the names of shores."""
    if wanted is not None:
        own = places[: len(board.provinces)] - places[: len(board.provinces)].mean(axis=0)
        theirs = wanted - wanted.mean(axis=0)
        return float((own * theirs / np.maximum(theirs.std(axis=0), 1e-6)).sum())
    score = 0.0
    for province in board.provinces:
        for number, coast in enumerate(province.coasts, 1):
            near = {board.areas[there].province for there in board.fleet[province.area + number]}
            if near:
                way = places[sorted(near)].mean(axis=0) - places[province.id]
                score += float(way @ np.array(_UP[coast])) / max(float(np.hypot(*way)), 1e-6)
    return score


def _areas(corners: Array) -> Array:
    ab, ac = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas: Array = 0.5 * (ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0])
    return areas


def _relaxed(mesh: Mesh, places: Array, wanted: Array | None) -> Array:
    """Return relaxed places: similar triangles, none turned over, and provinces near their wanted places.

    Each vertex goes to the middle of the triangles round it, and small triangles push their corners apart.
    """
    triangles, free = mesh.corners, mesh.frame
    sign = math.copysign(1.0, float(_areas(places[triangles]).sum()))
    # Triangles at the frame count for more, so that the regions there do not take all the room.
    at_frame = max(_AT_FRAME, 8 * _AT_FRAME / len(mesh.outer))
    weights = np.where((triangles >= free).any(axis=1), at_frame, 1.0)
    for number in range(_ROUNDS):
        left = 1 - number / _ROUNDS
        corners = places[triangles]
        areas = np.abs(_areas(corners))
        middles = corners.mean(axis=1)
        sums, total, push = np.zeros((mesh.count, 2)), np.full(mesh.count, 1e-9), np.zeros((mesh.count, 2))
        for corner in range(3):
            np.add.at(sums, triangles[:, corner], (weights * areas)[:, None] * middles)
            np.add.at(total, triangles[:, corner], weights * areas)
            # The area grows fastest perpendicular to the side that faces the corner.
            facing = corners[:, (corner + 2) % 3] - corners[:, (corner + 1) % 3]
            square = sign * np.stack([-facing[:, 1], facing[:, 0]], axis=1)
            np.add.at(push, triangles[:, corner], square / (weights * areas + 1e-9)[:, None])
        step = 0.2 * (sums / total[:, None] - places)
        strength = np.hypot(push[:, 0], push[:, 1])
        step += (0.05 + 0.15 * left) * np.sqrt(total)[:, None] * push / (strength + 1e-9)[:, None]
        if wanted is not None:
            step[: len(wanted)] += 0.12 * left * (wanted - places[: len(wanted)])
        step[free:] = 0
        places = _stepped(places, step, triangles, sign)
    return places


def _stepped(places: Array, step: Array, triangles: NDArray[np.int64], sign: float) -> Array:
    """Return the places after a step that is shortened at triangles that would turn over or vanish."""
    least = 1e-4 * np.abs(_areas(places[triangles])).mean()
    for _ in range(6):
        after = places + step
        wrong = sign * _areas(after[triangles]) < np.minimum(least, 0.5 * sign * _areas(places[triangles]))
        if not wrong.any():
            return after
        step[np.unique(triangles[wrong])] *= 0.25
    stays = places + step
    wrong = sign * _areas(stays[triangles]) <= 0
    return places if wrong.any() else stays
